//===- TraceReport.h - Answers from a trace ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How busy workers and devices were, what they waited for, which nodes took the
// time, and which of these are on the critical path.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_TRACEREPORT_H
#define SLUICE_DRIVER_TRACEREPORT_H

#include "sluice/Driver/Timeline.h"
#include "llvm/Support/raw_ostream.h"

#include <array>

namespace sluice::driver {

/// Reasons for time without work.
enum class WaitKind {
  Dependence, ///< predecessors of the next node were still running
  Memory,     ///< its launch waited for memory in use by others
  Transfer,   ///< bytes were being transferred between devices or ranks
  Compile,    ///< a driver compiled kernels
  Start,      ///< the next node was ready, but not started yet
  Shortage,   ///< launches were in flight, but had no more work for this worker
  Nothing,    ///< no launch was in flight: the host program's own time
};
constexpr unsigned numWaitKinds = 7;
/// "dependence", and a description in a few words.
llvm::StringRef waitName(WaitKind kind);
llvm::StringRef waitMeaning(WaitKind kind);
/// The colour in pictures and pages: "#e15759".
llvm::StringRef waitColour(WaitKind kind);

/// All times are in nanoseconds.
struct TraceReport {
  using Kind = WaitKind;
  /// An interval in which a row was idle.
  struct Wait {
    uint32_t row;
    int64_t start, end;
    Kind kind;
    /// The next node and the node it waited for; or none.
    uint32_t next, waitedFor;
  };
  struct RowUse {
    uint32_t row;
    int64_t busy = 0;
    uint64_t numSpans = 0;
  };
  struct NodeUse {
    uint32_t name;
    double time = 0; ///< of all its chunks
    uint64_t numSpans = 0, numLaunches = 0;
    int64_t longest = 0;
    double onPath = 0; ///< the part of its time that is on the critical path
  };
  /// A part of the critical path: work without a pause, after a wait.
  struct Step {
    uint32_t span; ///< the first span; index into the timeline's spans
    int64_t start, end;
    int64_t waitStart; ///< the wait lasted from here to `start`
    Kind wait;
    uint64_t numSpans;
  };
  /// Total time by waiting and awaited node; the longest first.
  struct Cause {
    Kind kind;
    uint32_t next, waitedFor;
    double time = 0;
    uint64_t number = 0;
    int64_t longest = 0;
  };

  std::vector<RowUse> rows; ///< workers and queues, as in the timeline
  std::vector<Wait> waits;  ///< of workers, by row and time
  std::vector<Cause> causes;
  std::array<double, numWaitKinds> waitTimes = {};
  std::vector<NodeUse> nodes; ///< most expensive first
  /// In chronological order. The steps, their waits and `pathTail` cover the
  /// whole run.
  std::vector<Step> path;
  int64_t pathTail = 0; ///< from the last step to the end of the run
  /// Times on the path: reasons of waits, and time that belongs to no node,
  /// such as transfers.
  std::array<double, numWaitKinds> pathWaits = {};
  double pathOther = 0;
};

/// Computes the report. The cost is that of sorting the timeline's spans.
TraceReport analyseTimeline(const Timeline &timeline);

struct TracePrintOptions {
  /// How many nodes and causes to print.
  unsigned most = 10;
  /// Whether to print each step of the path.
  bool hasSteps = false;
};

/// Prints the report as tables.
void printTraceReport(const Timeline &timeline, const TraceReport &report,
                      const TracePrintOptions &options, llvm::raw_ostream &os);

/// Draws workers and queues over time, with the critical path, as an SVG file.
std::string drawTimeline(const Timeline &timeline, const TraceReport &report);

/// The name, or the beginning of a name that is too long for a line.
std::string shortName(llvm::StringRef name);

/// A time in nanoseconds as text: "1.25 ms".
std::string spellTime(double nanoseconds);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_TRACEREPORT_H
