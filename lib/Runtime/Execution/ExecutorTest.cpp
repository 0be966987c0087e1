//===- ExecutorTest.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs of all shapes against the sequential interpreter.
//
//===----------------------------------------------------------------------===//

#include "../Host/Testing/RuntimeTest.h"
#include "../Plan/Testing/RandomGraph.h"
#include "PlanInterpreter.h"

#include <array>
#include <atomic>
#include <thread>

using namespace sluice;
using namespace sluice::test;

namespace {
class ExecutorTest : public RuntimeTest {
protected:
  /// The interpreter's results after the arguments.
  std::vector<uint64_t> expected(const SluicePlan *plan, Structure &structure,
                                 uint32_t numChunks) {
    auto info = PlanInfo::create(*plan);
    EXPECT_EQ(info.status().message(), "");
    std::vector<unsigned char> frame((*info)->frameBytes);
    readArguments(**info, structure.data(), nullptr, ArgumentSet::All,
                  frame.data());
    InstanceMemory memory;
    Worker *before = Worker::current();
    Worker worker(0);
    Worker::setCurrent(&worker);
    Status status = interpretPlan(**info, frame.data(), memory, numChunks);
    Worker::setCurrent(before);
    EXPECT_EQ(status.message(), "");
    std::vector<uint64_t> values(plan->numResults);
    for (uint32_t i = 0; i < plan->numResults; ++i)
      std::memcpy(&values[i], frame.data() + plan->results[i].frameOffset, 8);
    return values;
  }
  static std::vector<uint64_t> resultsOf(const SluicePlan *plan,
                                         Structure &structure) {
    std::vector<uint64_t> values;
    for (uint32_t i = 0; i < plan->numResults; ++i)
      values.push_back(structure.read<uint64_t>(8 * (plan->numArguments + i)));
    return values;
  }
};
} // namespace

TEST_P(ExecutorTest, RandomGraphsEqualTheInterpreter) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    auto graph = std::make_unique<RandomGraph>(seed * 8 + GetParam());
    // A new runtime now and then: plans of other graphs lie at old addresses.
    // Launches run on workers, begin in this thread and go on there, or end
    // here.
    options.maxTimeHere = std::array{0, 300, 2000, 10000, 1000000}[seed % 5];
    start();
    const SluicePlan *plan = &graph->builder.plan;
    for (unsigned round = 0; round < 6; ++round) {
      Structure structure = graph->arguments(round, round ? 200 : 3);
      std::vector<uint64_t> values = expected(plan, structure, 1 + round);
      run(plan, structure);
      ASSERT_EQ(resultsOf(plan, structure), values)
          << "seed " << seed << ", round " << round;
    }
  }
}

TEST_P(ExecutorTest, LaunchesInFlightDoNotMix) {
  RandomGraph graph(7);
  const SluicePlan *plan = &graph.builder.plan;
  std::vector<Structure> structures;
  std::vector<std::vector<uint64_t>> values;
  for (unsigned i = 0; i < 20; ++i) {
    structures.push_back(graph.arguments(i, 100));
    values.push_back(expected(plan, structures.back(), 1));
  }
  for (int round = 0; round < 5; ++round) {
    std::vector<void *> graphs;
    for (Structure &structure : structures)
      graphs.push_back(launch(plan, structure));
    for (size_t i = graphs.size(); i--;) {
      wait(graphs[i]);
      ASSERT_EQ(resultsOf(plan, structures[i]), values[i]);
    }
  }
}

