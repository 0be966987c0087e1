//===- Exchange.h - Packed replacements of a call's buffers ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One buffer argument of an MPI call may have many blocks, each consisting of
// instances of a type at an offset. A Side contains their packed bytes one
// after another. An Exchange contains the two sides of an operation and lives
// until the operation completes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_REQUESTS_EXCHANGE_H
#define SLUICE_LIB_PACKMPI_REQUESTS_EXCHANGE_H

#include "../Library/StagingBuffer.h"
#include "Policy.h"

#include <memory>
#include <vector>

namespace sluice::mpi {

/// Instances of a type, `offset` bytes from the buffer's address, or plain
/// bytes if there is no type.
struct Block {
  TypeRef type;
  int64_t count = 0;
  int64_t offset = 0;
  int64_t bytes = 0;
  int64_t packedOffset = 0;
  /// Nothing is received for this block: it is already in place, or its source
  /// is MPI_PROC_NULL.
  bool isKept = false;
};

class Side {
public:
  /// Restarts with this buffer and no blocks.
  void begin(const void *buffer);
  void add(const TypeRef &type, int64_t count, int64_t offset);
  void addPlain(int64_t bytes, int64_t offset);
  /// Allocates the packed buffer; false if memory is out.
  bool allocate();
  /// Uses this buffer instead, which is large enough and may have a gap.
  void adopt(StagingBuffer buffer, bool isGapped) {
    staging = std::move(buffer);
    hasGap = isGapped;
  }
  void clear();

  bool isUsed() const { return bool(staging); }
  char *data() const { return staging.data(); }
  int64_t bytes() const { return total; }
  size_t size() const { return blocks.size(); }
  const Block &block(size_t i) const { return blocks[i]; }

  void pack(size_t i);
  void unpack(size_t i);
  void packAll();
  /// Unpacks all blocks except kept ones.
  void unpackAll();
  void keep(size_t i) { blocks[i].isKept = true; }
  /// Unpacks a message shorter than expected; only for one block.
  void unpackFirst(int64_t bytes);

private:
  char *user = nullptr;
  std::vector<Block> blocks;
  StagingBuffer staging;
  int64_t total = 0;
  bool hasGap = false;
};

struct Exchange {
  Side send, receive;
  /// Counts and displacements that MPI reads until the operation completes.
  std::vector<std::unique_ptr<char[]>> arrays;

  template <typename Element> Element *newArray(size_t length) {
    arrays.emplace_back(new char[sizeof(Element) * (length + 1)]);
    return reinterpret_cast<Element *>(arrays.back().get());
  }
  void clear() {
    send.clear();
    receive.clear();
    arrays.clear();
  }
};

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_REQUESTS_EXCHANGE_H
