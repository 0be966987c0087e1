//===- History.cpp - Selecting places by measured times -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares times by their medians, so that one run that was disturbed, or had
// to fetch its data, decides nothing.
//
//===----------------------------------------------------------------------===//

#include "History.h"

#include <algorithm>
#include <bit>
#include <cmath>

using namespace sluice;

/// The selected place stays until another one is faster by more than noise.
static constexpr double hysteresis = 0.85;
/// Once the selected place is known, every run of this number is timed.
static constexpr uint32_t timingInterval = 8;
static constexpr uint32_t longestInterval = 4096;
/// Consecutive runs when a place is tried again.
static constexpr uint32_t lookLength = 2;

unsigned NodeHistory::classOf(uint64_t size) {
  return size == 0 ? 0 : static_cast<unsigned>(std::bit_width(size)) - 1;
}

uint64_t NodeHistory::Times::median() const {
  DeviceTiming timing;
  timing.nanoseconds = latest;
  return timing.median();
}

//===----------------------------------------------------------------------===//
// Estimates
//===----------------------------------------------------------------------===//

/// The median of the class, or an interpolation between the nearest known
/// classes below and above, on logarithmic scales. Does not extrapolate,
/// because fixed costs and costs per byte of places differ.
std::optional<double> NodeHistory::estimate(unsigned sizeClass,
                                            MemoryPlace place) const {
  std::optional<std::pair<unsigned, double>> below, above;
  for (const auto &[number, entry] : classes) {
    auto times = entry.places.find(place);
    if (times == entry.places.end() || times->second.latest.empty())
      continue;
    auto median = static_cast<double>(times->second.median());
    if (number <= sizeClass)
      below = {number, median};
    if (number >= sizeClass && !above)
      above = {number, median};
  }
  if (!below || !above)
    return std::nullopt;
  if (below->first == above->first)
    return below->second;
  double part =
      double(sizeClass - below->first) / double(above->first - below->first);
  return std::exp2((1 - part) * std::log2(std::max(1.0, below->second)) +
                   part * std::log2(std::max(1.0, above->second)));
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

/// The first place that has not been tried often enough and is not much slower
/// than another.
std::optional<MemoryPlace>
NodeHistory::placeToTry(unsigned sizeClass,
                        std::span<const MemoryPlace> candidates) {
  if (candidates.size() == 1)
    return std::nullopt;
  std::optional<double> best;
  for (MemoryPlace place : candidates)
    if (std::optional<double> time = estimate(sizeClass, place))
      best = std::min(best.value_or(*time), *time);
  for (MemoryPlace place : candidates) {
    std::optional<double> time = estimate(sizeClass, place);
    Times &times = classes[sizeClass].places[place];
    if (time && *time > double(farSlower) * *best && !times.isCold)
      continue;
    if (times.tries < numTries)
      return place;
  }
  return std::nullopt;
}

/// Occasionally, the least recently tried of the other places.
std::optional<MemoryPlace>
NodeHistory::placeToLookAt(SizeClass &entry,
                           std::span<const MemoryPlace> candidates) {
  auto isCandidate = [&](MemoryPlace place) {
    return std::find(candidates.begin(), candidates.end(), place) !=
           candidates.end();
  };
  if (entry.looksLeft && isCandidate(entry.lookedAt)) {
    --entry.looksLeft;
    return entry.lookedAt;
  }
  if (++entry.runsSinceLook < entry.runsToNextLook)
    return std::nullopt;
  entry.runsSinceLook = 0;
  entry.runsToNextLook = std::min(2 * entry.runsToNextLook, longestInterval);
  std::optional<MemoryPlace> rarest;
  for (MemoryPlace place : candidates)
    if (place != entry.chosen &&
        (!rarest || entry.places[place].runs < entry.places[*rarest].runs))
      rarest = place;
  if (rarest) {
    entry.lookedAt = *rarest;
    entry.looksLeft = lookLength - 1;
  }
  return rarest;
}

MemoryPlace NodeHistory::fastest(unsigned sizeClass,
                                 std::span<const MemoryPlace> candidates) {
  SizeClass &entry = classes[sizeClass];
  std::optional<double> bestTime, chosenTime;
  MemoryPlace best = candidates.front();
  for (MemoryPlace place : candidates) {
    std::optional<double> time = estimate(sizeClass, place);
    if (place == entry.chosen)
      chosenTime = time;
    if (time && (!bestTime || *time < *bestTime)) {
      bestTime = time;
      best = place;
    }
  }
  if (!chosenTime || *bestTime < hysteresis * *chosenTime)
    entry.chosen = best;
  return *entry.chosen;
}

NodeHistory::Choice NodeHistory::choose(std::span<const MemoryPlace> candidates,
                                        uint64_t size) {
  std::lock_guard lock(mutex);
  unsigned sizeClass = classOf(size);
  if (std::optional<MemoryPlace> place = placeToTry(sizeClass, candidates)) {
    ++classes[sizeClass].places[*place].tries;
    return {*place, true};
  }
  MemoryPlace best = fastest(sizeClass, candidates);
  SizeClass &entry = classes[sizeClass];
  if (candidates.size() > 1)
    if (std::optional<MemoryPlace> place = placeToLookAt(entry, candidates))
      return {*place, true};
  return {best, entry.runsSinceLook % timingInterval == 0};
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

static void addSample(std::vector<uint64_t> &samples, uint64_t nanoseconds) {
  if (samples.size() == DeviceTiming::maxSamples)
    samples.erase(samples.begin());
  samples.push_back(nanoseconds);
}

void NodeHistory::add(MemoryPlace place, uint64_t size, uint64_t nanoseconds,
                      bool isCold) {
  std::lock_guard lock(mutex);
  Times &times = classes[classOf(size)].places[place];
  if (isCold && !times.latest.empty())
    return;
  if (times.isCold) {
    times.latest.clear();
    times.newest.clear();
  }
  times.isCold = isCold;
  addSample(times.latest, nanoseconds);
  addSample(times.newest, nanoseconds);
  ++times.runs;
  ++times.newRuns;
}

void NodeHistory::load(MemoryPlace place, const DeviceTiming &timing) {
  std::lock_guard lock(mutex);
  Times &times = classes[timing.sizeClass].places[place];
  times.latest = timing.nanoseconds;
  times.runs = timing.runs;
  // A program with few runs does not start from scratch each time.
  times.tries = timing.nanoseconds.size() > 1 ? numTries : 1;
}

std::vector<std::pair<MemoryPlace, DeviceTiming>> NodeHistory::takeNew() {
  std::lock_guard lock(mutex);
  std::vector<std::pair<MemoryPlace, DeviceTiming>> out;
  for (auto &[sizeClass, entry] : classes)
    for (auto &[place, times] : entry.places) {
      if (times.newest.empty())
        continue;
      DeviceTiming timing;
      timing.sizeClass = sizeClass;
      timing.runs = times.newRuns;
      timing.nanoseconds = std::move(times.newest);
      times.newest.clear();
      times.newRuns = 0;
      out.emplace_back(place, std::move(timing));
    }
  return out;
}
