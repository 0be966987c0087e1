//===- DistributionTest.cpp - Ranks of colors, and who has what -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of which plans are made, and what plans cost: the messages of
// programs whose least number is known.
//
//===----------------------------------------------------------------------===//

#include "../../Cluster/Testing/ThreadCluster.h"
#include "../Testing/RegionsTest.h"
#include "Holders.h"
#include "LocalTable.h"
#include "RankGrid.h"

#include <chrono>
#include <cmath>
#include <thread>

using namespace sluice;
using namespace sluice::regions;
using namespace sluice::regions::test;

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

static Shape shapeOf(std::vector<int64_t> extents) {
  Shape shape;
  shape.rank = extents.size();
  std::copy(extents.begin(), extents.end(), shape.extent);
  return shape;
}

static std::vector<uint32_t> ranksOf(const Shape &colors, const Shape &elements,
                                     uint32_t numRanks) {
  RankGrid grid(colors, elements, numRanks);
  std::vector<uint32_t> ranks;
  for (int64_t color = 0; color < colors.count(); ++color)
    ranks.push_back(grid.rankOf(color));
  return ranks;
}

TEST(RankGrid, FitsTheColors) {
  using Ranks = std::vector<uint32_t>;
  EXPECT_EQ(ranksOf(shapeOf({4, 4}), shapeOf({64, 64}), 4),
            Ranks({0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3}));
  // Long blocks: what counts is elements.
  EXPECT_EQ(ranksOf(shapeOf({4, 2}), shapeOf({64, 64}), 4),
            Ranks({0, 1, 0, 1, 2, 3, 2, 3}));
  EXPECT_EQ(ranksOf(shapeOf({4, 2}), shapeOf({640, 64}), 4),
            Ranks({0, 0, 1, 1, 2, 2, 3, 3}));
  // Where no grid is even, equal parts.
  EXPECT_EQ(ranksOf(shapeOf({2, 3}), shapeOf({64, 64}), 5),
            Ranks({0, 0, 1, 2, 3, 4}));
  EXPECT_EQ(ranksOf(shapeOf({7}), shapeOf({64}), 3),
            Ranks({0, 0, 0, 1, 1, 2, 2}));
  // More ranks than colors.
  EXPECT_EQ(ranksOf(shapeOf({2}), shapeOf({64}), 8), Ranks({0, 4}));
}

TEST(RankGrid, IsEven) {
  for (uint32_t numRanks = 1; numRanks <= 24; ++numRanks)
    for (int64_t rows = 1; rows <= 9; ++rows)
      for (int64_t columns = 1; columns <= 9; ++columns) {
        std::vector<int64_t> load(numRanks, 0);
        for (uint32_t rank :
             ranksOf(shapeOf({rows, columns}), shapeOf({100, 100}), numRanks))
          ++load.at(rank);
        EXPECT_EQ(*std::max_element(load.begin(), load.end()),
                  (rows * columns + numRanks - 1) / numRanks)
            << rows << " x " << columns << " on " << numRanks;
      }
}

//===----------------------------------------------------------------------===//
// Holders
//===----------------------------------------------------------------------===//

using Segments = std::vector<Holders::Segment>;

TEST(Holders, KnowWhoHasWhat) {
  RankSets sets;
  Holders holders(10);
  EXPECT_TRUE(holders.missing({{0, 10}}, 3, sets).empty());
  holders.assign({{2, 5, sets.only(1)}, {5, 8, sets.only(2)}});
  EXPECT_EQ(
      holders.missing({{0, 3}, {4, 10}}, 0, sets),
      Segments(
          {{2, 3, sets.only(1)}, {4, 5, sets.only(1)}, {5, 8, sets.only(2)}}));
  EXPECT_EQ(holders.missing({{0, 10}}, 1, sets),
            Segments({{5, 8, sets.only(2)}}));
  holders.add(holders.missing({{4, 6}}, 0, sets), 0, sets);
  EXPECT_EQ(holders.present({{0, 10}}, 0, sets).size(), 3u);
  EXPECT_TRUE(holders.missing({{4, 6}}, 0, sets).empty());
  // A write leaves it with one.
  holders.assign({{0, 10, sets.only(7)}});
  EXPECT_EQ(holders.missing({{4, 6}}, 0, sets),
            Segments({{4, 6, sets.only(7)}}));
}

