//===- History.h - Selecting places by measured times ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each node and size class: tries every place in several consecutive runs,
// of which all but the first find their data there, then uses the fastest
// place. A much slower place is abandoned after one try, and rarely tried
// again.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLACEMENT_HISTORY_H
#define SLUICE_RUNTIME_PLACEMENT_HISTORY_H

#include "../Memory/Places.h"

#include "sluice/Runtime/Placement/DeviceHistory.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace sluice {

/// The times of one node at all places. Any thread may call the functions.
class NodeHistory {
public:
  /// Consecutive runs at a new place.
  static constexpr uint32_t numTries = 3;
  /// A place that is slower by this factor is not tried again soon.
  static constexpr uint64_t farSlower = 4;

  struct Choice {
    MemoryPlace place;
    bool wantsTiming;
  };
  /// Selects one of the given places, at least one, for inputs of this size.
  Choice choose(std::span<const MemoryPlace> candidates, uint64_t size);
  /// Records a run of `choose`. A cold run, in which the driver may have
  /// compiled the kernel, counts only until there is another run.
  void add(MemoryPlace place, uint64_t size, uint64_t nanoseconds,
           bool isCold = false);

  /// Adds measurements of an earlier process.
  void load(MemoryPlace place, const DeviceTiming &timing);
  /// The measurements of this process since the last call: size class, runs and
  /// times are set.
  std::vector<std::pair<MemoryPlace, DeviceTiming>> takeNew();

  static unsigned classOf(uint64_t size);

private:
  struct Times {
    /// Runs that were started to measure the place.
    uint32_t tries = 0;
    uint64_t runs = 0;
    /// Runs in this process that have not been taken yet.
    uint64_t newRuns = 0;
    /// The only time is that of a cold run.
    bool isCold = false;
    std::vector<uint64_t> newest, latest;
    uint64_t median() const;
  };
  struct SizeClass {
    std::map<MemoryPlace, Times> places;
    std::optional<MemoryPlace> chosen;
    uint32_t runsSinceLook = 0;
    uint32_t runsToNextLook = 64;
    /// Remaining runs of a retry of another place.
    uint32_t looksLeft = 0;
    MemoryPlace lookedAt = hostPlace;
  };

  std::optional<double> estimate(unsigned sizeClass, MemoryPlace place) const;
  std::optional<MemoryPlace>
  placeToTry(unsigned sizeClass, std::span<const MemoryPlace> candidates);
  std::optional<MemoryPlace>
  placeToLookAt(SizeClass &entry, std::span<const MemoryPlace> candidates);
  MemoryPlace fastest(unsigned sizeClass,
                      std::span<const MemoryPlace> candidates);

  mutable std::mutex mutex;
  std::map<unsigned, SizeClass> classes;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLACEMENT_HISTORY_H
