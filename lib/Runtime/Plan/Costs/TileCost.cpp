//===- TileCost.cpp - Whether to run nodes strip by strip -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that call this take at least about ten microseconds, so the cost of
// a lock does not matter.
//
//===----------------------------------------------------------------------===//

#include "TileCost.h"

using namespace sluice;

void TileCost::setWays(std::span<const TunedGraph> ways) {
  std::lock_guard lock(mutex);
  for (const TunedGraph &way : ways)
    if (way.graph == graph)
      tuned.push_back(way);
}

TileCost::Choice TileCost::next(uint64_t bytes, bool isLarge,
                                unsigned numWorkers, const TiledTimes &shape) {
  Choice choice;
  choice.sizeClass = tileClassOf(bytes);
  std::lock_guard lock(mutex);
  std::unique_ptr<SizeClass> &known = classes[choice.sizeClass];
  if (!known) {
    known = std::make_unique<SizeClass>();
    // A way for one size takes precedence over a way for all sizes.
    for (const TunedGraph &way : tuned)
      if (!way.sizeClass)
        known->tuned = way.way;
    for (const TunedGraph &way : tuned)
      if (way.sizeClass == choice.sizeClass)
        known->tuned = way.way;
  }
  known->times.rows = std::max(known->times.rows, shape.rows);
  known->times.nodes = std::max(known->times.nodes, shape.nodes);
  known->times.mayKeepWindows |= shape.mayKeepWindows;
  choice.way = known->tuned;
  if (choice.way.kind != TileWay::Kind::Automatic)
    return choice;
  // Within the caches, strips avoid that workers wait for each other.
  const bool mayGain = isLarge || numWorkers > 1 || shape.mayKeepWindows;
  choice.isSecond = mayGain && known->ways.isNextSecond();
  const bool usesStrips = isLarge != choice.isSecond;
  choice.isForced = usesStrips && !isLarge;
  if (!usesStrips)
    choice.way.kind = TileWay::Kind::OneByOne;
  return choice;
}

void TileCost::add(const Choice &choice, uint64_t bytes, uint64_t nanoseconds) {
  std::lock_guard lock(mutex);
  SizeClass &known = *classes[choice.sizeClass];
  known.ways.add(choice.isSecond, nanoseconds, bytes / 1024);
  TiledTimes &times = known.times;
  times.fastest =
      times.launches ? std::min(times.fastest, nanoseconds) : nanoseconds;
  times.total += nanoseconds;
  ++times.launches;
}

std::vector<TiledTimes> TileCost::times() const {
  std::vector<TiledTimes> found;
  std::lock_guard lock(mutex);
  for (unsigned i = 0; i < classes.size(); ++i)
    if (classes[i] && classes[i]->times.launches) {
      TiledTimes times = classes[i]->times;
      times.graph = graph;
      times.sizeClass = i;
      found.push_back(std::move(times));
    }
  return found;
}