TEST(Holders, JoinToWhatHoldsEitherWay) {
  RankSets sets;
  Holders first(6), second(6);
  first.assign({{0, 4, sets.with(sets.only(1), 2)}});
  second.assign({{0, 2, sets.with(sets.only(2), 3)}, {2, 4, sets.only(3)}});
  Segments rest;
  Holders joined = Holders::join(first, second, sets, rest);
  EXPECT_TRUE(joined.missing({{0, 2}}, 2, sets).empty());
  EXPECT_FALSE(joined.missing({{0, 2}}, 3, sets).empty());
  EXPECT_EQ(rest, Segments({{2, 4, sets.only(3)}}));
  EXPECT_EQ(joined.missing({{2, 6}}, 0, sets),
            Segments({{2, 4, sets.only(3)}}));
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

namespace {
/// The parameter is the number of workers of each rank.
class RanksTest : public RegionsTest {
protected:
  /// Makes the same program on each rank, and runs its graph. `numRanks` 1
  /// gives what one machine does.
  template <typename Build> void run(uint32_t numRanks, Build &&build) {
    cluster = std::make_unique<sluice::test::ThreadCluster>(numRanks);
    runtimes.clear();
    programs.clear();
    for (uint32_t rank = 0; rank < numRanks; ++rank) {
      RuntimeOptions options;
      options.numWorkers = GetParam();
      runtimes.push_back(std::make_unique<Runtime>(options));
      program = std::make_unique<RegionProgram>("test", runtimes.back().get(),
                                                false, &cluster->of(rank));
      build();
      programs.push_back(std::move(program));
    }
    std::vector<std::thread> threads;
    for (const auto &each : programs)
      threads.emplace_back([&] { check(each->endGraph()); });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_TRUE(cluster->isQuiet());
  }
  void TearDown() override {
    programs.clear();
    runtimes.clear();
    RegionsTest::TearDown();
  }
  template <typename Value> const Value *dataOf(uint32_t rank, uint32_t root) {
    return static_cast<const Value *>(
        valueOf(programs[rank]->rootField(root, 0)));
  }

  std::unique_ptr<sluice::test::ThreadCluster> cluster;
  std::vector<std::unique_ptr<Runtime>> runtimes;
  std::vector<std::unique_ptr<RegionProgram>> programs;
};

INSTANTIATE_TEST_SUITE_P(Workers, RanksTest, testing::Values(1, 3));
} // namespace

TEST_P(RanksTest, AHaloTakesOneMessageForEachNeighbourAndSweep) {
  constexpr int64_t n = 32, rounds = 30;
  run(4, [&] {
    uint32_t plate = addRoot("plate", {n, n},
                             {{"now", SLUICE_F64, 1}, {"next", SLUICE_F64, 1}});
    uint32_t blocks = addBlocks("blocks", plate, {8, 2});
    uint32_t halos = addHalos("halos", blocks, {1, 1}, false);
    check(program->beginGraph("halo"));
    add("start", {8, 2},
        {argument(plate, SLUICE_PRIVILEGE_WRITE_DISCARD, 3, blocks)},
        [](const SluiceTask &, const SluiceView *views) {
          forEachElement(views[0], [&](int64_t i) {
            field<double>(views[0], 0)[i] = field<double>(views[0], 1)[i] =
                static_cast<double>(i * i % 97);
          });
        });
    check(program->beginLoop(rounds, SLUICE_NO_PARTITION));
    for (uint32_t from : {0, 1}) {
      const uint32_t to = 1 - from;
      add("sweep", {8, 2},
          {argument(plate, SLUICE_PRIVILEGE_READ, 1 << from, halos),
           argument(plate, SLUICE_PRIVILEGE_WRITE_DISCARD, 1 << to, blocks)},
          [](const SluiceTask &, const SluiceView *views) {
            const double *now = field<double>(views[0]);
            forEachElement(views[1], [&](int64_t i) {
              double sum = now[i];
              if (i / n > 0)
                sum += now[i - n];
              if (i / n < n - 1)
                sum += now[i + n];
              if (i % n > 0)
                sum += now[i - 1];
              if (i % n < n - 1)
                sum += now[i + 1];
              field<double>(views[1])[i] = sum / 5;
            });
          });
    }
    check(program->endLoop());
  });
  // Two neighbours each of four ranks, and n / 2 cells each.
  EXPECT_EQ(cluster->numMessages, 2 * rounds * 8u);
  EXPECT_EQ(cluster->numBytes, 2 * rounds * 8 * (n / 2) * sizeof(double));
}

TEST_P(RanksTest, WhatDoesNotChangeInALoopCrossesOnce) {
  constexpr int64_t n = 40;
  run(2, [&] {
    uint32_t constant = addRoot("constant", {n}, {{"x", SLUICE_I64, 1}});
    uint32_t sums = addRoot("sums", {n}, {{"x", SLUICE_I64, 1}});
    uint32_t blocks = addBlocks("blocks", constant, {4});
    uint32_t own = addBlocks("own", sums, {4});
    check(program->beginGraph("sums"));
    add("start", {4},
        {argument(constant, SLUICE_PRIVILEGE_WRITE_DISCARD, 1, blocks)},
        [](const SluiceTask &, const SluiceView *views) {
          forEachElement(views[0],
                         [&](int64_t i) { field<int64_t>(views[0])[i] = i; });
        });
    check(program->beginLoop(100, SLUICE_NO_PARTITION));
    add("add", {4},
        {argument(constant, SLUICE_PRIVILEGE_READ),
         argument(sums, SLUICE_PRIVILEGE_READ_WRITE, 1, own)},
        [](const SluiceTask &, const SluiceView *views) {
          forEachElement(views[1], [&](int64_t i) {
            for (int64_t k = 0; k < n; ++k)
              field<int64_t>(views[1])[i] += field<int64_t>(views[0])[k];
          });
        });
    check(program->endLoop());
  });
  EXPECT_EQ(cluster->numMessages, 2u);
  EXPECT_EQ(cluster->numBytes, n * sizeof(int64_t));
  EXPECT_EQ(dataOf<int64_t>(0, 1)[0], 100 * n * (n - 1) / 2);
  EXPECT_EQ(dataOf<int64_t>(1, 1)[n - 1], 100 * n * (n - 1) / 2);
}

TEST_P(RanksTest, ScalarsFoldInTheOrderOfOneMachine) {
  constexpr int64_t numPoints = 300;
  float results[2];
  const uint32_t numRanks[] = {1, 5};
  for (int i = 0; i < 2; ++i) {
    run(numRanks[i], [&] {
      uint32_t sum = addRoot("sum", {1}, {{"x", SLUICE_F32, 1}});
      check(program->beginGraph("sum"));
      SluiceArgument reduced = argument(sum, SLUICE_PRIVILEGE_REDUCE);
      reduced.reduction.kind = SLUICE_REDUCE_SUM;
      check(program->beginLoop(3, SLUICE_NO_PARTITION));
      add("add", {numPoints}, {reduced},
          [](const SluiceTask &task, const SluiceView *views) {
            *field<float>(views[0]) = 1.0f / (1 + task.point[0]);
          });
      check(program->endLoop());
    });
    results[i] = *dataOf<float>(0, 0);
  }
  EXPECT_EQ(0, std::memcmp(&results[0], &results[1], sizeof(float)));
  EXPECT_GT(results[0], 18);
}

TEST_P(RanksTest, ScalarsGoAlongTrees) {
  constexpr int64_t numBlocks = 48, numIterations = 3;
  double results[2];
  const uint32_t numRanks[] = {1, 48};
  for (int i = 0; i < 2; ++i) {
    run(numRanks[i], [&] {
      uint32_t sum = addRoot("sum", {1}, {{"x", SLUICE_F64, 1}});
      uint32_t line = addRoot("line", {numBlocks}, {{"x", SLUICE_F64, 1}});
      uint32_t blocks = addBlocks("blocks", line, {numBlocks});
      check(program->beginGraph("sum"));
      SluiceArgument reduced = argument(sum, SLUICE_PRIVILEGE_REDUCE);
      reduced.reduction.kind = SLUICE_REDUCE_SUM;
      check(program->beginLoop(numIterations, SLUICE_NO_PARTITION));
      add("gather", {numBlocks},
          {argument(line, SLUICE_PRIVILEGE_READ, 1, blocks), reduced},
          [](const SluiceTask &task, const SluiceView *views) {
            *field<double>(views[1]) =
                field<double>(views[0])[task.point[0]] +
                1.0 / static_cast<double>(3 + task.point[0]);
          });
      add("scatter", {numBlocks},
          {argument(sum, SLUICE_PRIVILEGE_READ),
           argument(line, SLUICE_PRIVILEGE_READ_WRITE, 1, blocks)},
          [](const SluiceTask &task, const SluiceView *views) {
            field<double>(views[1])[task.point[0]] +=
                *field<double>(views[0]) / 7;
          });
      check(program->endLoop());
    });
    results[i] = *dataOf<double>(0, 0);
  }
  EXPECT_EQ(0, std::memcmp(&results[0], &results[1], sizeof(double)));
  // Each tree reaches every rank but one by a message.
  EXPECT_EQ(cluster->numMessages, numIterations * 2 * (numBlocks - 1));
  for (uint64_t count : cluster->numMessagesOf)
    EXPECT_LE(count, numIterations * 2 * (treeFanOut + 1));
}

TEST_P(RanksTest, WhatALaunchNeedsForSeveralSumsIsOneMessage) {
  constexpr int64_t n = 24, rounds = 10;
  std::vector<double> results[2];
  const uint32_t numRanks[] = {1, 2};
  for (int i = 0; i < 2; ++i) {
    run(numRanks[i], [&] {
      uint32_t points =
          addRoot("points", {n}, {{"x", SLUICE_F64, 1}, {"y", SLUICE_F64, 1}});
      uint32_t step = addRoot("step", {1}, {{"x", SLUICE_F64, 1}});
      uint32_t blocks = addBlocks("blocks", points, {4});
      uint32_t halos = addHalos("halos", blocks, {1}, false);
      check(program->beginGraph("forces"));
      check(program->beginLoop(rounds, SLUICE_NO_PARTITION));
      SluiceArgument force =
          argument(points, SLUICE_PRIVILEGE_REDUCE, 3, halos);
      force.reduction.kind = SLUICE_REDUCE_SUM;
      add("push", {4}, {force},
          [](const SluiceTask &task, const SluiceView *views) {
            forEachElement(views[0], [&](int64_t i) {
              field<double>(views[0], 0)[i] += 1.0 / (i + task.point[0] + 1);
              field<double>(views[0], 1)[i] -= 1.0 / (i - task.point[0] + 9);
            });
          });
      add("move", {4},
          {argument(step, SLUICE_PRIVILEGE_READ),
           argument(points, SLUICE_PRIVILEGE_READ_WRITE, 3, blocks)},
          [](const SluiceTask &, const SluiceView *views) {
            forEachElement(views[1], [&](int64_t i) {
              field<double>(views[1], 0)[i] += *field<double>(views[0]);
              field<double>(views[1], 1)[i] /= 3;
            });
          });
      SluiceArgument next = argument(step, SLUICE_PRIVILEGE_REDUCE);
      next.reduction.kind = SLUICE_REDUCE_MAX;
      add("limit", {4},
          {argument(points, SLUICE_PRIVILEGE_READ, 1, blocks), next},
          [](const SluiceTask &, const SluiceView *views) {
            double most = 0;
            forEachElement(views[0], [&](int64_t i) {
              most = std::max(most, field<double>(views[0])[i]);
            });
            *field<double>(views[1]) = most;
          });
      check(program->endLoop());
    });
    if (numRanks[i] == 1)
      results[0].assign(dataOf<double>(0, 0), dataOf<double>(0, 0) + n / 2);
    else
      results[1].assign(dataOf<double>(0, 0), dataOf<double>(0, 0) + n / 2);
  }
  EXPECT_EQ(results[0], results[1]);
  // Both sums and the step for the other rank; what limits the step from
  // there. Nothing besides.
  EXPECT_EQ(cluster->numMessages, rounds * 3u);
}

TEST_P(RanksTest, AHostStatementThatGathersALotIsNamedOnce) {
  constexpr int64_t n = 1 << 22;
  testing::internal::CaptureStderr();
  run(2, [&] {
    uint32_t line = addRoot("line", {n}, {{"x", SLUICE_F64, 1}});
    uint32_t blocks = addBlocks("blocks", line, {2});
    check(program->beginGraph("main"));
    check(program->beginLoop(2, SLUICE_NO_PARTITION));
    add("start", {2},
        {argument(line, SLUICE_PRIVILEGE_WRITE_DISCARD, 1, blocks)},
        [](const SluiceTask &, const SluiceView *views) {
          forEachElement(views[0], [&](int64_t i) {
            field<double>(views[0])[i] = static_cast<double>(i);
          });
        });
    add(
        "print", {}, {argument(line, SLUICE_PRIVILEGE_READ)},
        [](const SluiceTask &, const SluiceView *views) {
          EXPECT_EQ(field<double>(views[0])[n - 1], n - 1);
        },
        true);
    add(
        "look", {}, {argument(line, SLUICE_PRIVILEGE_READ, 1, blocks, 1)},
        [](const SluiceTask &, const SluiceView *) {}, true);
    check(program->endLoop());
  });
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "sluice: remark: host statement 'print' brings 16777216 bytes of "
            "root 'line' to rank 0\n");
}

