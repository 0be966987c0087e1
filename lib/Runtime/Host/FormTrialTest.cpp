//===- FormTrialTest.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls begin as long ago as a form is slow, so no time has to pass.
//
//===----------------------------------------------------------------------===//

#include "sluice-c/FormTrial.h"
#include "gtest/gtest.h"

#include <atomic>
#include <thread>
#include <vector>

namespace {

class FormTrialTest : public testing::Test {
protected:
  SluiceFormTrial trial = {};

  bool isDecided() const { return trial.state > 3; }
  bool isPlain() const { return trial.state & 1; }

  /// A call of 1000 units that takes as many seconds as its form says. The
  /// form that ran.
  uint32_t call(uint64_t usual, uint64_t plain, uint64_t units = 1000) {
    uint64_t begun = sluiceBeginTrial(&trial);
    const uint32_t form = begun & 1;
    const uint64_t seconds = form ? plain : usual;
    sluiceEndTrial(&trial, begun - 2 * (seconds * 1'000'000'000), units);
    return form;
  }
  unsigned callUntilDecided(uint64_t usual, uint64_t plain) {
    unsigned calls = 0;
    for (; !isDecided() && calls < 100; ++calls)
      EXPECT_EQ(call(usual, plain), std::popcount(calls) & 1u);
    return calls;
  }
};

} // namespace

TEST_F(FormTrialTest, FarBetter) {
  EXPECT_EQ(callUntilDecided(2, 10), 4u);
  EXPECT_FALSE(isPlain());
  trial.state = 2; // later
  EXPECT_EQ(callUntilDecided(10, 2), 4u);
  EXPECT_TRUE(isPlain());
}

TEST_F(FormTrialTest, Close) {
  EXPECT_EQ(callUntilDecided(10, 9), 4u);
  EXPECT_TRUE(isPlain());
  trial.state = 3;
  EXPECT_EQ(callUntilDecided(100, 98), 4u);
  EXPECT_FALSE(isPlain());
}

/// The first call is slow, and one that another program interrupts.
TEST_F(FormTrialTest, ShortestCounts) {
  call(1000, 10);
  call(2, 10);
  call(2, 10);
  call(2, 1000);
  EXPECT_TRUE(isDecided());
  EXPECT_FALSE(isPlain());
}

TEST_F(FormTrialTest, PausesGrow) {
  uint32_t last = 0;
  for (int round = 0; round < 16; ++round) {
    trial.state &= 3;
    callUntilDecided(1, 5);
    EXPECT_GE(trial.state / 4, last);
    EXPECT_LE(trial.state / 4, 1u << 16);
    last = trial.state / 4;
  }
  EXPECT_EQ(last, 1u << 16);
}

/// Where units take long, much is at stake.
TEST_F(FormTrialTest, UnitsThatDiffer) {
  callUntilDecided(10, 9);
  EXPECT_TRUE(isPlain());
  trial.state &= 3;
  callUntilDecided(100, 1000);
  EXPECT_FALSE(isPlain());
  trial.state &= 3;
  callUntilDecided(10, 9);
  EXPECT_FALSE(isPlain());
}

/// Numbers of units differ.
TEST_F(FormTrialTest, TimeOfAUnit) {
  call(20, 0, 10000);
  call(0, 4, 100);
  call(0, 4, 100);
  call(20, 0, 10000);
  EXPECT_TRUE(isDecided());
  EXPECT_FALSE(isPlain());
}

TEST_F(FormTrialTest, CallsThatNeverEnd) {
  for (int i = 0; i < 100 && !isDecided(); ++i)
    sluiceBeginTrial(&trial);
  EXPECT_TRUE(isDecided());
  EXPECT_FALSE(isPlain());
}

TEST_F(FormTrialTest, CallsWithNothingToDo) {
  for (int i = 0; i < 100 && !isDecided(); ++i)
    call(1, 1, 0);
  EXPECT_TRUE(isDecided());
  EXPECT_FALSE(isPlain());
}

TEST_F(FormTrialTest, Threads) {
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i)
        if (std::atomic_ref(trial.state).load() <= 3)
          call(10, 1);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_TRUE(isDecided());
  EXPECT_TRUE(isPlain());
}
