//===- HistoryTest.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How places are tried and chosen by their times, and the file of times: round
// trips, damage, and processes that write at once.
//
//===----------------------------------------------------------------------===//

#include "History.h"

#include "Testing/PlacementTest.h"

#include "sluice/Base/WholeFiles.h"

#include <functional>
#include <random>
#include <sys/stat.h>
#include <sys/wait.h>

using namespace sluice;
using namespace sluice::test;

namespace {
/// Runs a node again and again, whose time depends on place, size and run.
class Runs {
public:
  using Time = std::function<uint64_t(MemoryPlace, uint64_t size)>;
  explicit Runs(Time time, unsigned numPlaces = 2) : time(std::move(time)) {
    for (MemoryPlace place = 0; place < numPlaces; ++place)
      candidates.push_back(place);
  }
  MemoryPlace run(uint64_t size) {
    NodeHistory::Choice choice = history.choose(candidates, size);
    uint64_t taken = time(choice.place, size);
    total += taken;
    if (choice.wantsTiming)
      history.add(choice.place, size, taken);
    return choice.place;
  }
  /// How many of `count` runs went to a place.
  unsigned countAt(MemoryPlace place, uint64_t size, unsigned count) {
    unsigned found = 0;
    for (unsigned i = 0; i < count; ++i)
      found += run(size) == place;
    return found;
  }
  NodeHistory history;
  std::vector<MemoryPlace> candidates;
  uint64_t total = 0;
  Time time;
};
} // namespace

TEST(NodeHistory, ClassesArePowersOfTwo) {
  EXPECT_EQ(NodeHistory::classOf(0), 0u);
  EXPECT_EQ(NodeHistory::classOf(1), 0u);
  EXPECT_EQ(NodeHistory::classOf(1023), 9u);
  EXPECT_EQ(NodeHistory::classOf(1024), 10u);
  EXPECT_EQ(NodeHistory::classOf(UINT64_MAX), 63u);
}

TEST(NodeHistory, TriesInARowThenTakesTheFaster) {
  Runs runs([](MemoryPlace place, uint64_t) { return place ? 500 : 1000; });
  std::vector<MemoryPlace> order;
  for (int i = 0; i < 10; ++i)
    order.push_back(runs.run(64));
  EXPECT_EQ(order, (std::vector<MemoryPlace>{0, 0, 0, 1, 1, 1, 1, 1, 1, 1}));
}

TEST(NodeHistory, APlaceThatIsFarSlowerIsTriedOnce) {
  Runs runs([](MemoryPlace place, uint64_t) { return place ? 4100 : 1000; });
  EXPECT_EQ(runs.countAt(1, 64, 60), 1u);
}

TEST(NodeHistory, TheFirstRunWithItsTransfersDoesNotDecide) {
  unsigned numRuns[2] = {};
  Runs runs([&](MemoryPlace place, uint64_t) {
    return place ? (numRuns[1]++ ? 500 : 3900) : 1000;
  });
  EXPECT_EQ(runs.countAt(1, 64, 50), 47u);
}

TEST(NodeHistory, RegretIsBounded) {
  Runs runs([](MemoryPlace place, uint64_t) { return place ? 100000 : 1000; });
  const unsigned count = 10000;
  for (unsigned i = 0; i < count; ++i)
    runs.run(64);
  uint64_t best = uint64_t(count) * 1000;
  // One try, then two runs after 64, 128, ... 4096 others.
  EXPECT_LE(runs.total, best + 17 * 100000);
}

TEST(NodeHistory, APlaceThatBecameFasterIsFound) {
  bool isIdle = false;
  Runs runs([&](MemoryPlace place, uint64_t) {
    return place ? (isIdle ? 200 : 50000) : 1000;
  });
  EXPECT_EQ(runs.countAt(1, 64, 60), 1u);
  isIdle = true;
  runs.countAt(1, 64, 1000);
  EXPECT_GE(runs.countAt(1, 64, 100), 98u);
}

TEST(NodeHistory, NoiseChangesNothing) {
  std::mt19937 random(7);
  Runs runs([&](MemoryPlace, uint64_t) { return 950 + random() % 100; });
  for (int i = 0; i < 6; ++i)
    runs.run(64);
  MemoryPlace chosen = runs.run(64);
  unsigned changes = 0;
  for (int i = 0; i < 50; ++i)
    changes += runs.run(64) != chosen;
  EXPECT_EQ(changes, 0u);
}

