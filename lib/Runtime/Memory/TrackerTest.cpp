//===- TrackerTest.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every error of the memory tracker, and the order of conflicting users.
//
//===----------------------------------------------------------------------===//

#include "Tracker.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace sluice;

static void *pointer(uintptr_t address) {
  return reinterpret_cast<void *>(address);
}

namespace {
struct NamedUser : MemoryUser {
  explicit NamedUser(const char *graph = "g") { name = graph; }
  void memoryReady(Worker *) override { ++timesReady; }
  int timesReady = 0;
};

struct TrackerTest : testing::Test {
  /// True: may start.
  bool acquire(NamedUser &user, uintptr_t start, bool writes) {
    MemoryAccess access = {"a", start, 8, true, writes};
    auto result = tracker.acquire(user, {&access, 1});
    EXPECT_EQ(result.status().message(), "");
    return *result;
  }
  std::string acquireError(NamedUser &user, MemoryAccess access) {
    return tracker.acquire(user, {&access, 1}).status().message();
  }
  bool isBeingWritten(const void *pointer, uint64_t size) {
    std::vector<MemoryUser *> heldBack;
    return tracker.isBeingWritten(pointer, size, heldBack);
  }
  MemoryTracker tracker;
};
} // namespace

TEST_F(TrackerTest, TracksAndUntracks) {
  ASSERT_TRUE(tracker.track(pointer(0x1000), 16).ok());
  ASSERT_TRUE(tracker.track(pointer(0x1010), 16).ok());
  EXPECT_EQ(tracker.numRanges(), 2u);
  EXPECT_TRUE(tracker.untrack(pointer(0x1000)).ok());
  EXPECT_TRUE(tracker.track(pointer(0x1000), 16).ok());
}

TEST_F(TrackerTest, RefusesNullAndEmpty) {
  EXPECT_EQ(tracker.track(nullptr, 8).message(),
            "cannot track 8 bytes at a null pointer");
  EXPECT_EQ(tracker.track(pointer(0x10), 0).message(),
            "cannot track memory at 0x10: its size is 0");
  EXPECT_EQ(tracker.track(pointer(0x10), UINT64_MAX).message(),
            "cannot track 18446744073709551615 bytes at 0x10: it exceeds the "
            "address space");
}

TEST_F(TrackerTest, RefusesOverlaps) {
  ASSERT_TRUE(tracker.track(pointer(0x1000), 16).ok());
  EXPECT_EQ(
      tracker.track(pointer(0x1000), 16).message(),
      "16 bytes at 0x1000 is tracked already; untrack memory before it is "
      "freed");
  for (auto [start, size] : {std::pair<uintptr_t, uint64_t>{0x1000, 8},
                             {0x100f, 1},
                             {0xff0, 17},
                             {0xff0, 100}}) {
    std::string message = tracker.track(pointer(start), size).message();
    EXPECT_NE(message.find("it overlaps the tracked 16 bytes at 0x1000"),
              std::string::npos)
        << message;
  }
  EXPECT_TRUE(tracker.track(pointer(0xff0), 16).ok());
}

TEST_F(TrackerTest, UntracksOnlyWhatWasTracked) {
  ASSERT_TRUE(tracker.track(pointer(0x1000), 16).ok());
  EXPECT_EQ(tracker.untrack(pointer(0x2000)).message(),
            "cannot untrack memory at 0x2000: it is not tracked");
  EXPECT_EQ(tracker.untrack(pointer(0x1004)).message(),
            "cannot untrack memory at 0x1004: it lies 4 bytes inside of the "
            "tracked 16 bytes at 0x1000");
}

TEST_F(TrackerTest, ChecksRequests) {
  ASSERT_TRUE(tracker.track(pointer(0x1000), 16).ok());
  EXPECT_TRUE(tracker.checkRequest(pointer(0x1000), 16).ok());
  EXPECT_TRUE(tracker.checkRequest(pointer(0x1008), 8).ok());
  EXPECT_EQ(tracker.checkRequest(pointer(0x1008), 9).message(),
            "cannot request 9 bytes at 0x1008: only 8 of the tracked 16 bytes "
            "at 0x1000 lie behind it");
  EXPECT_EQ(tracker.checkRequest(pointer(0x1010), 1).message(),
            "cannot request memory at 0x1010: it is not tracked");
}

