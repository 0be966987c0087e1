//===- ParkingTest.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that sleep may use all their processors again when they are awake.
//
//===----------------------------------------------------------------------===//

#include "Parking.h"

#include <gtest/gtest.h>

#include <sched.h>
#include <thread>
#include <vector>

using namespace sluice;

static cpu_set_t ownProcessors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  EXPECT_EQ(::sched_getaffinity(0, sizeof(allowed), &allowed), 0);
  return allowed;
}

/// A thread sleeps once and is woken by `numWakers` others. Which processors it
/// may use afterwards.
static cpu_set_t sleepOnce(unsigned numWakers, bool isPinned) {
  cpu_set_t before, after;
  std::mutex mutex;
  Parker *sleeping = nullptr;
  bool hasSlept = false;
  std::thread sleeper([&] {
    if (isPinned) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(::sched_getcpu(), &one);
      EXPECT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
    }
    before = ownProcessors();
    {
      Parker parker;
      {
        std::lock_guard lock(mutex);
        sleeping = &parker;
      }
      parker.park();
      std::lock_guard lock(mutex);
      sleeping = nullptr;
      hasSlept = true;
    }
    after = ownProcessors();
  });
  std::vector<std::thread> wakers;
  for (unsigned i = 0; i < numWakers; ++i)
    wakers.emplace_back([&] {
      for (bool isDone = false; !isDone; std::this_thread::yield()) {
        std::lock_guard lock(mutex);
        if (sleeping)
          sleeping->unpark();
        isDone = sleeping || hasSlept;
      }
    });
  for (std::thread &waker : wakers)
    waker.join();
  sleeper.join();
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
  return after;
}

TEST(ParkingTest, WokenThreadsKeepTheirProcessors) {
  const cpu_set_t all = ownProcessors();
  for (int round = 0; round < 200; ++round) {
    const cpu_set_t after = sleepOnce(1 + round % 2, /*isPinned=*/false);
    EXPECT_TRUE(CPU_EQUAL(&all, &after));
  }
}

TEST(ParkingTest, ThreadsOfOneProcessorAreWoken) {
  for (int round = 0; round < 20; ++round) {
    const cpu_set_t after = sleepOnce(1 + round % 2, /*isPinned=*/true);
    EXPECT_EQ(CPU_COUNT(&after), 1);
  }
}