TEST(NodeHistory, SizesAreKeptApart) {
  // A device with a fixed cost is worth it for large inputs only.
  Runs runs([](MemoryPlace place, uint64_t size) {
    return place ? 10000 + size / 10 : size;
  });
  for (uint64_t size : {uint64_t(1000), uint64_t(1) << 20})
    runs.countAt(1, size, 20);
  EXPECT_EQ(runs.countAt(1, 1000, 20), 0u);
  EXPECT_EQ(runs.countAt(1, 1 << 20, 20), 20u);
}

TEST(NodeHistory, BetweenKnownSizesFarSlowerPlacesAreNotTried) {
  Runs runs([](MemoryPlace place, uint64_t size) {
    return place ? 100 + size : 100 + 20 * size;
  });
  for (uint64_t size : {uint64_t(1) << 10, uint64_t(1) << 14})
    runs.countAt(1, size, 20);
  EXPECT_EQ(runs.countAt(0, 1 << 12, 50), 0u) << "the device is known to win";
  EXPECT_GE(runs.countAt(0, 1 << 16, 50), 1u) << "beyond, nothing is known";
}

TEST(NodeHistory, ThePlaceOfSeveralThatIsFastestWins) {
  const uint64_t times[] = {1000, 900, 300, 2500};
  Runs runs([&](MemoryPlace place, uint64_t) { return times[place]; }, 4);
  runs.countAt(2, 64, 12);
  EXPECT_EQ(runs.countAt(2, 64, 40), 40u);
}

TEST(NodeHistory, APlaceThatIsGoneIsNotAnswered) {
  Runs runs([](MemoryPlace place, uint64_t) { return place ? 100 : 1000; });
  EXPECT_GE(runs.countAt(1, 64, 30), 20u);
  runs.candidates = {0};
  EXPECT_EQ(runs.countAt(1, 64, 200), 0u);
}

TEST(NodeHistory, TimesThatNeverComeDoNotStopIt) {
  NodeHistory history;
  std::vector<MemoryPlace> candidates = {0, 1};
  unsigned counts[2] = {};
  for (int i = 0; i < 200; ++i)
    ++counts[history.choose(candidates, 64).place];
  EXPECT_GT(counts[0], 0u);
  EXPECT_GT(counts[1], 0u);
  history.add(1, 64, 10);
  EXPECT_EQ(history.choose(candidates, 64).place, 1u);
}

TEST(NodeHistory, AColdRunCountsUntilThereIsAnother) {
  NodeHistory history;
  std::vector<MemoryPlace> candidates = {0, 1};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(history.choose(candidates, 64).place, 0u);
    history.add(0, 64, 1000);
  }
  EXPECT_EQ(history.choose(candidates, 64).place, 1u);
  history.add(1, 64, 1000000, true);
  EXPECT_EQ(history.takeNew()[1].second.nanoseconds,
            (std::vector<uint64_t>{1000000}));
  EXPECT_EQ(history.choose(candidates, 64).place, 1u) << "not too slow yet";
  history.add(1, 64, 500);
  EXPECT_EQ(history.takeNew()[0].second.nanoseconds,
            (std::vector<uint64_t>{500}));
  history.add(1, 64, 1000000, true);
  EXPECT_TRUE(history.takeNew().empty()) << "another process is cold, too";
  EXPECT_EQ(history.choose(candidates, 64).place, 1u);
  EXPECT_EQ(history.choose(candidates, 64).place, 1u);
}

