//===- PlacedGraphTest.cpp - Graphs over several places -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains that stay on a device, and random graphs at random places against the
// sequential interpreter.
//
//===----------------------------------------------------------------------===//

#include "PlacedRandom.h"
#include "PlacedTest.h"

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
void placeOnFirst(const PlanInfo &info, std::span<NodePlace> places) {
  for (NodePlace &place : places)
    place.place = 1;
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
                               bool streamsPointers = false) {
    graphs.push_back(
        std::make_unique<PlacedRandomGraph>(seed, isStream, streamsPointers));
    return *graphs.back();
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

TEST_P(PlacedGraphTest, RandomGraphsOnOneDevice) {
  options.changePlaces = placeOnFirst;
  start();
  for (unsigned seed = 0; seed < 30; ++seed) {
    PlacedRandomGraph &graph = makeGraph(seed);
    Outcome expected = runSequentially(graph, seed, 3);
    ASSERT_EQ(runGraph(graph, seed, 3), expected) << "seed " << seed;
  }
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
  for (unsigned seed = 300; seed < 330; ++seed) {
    PlacedRandomGraph &graph = makeGraph(seed, true, seed % 2);
    uint64_t bound = 1 + seed % 7;
    setThreadDeviceFaults({ThreadDeviceFaults::Kind::None, 0, seed % 3 * 20});
    Outcome expected =
        sequentially([&] { return runStream(graph, seed, 20, 8); });
    ASSERT_EQ(runStream(graph, seed, 20, 4 + bound), expected)
        << "seed " << seed;
  }
}

/// After a fault at any operation, results are right or there is an error, and
/// later launches work.
TEST_P(PlacedGraphTest, FaultsAtEveryOperation) {
  using Kind = ThreadDeviceFaults::Kind;
  options.changePlaces = placeAtRandom;
  unsigned numErrors = 0, numRuns = 0;
  for (unsigned seed : {401u, 402u, 403u, 404u}) {
    PlacedRandomGraph &graph = makeGraph(seed);
    Outcome expected = runSequentially(graph, seed, 1);
    for (Kind kind : {Kind::Refused, Kind::Fails, Kind::Lost}) {
      uint64_t numOperations = 1;
      for (uint64_t at = 0; at <= numOperations; at += 1 + at / 16) {
        setThreadDeviceFaults({kind, at, 0});
        placesRandom.seed(seed);
        start();
        auto buffers = PlacedRandomGraph::makeBuffers(seed);
        for (auto &buffer : buffers)
          ASSERT_TRUE(
              runtime->trackMemory(buffer.data(), 8 * buffer.size()).ok());
        Structure structure = graph.arguments(seed, buffers);
        std::string error = errorOf(graph.builder.finish(), structure.data());
        bool cameHome = true;
        for (auto &buffer : buffers)
          // The fault may hit the way home.
          cameHome &= runtime->untrackMemory(buffer.data()).ok() ||
                      runtime->untrackMemory(buffer.data()).ok();
        numOperations = std::max(numOperations, numThreadDeviceOperations());
        ++numRuns;
        numErrors += !error.empty() || !cameHome;
        if (kind != Kind::Lost)
          EXPECT_TRUE(cameHome || !error.empty()) << "operation " << at;
        if (error.empty()) {
          ASSERT_EQ(graph.results(structure), expected.results)
              << "seed " << seed << " operation " << at << " kind "
              << int(kind);
          if (cameHome)
            ASSERT_EQ(buffers, expected.buffers)
                << "seed " << seed << " operation " << at << " kind "
                << int(kind);
        } else {
          EXPECT_NE(error.find("node '"), std::string::npos) << error;
        }
        setThreadDeviceFaults({});
        ASSERT_EQ(runUntracked(graph, seed, 1).results, expected.results);
        ASSERT_EQ(runtime->finish().message(), "");
      }
    }
  }
  EXPECT_LT(numErrors, numRuns / 2);
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
}

INSTANTIATE_TEST_SUITE_P(Workers, PlacedGraphTest, testing::Values(1, 2, 4));
} // namespace
