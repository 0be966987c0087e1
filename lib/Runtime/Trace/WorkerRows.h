//===- WorkerRows.h - Sharing rows of a timeline among workers ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process may run graphs with several numbers of workers; each number has its
// own set of workers. Work at different times shares rows: for example the
// second worker of one run and the second of the next.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TRACE_WORKERROWS_H
#define SLUICE_RUNTIME_TRACE_WORKERROWS_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sluice {

/// Begin and end in nanoseconds, sorted by end.
using WorkTimes = std::vector<std::pair<uint64_t, uint64_t>>;

/// Workers that share a row.
struct WorkerRow {
  std::string name;
  /// The workers, each as its set and its number in the set.
  std::vector<std::pair<uint32_t, uint32_t>> workers;
};

/// `sets[s][w]` is when worker `w` of set `s` worked. Workers of a set have
/// separate rows. If a worker of a later set worked at the same time as workers
/// with its number in earlier sets, it gets a separate row after all others.
std::vector<WorkerRow>
workerRows(const std::vector<std::vector<WorkTimes>> &sets);

} // namespace sluice

#endif // SLUICE_RUNTIME_TRACE_WORKERROWS_H
