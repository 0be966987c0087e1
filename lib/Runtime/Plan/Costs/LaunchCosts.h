//===- LaunchCosts.h - Costs of a plan's launches by size -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan may be launched alternately for ten elements and for a million, for
// example for the levels of a search. What is right for one size says nothing
// about another.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_LAUNCHCOSTS_H
#define SLUICE_RUNTIME_PLAN_LAUNCHCOSTS_H

#include "LaunchCost.h"

#include <array>
#include <bit>
#include <memory>

namespace sluice {

/// A LaunchCost for each size that occurs; sizes that differ by less than a
/// factor of two share one. Thread-safe.
class LaunchCosts {
public:
  LaunchCosts() = default;
  ~LaunchCosts() {
    for (std::atomic<LaunchCost *> &cost : costs)
      delete cost.load(std::memory_order_relaxed);
  }
  LaunchCosts(const LaunchCosts &) = delete;
  LaunchCosts &operator=(const LaunchCosts &) = delete;

  /// Whether to run the next launch, with this many units, alone.
  bool isNextAlone(uint64_t units) { return of(units).isNextAlone(); }
  /// Adds the time of a launch with this many units.
  void add(uint64_t units, bool isAlone, uint64_t nanoseconds) {
    // Scales to the smallest number of units of the same size class.
    const double part =
        units ? static_cast<double>(std::bit_floor(units)) / double(units) : 1;
    of(units).add(isAlone, static_cast<uint64_t>(double(nanoseconds) * part),
                  1000);
  }

private:
  LaunchCost &of(uint64_t units) {
    std::atomic<LaunchCost *> &place = costs[std::bit_width(units)];
    if (LaunchCost *known = place.load(std::memory_order_acquire))
      return *known;
    auto made = std::make_unique<LaunchCost>();
    LaunchCost *expected = nullptr;
    if (place.compare_exchange_strong(expected, made.get(),
                                      std::memory_order_acq_rel))
      return *made.release();
    return *expected;
  }

  std::array<std::atomic<LaunchCost *>, 65> costs{};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_LAUNCHCOSTS_H
