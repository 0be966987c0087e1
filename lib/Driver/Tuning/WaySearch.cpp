//===- WaySearch.cpp - The fastest way of one graph -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of rows, nodes and pieces are tried in steps of a factor of 2: values
// between differ by less than the noise between runs.
//
//===----------------------------------------------------------------------===//

#include "WaySearch.h"

#include <algorithm>

using namespace sluice;
using namespace sluice::driver;

using Kind = TileWay::Kind;

WaySearch::WaySearch(const TiledTimes &seen) : seen(seen) {
  add({}, seen.fastest);
  want({.kind = Kind::OneByOne});
  for (uint32_t rows : {4u, 16u, 64u}) {
    if (seen.mayKeepWindows)
      want({.kind = Kind::Windows, .rows = rows});
    want({.kind = Kind::Strips, .rows = rows});
  }
}

WayTrial &WaySearch::trialOf(const TileWay &way) {
  auto found = std::find_if(trials.begin(), trials.end(),
                            [&](auto &trial) { return trial.way == way; });
  if (found != trials.end())
    return *found;
  trials.emplace_back().way = way;
  return trials.back();
}

const WayTrial *WaySearch::fastestTrial() const {
  const WayTrial *fastest = nullptr;
  for (const WayTrial &trial : trials)
    if (trial.isGood() && (!fastest || trial.fastest < fastest->fastest))
      fastest = &trial;
  return fastest;
}

/// Queues a way if it differs from those tried so far.
void WaySearch::want(TileWay way) {
  const auto most =
      static_cast<uint32_t>(std::clamp<uint64_t>(seen.rows, 1, maxTileNumber));
  if (way.rows > most)
    way.rows = most;
  if (way.nodes >= seen.nodes)
    way.nodes = 0;
  const bool isKnown =
      std::find(wanted.begin(), wanted.end(), way) != wanted.end() ||
      std::any_of(trials.begin(), trials.end(),
                  [&](const WayTrial &trial) { return trial.way == way; });
  if (!isKnown)
    wanted.push_back(way);
}

void WaySearch::wantNear(const TileWay &way) {
  if (way.kind != Kind::Strips && way.kind != Kind::Windows)
    return;
  auto with = [&](uint32_t TileWay::*number, uint32_t value) {
    TileWay near = way;
    near.*number = value;
    want(near);
  };
  if (way.rows > 1)
    with(&TileWay::rows, way.rows / 2);
  with(&TileWay::rows, std::min(2 * way.rows, maxTileNumber));
  if (way.kind == Kind::Windows) {
    for (uint32_t pieces : {1u, 2u, 8u})
      with(&TileWay::pieces, pieces);
    return;
  }
  const uint32_t nodes = way.nodes ? way.nodes : seen.nodes;
  if (nodes / 2 >= 2)
    with(&TileWay::nodes, nodes / 2);
  with(&TileWay::nodes, 2 * nodes);
}

/// The finalist with the fewest runs; none if all ran often enough.
std::optional<TileWay> WaySearch::nextFinal() const {
  std::vector<const WayTrial *> finalists;
  for (const WayTrial &trial : trials)
    if (trial.isGood())
      finalists.push_back(&trial);
  std::sort(finalists.begin(), finalists.end(), [](auto *a, auto *b) {
    return std::pair(a->fastest, a) < std::pair(b->fastest, b);
  });
  if (finalists.size() > numFinalists)
    finalists.resize(numFinalists);
  // The runtime's own choice, which is the first trial, is always a finalist.
  if (std::find(finalists.begin(), finalists.end(), &trials.front()) ==
      finalists.end())
    finalists.push_back(&trials.front());
  const WayTrial *next =
      *std::min_element(finalists.begin(), finalists.end(),
                        [](auto *a, auto *b) { return a->runs < b->runs; });
  if (next->runs >= numFinalRuns)
    return std::nullopt;
  return next->way;
}

std::optional<TileWay> WaySearch::next() {
  if (!isFinal && wanted.empty() && trials.size() < maxWays)
    if (const WayTrial *fastest = fastestTrial())
      wantNear(fastest->way);
  isFinal |= wanted.empty() || trials.size() >= maxWays;
  if (isFinal)
    return nextFinal();
  TileWay way = wanted.front();
  wanted.pop_front();
  return way;
}

void WaySearch::add(const TileWay &way, std::optional<uint64_t> nanoseconds) {
  WayTrial &trial = trialOf(way);
  ++trial.runs;
  if (nanoseconds)
    trial.fastest = std::min(trial.fastest, *nanoseconds);
}

void WaySearch::refuse(const TileWay &way, std::string problem) {
  WayTrial &trial = trialOf(way);
  ++trial.runs;
  trial.problem = std::move(problem);
}

TunedGraph WaySearch::best() const {
  const WayTrial &own = trials.front();
  const WayTrial *fastest = fastestTrial();
  // A difference within 2 % is noise.
  const bool isClear =
      fastest && (!own.isGood() || fastest->fastest < own.fastest / 50 * 49);
  return {seen.graph, seen.sizeClass, isClear ? fastest->way : TileWay()};
}
