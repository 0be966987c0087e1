//===- Summary.h - Where the time of a run went ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What SLUICE_SUMMARY prints: sums of what a timeline shows, for each rank. Its
// memory does not grow with the run.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TRACE_SUMMARY_H
#define SLUICE_RUNTIME_TRACE_SUMMARY_H

#include <cstdint>
#include <string>
#include <vector>

namespace sluice {

/// Of one rank. Times are nanoseconds.
struct RunTotals {
  uint64_t numWorkers = 0;
  uint64_t elapsed = 0;
  /// Of all workers together, and in how many chunks and tasks.
  uint64_t inKernels = 0, numParts = 0;
  uint64_t numSent = 0, bytesSent = 0;
  uint64_t numReceived = 0, bytesReceived = 0;
};

/// A table with a line for each rank. Of several, the last line says by how
/// much the busiest one was above the mean.
std::string summaryText(const std::vector<RunTotals> &ranks);

} // namespace sluice

#endif // SLUICE_RUNTIME_TRACE_SUMMARY_H