TEST_F(TrackerTest, RefusesNullAndEmptyElsewhere) {
  EXPECT_EQ(tracker.untrack(nullptr).message(),
            "cannot untrack a null pointer");
  EXPECT_EQ(tracker.checkRequest(nullptr, 4).message(),
            "cannot request 4 bytes at a null pointer");
  ASSERT_TRUE(tracker.track(pointer(0x1000), 16).ok());
  EXPECT_EQ(tracker.checkRequest(pointer(0x1000), 0).message(),
            "cannot request memory at 0x1000: the size is 0");
}

TEST_F(TrackerTest, ArgumentsAreTrackedAsAWholeOrNotAtAll) {
  ASSERT_TRUE(tracker.track(pointer(0x1000), 16).ok());
  NamedUser user;
  EXPECT_EQ(acquireError(user, {"a", 0xff8, 16, true, false}),
            "argument 'a' of graph 'g' is 16 bytes at 0xff8, of which only a "
            "part from byte 8 on is tracked, as 16 bytes at 0x1000; track all "
            "of it");
  EXPECT_EQ(acquireError(user, {"a", 0xff8, 8, true, false}), "");
  EXPECT_EQ(acquireError(user, {"a", 0xff8, 0, true, false}), "");
}

TEST_F(TrackerTest, ChecksSizesOfArguments) {
  ASSERT_TRUE(tracker.track(pointer(0x1000), 16).ok());
  NamedUser user;
  EXPECT_EQ(acquireError(user, {"a", 0x1004, 16, true, false}),
            "argument 'a' of graph 'g' is 16 bytes at 0x1004, but only 12 of "
            "the tracked 16 bytes at 0x1000 lie behind it");
  EXPECT_EQ(acquireError(user, {"a", 0x1004, 16, false, false}), "");
  tracker.release(user, nullptr);
}

TEST_F(TrackerTest, RefusesToUntrackWhatIsInUse) {
  ASSERT_TRUE(tracker.track(pointer(0x1000), 16).ok());
  NamedUser user("blur");
  ASSERT_TRUE(acquire(user, 0x1008, false));
  EXPECT_EQ(tracker.untrack(pointer(0x1000)).message(),
            "cannot untrack 16 bytes at 0x1000: graph 'blur' is using it; wait "
            "for it first");
  tracker.release(user, nullptr);
  EXPECT_TRUE(tracker.untrack(pointer(0x1000)).ok());
}

TEST_F(TrackerTest, OrdersUsersWhenOneWrites) {
  ASSERT_TRUE(tracker.track(pointer(0x1000), 16).ok());
  NamedUser reader, otherReader, writer, lastReader;
  EXPECT_TRUE(acquire(reader, 0x1000, false));
  EXPECT_TRUE(acquire(otherReader, 0x1000, false));
  EXPECT_FALSE(isBeingWritten(pointer(0x1000), 8));
  EXPECT_FALSE(acquire(writer, 0x1000, true));
  EXPECT_TRUE(isBeingWritten(pointer(0x1007), 8));
  EXPECT_FALSE(isBeingWritten(pointer(0x1008), 8));
  EXPECT_FALSE(acquire(lastReader, 0x1000, false));
  tracker.release(reader, nullptr);
  EXPECT_EQ(writer.timesReady, 0);
  tracker.release(otherReader, nullptr);
  EXPECT_EQ(writer.timesReady, 1);
  EXPECT_EQ(lastReader.timesReady, 0);
  tracker.release(writer, nullptr);
  EXPECT_EQ(lastReader.timesReady, 1);
  tracker.release(lastReader, nullptr);
}

