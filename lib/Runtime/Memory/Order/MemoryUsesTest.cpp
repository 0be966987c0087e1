//===- MemoryUsesTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random users of random ranges against an oracle that compares each with all
// before it; and that the cost of many users stays small.
//
//===----------------------------------------------------------------------===//

#include "MemoryUses.h"
#include "../Tracker.h"
#include "Rounds.h"

#include <gtest/gtest.h>
#include <memory>
#include <random>

using namespace sluice;

namespace {
struct User : MemoryUser {
  void memoryReady(Worker *) override { ++timesReady; }
  int timesReady = 0;
  bool mayStart = false;
  bool hasStarted() const { return mayStart || timesReady == 1; }
};

using Random = std::mt19937_64;

uint64_t below(Random &random, uint64_t bound) { return random() % bound; }

constexpr uintptr_t firstAddress = 0x10000;

/// Users in flight of a few objects, some of which are not tracked.
class World {
public:
  World(uint64_t seed, uint64_t numBytes, bool hasFamilies)
      : random(seed), hasFamilies(hasFamilies) {
    for (uintptr_t at = firstAddress; at < firstAddress + numBytes;) {
      uint64_t size = 1 + below(random, numBytes / 2);
      bool isTracked = below(random, 4) != 0;
      objects.push_back({at, size, isTracked});
      if (isTracked)
        EXPECT_TRUE(tracker.track(reinterpret_cast<void *>(at), size).ok());
      at += size;
    }
  }

  void run(int numSteps, size_t maxInFlight) {
    for (int step = 0; step < numSteps; ++step) {
      bool mayAdd = inFlight.size() < maxInFlight;
      if (mayAdd && (inFlight.empty() || below(random, 3) != 0))
        add();
      else if (below(random, 2) != 0)
        addMore();
      else
        removeAny();
      check();
    }
    while (!inFlight.empty()) {
      removeAny();
      check();
    }
    EXPECT_FALSE(tracker.anyWaits());
    for (const Object &object : objects)
      if (object.isTracked)
        EXPECT_TRUE(
            tracker.untrack(reinterpret_cast<void *>(object.start)).ok());
  }

private:
  struct Object {
    uintptr_t start;
    uint64_t size;
    bool isTracked;
  };
  struct Entry {
    std::unique_ptr<User> user;
    std::vector<MemoryAccess> accesses;
    /// What the accesses use.
    std::vector<ByteRange> bytes;
  };

  void addAccess(Entry &entry) {
    const Object &object = objects[below(random, objects.size())];
    uint64_t offset = below(random, object.size);
    uint64_t size = below(random, object.size - offset + 1);
    bool isKnown = below(random, 8) != 0;
    bool writes = below(random, 3) == 0;
    entry.accesses.push_back(
        {"a", object.start + offset, size, isKnown, writes});
    ByteRange bytes = {object.start + offset, object.start + offset + size};
    if (object.isTracked && (!isKnown || entry.user->usesWholeObjects))
      bytes = {object.start, object.start + object.size};
    else if (!isKnown || (!object.isTracked && !entry.user->ordersUntracked))
      bytes = {};
    entry.bytes.push_back(bytes);
  }

  void add() {
    Entry entry;
    entry.user = std::make_unique<User>();
    User &user = *entry.user;
    user.ordersUntracked = below(random, 2) != 0;
    user.usesWholeObjects = below(random, 16) == 0;
    if (hasFamilies && below(random, 2) != 0)
      user.family = &families[below(random, 2)];
    for (uint64_t count = below(random, 5); count != 0; --count)
      addAccess(entry);
    // What must not wait is claimed if nothing conflicts, else not at all.
    bool mayWait = below(random, 8) != 0;
    auto result = mayWait ? tracker.acquire(user, entry.accesses)
                          : tracker.tryAcquire(user, entry.accesses);
    ASSERT_EQ(result.status().message(), "");
    if (!mayWait) {
      bool isFree = true;
      for (const Entry &before : inFlight)
        isFree &= !conflict(before, entry);
      ASSERT_EQ(*result, isFree);
      if (!isFree)
        return;
    }
    user.mayStart = *result;
    inFlight.push_back(std::move(entry));
  }