TEST_P(ExecutorTest, SeveralThreadsLaunchTheSamePlan) {
  RandomGraph graph(11);
  const SluicePlan *plan = &graph.builder.plan;
  constexpr unsigned numThreads = 4;
  std::vector<Structure> structures;
  std::vector<std::vector<uint64_t>> values;
  for (unsigned i = 0; i < numThreads; ++i) {
    structures.push_back(graph.arguments(i, 60));
    values.push_back(expected(plan, structures.back(), 1));
  }
  std::atomic<unsigned> mismatches{0};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < numThreads; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 100; ++round) {
        Structure structure = structures[i];
        run(plan, structure);
        mismatches += resultsOf(plan, structure) != values[i];
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(mismatches, 0u);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// values[0] counts how many instances ran, in all nodes.
static void countInstance(const SluiceInvocation *invocation, uint64_t begin,
                          uint64_t end) {
  at<std::atomic<uint64_t> *>(invocation, 0)->fetch_add(end - begin);
}

/// A number that every node of a chain reads and writes.
static void increment(const SluiceInvocation *invocation, uint64_t, uint64_t) {
  ++*at<uint64_t *>(invocation, 0);
}

TEST_P(ExecutorTest, LongChain) {
  PlanBuilder builder;
  builder.buffer("data", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
  for (uint32_t i = 0; i < 3000; ++i) {
    builder.node("root/link", increment);
    if (i)
      builder.order(i - 1, i, i % 2 ? SLUICE_ONE_TO_ONE : SLUICE_ALL_TO_ALL);
  }
  uint64_t value = 0;
  Structure structure;
  structure.add(&value).add(uint64_t(8));
  for (int round = 0; round < 3; ++round)
    run(builder.finish(), structure);
  EXPECT_EQ(value, 9000u);
}

TEST_P(ExecutorTest, FanOutAndIn) {
  PlanBuilder builder;
  builder.buffer("data", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
  constexpr uint32_t width = 500;
  uint32_t first = builder.node("root/first", increment);
  for (uint32_t i = 0; i < width; ++i)
    builder.order(first, builder.node("root/wide", countInstance, {i % 5}));
  uint32_t last = builder.node("root/last", increment);
  for (uint32_t i = 0; i < width; ++i)
    builder.order(first + 1 + i, last);
  uint64_t value = 0;
  Structure structure;
  structure.add(&value).add(uint64_t(8));
  for (int round = 0; round < 10; ++round)
    run(builder.finish(), structure);
  EXPECT_EQ(value, 10u * (2 + 1000));
}

/// Counts calls for ranges that begin within a step of 16 units.
static void countParts(const SluiceInvocation *invocation, uint64_t begin,
                       uint64_t end) {
  auto *values = at<std::atomic<uint64_t> *>(invocation, 0);
  values[0] += end - begin;
  values[1] += begin % 16 != 0;
}

TEST_P(ExecutorTest, ChunksAreWholeVectorsOfUnits) {
  const uint32_t sixteen = 16, four = 4;
  PlanBuilder builder;
  builder.buffer("data", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
  const uint32_t single = builder.node("root/single", countParts, {1000});
  builder.at(single).unitsAtOnce = &sixteen;
  // The chunks of nodes that are joined one to one suit both.
  const uint32_t first = builder.node("root/first", countParts, {1000}),
                 second = builder.node("root/second", countParts, {1000});
  builder.at(first).unitsAtOnce = &four;
  builder.at(second).unitsAtOnce = &sixteen;
  builder.order(single, first);
  builder.order(first, second, SLUICE_ONE_TO_ONE);
  std::array<uint64_t, 2> values = {};
  Structure structure;
  structure.add(values.data()).add(uint64_t(16));
  for (int round = 0; round < 3; ++round)
    run(builder.finish(), structure);
  EXPECT_EQ(values[0], 9000u);
  EXPECT_EQ(values[1], 0u);
}

/// cells[y][x] = cells[y-1][x] + cells[y][x-1], for the cell in the name.
template <int Size> struct Wavefront {
  static inline uint64_t cells[Size][Size];
  template <int Cell>
  static void kernel(const SluiceInvocation *, uint64_t, uint64_t) {
    constexpr int y = Cell / Size, x = Cell % Size;
    uint64_t up = y ? cells[y - 1][x] : 1, left = x ? cells[y][x - 1] : 1;
    cells[y][x] = up + left;
  }
  template <int... Cells>
  static std::vector<SluiceKernel>
  kernels(std::integer_sequence<int, Cells...>) {
    return {kernel<Cells>...};
  }
};

TEST_P(ExecutorTest, WavefrontRespectsBothNeighbours) {
  constexpr int size = 12;
  using Front = Wavefront<size>;
  auto kernels = Front::kernels(std::make_integer_sequence<int, size * size>());
  PlanBuilder builder;
  for (int i = 0; i < size * size; ++i) {
    builder.node("root/cell", kernels[i]);
    if (i >= size)
      builder.order(i - size, i);
    if (i % size)
      builder.order(i - 1, i);
  }
  uint64_t expected[size][size];
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x)
      expected[y][x] =
          (y ? expected[y - 1][x] : 1) + (x ? expected[y][x - 1] : 1);
  for (int round = 0; round < 100; ++round) {
    std::memset(Front::cells, 0, sizeof(Front::cells));
    wait(launch(builder.finish(), nullptr));
    ASSERT_EQ(std::memcmp(Front::cells, expected, sizeof(expected)), 0);
  }
}

/// Extents [8] x [16], units of both levels, instances of the first.
static void nestedKernel(const SluiceInvocation *invocation, uint64_t begin,
                         uint64_t end) {
  EXPECT_EQ(begin % 16, 0u) << "a chunk splits an instance";
  EXPECT_EQ(end % 16, 0u) << "a chunk splits an instance";
  countInstance(invocation, begin, end);
}

TEST_P(ExecutorTest, ChunksOfOneToOneNodesAreWholeInstances) {
  PlanBuilder builder;
  builder.buffer("data", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
  for (const char *name : {"root/a/x", "root/b/x"}) {
    uint32_t node = builder.node(name, nestedKernel, {8, 1, 1, 16, 1, 1});
    builder.at(node).numIndexLevels = 1;
  }
  builder.order(0, 1, SLUICE_ONE_TO_ONE);
  uint64_t value = 0;
  Structure structure;
  structure.add(&value).add(uint64_t(8));
  for (int round = 0; round < 50; ++round)
    run(builder.finish(), structure);
  EXPECT_EQ(value, 50u * 256);
}

TEST_P(ExecutorTest, AnEmptyGraphEnds) {
  PlanBuilder builder;
  wait(launch(builder.finish(), nullptr));
}

TEST_P(ExecutorTest, NoInstancesDeliverZeros) {
  RandomGraph graph(3);
  const SluicePlan *plan = &graph.builder.plan;
  Structure full = graph.arguments(1, 50);
  run(plan, full);
  Structure empty = graph.arguments(1, 0);
  run(plan, empty);
  EXPECT_EQ(resultsOf(plan, empty), std::vector<uint64_t>(plan->numResults, 0));
}

/// A zero below the units: the kernel must not run either.
static void mustNotRun(const SluiceInvocation *, uint64_t, uint64_t) {
  ADD_FAILURE() << "a node without instances ran";
}

TEST_P(ExecutorTest, AZeroAtAnyLevelRunsNothing) {
  PlanBuilder builder;
  uint32_t node = builder.node("root/a", mustNotRun, {8, 1, 1, 0, 1, 1});
  builder.at(node).numUnitLevels = builder.at(node).numIndexLevels = 1;
  uint64_t output = builder.output(node, "out", 8);
  builder.result("out", 8, output);
  Structure structure;
  structure.add(UINT64_MAX);
  run(builder.finish(), structure);
  EXPECT_EQ(structure.read<uint64_t>(0), 0u);
}

INSTANTIATE_TEST_SUITE_P(Workers, ExecutorTest,
                         testing::Values(0, 1, 2, 3, 8, recorded,
                                         recordedTwice));