TEST_F(TrackerTest, PartsOfAnObjectAreOrderedByTheirBytes) {
  ASSERT_TRUE(tracker.track(pointer(0x1000), 64).ok());
  NamedUser lower, upper, across, inLower, lowerAgain, reader;
  EXPECT_TRUE(acquire(lower, 0x1000, true));
  EXPECT_TRUE(acquire(upper, 0x1008, true));
  EXPECT_FALSE(acquire(across, 0x1004, true));
  // What `across` took is behind it, the rest is behind those before.
  EXPECT_FALSE(acquire(inLower, 0x1000, false));
  EXPECT_TRUE(acquire(reader, 0x1010, false));
  tracker.release(upper, nullptr);
  EXPECT_EQ(across.timesReady, 0);
  EXPECT_FALSE(acquire(lowerAgain, 0x1000, true));
  tracker.release(lower, nullptr);
  EXPECT_EQ(across.timesReady, 1);
  EXPECT_EQ(inLower.timesReady, 0);
  tracker.release(across, nullptr);
  EXPECT_EQ(inLower.timesReady, 1);
  EXPECT_EQ(lowerAgain.timesReady, 0);
  tracker.release(inLower, nullptr);
  EXPECT_EQ(lowerAgain.timesReady, 1);
  EXPECT_FALSE(tracker.untrack(pointer(0x1000)).ok());
  tracker.release(lowerAgain, nullptr);
  EXPECT_FALSE(tracker.untrack(pointer(0x1000)).ok());
  tracker.release(reader, nullptr);
  EXPECT_TRUE(tracker.untrack(pointer(0x1000)).ok());
}

TEST_F(TrackerTest, WithoutASizeAllOfAnObjectIsUsed) {
  ASSERT_TRUE(tracker.track(pointer(0x1000), 64).ok());
  NamedUser first, unknown, whole, last;
  MemoryAccess access = {"a", 0x1008, 0, false, true};
  EXPECT_TRUE(acquire(first, 0x1030, true));
  EXPECT_FALSE(*tracker.acquire(unknown, {&access, 1}));
  whole.usesWholeObjects = true;
  EXPECT_FALSE(acquire(whole, 0x1000, true));
  EXPECT_FALSE(acquire(last, 0x1038, false));
  tracker.release(first, nullptr);
  EXPECT_EQ(unknown.timesReady, 1);
  EXPECT_EQ(whole.timesReady, 0);
  tracker.release(unknown, nullptr);
  EXPECT_EQ(whole.timesReady, 1);
  EXPECT_EQ(last.timesReady, 0);
  tracker.release(whole, nullptr);
  EXPECT_EQ(last.timesReady, 1);
  tracker.release(last, nullptr);
}

TEST_F(TrackerTest, NoBytesAreNoUse) {
  ASSERT_TRUE(tracker.track(pointer(0x1000), 64).ok());
  NamedUser writer, empty;
  EXPECT_TRUE(acquire(writer, 0x1000, true));
  MemoryAccess access = {"a", 0x1000, 0, true, true};
  EXPECT_TRUE(*tracker.acquire(empty, {&access, 1}));
  EXPECT_FALSE(tracker.release(empty, nullptr));
  tracker.release(writer, nullptr);
}

TEST_F(TrackerTest, UntrackedMemoryIsNotOrdered) {
  NamedUser first, second;
  EXPECT_TRUE(acquire(first, 0x1000, true));
  EXPECT_TRUE(acquire(second, 0x1000, true));
}

namespace {
/// A user that orders memory which is not tracked.
struct Ordered : NamedUser {
  explicit Ordered(const char *graph = "g") : NamedUser(graph) {
    ordersUntracked = true;
  }
};
} // namespace

TEST_F(TrackerTest, OrdersUntrackedMemoryByItsBytes) {
  Ordered first, beside, reader, writer, plain;
  EXPECT_TRUE(acquire(first, 0x1000, true));
  EXPECT_TRUE(acquire(beside, 0x1008, true));
  EXPECT_TRUE(isBeingWritten(pointer(0xfff), 2));
  EXPECT_FALSE(isBeingWritten(pointer(0xfff), 1));
  EXPECT_FALSE(acquire(reader, 0x1001, false)); // the last 7 and the first 1
  plain.ordersUntracked = false;
  EXPECT_TRUE(acquire(plain, 0x1000, true));
  EXPECT_FALSE(acquire(writer, 0x1004, true));
  tracker.release(first, nullptr);
  EXPECT_EQ(reader.timesReady, 0);
  tracker.release(beside, nullptr);
  EXPECT_EQ(reader.timesReady, 1);
  EXPECT_EQ(writer.timesReady, 0);
  tracker.release(reader, nullptr);
  EXPECT_EQ(writer.timesReady, 1);
  tracker.release(writer, nullptr);
  EXPECT_FALSE(isBeingWritten(pointer(0x1000), 16));
  EXPECT_EQ(tracker.numRanges(), 0u);
}

