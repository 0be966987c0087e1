//===- ResultQueue.h - Results of a stream that can be popped -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed structures of equal size, in blocks that never move: the host reads
// the most recently popped structure in place.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_STREAMS_RESULTQUEUE_H
#define SLUICE_RUNTIME_STREAMS_RESULTQUEUE_H

#include <algorithm>
#include <cstdint>
#include <memory>

namespace sluice {

/// First in, first out; used by one thread at a time.
class ResultQueue {
public:
  /// Structures of `size` bytes, which may be 0.
  explicit ResultQueue(uint64_t size)
      : stride(std::max<uint64_t>(1, size)),
        perBlock(std::clamp<uint64_t>(blockSize / stride, 1, 1024)) {}
  ~ResultQueue() {
    while (first)
      first = std::move(first->next);
  }

  bool empty() const { return count == 0; }
  uint64_t size() const { return count; }

  /// Room for one more structure at the end.
  unsigned char *push() {
    if (!last || numInLast == perBlock)
      addBlock();
    ++count;
    return last->bytes.get() + stride * numInLast++;
  }
  /// The first structure, which stays valid until the next pop. The queue must
  /// not be empty.
  unsigned char *pop() {
    if (numTaken == perBlock) {
      std::unique_ptr<Block> used = std::move(first);
      first = std::move(used->next);
      numTaken = 0;
      spare = std::move(used);
    }
    --count;
    return first->bytes.get() + stride * numTaken++;
  }

private:
  static constexpr uint64_t blockSize = 4096;
  struct Block {
    std::unique_ptr<unsigned char[]> bytes;
    std::unique_ptr<Block> next;
  };

  void addBlock() {
    std::unique_ptr<Block> block = std::move(spare);
    if (!block) {
      block = std::make_unique<Block>();
      block->bytes.reset(new unsigned char[stride * perBlock]);
    }
    Block *added = block.get();
    (last ? last->next : first) = std::move(block);
    last = added;
    numInLast = 0;
  }

  const uint64_t stride;
  const uint64_t perBlock;
  std::unique_ptr<Block> first;
  Block *last = nullptr;
  std::unique_ptr<Block> spare;
  uint64_t numTaken = 0;  ///< of the first block
  uint64_t numInLast = 0; ///< of the last block
  uint64_t count = 0;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_STREAMS_RESULTQUEUE_H
