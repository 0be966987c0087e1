//===- TraceReport.h - Answers from a trace ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How busy workers and devices were, what they waited for in between, which
// nodes took the time, and which of these the run could not have been without.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_TRACEREPORT_H
#define SLUICE_DRIVER_TRACEREPORT_H

#include "sluice/Driver/Timeline.h"
#include "llvm/Support/raw_ostream.h"

#include <array>

namespace sluice::driver {

/// What time without work was spent on.
enum class WaitKind {
  Dependence, ///< nodes that the next one waits for still ran
  Memory,     ///< its launch waited for memory that others used
  Transfer,   ///< bytes were on their way, between devices or ranks
  Compile,    ///< a driver compiled kernels
  Start,      ///< the next node could have run, but was not taken up yet
  Shortage, ///< launches were in flight, but had no more to do for this worker
  Nothing,  ///< no launch was in flight: the host program's own time
};
constexpr unsigned numWaitKinds = 7;
/// "dependence", and what it means, in a few words.
llvm::StringRef waitName(WaitKind kind);
llvm::StringRef waitMeaning(WaitKind kind);
/// "#e15759": in pictures and pages.
llvm::StringRef waitColour(WaitKind kind);

/// All times are in nanoseconds.
struct TraceReport {
  using Kind = WaitKind;
  /// A part of the time in which a row did nothing.
  struct Wait {
    uint32_t row;
    int64_t start, end;
    Kind kind;
    /// The node that came next and the one it waited for; or none.
    uint32_t next, waitedFor;
  };
  struct RowUse {
    uint32_t row;
    int64_t busy = 0;
    uint64_t numSpans = 0;
  };
  struct NodeUse {
    uint32_t name;
    double time = 0; ///< of all its chunks together
    uint64_t numSpans = 0, numLaunches = 0;
    int64_t longest = 0;
    double onPath = 0; ///< of its time, what is on the critical path
  };
  /// A part of the critical path: what ran without a pause, behind a wait.
  struct Step {
    uint32_t span; ///< the first of them; index into the timeline's spans
    int64_t start, end;
    int64_t waitStart; ///< from here to `start` was the wait
    Kind wait;
    uint64_t numSpans;
  };
  /// What waited for what, all together; the longest first.
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
  std::vector<NodeUse> nodes; ///< what took most time first
  /// In the order of time. Together with their waits, and with `pathTail`, the
  /// steps cover the run from its begin to its end.
  std::vector<Step> path;
  int64_t pathTail = 0; ///< from the last step to the end of the run
  /// Of the path: what the waits were for, and what was no node's time, such as
  /// transfers.
  std::array<double, numWaitKinds> pathWaits = {};
  double pathOther = 0;
};

/// Finds all of it. The time is that of sorting the timeline's spans.
TraceReport analyseTimeline(const Timeline &timeline);

struct TracePrintOptions {
  /// How many nodes and causes are shown.
  unsigned most = 10;
  /// Whether each step of the path is.
  bool hasSteps = false;
};

/// Prints the report as tables.
void printTraceReport(const Timeline &timeline, const TraceReport &report,
                      const TracePrintOptions &options, llvm::raw_ostream &os);

/// Draws workers and queues over time, with the critical path, as a file in
/// SVG.
std::string drawTimeline(const Timeline &timeline, const TraceReport &report);

/// The name, or the begin of one that is too long for a line.
std::string shortName(llvm::StringRef name);

/// "1.25 ms": of nanoseconds.
std::string spellTime(double nanoseconds);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_TRACEREPORT_H