TEST_P(RanksTest, ARankRunsTheSameHoweverManyThereAre) {
  struct Size {
    size_t tasks, messages, elements;
    bool operator==(const Size &) const = default;
  };
  // Of 2 x 2 blocks on a rank in the middle, among ranks that do not run.
  auto sizeOf = [&](int64_t side) {
    sluice::test::ThreadCluster cluster(side * side);
    RegionProgram planned("test", runtime.get(), false,
                          &cluster.of(side * (side / 2) + side / 2));
    const int64_t extents[] = {side * 16, side * 16};
    const int64_t colors[] = {side * 2, side * 2}, width[] = {1, 1};
    const SluiceField fields[] = {{"now", SLUICE_F64, 1},
                                  {"next", SLUICE_F64, 1}};
    uint32_t plate = valueOf(planned.addRoot("plate", 2, extents, 2, fields));
    uint32_t blocks = valueOf(
        planned.addBlocks("blocks", plate, SLUICE_NO_PARTITION, 0, 2, colors));
    uint32_t halos = valueOf(planned.addHalos("halos", blocks, width, false));
    check(planned.beginGraph("halo"));
    check(planned.beginLoop(10, SLUICE_NO_PARTITION));
    for (uint32_t from : {0, 1}) {
      const SluiceArgument arguments[] = {
          argument(plate, SLUICE_PRIVILEGE_READ, 1 << from, halos),
          argument(plate, SLUICE_PRIVILEGE_WRITE_DISCARD, 2 >> from, blocks)};
      SluiceStatement sweep = {};
      sweep.name = "sweep";
      sweep.body = [](const SluiceTask *, const SluiceView *, const void *) {};
      sweep.rank = 2;
      std::copy_n(colors, 2, sweep.extents);
      sweep.numArguments = 2;
      sweep.arguments = arguments;
      check(planned.addStatement(sweep));
    }
    check(planned.endLoop());
    Result<LocalGraph> graph = planned.planLocal();
    EXPECT_TRUE(graph.ok());
    Size size = {};
    for (const TableTask &task : graph->local->table.tasks)
      ++(task.isOutside ? size.messages : size.tasks);
    for (const auto &block : graph->local->blocks)
      for (const auto &launch : block)
        for (const LaunchAccess &access : launch->accesses)
          for (uint32_t color : access.colors)
            size.elements += access.partition->sets[color].size();
    return size;
  };
  const Size few = sizeOf(4);
  // Two sweeps of four points; four neighbours, to and from each of which a
  // message goes before each sweep, and may before the loop.
  EXPECT_EQ(few.tasks, 8u);
  EXPECT_GE(few.messages, 16u);
  EXPECT_LE(few.messages, 24u);
  EXPECT_EQ(sizeOf(9), few);
  EXPECT_EQ(sizeOf(16), few);
}
