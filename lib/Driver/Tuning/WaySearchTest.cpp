//===- WaySearchTest.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches over made-up times find the minimum, and end.
//
//===----------------------------------------------------------------------===//

#include "WaySearch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

using namespace sluice;
using namespace sluice::driver;

namespace {

using Kind = TileWay::Kind;
using TimeOf = std::function<uint64_t(const TileWay &)>;

/// Grows with the distance from a number, in factors of 2.
double distance(uint32_t number, uint32_t best) {
  return std::fabs(std::log2(double(number)) - std::log2(double(best)));
}

TiledTimes seenWith(uint64_t fastest, bool mayKeepWindows = true) {
  return {.graph = "root",
          .sizeClass = 20,
          .rows = 1000,
          .nodes = 8,
          .mayKeepWindows = mayKeepWindows,
          .launches = 3,
          .fastest = fastest,
          .total = 3 * fastest};
}

/// Runs a search to its end; the number of runs.
unsigned runSearch(WaySearch &search, const TimeOf &timeOf) {
  unsigned runs = 0;
  while (std::optional<TileWay> way = search.next()) {
    search.add(*way, timeOf(*way));
    if (++runs > 1000)
      break;
  }
  return runs;
}

} // namespace

TEST(WaySearch, FindsTheFastestWindows) {
  auto timeOf = [](const TileWay &way) -> uint64_t {
    if (way.kind != Kind::Windows)
      return 10'000;
    return static_cast<uint64_t>(
        1000 * (1 + distance(way.rows, 128) + distance(way.pieces + 1, 3)));
  };
  WaySearch search(seenWith(9000));
  EXPECT_LT(runSearch(search, timeOf), 60u);
  TunedGraph best = search.best();
  EXPECT_EQ(best.graph, "root");
  EXPECT_EQ(best.sizeClass, 20u);
  EXPECT_EQ(describeWay(best.way), "windows, rows = 128, pieces = 2");
}

TEST(WaySearch, FindsTheFastestStrips) {
  auto timeOf = [](const TileWay &way) -> uint64_t {
    if (way.kind != Kind::Strips)
      return 10'000;
    uint32_t nodes = way.nodes ? way.nodes : 8;
    return static_cast<uint64_t>(
        1000 * (1 + distance(way.rows, 1) + distance(nodes, 2)));
  };
  WaySearch search(seenWith(9000, false));
  EXPECT_LT(runSearch(search, timeOf), 60u);
  EXPECT_EQ(describeWay(search.best().way), "strips, rows = 1, nodes = 2");
  for (const WayTrial &trial : search.getTrials())
    EXPECT_NE(trial.way.kind, Kind::Windows);
}

TEST(WaySearch, KeepsTheOwnChoiceWhereNothingIsClearlyFaster) {
  auto timeOf = [](const TileWay &way) -> uint64_t {
    return way.kind == Kind::Automatic ? 1000 : 990;
  };
  WaySearch search(seenWith(1000));
  runSearch(search, timeOf);
  EXPECT_EQ(search.best().way, TileWay());
}

TEST(WaySearch, MeasuresTheFastestAgain) {
  // The first time of one way is noise.
  unsigned numChance = 0;
  auto timeOf = [&](const TileWay &way) -> uint64_t {
    if (way.kind == Kind::OneByOne)
      return 500;
    if (way.kind == Kind::Strips && way.rows == 16 && !way.nodes)
      return numChance++ ? 900 : 5000;
    return 1000;
  };
  WaySearch search(seenWith(1000));
  runSearch(search, timeOf);
  EXPECT_EQ(search.best().way.kind, Kind::OneByOne);
  for (const WayTrial &trial : search.getTrials())
    if (trial.way.kind == Kind::OneByOne || trial.way.kind == Kind::Automatic)
      EXPECT_GE(trial.runs, 3u);
}

TEST(WaySearch, NeverChoosesWhatWasRefused) {
  WaySearch search(seenWith(1000));
  unsigned runs = 0;
  while (std::optional<TileWay> way = search.next()) {
    ASSERT_LT(++runs, 200u);
    if (way->kind == Kind::Windows)
      search.refuse(*way, "prints something else");
    else
      search.add(*way, way->kind == Kind::Strips ? 800 : 1000);
  }
  EXPECT_EQ(search.best().way.kind, Kind::Strips);
}

TEST(WaySearch, RunsWithoutLaunchesAreNoTimes) {
  WaySearch search(seenWith(1000));
  unsigned runs = 0;
  while (std::optional<TileWay> way = search.next()) {
    ASSERT_LT(++runs, 200u);
    search.add(*way, std::nullopt);
  }
  EXPECT_EQ(search.best().way, TileWay());
}

TEST(WaySearch, EndsForAllTimesAndShapes) {
  std::mt19937 random(20);
  for (unsigned round = 0; round < 300; ++round) {
    TiledTimes seen = seenWith(1 + random() % 1000, random() % 2);
    seen.rows = random() % 5 ? 1 + random() % 100 : random();
    seen.nodes = 2 + random() % 30;
    WaySearch search(seen);
    uint64_t fastest = seen.fastest;
    unsigned runs = runSearch(search, [&](const TileWay &way) {
      EXPECT_LE(way.rows, std::max<uint64_t>(seen.rows, 1));
      EXPECT_TRUE(way.nodes == 0 || way.nodes < seen.nodes);
      EXPECT_TRUE(seen.mayKeepWindows || way.kind != Kind::Windows);
      uint64_t time = 1 + random() % 1000;
      fastest = std::min(fastest, time);
      return time;
    });
    EXPECT_LT(runs, 70u);
    // The chosen way is the fastest, or nearly as fast.
    uint64_t chosen = seen.fastest;
    for (const WayTrial &trial : search.getTrials())
      if (trial.way == search.best().way)
        chosen = trial.fastest;
    EXPECT_LE(chosen / 50 * 49, fastest);
  }
}
