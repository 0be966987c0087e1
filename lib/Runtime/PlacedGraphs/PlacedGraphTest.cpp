//===- PlacedGraphTest.cpp - Graphs over several places -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains that stay on a device, and random graphs at random places against the
// sequential interpreter.
//
//===----------------------------------------------------------------------===//

#include "AllRounds.h"
#include "Rounds.h"
#include "Testing/PlacedRandom.h"
#include "Testing/PlacedTest.h"

#include "sluice/Base/Text.h"

#include <chrono>
#include <condition_variable>
#include <thread>

using namespace sluice;
using namespace sluice::test;

namespace {
std::mt19937 placesRandom;
/// Places that nodes may get; others run on the host.
uint32_t numPlaces = 3;

void placeAtRandom(const PlanInfo &info, std::span<NodePlace> places) {
  for (NodePlace &place : places)
    place.place = placesRandom() % numPlaces;
}

/// May be called by several threads.
void placeInTurns(const PlanInfo &info, std::span<NodePlace> places) {
  static std::atomic<uint32_t> turn{0};
  for (NodePlace &place : places)
    place.place = turn++ % 7 % numPlaces;
}

class PlacedGraphTest : public PlacedTest {
protected:
  struct Outcome {
    std::vector<uint64_t> results;
    PlacedRandomGraph::Buffers buffers;
    bool operator==(const Outcome &) const = default;
  };
  /// Graphs stay: the runtime knows plans by their addresses.
  PlacedRandomGraph &makeGraph(unsigned seed, bool isStream = false,
                               bool streamsPointers = false,
                               PlacedValues kind = PlacedValues::All) {
    graphs.push_back(std::make_unique<PlacedRandomGraph>(
        seed, isStream, streamsPointers, maxPlacedNodes, kind));
    return *graphs.back();
  }
  PlacedRandomGraph &makeGraph(unsigned seed, PlacedValues kind) {
    return makeGraph(seed, false, false, kind);
  }
  /// Runs a graph several times over the same memory.
  Outcome runGraph(PlacedRandomGraph &graph, unsigned seed, int numRuns) {
    Outcome outcome;
    outcome.buffers = PlacedRandomGraph::makeBuffers(seed);
    for (auto &buffer : outcome.buffers)
      EXPECT_TRUE(runtime->trackMemory(buffer.data(), 8 * buffer.size()).ok());
    for (int run = 0; run < numRuns; ++run) {
      Structure structure = graph.arguments(seed + run, outcome.buffers);
      this->run(graph.builder.finish(), structure);
      for (uint64_t result : graph.results(structure))
        outcome.results.push_back(result);
    }
    for (auto &buffer : outcome.buffers)
      EXPECT_EQ(runtime->untrackMemory(buffer.data()).message(), "");
    return outcome;
  }
  /// Many launches of a graph in flight, each on a part of every array. The
  /// host asks for parts meanwhile.
  Outcome launchOnParts(PlacedRandomGraph &graph, unsigned seed) {
    constexpr uint32_t numParts = 4, numLaunches = 24;
    Outcome outcome;
    std::mt19937 random(seed);
    for (uint32_t i = 0; i < numPlacedBuffers; ++i) {
      auto &array = outcome.buffers.emplace_back();
      for (uint32_t k = 0; k < numParts * maxPlacedExtent; ++k)
        array.push_back(random());
      EXPECT_TRUE(runtime->trackMemory(array.data(), 8 * array.size()).ok());
    }
    const SluicePlan *plan = graph.builder.finish();
    std::deque<Structure> structures;
    std::vector<void *> launched;
    for (uint32_t i = 0; i < numLaunches; ++i) {
      PlacedRandomGraph::Memory memory;
      for (uint32_t k = 0; k < numPlacedBuffers; ++k)
        memory[k] = &outcome.buffers[k][random() % numParts * maxPlacedExtent];
      structures.push_back(graph.arguments(seed + i, memory));
      launched.push_back(launch(plan, structures.back()));
      if (random() % 8 != 0)
        continue;
      uint64_t *seen = memory[0];
      EXPECT_TRUE(runtime->requestMemory(seen, 8 * maxPlacedExtent).ok());
      outcome.results.insert(outcome.results.end(), seen,
                             seen + maxPlacedExtent);
    }
    for (uint32_t i = 0; i < numLaunches; ++i) {
      wait(launched[i]);
      for (uint64_t result : graph.results(structures[i]))
        outcome.results.push_back(result);
    }
    for (auto &array : outcome.buffers)
      EXPECT_EQ(runtime->untrackMemory(array.data()).message(), "");
    return outcome;
  }
  /// Launches a graph with the same arguments each time; the host writes to
  /// the memory now and then, and uses other arguments once.
  Outcome runRepeatedly(PlacedRandomGraph &graph, unsigned seed, int numRuns) {
    Outcome outcome;
    outcome.buffers = PlacedRandomGraph::makeBuffers(seed);
    for (auto &buffer : outcome.buffers)
      EXPECT_TRUE(runtime->trackMemory(buffer.data(), 8 * buffer.size()).ok());
    for (int run = 0; run < numRuns; ++run) {
      if (run % 4 == 3) {
        auto &buffer = outcome.buffers[run / 4 % outcome.buffers.size()];
        EXPECT_TRUE(runtime->requestMemory(buffer.data(), 8).ok());
        buffer[0] += run;
      }
      Structure structure = graph.arguments(
          run == numRuns / 2 ? seed + 1 : seed, outcome.buffers);
      this->run(graph.builder.finish(), structure);
      for (uint64_t result : graph.results(structure))
        outcome.results.push_back(result);
    }
    for (auto &buffer : outcome.buffers)
      EXPECT_EQ(runtime->untrackMemory(buffer.data()).message(), "");
    return outcome;
  }
  /// Puts a fault at every operation of some launches with the same arguments.
  /// Each is right or has an error, and later launches work.
  void putFaultsEverywhere(PlacedRandomGraph &graph, unsigned seed,
                           int numLaunches) {
    using Kind = ThreadDeviceFaults::Kind;
    auto launchAll = [&](Outcome &outcome) {
      Structure structure = graph.arguments(seed, outcome.buffers);
      std::string error;
      for (int i = 0; i < numLaunches && error.empty(); ++i)
        error = errorOf(graph.builder.finish(), structure.data());
      outcome.results = graph.results(structure);
      return error;
    };
    Outcome expected = sequentially([&] {
      Outcome outcome = {{}, PlacedRandomGraph::makeBuffers(seed)};
      EXPECT_EQ(launchAll(outcome), "");
      return outcome;
    });
    unsigned numErrors = 0, numRuns = 0;
    for (Kind kind : {Kind::Refused, Kind::Fails, Kind::Lost}) {
      uint64_t numOperations = 1;
      for (uint64_t at = 0; at <= numOperations; at += 1 + at / rounds(16)) {
        SCOPED_TRACE(concat("seed ", seed, " operation ", at, " kind ",
                            static_cast<int>(kind)));
        setThreadDeviceFaults({kind, at, 0});
        placesRandom.seed(seed);
        start();
        Outcome outcome = {{}, PlacedRandomGraph::makeBuffers(seed)};
        for (auto &buffer : outcome.buffers)
          ASSERT_TRUE(
              runtime->trackMemory(buffer.data(), 8 * buffer.size()).ok());
        std::string error = launchAll(outcome);
        bool cameHome = true;
        for (auto &buffer : outcome.buffers)
          // The fault may hit the way home.
          cameHome &= runtime->untrackMemory(buffer.data()).ok() ||
                      runtime->untrackMemory(buffer.data()).ok();
        numOperations = std::max(numOperations, numThreadDeviceOperations());
        ++numRuns;
        numErrors += !error.empty() || !cameHome;
        if (kind == Kind::Refused)
          EXPECT_TRUE(cameHome && error.empty()) << error;
        if (kind == Kind::Fails)
          EXPECT_TRUE(cameHome || !error.empty());
        if (error.empty()) {
          ASSERT_EQ(outcome.results, expected.results);
          if (cameHome)
            ASSERT_EQ(outcome.buffers, expected.buffers);
        } else {
          EXPECT_NE(error.find("node '"), std::string::npos) << error;
        }
        setThreadDeviceFaults({});
        Outcome later = {{}, PlacedRandomGraph::makeBuffers(seed)};
        ASSERT_EQ(launchAll(later), "");
        ASSERT_EQ(later, expected);
        ASSERT_EQ(runtime->finish().message(), "");
      }
    }
    EXPECT_LT(numErrors, numRuns / 2);
    EXPECT_GT(numRuns, 12u); // operations of devices that may fail
  }
  /// Runs a graph several times over memory that is not tracked.
  Outcome runUntracked(PlacedRandomGraph &graph, unsigned seed, int numRuns) {
    Outcome outcome;
    outcome.buffers = PlacedRandomGraph::makeBuffers(seed);
    for (int run = 0; run < numRuns; ++run) {
      Structure structure = graph.arguments(seed + run, outcome.buffers);
      this->run(graph.builder.finish(), structure);
      for (uint64_t result : graph.results(structure))
        outcome.results.push_back(result);
      // The host uses it between launches.
      for (auto &buffer : outcome.buffers)
        buffer[run] += 1;
    }
    return outcome;
  }
  /// Pushes items that use the buffers in turn, if pointers move with them.
  Outcome runStream(PlacedRandomGraph &graph, unsigned seed, int numItems,
                    uint64_t bound) {
    Outcome outcome;
    std::vector<PlacedRandomGraph::Buffers> sets;
    for (unsigned set = 0; set < 3; ++set)
      sets.push_back(PlacedRandomGraph::makeBuffers(seed + set));
    for (auto &set : sets)
      for (auto &buffer : set)
        EXPECT_TRUE(
            runtime->trackMemory(buffer.data(), 8 * buffer.size()).ok());
    Structure fixed = graph.arguments(seed, sets[0]);
    Result<void *> stream =
        runtime->launch(graph.builder.finish(), fixed.data(), nullptr, true);
    EXPECT_EQ(stream.status().message(), "");
    EXPECT_TRUE(runtime->setStreamBound(*stream, bound).ok());
    auto pop = [&] {
      Result<void *> result = runtime->pop(*stream);
      EXPECT_EQ(result.status().message(), "");
      for (uint32_t i = 0; i < graph.numResults; ++i) {
        uint64_t value;
        std::memcpy(&value, static_cast<char *>(*result) + 8 * i, 8);
        outcome.results.push_back(value);
      }
    };
    for (int item = 0; item < numItems; ++item) {
      Structure structure =
          graph.arguments(seed + item, sets[(item * 7) % sets.size()]);
      EXPECT_EQ(runtime->push(*stream, structure.data(), nullptr).message(),
                "");
      if (item % 5 == 4)
        pop();
    }
    for (int item = 0; item < numItems - numItems / 5; ++item)
      pop();
    EXPECT_EQ(runtime->wait(*stream).message(), "");
    for (auto &set : sets)
      for (auto &buffer : set) {
        EXPECT_EQ(runtime->untrackMemory(buffer.data()).message(), "");
        outcome.buffers.push_back(buffer);
      }
    return outcome;
  }
  template <typename Run> Outcome sequentially(Run &&run) {
    std::unique_ptr<Runtime> placed = std::move(runtime);
    RuntimeOptions before = options;
    options.sequential = true;
    start();
    Outcome outcome = run();
    EXPECT_EQ(runtime->finish().message(), "");
    options = before;
    runtime = std::move(placed);
    return outcome;
  }
  Outcome runSequentially(PlacedRandomGraph &graph, unsigned seed,
                          int numRuns) {
    return sequentially([&] { return runGraph(graph, seed, numRuns); });
  }