TEST(NodeHistory, WhatWasLoadedIsNotMeasuredAgain) {
  NodeHistory history;
  DeviceTiming timing;
  timing.sizeClass = 6;
  timing.runs = 100;
  timing.nanoseconds = {100, 100, 100};
  history.load(1, timing);
  timing.nanoseconds = {300, 300, 300};
  history.load(0, timing);
  EXPECT_EQ(history.choose(std::vector<MemoryPlace>{0, 1}, 64).place, 1u);
  EXPECT_TRUE(history.takeNew().empty());
  history.add(1, 64, 120);
  auto fresh = history.takeNew();
  ASSERT_EQ(fresh.size(), 1u);
  EXPECT_EQ(fresh[0].first, 1u);
  EXPECT_EQ(fresh[0].second.runs, 1u);
  EXPECT_EQ(fresh[0].second.nanoseconds, (std::vector<uint64_t>{120}));
  EXPECT_TRUE(history.takeNew().empty());
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

static DeviceTiming timing(std::string node, uint64_t lastUse = 1000) {
  DeviceTiming timing;
  timing.hash = "0123";
  timing.program = "camera.c";
  timing.node = std::move(node);
  timing.place = "opencl:0, a device";
  timing.sizeClass = 20;
  timing.runs = 7;
  timing.lastUse = lastUse;
  timing.nanoseconds = {500, 300, 400};
  return timing;
}

TEST(DeviceHistory, TextIsReadAsItWasWritten) {
  std::vector<DeviceTiming> timings = {
      timing("root/a"), timing("root/\t\n%\x7f\"\xc3\xa4"), timing(" ")};
  timings[1].nanoseconds = {1, 2, 3, 4, 5};
  timings[2].sizeClass = 63;
  std::string text = formatDeviceHistory(timings);
  std::vector<DeviceTiming> read = parseDeviceHistory(text);
  ASSERT_EQ(read.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(read[i].isOfSameKind(timings[i])) << i;
    EXPECT_EQ(read[i].program, timings[i].program);
    EXPECT_EQ(read[i].runs, timings[i].runs);
    EXPECT_EQ(read[i].lastUse, timings[i].lastUse);
    EXPECT_EQ(read[i].nanoseconds, timings[i].nanoseconds);
  }
  EXPECT_EQ(formatDeviceHistory(read), text);
  EXPECT_EQ(read[0].median(), 400u);
}

TEST(DeviceHistory, WhatCannotBeReadIsNotWritten) {
  DeviceTiming empty = timing(""), endless = timing(std::string(2000, 'x')),
               untimed = timing("u"), wide = timing("w");
  untimed.nanoseconds.clear();
  wide.sizeClass = 64;
  std::vector<DeviceTiming> timings = {empty, endless, untimed, wide};
  EXPECT_EQ(formatDeviceHistory(timings), formatDeviceHistory({}));
}

TEST(DeviceHistory, EveryDamagedByteCostsAtMostItsLine) {
  std::vector<DeviceTiming> timings = {timing("root/a"), timing("root/b")};
  const std::string text = formatDeviceHistory(timings);
  const size_t header = text.find('\n') + 1;
  for (size_t i = 0; i < text.size(); ++i)
    for (char other : {'\n', '\t', '0', '\xff', '%'}) {
      if (text[i] == other)
        continue;
      std::string damaged = text;
      damaged[i] = other;
      std::vector<DeviceTiming> read = parseDeviceHistory(damaged);
      // Without the end of its line, one line takes the next one with it.
      if (i < header || text[i] != '\n')
        EXPECT_EQ(read.size(), i < header ? 0u : 1u) << i;
      else
        EXPECT_LE(read.size(), 1u) << i;
      for (const DeviceTiming &one : read)
        EXPECT_EQ(one.nanoseconds, timings[0].nanoseconds);
    }
  for (size_t length = 0; length < text.size(); ++length)
    EXPECT_LE(parseDeviceHistory(text.substr(0, length)).size(), 1u);
  EXPECT_EQ(parseDeviceHistory(text + text.substr(header)).size(), 2u)
      << "the first of equal entries counts";
}

TEST(DeviceHistory, NumbersThatAreTooLargeAreDamage) {
  for (auto change : {+[](DeviceTiming &t) { t.lastUse = UINT64_MAX; },
                      +[](DeviceTiming &t) { t.lastUse = 1ull << 49; }}) {
    std::vector<DeviceTiming> timings = {timing("root/a")};
    change(timings[0]);
    EXPECT_TRUE(parseDeviceHistory(formatDeviceHistory(timings)).empty());
  }
  std::vector<DeviceTiming> slow = {timing("root/a")};
  slow[0].nanoseconds = {UINT64_MAX};
  slow[0].runs = UINT64_MAX;
  EXPECT_EQ(parseDeviceHistory(formatDeviceHistory(slow)).size(), 1u)
      << "what was measured is cut to what can be read";
}

TEST(DeviceHistory, EntriesAreAddedToThoseOfOthers) {
  TestFolder cache;
  std::vector<DeviceTiming> first = {timing("root/a")},
                            second = {timing("root/a", 2000), timing("root/b")};
  second[0].nanoseconds = {10, 20, 30};
  second[0].runs = 3;
  EXPECT_EQ(addToDeviceHistory(cache.path, first).message(), "");
  EXPECT_EQ(addToDeviceHistory(cache.path, second).message(), "");
  std::vector<DeviceTiming> read = readDeviceHistory(cache.path);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].runs, 10u);
  EXPECT_EQ(read[0].lastUse, 2000u);
  EXPECT_EQ(read[0].nanoseconds, (std::vector<uint64_t>{300, 400, 10, 20, 30}));
  EXPECT_EQ(addToDeviceHistory("", first).message(), "") << "no cache";
  EXPECT_TRUE(readDeviceHistory("").empty());
}

