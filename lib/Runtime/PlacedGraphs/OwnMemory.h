//===- OwnMemory.h - Memory on devices for one instance -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host may write memory that is not tracked whenever no launch uses it, so
// devices keep copies of it only for the duration of one instance.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLACEDGRAPHS_OWNMEMORY_H
#define SLUICE_RUNTIME_PLACEDGRAPHS_OWNMEMORY_H

#include "../Memory/Tracker.h"
#include "DevicePlan.h"

#include <span>
#include <vector>

namespace sluice {

/// Call `begin`, `add` and `track` before the instance's start, and `release`
/// when it ends.
class OwnMemory {
public:
  explicit OwnMemory(MemoryTracker &shared) : shared(shared) {}

  void begin();
  /// Adds memory that device kernels use, if it is not tracked and its size is
  /// known.
  void add(const KnownMemory &memory, const unsigned char *frame);
  /// Tracks the added memory; overlapping parts become one.
  void track();
  bool isEmpty() const { return ranges.empty(); }
  /// Contains this memory while the instance runs.
  MemoryTracker &tracker() { return own; }
  /// The datasets in this memory.
  std::span<const MemoryAccess> datasets() const { return theDatasets; }

  /// Returns false if there is nothing to fetch.
  bool beginFetchHome();
  /// Fetches the remaining data and untracks the memory. Errors refer to lost
  /// memory.
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