TEST_F(TrackerTest, UntrackedUsesOfAllSizesAreFound) {
  // A small one behind the start of a large one must not hide it.
  Ordered large, small, late, early, around;
  MemoryAccess access = {"a", 0x1000, 0x1000, true, false};
  EXPECT_TRUE(*tracker.acquire(large, {&access, 1}));
  EXPECT_TRUE(acquire(small, 0x1100, false));
  EXPECT_FALSE(acquire(late, 0x1ff8, true));
  EXPECT_TRUE(acquire(early, 0xff8, true));
  access = {"a", 0xf00, 0x2000, true, true};
  EXPECT_FALSE(*tracker.acquire(around, {&access, 1}));
  for (NamedUser *user : {&large, &small, &late})
    tracker.release(*user, nullptr);
  EXPECT_EQ(late.timesReady, 1);
  EXPECT_EQ(around.timesReady, 0);
  tracker.release(early, nullptr);
  EXPECT_EQ(around.timesReady, 1);
  tracker.release(around, nullptr);
}

TEST_F(TrackerTest, EmptyAndUnknownSizesAreNotOrdered) {
  Ordered empty, unknown, writer;
  MemoryAccess accesses[] = {{"a", 0x1000, 0, true, true},
                             {"b", 0x1000, 0, false, true}};
  EXPECT_TRUE(*tracker.acquire(empty, {accesses, 1}));
  EXPECT_TRUE(*tracker.acquire(unknown, {accesses + 1, 1}));
  EXPECT_TRUE(acquire(writer, 0x1000, true));
  EXPECT_FALSE(tracker.release(empty, nullptr));
  EXPECT_TRUE(tracker.release(writer, nullptr));
}

TEST_F(TrackerTest, OneUserMayNameABufferTwice) {
  Ordered user, next;
  MemoryAccess accesses[] = {{"a", 0x1000, 16, true, false},
                             {"b", 0x1008, 16, true, true}};
  EXPECT_TRUE(*tracker.acquire(user, accesses));
  EXPECT_FALSE(*tracker.acquire(next, accesses));
  tracker.release(user, nullptr);
  EXPECT_EQ(next.timesReady, 1);
  tracker.release(next, nullptr);
}

TEST_F(TrackerTest, MemoryMayBeTrackedWhileItIsUsed) {
  Ordered before, beside, inside, after;
  EXPECT_TRUE(acquire(before, 0x1008, true));
  ASSERT_TRUE(tracker.track(pointer(0x1000), 16).ok());
  EXPECT_TRUE(acquire(beside, 0x1000, true));
  tracker.release(beside, nullptr);
  EXPECT_FALSE(acquire(inside, 0x1004, true));
  tracker.release(before, nullptr);
  EXPECT_EQ(inside.timesReady, 1);
  tracker.release(inside, nullptr);
  EXPECT_TRUE(tracker.untrack(pointer(0x1000)).ok());
  EXPECT_TRUE(acquire(after, 0x1008, true));
  tracker.release(after, nullptr);
}

TEST_F(TrackerTest, NamesStandForMemory) {
  Ordered first, other, second;
  std::string copy = "counter";
  MemoryAccess access = tracker.named("counter", true);
  EXPECT_TRUE(*tracker.acquire(first, {&access, 1}));
  access = tracker.named("table", true);
  EXPECT_TRUE(*tracker.acquire(other, {&access, 1}));
  access = tracker.named(copy.c_str(), false);
  EXPECT_FALSE(*tracker.acquire(second, {&access, 1}));
  for (NamedUser *user : {&first, &other, &second})
    tracker.release(*user, nullptr);
}

TEST_F(TrackerTest, OpenStreamsCannotBeWaitedFor) {
  ASSERT_TRUE(tracker.track(pointer(0x1000), 16).ok());
  NamedUser stream("camera"), item("camera"), other("blur");
  stream.isOpenStream = true;
  item.family = &stream;
  stream.family = &stream;
  EXPECT_TRUE(acquire(stream, 0x1000, true));
  EXPECT_TRUE(acquire(item, 0x1000, true));
  EXPECT_EQ(acquireError(other, {"a", 0x1000, 8, true, false}),
            "argument 'a' of graph 'blur' conflicts with the open stream "
            "'camera' over the tracked 16 bytes at 0x1000; wait for the stream "
            "first");
  EXPECT_TRUE(acquire(other, 0x1008, true));
  tracker.release(other, nullptr);
  tracker.release(item, nullptr);
  tracker.release(stream, nullptr);
}

