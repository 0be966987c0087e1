//===- StreamPaceTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both ways are measured, and the faster one is used.
//
//===----------------------------------------------------------------------===//

#include "StreamPace.h"

#include <gtest/gtest.h>

using namespace sluice;

namespace {
/// A stream whose items take so many nanoseconds in the two ways.
struct PacedStream {
  StreamPace pace;
  PaceWindow window;
  uint64_t now = 1000;
  /// Runs batches of 16 items; how many of these the host ran.
  int run(int numBatches, uint64_t here, uint64_t shared) {
    int numHere = 0;
    for (int batch = 0; batch != numBatches; ++batch) {
      bool runsHere = pace.runsHere();
      numHere += runsHere;
      now += 16 * (runsHere ? here : shared);
      if (window.addBatch(runsHere, now, 16))
        window.addTo(pace);
    }
    return numHere;
  }
};
} // namespace

TEST(StreamPaceTest, TheFasterWayIsUsed) {
  PacedStream host, workers;
  EXPECT_GT(host.run(10000, 400, 900), 9000);
  EXPECT_LT(workers.run(10000, 900, 400), 1000);
}

TEST(StreamPaceTest, WhatBecomesFasterIsFound) {
  PacedStream stream;
  stream.run(10000, 400, 900);
  EXPECT_LT(stream.run(40000, 2000, 900), 20000);
  EXPECT_GT(stream.run(100000, 400, 900), 50000);
}

/// Such as one in which the host does something else.
TEST(StreamPaceTest, OneLongPauseDoesNotCount) {
  PacedStream stream;
  stream.run(10000, 400, 900);
  for (int pause = 0; pause != 20; ++pause) {
    stream.now += 10'000'000;
    EXPECT_GT(stream.run(1000, 400, 900), 800);
  }
}

/// Whenever workers are tried, they wake up first.
TEST(StreamPaceTest, SlowFirstTriesDoNotDecide) {
  StreamPace pace;
  int numHere = 0;
  bool wasHere = true;
  for (int window = 0; window != 2000; ++window) {
    const bool here = pace.runsHere();
    const bool wakes = !here && wasHere;
    numHere += here;
    pace.add(here, 256 * (here ? 4000 : wakes ? 40000 : 2500), 256);
    wasHere = here;
  }
  EXPECT_LT(numHere, 500);
}

TEST(StreamPaceTest, ShortStreamsAddUp) {
  PaceWindow window;
  int numWindows = 0;
  for (uint64_t now = 1; now < 10'000'000; now += 1000)
    numWindows += window.addBatch(false, now, 1);
  EXPECT_GT(numWindows, 0);
}
