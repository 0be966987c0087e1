//===- KernelTrialTest.cpp - Tests of trials of kernels -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The slow kernel here takes so much longer that noise cannot make it win.
//
//===----------------------------------------------------------------------===//

#include "KernelTrial.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

using namespace sluice::pack;

namespace {

void fast(const std::byte *in, int64_t count, std::byte *out, const void *) {
  std::memcpy(out, in, size_t(count));
}
void slow(const std::byte *in, int64_t count, std::byte *out, const void *) {
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::memcpy(out, in, size_t(count));
}

struct KernelTrialTest : testing::Test {
  KernelTrialTest() {
    fastKernel.pack = fast;
    slowKernel.pack = slow;
  }
  KernelTrial::Contestant quick() { return {&fastKernel, fast}; }
  KernelTrial::Contestant lazy() { return {&slowKernel, slow}; }
  /// Runs until there is a winner; every run must copy.
  const Kernel *winnerOf(KernelTrial &trial, int64_t count) {
    for (int run = 0; run != 100; ++run) {
      std::byte in[4] = {std::byte(run), std::byte(run + 1)}, out[4] = {};
      const Kernel *winner = trial.run(in, count, out);
      EXPECT_EQ(std::memcmp(in, out, size_t(count)), 0);
      if (winner)
        return winner;
    }
    return nullptr;
  }
  Kernel fastKernel, slowKernel;
};

TEST_F(KernelTrialTest, TheFasterKernelWinsOnEitherPlace) {
  KernelTrial second(lazy(), quick());
  EXPECT_EQ(winnerOf(second, 4), &fastKernel);
  KernelTrial first(quick(), lazy());
  EXPECT_EQ(winnerOf(first, 4), &fastKernel);
}

TEST_F(KernelTrialTest, OtherCountsCopyAndDoNotCount) {
  KernelTrial trial(quick(), lazy());
  std::byte in[4] = {std::byte(7)}, out[4] = {};
  EXPECT_EQ(trial.run(in, 4, out), nullptr);
  EXPECT_EQ(winnerOf(trial, 2), nullptr);
  EXPECT_EQ(winnerOf(trial, 4), &fastKernel);
}

TEST_F(KernelTrialTest, ATrialOfACountNoLongerUsedEnds) {
  KernelTrial trial(lazy(), quick());
  std::byte in[4] = {}, out[4] = {};
  for (int run = 0; run != 3; ++run)
    EXPECT_EQ(trial.run(in, 4, out), nullptr);
  const Kernel *winner = nullptr;
  for (int run = 0; run != 1000 && !winner; ++run)
    winner = trial.run(in, 1, out);
  EXPECT_EQ(winner, &fastKernel);
}

TEST_F(KernelTrialTest, ThreadsMayTakeTurns) {
  KernelTrial trial(quick(), lazy());
  std::atomic<int> winners = 0, wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t != 4; ++t)
    threads.emplace_back([&, t] {
      for (int run = 0; run != 8; ++run) {
        std::byte in[4] = {std::byte(t), std::byte(run)}, out[4] = {};
        if (const Kernel *winner = trial.run(in, 4, out)) {
          ++winners;
          wrong += winner != &fastKernel;
        }
        wrong += std::memcmp(in, out, 4) != 0;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_GT(winners, 0);
  EXPECT_EQ(wrong, 0);
}

} // namespace