  /// A member of a family that has started claims more, as a batch of a
  /// stream's items does, often behind what it has.
  void addMore() {
    Entry &entry = inFlight[below(random, inFlight.size())];
    User &user = *entry.user;
    if (!user.family || !user.hasStarted())
      return;
    Entry more;
    more.user = std::move(entry.user);
    for (uint64_t count = 1 + below(random, 2); count != 0; --count) {
      addAccess(more);
      // Behind a range that it has.
      MemoryAccess &access = more.accesses.back();
      ByteRange &bytes = more.bytes.back();
      if (bytes.isEmpty() || user.usesWholeObjects || !access.sizeKnown)
        continue;
      for (size_t i = 0; i < entry.bytes.size(); ++i)
        if (const uintptr_t end = entry.bytes[i].end;
            bytes.begin < end && end < bytes.end) {
          access.start = bytes.begin = end;
          access.size = bytes.end - end;
          access.writes = entry.accesses[i].writes;
        }
    }
    bool isFree = true;
    for (const Entry &other : inFlight)
      isFree &= &other == &entry || !conflict(other, more);
    auto result = tracker.tryAcquire(user, more.accesses);
    entry.user = std::move(more.user);
    ASSERT_EQ(result.status().message(), "");
    ASSERT_EQ(*result, isFree);
    if (!isFree)
      return;
    entry.accesses.insert(entry.accesses.end(), more.accesses.begin(),
                          more.accesses.end());
    entry.bytes.insert(entry.bytes.end(), more.bytes.begin(), more.bytes.end());
  }

  /// Mostly one that has started; now and then one that has not, as if it had
  /// failed.
  void removeAny() {
    size_t index = below(random, inFlight.size());
    while (!inFlight[index].user->hasStarted())
      index = (index + 1) % inFlight.size();
    tracker.release(*inFlight[index].user, nullptr);
    inFlight.erase(inFlight.begin() + index);
  }

  bool conflict(const Entry &a, const Entry &b) const {
    if (a.user->family && a.user->family == b.user->family)
      return false;
    for (size_t i = 0; i < a.bytes.size(); ++i)
      for (size_t k = 0; k < b.bytes.size(); ++k)
        if ((a.accesses[i].writes || b.accesses[k].writes) &&
            !a.bytes[i].isEmpty() && !b.bytes[k].isEmpty() &&
            a.bytes[i].overlaps(b.bytes[k]))
          return true;
    return false;
  }

  /// In program order.
  void check() {
    bool anyWaits = false;
    for (size_t i = 0; i < inFlight.size(); ++i) {
      bool isFree = true;
      for (size_t k = 0; k < i; ++k)
        isFree &= !conflict(inFlight[k], inFlight[i]);
      ASSERT_EQ(inFlight[i].user->hasStarted(), isFree);
      anyWaits |= !isFree;
    }
    ASSERT_EQ(tracker.anyWaits(), anyWaits);
    uintptr_t at = firstAddress + below(random, 64);
    uint64_t size = 1 + below(random, 16);
    bool isWritten = false;
    for (const Entry &entry : inFlight)
      for (size_t i = 0; i < entry.bytes.size(); ++i)
        isWritten |= entry.accesses[i].writes && !entry.bytes[i].isEmpty() &&
                     entry.bytes[i].overlaps({at, at + size});
    std::vector<MemoryUser *> heldBack;
    ASSERT_EQ(
        tracker.isBeingWritten(reinterpret_cast<void *>(at), size, heldBack),
        isWritten);
    EXPECT_TRUE(heldBack.empty());
  }

  Random random;
  const bool hasFamilies;
  char families[2];
  MemoryTracker tracker;
  std::vector<Object> objects;
  std::vector<Entry> inFlight;
};
} // namespace

