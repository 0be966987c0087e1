//===- Exchange.h - Packed stand-ins for a call's buffers -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One buffer argument of an MPI call may have many blocks, each some instances
// of a type at an offset. A Side holds their packed bytes one after another. An
// Exchange has the two sides of an operation and lives until the operation
// completes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_REQUESTS_EXCHANGE_H
#define SLUICE_LIB_PACKMPI_REQUESTS_EXCHANGE_H

#include "../Library/Staging.h"
#include "Policy.h"

#include <memory>
#include <vector>

namespace sluice::mpi {

/// Some instances of a type, `offset` bytes from the buffer's address, or plain
/// bytes if there is no type.
struct Block {
  TypeRef type;
  int64_t count = 0;
  int64_t offset = 0;
  int64_t bytes = 0;
  int64_t packedOffset = 0;
  /// Nothing is received for this block: it is in place already, or its source
  /// is MPI_PROC_NULL.
  bool isKept = false;
};

class Side {
public:
  /// Starts again with this buffer and no blocks.
  void begin(const void *buffer);
  void add(const TypeRef &type, int64_t count, int64_t offset);
  void addPlain(int64_t bytes, int64_t offset);
  /// Allocates the packed buffer; false if there is no memory.
  bool allocate();
  /// Uses this buffer instead, which is large enough and may have a gap.
  void adopt(Staging buffer, bool isGapped) {
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
  /// Unpacks all blocks but those that are kept.
  void unpackAll();
  void keep(size_t i) { blocks[i].isKept = true; }
  /// Unpacks a message shorter than expected; one block.
  void unpackFirst(int64_t bytes);

private:
  char *user = nullptr;
  std::vector<Block> blocks;
  Staging staging;
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
