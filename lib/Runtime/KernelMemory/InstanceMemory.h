//===- InstanceMemory.h - Memory with the lifetime of a graph instance ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of outputs, and memory that leaves allocate, live until the launch or
// stream item ends. They come from one block per instance, which is kept for
// the next run; larger allocations come from the system.
//
//
// Room: the blocks of memory that kernels allocate, by lifetime: of a
// work-group (GroupMemory) or a graph instance (this file), optionally with
// guards (GuardedMemory). Includes only Base and does not know plans or
// workers.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_KERNELMEMORY_INSTANCEMEMORY_H
#define SLUICE_RUNTIME_KERNELMEMORY_INSTANCEMEMORY_H

#include <atomic>
#include <cstdint>

namespace sluice {

/// Larger than the memory of any machine; the limit prevents overflows in sums
/// of sizes.
constexpr uint64_t maxAllocation = UINT64_C(1) << 46;

class InstanceMemory {
public:
  InstanceMemory() = default;
  InstanceMemory(const InstanceMemory &) = delete;
  InstanceMemory &operator=(const InstanceMemory &) = delete;
  ~InstanceMemory();

  /// `size` bytes aligned to 64, or null if memory is out. Any thread.
  void *allocate(uint64_t size);
  /// Frees everything. No other call may be running.
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