TEST(MemoryUsesTest, RandomUsersStartWhenNothingBeforeThemConflicts) {
  for (uint64_t seed = 0; seed < test::rounds(400); ++seed) {
    SCOPED_TRACE(seed);
    World world(seed, 8 + 8 * (seed % 20), /*hasFamilies=*/seed % 3 == 0);
    world.run(150, 1 + seed % 40);
    if (testing::Test::HasFatalFailure())
      return;
  }
}

namespace {
/// Users of one array, all in flight at once.
struct ManyUsers : testing::Test {
  /// True: may start.
  bool add(uintptr_t first, uint64_t size, bool writes) {
    users.push_back(std::make_unique<User>());
    MemoryAccess access = {"a", first, size, true, writes};
    auto result = tracker.acquire(*users.back(), {&access, 1});
    users.back()->mayStart = result.ok() && *result;
    return users.back()->mayStart;
  }
  void releaseAll() {
    for (auto &user : users) {
      EXPECT_TRUE(user->hasStarted());
      tracker.release(*user, nullptr);
    }
    EXPECT_FALSE(tracker.anyWaits());
  }
  MemoryTracker tracker;
  std::vector<std::unique_ptr<User>> users;
  static constexpr uintptr_t count = 20000;
};
} // namespace

// Each of these would take minutes if users were compared with all others.

TEST_F(ManyUsers, WritersOfTilesStartAtOnce) {
  ASSERT_TRUE(tracker.track(reinterpret_cast<void *>(64), 64 * count).ok());
  for (uintptr_t i = 0; i < count; ++i)
    EXPECT_TRUE(add(64 + 64 * ((i * 7919) % count), 64, true));
  EXPECT_FALSE(add(64, 64 * count, true));
  releaseAll();
}

TEST_F(ManyUsers, WritersOfOneTileWaitForTheOneBefore) {
  ASSERT_TRUE(tracker.track(reinterpret_cast<void *>(64), 64).ok());
  for (uintptr_t i = 0; i < 10 * count; ++i)
    EXPECT_EQ(add(64, 64, true), i == 0);
  releaseAll();
}

TEST_F(ManyUsers, ReadersOfWindowsThatOverlapDoNotWait) {
  ASSERT_TRUE(tracker.track(reinterpret_cast<void *>(64), 2 * count).ok());
  for (uintptr_t i = 0; i < count; ++i)
    EXPECT_TRUE(add(64 + i, count, false));
  EXPECT_FALSE(add(64, 2 * count, true));
  releaseAll();
}

TEST_F(ManyUsers, WritersOfTilesWaitForReadersOfAll) {
  ASSERT_TRUE(tracker.track(reinterpret_cast<void *>(64), 64 * count).ok());
  for (int round = 0; round < 3; ++round) {
    for (uintptr_t i = 0; i < count; ++i)
      EXPECT_EQ(add(64, 64 * count, false), round == 0);
    for (uintptr_t i = 0; i < count; ++i)
      EXPECT_FALSE(add(64 + 64 * ((i * 7919) % count), 64, true));
  }
  releaseAll();
}

TEST_F(ManyUsers, ReadersOfAllThatWriteATileTakeTurns) {
  ASSERT_TRUE(tracker.track(reinterpret_cast<void *>(64), 64 * count).ok());
  for (uintptr_t i = 0; i < count; ++i) {
    users.push_back(std::make_unique<User>());
    MemoryAccess accesses[] = {{"a", 64, 64 * count, true, false},
                               {"b", 64 + 64 * i, 64, true, true}};
    if (i % 2)
      std::swap(accesses[0], accesses[1]);
    auto result = tracker.acquire(*users.back(), accesses);
    users.back()->mayStart = result.ok() && *result;
    EXPECT_EQ(users.back()->mayStart, i == 0);
  }
  releaseAll();
}

TEST_F(ManyUsers, ReadersOfAllWaitForTheWriterOfAll) {
  ASSERT_TRUE(tracker.track(reinterpret_cast<void *>(64), 64).ok());
  for (int round = 0; round < 4; ++round) {
    EXPECT_EQ(add(64, 64, true), round == 0);
    for (uintptr_t i = 0; i < count; ++i)
      EXPECT_FALSE(add(64 + i % 64, 1, false));
  }
  releaseAll();
}
