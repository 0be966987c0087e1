//===- StreamPace.h - Whether the host runs a stream's batches ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Items of about a microsecond may go through a graph faster when the host runs
// them itself, batch by batch, or when workers overlap them. This depends on
// how far they can overlap, on data that moves between cores, and on other work
// of the host. So both ways are measured, from push to push, and the faster one
// is used until the next comparison.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_STREAMS_STREAMPACE_H
#define SLUICE_RUNTIME_STREAMS_STREAMPACE_H

#include "sluice/Base/TwoWays.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace sluice {

/// Data about all streams of a plan; several threads may use it at the same
/// time.
class StreamPace {
public:
  /// Whether the host should run the next batches.
  bool runsHere() const { return isHere.load(std::memory_order_relaxed); }
  /// Adds the time of `numItems` items in one of the two ways.
  void add(bool ranHere, uint64_t nanoseconds, uint64_t numItems) {
    ways.add(ranHere, nanoseconds, numItems);
    isHere.store(ways.isNextSecond(), std::memory_order_relaxed);
  }

private:
  /// By workers, or by the host.
  TwoWays<RowMedian, launchRules> ways;
  std::atomic<bool> isHere{false};
};

/// Adds up the times of batches of one stream that ran in the same way.
class PaceWindow {
public:
  /// A batch with this many items is full. Returns true if the result should be
  /// passed to `add` and a new window begins.
  bool addBatch(bool runsHere, uint64_t now, uint64_t items) {
    if (runsHere != ranHere) {
      ranHere = runsHere;
      numItems = nanoseconds = 0;
      numToSkip = skipped; // those that began in the other way
    }
    uint64_t time = last ? now - last : 0;
    last = now;
    if (!time || numToSkip) {
      numToSkip -= std::min(numToSkip, items);
      return false;
    }
    numItems += items;
    nanoseconds += time;
    return numItems >= enoughItems && nanoseconds >= enoughTime;
  }
  void addTo(StreamPace &pace) {
    pace.add(ranHere, nanoseconds, numItems);
    numItems = nanoseconds = 0;
  }

private:
  static constexpr uint64_t skipped = 64, enoughItems = 256;
  static constexpr uint64_t enoughTime = wakeTime;
  bool ranHere = false;
  uint64_t last = 0, numItems = 0, nanoseconds = 0, numToSkip = skipped;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_STREAMS_STREAMPACE_H