TEST_F(TrackerTest, TheSameBytesAreAcquiredAgain) {
  ASSERT_TRUE(tracker.track(pointer(0x1000), 64).ok());
  NamedUser user("again"), other;
  EXPECT_FALSE(tracker.acquireAgain(user)); // never acquired any
  ASSERT_TRUE(acquire(user, 0x1008, true));
  EXPECT_FALSE(tracker.acquireAgain(other));
  EXPECT_TRUE(tracker.release(user, nullptr));
  ASSERT_TRUE(tracker.acquireAgain(user));
  // It is seen by everybody.
  EXPECT_FALSE(tracker.acquireAgain(other));
  EXPECT_TRUE(isBeingWritten(pointer(0x1008), 8));
  EXPECT_FALSE(isBeingWritten(pointer(0x1000), 8));
  EXPECT_EQ(tracker.untrack(pointer(0x1000)).message(),
            "cannot untrack 64 bytes at 0x1000: graph 'again' is using it; "
            "wait for it first");
  EXPECT_FALSE(acquire(other, 0x100c, false));
  EXPECT_TRUE(tracker.release(user, nullptr));
  EXPECT_EQ(other.timesReady, 1);
  // Somebody else uses memory, then nobody.
  EXPECT_FALSE(tracker.acquireAgain(user));
  EXPECT_TRUE(tracker.release(other, nullptr));
  EXPECT_TRUE(tracker.acquireAgain(user));
  EXPECT_TRUE(tracker.release(user, nullptr));
  EXPECT_FALSE(tracker.release(user, nullptr));
}

TEST_F(TrackerTest, NothingIsAcquiredAgainAfterChangesOrErrors) {
  ASSERT_TRUE(tracker.track(pointer(0x1000), 64).ok());
  NamedUser user;
  auto prepareAgain = [&] {
    ASSERT_TRUE(acquire(user, 0x1008, true));
    EXPECT_TRUE(tracker.release(user, nullptr));
    ASSERT_TRUE(tracker.acquireAgain(user));
    EXPECT_TRUE(tracker.release(user, nullptr));
  };
  prepareAgain();
  ASSERT_TRUE(tracker.track(pointer(0x2000), 64).ok());
  EXPECT_FALSE(tracker.acquireAgain(user));
  prepareAgain();
  ASSERT_TRUE(tracker.untrack(pointer(0x2000)).ok());
  EXPECT_FALSE(tracker.acquireAgain(user));
  prepareAgain();
  EXPECT_NE(acquireError(user, {"a", 0x1038, 16, true, true}), "");
  EXPECT_FALSE(tracker.acquireAgain(user));
  prepareAgain();
  user.forgetClaims();
  EXPECT_FALSE(tracker.acquireAgain(user));
}

TEST_F(TrackerTest, UntrackedMemoryIsAcquiredAgainInOrder) {
  NamedUser user, other;
  user.ordersUntracked = other.ordersUntracked = true;
  ASSERT_TRUE(acquire(user, 0x3000, true));
  EXPECT_TRUE(tracker.release(user, nullptr));
  ASSERT_TRUE(tracker.acquireAgain(user));
  // Who comes meanwhile waits.
  EXPECT_FALSE(acquire(other, 0x3000, true));
  EXPECT_TRUE(tracker.release(user, nullptr));
  EXPECT_FALSE(tracker.acquireAgain(user));
  EXPECT_TRUE(tracker.release(other, nullptr));
  ASSERT_TRUE(tracker.acquireAgain(user));
  EXPECT_TRUE(tracker.release(user, nullptr));
  // Not where it has become part of what is tracked.
  ASSERT_TRUE(tracker.track(pointer(0x3000), 4096).ok());
  EXPECT_FALSE(tracker.acquireAgain(user));
  // What is claimed depends on who asks.
  ASSERT_TRUE(acquire(user, 0x9000, true));
  EXPECT_TRUE(tracker.release(user, nullptr));
  user.forgetAllClaims();
  EXPECT_FALSE(tracker.acquireAgain(user));
}

