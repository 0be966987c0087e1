//===- timing.h - Rounds of some milliseconds, however short ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is timed here takes from 10 ns to 100 ms in different programs, so a
// round has no fixed number of repetitions but a fixed time.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_PACK_TIMING_H
#define SLUICE_BENCH_PACK_TIMING_H

#include "../common/harness.h"

#include <algorithm>

namespace bench {

constexpr double roundSeconds = 2e-3;

/// How often something is done in one round, found once for a row.
class Repetitions {
public:
  void forget() { number = 0; }
  long count() const { return number; }

  /// Finds the number with `act(times)`, which does it that often.
  template <class Act> void find(const Act &act) {
    for (long times = 1;; times *= 4) {
      const double passed = seconds(act, times);
      if (passed < roundSeconds / 4)
        continue;
      const double share = roundSeconds / passed;
      number =
          std::max(1L, static_cast<long>(static_cast<double>(times) * share));
      return;
    }
  }

  /// Seconds of one call of `action`: the mean over a round.
  template <class Action> double time(const Action &action) {
    const auto act = [&](long times) {
      for (long i = 0; i < times; ++i)
        action();
    };
    if (number == 0)
      find(act);
    return seconds(act, number) / static_cast<double>(number);
  }

private:
  template <class Act> static double seconds(const Act &act, long times) {
    const double start = benchSeconds();
    act(times);
    return benchSeconds() - start;
  }

  long number = 0;
};

} // namespace bench

#endif // SLUICE_BENCH_PACK_TIMING_H
