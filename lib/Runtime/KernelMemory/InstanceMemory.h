//===- InstanceMemory.h - Memory that ends with a graph instance ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of outputs, and memory that leaves allocate, live until the launch or
// stream item ends. They come from one block per instance, which is kept for
// the next run; larger ones come from the system.
//
//
// Room: the blocks of memory that kernels ask for, by how long they live: a
// work-group's (GroupMemory), a graph instance's (here), with guards around
// them if that is wanted (GuardedMemory). Includes nothing but Base and knows
// neither plans nor workers.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_KERNELMEMORY_INSTANCEMEMORY_H
#define SLUICE_RUNTIME_KERNELMEMORY_INSTANCEMEMORY_H

#include <atomic>
#include <cstdint>

namespace sluice {

/// More than any machine has; the limit keeps sums of sizes from overflowing.
constexpr uint64_t maxAllocation = UINT64_C(1) << 46;

class InstanceMemory {
public:
  InstanceMemory() = default;
  InstanceMemory(const InstanceMemory &) = delete;
  InstanceMemory &operator=(const InstanceMemory &) = delete;
  ~InstanceMemory();

  /// `size` bytes aligned to 64, or null if there is no memory. Any thread.
  void *allocate(uint64_t size);
  /// Frees everything. No other call may run.
  void reset() {
    if (keptUsed.load(std::memory_order_relaxed))
      keptUsed.store(0, std::memory_order_relaxed);
    if (blocks.load(std::memory_order_relaxed))
      freeBlocks();
  }

private:
  struct Block;
  static constexpr uint64_t keptSize = 64u << 10;

  void *allocateBlock(uint64_t size);
  void freeBlocks();

  std::atomic<char *> kept{nullptr};
  std::atomic<uint64_t> keptUsed{0};
  std::atomic<Block *> blocks{nullptr};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_KERNELMEMORY_INSTANCEMEMORY_H