TEST_F(TrackerTest, WhatNeedsNoClaimNeedsNoneAgain) {
  NamedUser user("none"), other;
  // Nothing is tracked.
  user.claimNothing();
  EXPECT_TRUE(tracker.acquireAgain(user));
  EXPECT_FALSE(tracker.release(user, nullptr));
  ASSERT_TRUE(tracker.track(pointer(0x1000), 64).ok());
  EXPECT_FALSE(tracker.acquireAgain(user));
  // Something is, but nothing that this user needs, whoever uses the rest.
  ASSERT_TRUE(acquire(user, 0x5000, true));
  EXPECT_FALSE(tracker.release(user, nullptr));
  ASSERT_TRUE(acquire(other, 0x1000, true));
  EXPECT_TRUE(tracker.acquireAgain(user));
  EXPECT_FALSE(tracker.release(user, nullptr));
  EXPECT_TRUE(isBeingWritten(pointer(0x1000), 8));
  EXPECT_TRUE(tracker.release(other, nullptr));
  ASSERT_TRUE(tracker.track(pointer(0x5000), 64).ok());
  EXPECT_FALSE(tracker.acquireAgain(user));
  ASSERT_TRUE(acquire(user, 0x5000, true));
  EXPECT_TRUE(isBeingWritten(pointer(0x5000), 8));
  EXPECT_TRUE(tracker.release(user, nullptr));
}

TEST_F(TrackerTest, MayBeUsedFromSeveralThreads) {
  // Each thread has ranges of its own; all share one that is always read.
  alignas(64) static unsigned char memory[4][64], shared[64];
  ASSERT_TRUE(tracker.track(shared, sizeof(shared)).ok());
  std::vector<std::thread> threads;
  for (auto &own : memory)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        EXPECT_TRUE(tracker.track(own, sizeof(own)).ok());
        NamedUser user;
        MemoryAccess accesses[] = {
            {"own", reinterpret_cast<uintptr_t>(own), 64, true, true},
            {"shared", reinterpret_cast<uintptr_t>(shared), 64, true, false}};
        auto mayStart = tracker.acquire(user, accesses);
        EXPECT_TRUE(mayStart.ok() && *mayStart);
        EXPECT_FALSE(tracker.untrack(own).ok());
        tracker.release(user, nullptr);
        EXPECT_TRUE(tracker.untrack(own).ok());
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(tracker.numRanges(), 1u);
}

static void takeTurns(MemoryTracker &tracker, bool ordersUntracked,
                      bool again = false) {
  struct Turn : MemoryUser {
    Turn() { name = "g"; }
    void memoryReady(Worker *) override { ready.store(true); }
    std::atomic<bool> ready{false};
  };
  int64_t counter = 0;
  if (!ordersUntracked)
    ASSERT_TRUE(tracker.track(&counter, sizeof(counter)).ok());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      Turn kept;
      for (int k = 0; k < 200; ++k) {
        Turn fresh;
        Turn &turn = again ? kept : fresh;
        turn.ready = false;
        turn.ordersUntracked = ordersUntracked;
        MemoryAccess access = {"counter", reinterpret_cast<uintptr_t>(&counter),
                               8, true, true};
        auto mayStart = again && tracker.acquireAgain(turn)
                            ? Result<bool>(true)
                            : tracker.acquire(turn, {&access, 1});
        ASSERT_TRUE(mayStart.ok());
        while (!*mayStart && !turn.ready.load())
          std::this_thread::yield();
        ++counter; // Not atomic: the tracker orders the writers.
        tracker.release(turn, nullptr);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(counter, 800);
  EXPECT_EQ(tracker.untrack(&counter).ok(), !ordersUntracked);
}

TEST_F(TrackerTest, WritersInSeveralThreadsTakeTurns) {
  takeTurns(tracker, /*ordersUntracked=*/false);
}

TEST_F(TrackerTest, WritersInSeveralThreadsTakeTurnsAgain) {
  takeTurns(tracker, /*ordersUntracked=*/false, /*again=*/true);
}

TEST_F(TrackerTest, WritersOfUntrackedMemoryTakeTurns) {
  takeTurns(tracker, /*ordersUntracked=*/true);
}
