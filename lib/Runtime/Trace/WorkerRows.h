//===- WorkerRows.h - Which workers share a row of a timeline ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process may run graphs with several numbers of workers, which are workers
// of their own for each number. What runs at different times shares rows: the
// second worker of one run is the second of the next.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TRACE_WORKERROWS_H
#define SLUICE_RUNTIME_TRACE_WORKERROWS_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sluice {

/// From and to, in nanoseconds; in the order in which they ended.
using WorkTimes = std::vector<std::pair<uint64_t, uint64_t>>;

/// Workers that are shown as one row.
struct WorkerRow {
  std::string name;
  /// Which workers: their set, and their number in it.
  std::vector<std::pair<uint32_t, uint32_t>> workers;
};

/// `sets[s][w]` is when worker `w` of set `s` worked. Workers of a set keep
/// their rows apart; where a worker of a later set worked while those of its
/// number in sets before did, it gets a row of its own, behind all others.
std::vector<WorkerRow>
workerRows(const std::vector<std::vector<WorkTimes>> &sets);

} // namespace sluice

#endif // SLUICE_RUNTIME_TRACE_WORKERROWS_H
