//===- Patience.h - How long to search for work before sleeping -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Going to sleep and being woken takes two system calls, and about ten
// microseconds until the thread runs. If work arrives regularly, it is cheaper
// to keep searching between pieces; if no work arrives, searching takes a
// processor from others. So a thread that was woken soon after it went to
// sleep, several times in a row, searches longer from then on, until the first
// time that this was in vain.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_SCHEDULING_PATIENCE_H
#define SLUICE_RUNTIME_SCHEDULING_PATIENCE_H

#include "sluice/Base/MachineCosts.h"

#include <atomic>
#include <cstdint>

namespace sluice {

/// The state of one thread, or of several that wait for similar things. All
/// times are in nanoseconds; `usual` is the minimum time of a search.
class Patience {
public:
  /// How long to search.
  uint64_t get(uint64_t usual) const {
    return usual >= leastUsual && numSoon.load(relaxed) >= enough ? longest
                                                                  : usual;
  }
  /// Records that a thread searched, then slept for `time`, and was woken.
  void slept(uint64_t usual, uint64_t time) {
    const uint32_t before = numSoon.load(relaxed);
    if (get(usual) + time >= longest)
      numSoon.store(0, relaxed);
    else if (before < enough)
      numSoon.store(before + 1, relaxed);
  }

private:
  static constexpr auto relaxed = std::memory_order_relaxed;
  /// Threads that share a core search for less than `leastUsual`, and have no
  /// time to search longer.
  static constexpr uint64_t longest = 2 * wakingTime;
  static constexpr uint64_t leastUsual = 5 * handOverTime;
  static constexpr uint32_t enough = 2;

  std::atomic<uint32_t> numSoon{0};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_SCHEDULING_PATIENCE_H