  std::vector<std::unique_ptr<PlacedRandomGraph>> graphs;
};

TEST_P(PlacedGraphTest, RandomGraphsAtRandomPlaces) {
  options.changePlaces = placeAtRandom;
  start();
  for (unsigned seed = 0; seed < 60; ++seed) {
    PlacedRandomGraph &graph = makeGraph(seed);
    Outcome expected = runSequentially(graph, seed, 4);
    Outcome outcome = runGraph(graph, seed, 4);
    ASSERT_EQ(outcome.results, expected.results) << "seed " << seed;
    ASSERT_EQ(outcome.buffers, expected.buffers) << "seed " << seed;
  }
  EXPECT_GT(numThreadDeviceLaunches(), 100u);
}

TEST_P(PlacedGraphTest, LaunchesInFlightOnPartsOfArrays) {
  options.changePlaces = placeInTurns;
  setThreadDeviceFaults({ThreadDeviceFaults::Kind::None, 0, 50});
  start();
  for (unsigned seed = 1000; seed < 1020; ++seed) {
    PlacedRandomGraph &graph =
        makeGraph(seed, seed % 2 ? PlacedValues::Last : PlacedValues::All);
    Outcome expected = sequentially([&] { return launchOnParts(graph, seed); });
    Outcome outcome = launchOnParts(graph, seed);
    ASSERT_EQ(outcome.results, expected.results) << "seed " << seed;
    ASSERT_EQ(outcome.buffers, expected.buffers) << "seed " << seed;
  }
  EXPECT_GT(numThreadDeviceLaunches(), 100u);
}

TEST_P(PlacedGraphTest, RandomGraphsOnOneDevice) {
  options.changePlaces = placeOnFirst;
  start();
  for (unsigned seed = 0; seed < 30; ++seed) {
    PlacedRandomGraph &graph = makeGraph(seed);
    Outcome expected = runSequentially(graph, seed, 3);
    ASSERT_EQ(runGraph(graph, seed, 3), expected) << "seed " << seed;
  }
  EXPECT_GT(numThreadDeviceLaunches(), 60u);
}

TEST_P(PlacedGraphTest, SlowDevices) {
  options.changePlaces = placeAtRandom;
  setThreadDeviceFaults({ThreadDeviceFaults::Kind::None, 0, 200});
  start();
  for (unsigned seed = 100; seed < 115; ++seed) {
    PlacedRandomGraph &graph = makeGraph(seed);
    Outcome expected = runSequentially(graph, seed, 2);
    ASSERT_EQ(runGraph(graph, seed, 2), expected) << "seed " << seed;
  }
  EXPECT_GT(numThreadDeviceLaunches(), 15u);
}

TEST_P(PlacedGraphTest, MemoryThatIsNotTracked) {
  options.changePlaces = placeAtRandom;
  start();
  for (unsigned seed = 200; seed < 230; ++seed) {
    PlacedRandomGraph &graph = makeGraph(seed);
    Outcome expected =
        sequentially([&] { return runUntracked(graph, seed, 3); });
    ASSERT_EQ(runUntracked(graph, seed, 3), expected) << "seed " << seed;
  }
  EXPECT_GT(numThreadDeviceLaunches(), 50u);
}

TEST_P(PlacedGraphTest, Streams) {
  options.changePlaces = placeAtRandom;
  start();
  uint64_t numLaunches = 0;
  for (unsigned seed = 300; seed < 330; ++seed) {
    PlacedRandomGraph &graph = makeGraph(seed, true, seed % 2);
    uint64_t bound = 1 + seed % 7;
    setThreadDeviceFaults({ThreadDeviceFaults::Kind::None, 0, seed % 3 * 20});
    Outcome expected =
        sequentially([&] { return runStream(graph, seed, 20, 8); });
    ASSERT_EQ(runStream(graph, seed, 20, 4 + bound), expected)
        << "seed " << seed;
    numLaunches += numThreadDeviceLaunches();
  }
  EXPECT_GT(numLaunches, 300u);
}

/// After a fault at any operation, results are right or there is an error, and
/// later launches work.
TEST_P(PlacedGraphTest, FaultsAtEveryOperation) {
  options.changePlaces = placeAtRandom;
  for (unsigned seed : {401u, 402u, 403u, 404u})
    putFaultsEverywhere(makeGraph(seed), seed, 1);
}

TEST_P(PlacedGraphTest, EqualLaunchesAreRepeated) {
  options.changePlaces = placeOnFirst;
  for (bool records : {false, true}) {
    setThreadDeviceRecords(records);
    setThreadDeviceFaults({});
    start();
    for (unsigned seed = 600; seed < 620; ++seed) {
      PlacedRandomGraph &graph = makeGraph(
          seed, seed % 4 ? PlacedValues::Last : PlacedValues::NoArrays);
      Outcome expected =
          sequentially([&] { return runRepeatedly(graph, seed, 12); });
      ASSERT_EQ(runRepeatedly(graph, seed, 12), expected) << "seed " << seed;
    }
    EXPECT_EQ(numThreadDeviceReplays() > 20, records)
        << numThreadDeviceReplays();
  }
  setThreadDeviceRecords(false);
}

TEST_P(PlacedGraphTest, FaultsInRepeatedLaunches) {
  options.changePlaces = placeOnFirst;
  for (bool records : {false, true}) {
    setThreadDeviceRecords(records);
    for (unsigned seed : {700u, 701u})
      putFaultsEverywhere(makeGraph(seed, PlacedValues::Last), seed, 5);
  }
  setThreadDeviceRecords(false);
}

/// A launch with other arguments, one node of which is on the host, leaves its
/// own values on the device.
TEST_P(PlacedGraphTest, OtherLaunchesInterruptRepeatedOnes) {
  static bool firstIsOnHost;
  options.changePlaces = [](const PlanInfo &info, std::span<NodePlace> places) {
    placeOnFirst(info, places);
    if (firstIsOnHost)
      places.front().place = hostPlace;
  };
  start();
  for (unsigned seed = 640; seed < 660; ++seed) {
    PlacedRandomGraph &graph = makeGraph(seed, PlacedValues::Last);
    auto run = [&] {
      Outcome outcome = {{}, PlacedRandomGraph::makeBuffers(seed)};
      for (auto &buffer : outcome.buffers)
        EXPECT_TRUE(
            runtime->trackMemory(buffer.data(), 8 * buffer.size()).ok());
      for (int launch = 0; launch < 12; ++launch) {
        firstIsOnHost = launch % 5 == 4;
        Structure structure = graph.arguments(
            firstIsOnHost ? seed + launch : seed, outcome.buffers);
        PlacedTest::run(graph.builder.finish(), structure);
        for (uint64_t result : graph.results(structure))
          outcome.results.push_back(result);
      }
      for (auto &buffer : outcome.buffers)
        EXPECT_EQ(runtime->untrackMemory(buffer.data()).message(), "");
      return outcome;
    };
    Outcome expected = sequentially(run);
    ASSERT_EQ(run(), expected) << "seed " << seed;
  }
  EXPECT_GT(numThreadDeviceLaunches(), 60u);
}

/// What waits for a launch knows only of its memory.
TEST_P(PlacedGraphTest, QuietEndsAreSeen) {
  options.changePlaces = placeOnFirst;
  setThreadDeviceFaults({ThreadDeviceFaults::Kind::None, 0, 300});
  start();
  PlacedRandomGraph &graph = makeGraph(800, PlacedValues::NoArrays);
  const SluicePlan *plan = graph.builder.finish();
  auto buffers = PlacedRandomGraph::makeBuffers(800);
  for (auto &buffer : buffers)
    ASSERT_TRUE(runtime->trackMemory(buffer.data(), 8 * buffer.size()).ok());
  std::vector<Structure> structures;
  for (int i = 0; i < 6; ++i)
    structures.push_back(graph.arguments(800, buffers));
  auto launch = [&](Structure &structure) {
    Result<void *> launched =
        runtime->launch(plan, structure.data(), nullptr, false);
    EXPECT_EQ(launched.status().message(), "");
    return *launched;
  };
  // Each waits for the memory of the one before; the last is waited for first.
  std::vector<void *> launched;
  for (Structure &structure : structures)
    launched.push_back(launch(structure));
  EXPECT_EQ(runtime->wait(launched.back()).message(), "");
  launched.pop_back();
  for (void *handle : launched)
    EXPECT_EQ(runtime->wait(handle).message(), "");
  // The host asks for memory while a launch that nobody waits for writes it.
  void *last = launch(structures[0]);
  for (auto &buffer : buffers)
    EXPECT_TRUE(runtime->requestMemory(buffer.data(), 8).ok());
  EXPECT_EQ(runtime->wait(last).message(), "");
  for (auto &buffer : buffers)
    EXPECT_EQ(runtime->untrackMemory(buffer.data()).message(), "");
}

//===----------------------------------------------------------------------===//
// One-to-one orders
//===----------------------------------------------------------------------===//

/// Tells a chunk of the source that one of the sink has run.
struct Meeting {
  std::mutex mutex;
  std::condition_variable changed;
  unsigned numSinkChunks = 0;
  bool cameInTime = true;
} meeting;
constexpr int64_t meetingExtent = 1000;

void meetingSource(const SluiceInvocation *, uint64_t, uint64_t end) {
  if (end != meetingExtent)
    return;
  std::unique_lock lock(meeting.mutex);
  meeting.cameInTime &= meeting.changed.wait_for(
      lock, std::chrono::minutes(2), [] { return meeting.numSinkChunks != 0; });
}
void meetingSink(const SluiceInvocation *, uint64_t, uint64_t) {
  std::lock_guard lock(meeting.mutex);
  ++meeting.numSinkChunks;
  meeting.changed.notify_all();
}

/// Also where another node is on a device, the sink's chunks begin while the
/// source still runs.
TEST_P(PlacedGraphTest, NodesOfTheHostFollowEachOtherChunkByChunk) {
  if (GetParam() < 2)
    GTEST_SKIP() << "one worker runs one chunk at a time";
  options.changePlaces = [](const PlanInfo &info, std::span<NodePlace> places) {
    placeOnFirst(info, places);
    for (size_t i = places.size() - 2; i < places.size(); ++i)
      places[i].place = hostPlace;
  };
  start();
  PlacedRandomGraph &graph = makeGraph(810, PlacedValues::NoArrays);
  uint32_t source =
      graph.builder.node("source", meetingSource, {meetingExtent});
  uint32_t sink = graph.builder.node("sink", meetingSink, {meetingExtent});
  graph.builder.at(source).unitCost = graph.builder.at(sink).unitCost = 100000;
  graph.builder.order(source, sink, SLUICE_ONE_TO_ONE);
  meeting.numSinkChunks = 0;
  auto buffers = PlacedRandomGraph::makeBuffers(810);
  Structure structure = graph.arguments(810, buffers);
  run(graph.builder.finish(), structure);
  EXPECT_TRUE(meeting.cameInTime);
  EXPECT_GT(meeting.numSinkChunks, 1u);
  EXPECT_GT(numThreadDeviceLaunches(), 0u);
}

//===----------------------------------------------------------------------===//
// Shared nodes
//===----------------------------------------------------------------------===//

void shareAll(const PlanInfo &, std::span<NodePlace> places) {
  for (NodePlace &place : places) {
    place.place = 1;
    place.isShared = true;
  }
}
void shareAtRandom(const PlanInfo &info, std::span<NodePlace> places) {
  placeAtRandom(info, places);
  for (NodePlace &place : places)
    place.isShared = place.place != hostPlace && placesRandom() % 2;
}

TEST_P(PlacedGraphTest, DevicesShareNodes) {
  options.devices.names = {"opencl:0", "opencl:1", "opencl:2"};
  for (auto *choose : {shareAll, shareAtRandom}) {
    options.changePlaces = choose;
    start();
    for (unsigned seed = 900; seed < 930; ++seed) {
      PlacedRandomGraph &graph = makeGraph(seed, PlacedValues::Last);
      Outcome expected = runSequentially(graph, seed, 4);
      ASSERT_EQ(runGraph(graph, seed, 4), expected) << "seed " << seed;
      if (choose == shareAll &&
          graph.arguments(seed, expected.buffers).read<int64_t>(8) > 2)
        EXPECT_GT(numThreadDeviceLaunches(), 4u) << "seed " << seed;
    }
  }
}

TEST_P(PlacedGraphTest, FaultsInSharedNodes) {
  options.changePlaces = shareAll;
  // In usual runs, each number of workers has one of the graphs.
  for (unsigned seed : {950u, 951u, 952u})
    if (sluice::test::hasAllRounds() || seed == 950 + GetParam() / 2)
      putFaultsEverywhere(makeGraph(seed, PlacedValues::Last), seed, 2);
}

TEST_P(PlacedGraphTest, ManyThreadsLaunch) {
  options.changePlaces = placeOnFirst;
  start();
  PlacedRandomGraph &graph = makeGraph(500);
  Outcome expected = runSequentially(graph, 500, 1);
  graph.builder.finish();
  std::vector<std::thread> threads;
  std::atomic<int> numWrong{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int run = 0; run < 20; ++run) {
        auto buffers = PlacedRandomGraph::makeBuffers(500);
        Structure structure = graph.arguments(500, buffers);
        Result<void *> launched = runtime->launch(
            &graph.builder.plan, structure.data(), nullptr, false);
        bool isRight = launched.ok() && runtime->wait(*launched).ok() &&
                       graph.results(structure) == expected.results &&
                       buffers == expected.buffers;
        numWrong += !isRight;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(numWrong, 0);
  EXPECT_GT(numThreadDeviceLaunches(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Workers, PlacedGraphTest, testing::Values(1, 2, 4));
} // namespace
