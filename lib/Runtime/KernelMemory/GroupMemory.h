//===- GroupMemory.h - Scratch memory of work-groups ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A worker allocates and frees the memory of one work-group after another, in
// the same few sizes. So each worker keeps its most recently freed blocks.
// Blocks that are still allocated when an exception leaves a kernel are freed
// when the kernel has ended.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_KERNELMEMORY_GROUPMEMORY_H
#define SLUICE_RUNTIME_KERNELMEMORY_GROUPMEMORY_H

#include <cstddef>
#include <cstdint>

namespace sluice {

/// Used by one thread at a time.
class GroupMemory {
public:
  GroupMemory() = default;
  GroupMemory(const GroupMemory &) = delete;
  GroupMemory &operator=(const GroupMemory &) = delete;
  ~GroupMemory();

  /// `size` bytes aligned to 64, or null if memory is out.
  void *allocate(uint64_t size);
  void free(void *pointer);
  /// Frees all blocks that are still allocated.
  void freeAll();

private:
  struct Block;
  static constexpr unsigned maxKept = 8;
  static constexpr uint64_t maxKeptSize = 4u << 20;

  void keep(Block *block);

  /// Blocks in use, newest first.
  Block *used = nullptr;
  Block *kept[maxKept] = {};
  unsigned numKept = 0;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_KERNELMEMORY_GROUPMEMORY_H
