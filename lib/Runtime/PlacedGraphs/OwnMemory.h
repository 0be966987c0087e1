//===- OwnMemory.h - Memory on devices for one instance -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host may write memory that is not tracked whenever no launch uses it, so
// devices have copies of it for the time of one instance only.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLACEDGRAPHS_OWNMEMORY_H
#define SLUICE_RUNTIME_PLACEDGRAPHS_OWNMEMORY_H

#include "../Memory/Tracker.h"
#include "DevicePlan.h"

#include <span>
#include <vector>

namespace sluice {

/// `begin`, `add` and `track` come before the instance's start, `release` when
/// it ends.
class OwnMemory {
public:
  explicit OwnMemory(MemoryTracker &shared) : shared(shared) {}

  void begin();
  /// Memory that device kernels use, if it is not tracked and its size is
  /// known.
  void add(const KnownMemory &memory, const unsigned char *frame);
  /// Tracks what was added; parts that overlap as one.
  void track();
  bool isEmpty() const { return ranges.empty(); }
  /// Knows this memory while the instance runs.
  MemoryTracker &tracker() { return own; }
  /// The datasets among it.
  std::span<const MemoryAccess> datasets() const { return theDatasets; }

  /// False: there is nothing to fetch.
  bool beginFetchHome();
  /// Brings home what has not come yet and forgets the memory. Errors are of
  /// memory that was lost.
  Status release();

private:
  struct Range {
    uintptr_t begin, end;
  };
  MemoryTracker &shared;
  MemoryTracker own;
  std::vector<Range> ranges;
  std::vector<MemoryAccess> theDatasets;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLACEDGRAPHS_OWNMEMORY_H
