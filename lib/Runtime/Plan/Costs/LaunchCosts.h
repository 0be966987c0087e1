//===- LaunchCosts.h - Costs of a plan's launches by size -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each node of a graph may gain by being shared, and the launch still lose:
// workers must be woken, and find their data in the cache of another worker. So
// launches for which the host waits at once are timed as a whole.
//
// A plan may be launched alternately for ten elements and for a million, for
// example for the levels of a search. What is right for one size says nothing
// about another.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_LAUNCHCOSTS_H
#define SLUICE_RUNTIME_PLAN_LAUNCHCOSTS_H

#include "sluice/Base/TwoWays.h"

#include <array>
#include <bit>
#include <memory>

namespace sluice {

/// The two ways of each size that occurs; sizes that differ by less than a
/// factor of two share them. Thread-safe.
class LaunchCosts {
public:
  LaunchCosts() = default;
  ~LaunchCosts() {
    for (std::atomic<Ways *> &ways : sizes)
      delete ways.load(std::memory_order_relaxed);
  }
  LaunchCosts(const LaunchCosts &) = delete;
  LaunchCosts &operator=(const LaunchCosts &) = delete;

  /// Whether to run the next launch, with this many units, alone.
  bool isNextAlone(uint64_t units) { return of(units).isNextSecond(); }
  /// Adds the time of a launch with this many units.
  void add(uint64_t units, bool isAlone, uint64_t nanoseconds) {
    // Relative to the smallest number of units of the same size.
    const double work =
        units ? 1000 * double(units) / double(std::bit_floor(units)) : 1000;
    of(units).add(isAlone, nanoseconds, static_cast<uint64_t>(work));
  }

private:
  /// Shared, or alone.
  using Ways = TwoWays<RowMedian, launchRules>;

  Ways &of(uint64_t units) {
    std::atomic<Ways *> &place = sizes[std::bit_width(units)];
    if (Ways *known = place.load(std::memory_order_acquire))
      return *known;
    auto made = std::make_unique<Ways>();
    Ways *expected = nullptr;
    if (place.compare_exchange_strong(expected, made.get(),
                                      std::memory_order_acq_rel))
      return *made.release();
    return *expected;
  }

  std::array<std::atomic<Ways *>, 65> sizes{};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_LAUNCHCOSTS_H
