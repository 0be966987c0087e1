//===- History.h - Choosing places by measured times ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each node and size class: tries every place a few times in a row, so
// that all but the first find their data there, then takes the fastest. A
// place that is far slower is left after one try, and looked at again rarely.
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

/// The times of one node at all places. Functions may be called from any
/// thread.
class NodeHistory {
public:
  /// Runs in a row at a place that is new.
  static constexpr uint32_t numTries = 3;
  /// A place that is slower by this factor is not tried again soon.
  static constexpr uint64_t farSlower = 4;

  struct Choice {
    MemoryPlace place;
    bool wantsTiming;
  };
  /// Chooses among places, of which there must be one, for inputs of a size.
  Choice choose(std::span<const MemoryPlace> candidates, uint64_t size);
  /// A run of `choose` has ended. A cold one, in which the driver may have
  /// compiled the kernel, counts until there is another.
  void add(MemoryPlace place, uint64_t size, uint64_t nanoseconds,
           bool isCold = false);

  /// What an earlier process measured.
  void load(MemoryPlace place, const DeviceTiming &timing);
  /// What was measured by this one since the last call: size class, runs and
  /// times are set.
  std::vector<std::pair<MemoryPlace, DeviceTiming>> takeNew();

  static unsigned classOf(uint64_t size);

private:
  struct Times {
    /// Runs that were begun to learn more.
    uint32_t tries = 0;
    uint64_t runs = 0;
    /// Of this process, not yet taken.
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
    /// Runs left of a look at another place.
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
