//===- ChangedMemory.h - What ranks write where nobody knows ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instances of a node that run at the same time write no bytes that another
// instance touches. But if the written places follow from data, they are not
// known in advance. Then each rank copies such memory before its instances run,
// and compares the memory with the copy afterwards:
//
//   before     4 4 4 4 4 4
//   rank 0     7 4 4 5 4 4    changed by   3 0 0 1 0 0   (exclusive or)
//   rank 1     4 4 2 4 4 4                 0 0 6 0 0 0
//   joined                                 3 0 6 1 0 0
//   after      7 4 2 5 4 4    on rank 0
//
// A byte that two ranks change to different values shows a race of the program.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REMOTEGRAPHS_CHANGEDMEMORY_H
#define SLUICE_RUNTIME_REMOTEGRAPHS_CHANGEDMEMORY_H

#include "../NodeShares.h"
#include "../RankState.h"

#include <memory>
#include <span>

namespace sluice {

/// Joins to `changes` what another rank has changed of as many bytes. Returns
/// the index of a byte that both have changed, and not alike; none:
/// changes.size().
size_t joinChanges(std::span<char> changes, const char *others);

class ChangedMemory {
public:
  /// Does nothing unless there is such memory, and this rank has a share.
  /// Before that, memory has moved.
  ChangedMemory(RankState &state, const SharedLaunch &launch,
                const SluicePlanNode &node, std::span<const RankShare> shares,
                std::span<const ComparedMemory> memory);

  /// Before this rank runs its share.
  void begin();
  /// Afterwards, also if it has failed: rank 0 gets what all have changed.
  Status finish();

private:
  char *dataOf(const ComparedMemory &each) const;

  RankState &state;
  const SharedLaunch &launch;
  const SluicePlanNode &node;
  const std::span<const RankShare> shares;
  const std::span<const ComparedMemory> memory;
  /// This rank's, or none.
  size_t own;
  /// What stood in `memory`, one after the other.
  std::unique_ptr<char[]> copy;
  uint64_t copySize = 0;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_CHANGEDMEMORY_H