TEST(DeviceHistory, ForeignContentIsWrittenAnew) {
  TestFolder cache;
  std::vector<DeviceTiming> one = {timing("root/a")};
  ASSERT_EQ(addToDeviceHistory(cache.path, one).message(), "");
  std::string path = deviceHistoryFile(cache.path);
  for (std::string content :
       {std::string(), std::string("{\"version\": 3}\n"),
        std::string("sluice device history 2\n"), std::string(100000, '\0')}) {
    ASSERT_TRUE(writeFileAtomically(path, content).ok());
    EXPECT_TRUE(readDeviceHistory(cache.path).empty());
    EXPECT_EQ(addToDeviceHistory(cache.path, one).message(), "");
    EXPECT_EQ(readDeviceHistory(cache.path).size(), 1u);
  }
}

TEST(DeviceHistory, AFileThatOthersMayWriteIsNotRead) {
  TestFolder cache;
  std::vector<DeviceTiming> one = {timing("root/a")};
  ASSERT_EQ(addToDeviceHistory(cache.path, one).message(), "");
  ASSERT_EQ(::chmod(deviceHistoryFile(cache.path).c_str(), 0666), 0);
  EXPECT_TRUE(readDeviceHistory(cache.path).empty());
}

TEST(DeviceHistory, TheOldestEntriesGoFirst) {
  TestFolder cache;
  std::vector<DeviceTiming> timings;
  for (uint64_t i = 0; i < maxDeviceTimings + 10; ++i)
    timings.push_back(timing(concat("n", i), 5000 + i));
  ASSERT_EQ(addToDeviceHistory(cache.path, timings).message(), "");
  std::vector<DeviceTiming> read = readDeviceHistory(cache.path);
  EXPECT_EQ(read.size(), maxDeviceTimings);
  for (const DeviceTiming &one : read)
    EXPECT_GE(one.lastUse, 5010u);
}

TEST(DeviceHistory, ProcessesThatWriteAtOnceLoseNothing) {
  TestFolder cache;
  constexpr int numProcesses = 6, numRounds = 20;
  std::vector<pid_t> processes;
  for (int p = 0; p < numProcesses; ++p) {
    pid_t process = ::fork();
    ASSERT_GE(process, 0);
    if (process == 0) {
      for (int i = 0; i < numRounds; ++i) {
        std::vector<DeviceTiming> mine = {timing("shared"),
                                          timing(concat("own", p))};
        mine[0].runs = mine[1].runs = 1;
        if (!addToDeviceHistory(cache.path, mine).ok())
          ::_exit(1);
      }
      ::_exit(0);
    }
    processes.push_back(process);
  }
  for (pid_t process : processes) {
    int status = 0;
    ASSERT_EQ(::waitpid(process, &status, 0), process);
    EXPECT_EQ(status, 0);
  }
  std::vector<DeviceTiming> read = readDeviceHistory(cache.path);
  ASSERT_EQ(read.size(), 1u + numProcesses);
  for (const DeviceTiming &one : read)
    EXPECT_EQ(one.runs,
              uint64_t(numRounds) * (one.node == "shared" ? numProcesses : 1));
}

TEST(DeviceHistory, EntriesAreRemovedOnRequest) {
  TestFolder cache;
  auto isA = [](const DeviceTiming &timing, const void *name) {
    return timing.node == *static_cast<const std::string *>(name);
  };
  std::string name = "root/a";
  Result<size_t> none = removeFromDeviceHistory(cache.path, isA, &name);
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(*none, 0u);
  std::vector<DeviceTiming> timings = {timing("root/a"), timing("root/b")};
  ASSERT_TRUE(addToDeviceHistory(cache.path, timings).ok());
  Result<size_t> removed = removeFromDeviceHistory(cache.path, isA, &name);
  ASSERT_TRUE(removed.ok());
  EXPECT_EQ(*removed, 1u);
  EXPECT_TRUE(
      contentOf(deviceHistoryFile(cache.path))
          .starts_with(formatDeviceHistory(std::span(timings).subspan(1)) +
                       "\nsluice-seal"));
}
