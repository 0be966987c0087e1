//===- Summary.h - Summary of a run's time --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output of SLUICE_SUMMARY: sums over a timeline for each rank. Its memory
// does not grow with the run.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TRACE_SUMMARY_H
#define SLUICE_RUNTIME_TRACE_SUMMARY_H

#include <cstdint>
#include <string>
#include <vector>

namespace sluice {

/// The totals of one rank. Times are in nanoseconds.
struct RunTotals {
  uint64_t numWorkers = 0;
  uint64_t elapsed = 0;
  /// Time of all workers, and the number of chunks and tasks.
  uint64_t inKernels = 0, numParts = 0;
  uint64_t numSent = 0, bytesSent = 0;
  uint64_t numReceived = 0, bytesReceived = 0;
};

/// A table with a line for each rank. With several ranks, the last line gives
/// by how much the busiest rank exceeds the mean.
std::string summaryText(const std::vector<RunTotals> &ranks);

} // namespace sluice

#endif // SLUICE_RUNTIME_TRACE_SUMMARY_H
