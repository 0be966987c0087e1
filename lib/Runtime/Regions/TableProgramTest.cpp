//===- TableProgramTest.cpp - Tables of region programs -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables by hand: what the runtime refuses in them, and orders that the
// compiler found.
//
//===----------------------------------------------------------------------===//

#include "TableProgram.h"
#include "Testing/RegionsTest.h"

#include "sluice/Base/TableHead.h"
#include "sluice/Base/Text.h"
#include "sluice/Runtime/RegionOrders.h"

using namespace sluice;
using namespace sluice::regions;
using namespace sluice::regions::test;

namespace {
/// Blocks of a line of @n elements: each point adds to its block what stands at
/// the edges of the others, through halos, three times.
struct LineProgram {
  static constexpr int64_t numBlocks = 4;
  int64_t n = 40, rounds = 3;
  SluiceRegionParameter parameters[2] = {
      {"n", "40", &n, 1, SLUICE_I64, 0},
      {"rounds", "3", &rounds, 0, SLUICE_I64, 0}};
  SluiceField fields[2] = {{"old", SLUICE_I64, 1}, {"next", SLUICE_I64, 1}};
  SluiceExtent size = {0, 0, 0, nullptr};
  SluiceExtent colors = {numBlocks, SLUICE_NO_PARAMETER, 0, nullptr};
  SluiceRegionRoot root = {"line", &size, fields, nullptr, 1, 2};
  int64_t width[1] = {1};
  SluiceRegionPartition partitions[2] = {};
  SluiceArgument sweepArguments[2] = {}, copyArguments[2] = {};
  SluiceRegionStatement loop = {}, body[2] = {};
  SluiceRegionGraph graph = {"main", &loop, nullptr, 1, 0, {}};
  SluiceRegionStep steps[3] = {{SLUICE_STEP_PARTITION, 0},
                               {SLUICE_STEP_PARTITION, 1},
                               {SLUICE_STEP_GRAPH, 0}};
  SluiceRegionProgram table = {};

  static void sweep(const SluiceTask *, const SluiceView *views, const void *) {
    const auto *old = field<const int64_t>(views[0]);
    auto *next = field<int64_t>(views[1]);
    forEachElement(views[1], [&](int64_t i) {
      next[i] = old[i] + 1;
      if (i > views[0].domain->lower[0])
        next[i] += old[i - 1];
    });
  }

  LineProgram() {
    partitions[0].name = "blocks";
    partitions[0].kind = SLUICE_PARTITION_BLOCKS;
    partitions[0].parent = SLUICE_NO_PARTITION;
    partitions[0].rank = 1;
    partitions[0].colors = &colors;
    partitions[1].name = "halos";
    partitions[1].kind = SLUICE_PARTITION_HALOS;
    partitions[1].rank = 1;
    partitions[1].width = width;
    sweepArguments[0] =
        argument(0, SLUICE_PRIVILEGE_READ, /*fields=*/1, /*partition=*/1);
    sweepArguments[1] = argument(0, SLUICE_PRIVILEGE_WRITE_DISCARD, 2, 0);
    copyArguments[0] = argument(0, SLUICE_PRIVILEGE_READ, 2, 0);
    copyArguments[1] = argument(0, SLUICE_PRIVILEGE_WRITE_DISCARD, 1, 0);
    for (SluiceRegionStatement &statement : body) {
      statement.rank = 1;
      statement.extents = &colors;
      statement.numArguments = 2;
    }
    body[0].name = "sweep";
    body[0].kind = SLUICE_STATEMENT_TASK;
    body[0].body = sweep;
    body[0].arguments = sweepArguments;
    body[1].name = "copy";
    body[1].kind = SLUICE_STATEMENT_COPY;
    body[1].arguments = copyArguments;
    loop.name = "loop";
    loop.kind = SLUICE_STATEMENT_LOOP;
    loop.count = {0, 1, 0, nullptr};
    loop.whileRoot = SLUICE_NO_PARTITION;
    loop.statements = body;
    loop.numStatements = 2;
    table.head = tableHead<SluiceRegionProgram>;
    table.name = "line";
    table.parameters = parameters;
    table.numParameters = 2;
    table.roots = &root;
    table.numRoots = 1;
    table.partitions = partitions;
    table.numPartitions = 2;
    table.graphs = &graph;
    table.numGraphs = 1;
    table.steps = steps;
    table.numSteps = 3;
  }

  std::vector<int64_t> expected() const {
    std::vector<int64_t> line(n, 0);
    for (int64_t i = 0; i < rounds; ++i)
      for (int64_t j = n; j-- > 0;)
        line[j] += 1 + (j > 0 ? line[j - 1] : 0);
    return line;
  }
};

class TableProgramTest : public RegionsTest {
protected:
  Status run(const SluiceRegionProgram &table) {
    TableProgram reader(table, *program);
    Status status = reader.addRoots();
    for (uint32_t i = 0; status.ok() && i < table.numSteps; ++i)
      status = reader.run(table.steps[i]);
    return status;
  }
};
} // namespace

INSTANTIATE_TEST_SUITE_P(Workers, TableProgramTest,
                         testing::Values(0, 1, 3, recorded, recordedTwice));

TEST_P(TableProgramTest, RunsWhatATableSays) {
  LineProgram line;
  check(run(line.table));
  const int64_t *old = data<int64_t>(0);
  EXPECT_EQ(std::vector<int64_t>(old, old + line.n), line.expected());
}

TEST_P(TableProgramTest, RefusesKindsThatDoNotExist) {
  LineProgram line;
  line.body[1].kind = 17;
  EXPECT_EQ(run(line.table).message(),
            "statement 'copy' is of kind 17, which does not exist");
  start(GetParam());
  line.partitions[1].kind = 18;
  EXPECT_EQ(run(line.table).message(),
            "partition 'halos' is of kind 18, which does not exist");
  start(GetParam());
  line.steps[0].kind = 19;
  EXPECT_EQ(run(line.table).message(),
            "a step of program 'line' is of kind 19, which does not exist");
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

static std::optional<GraphOrders> ordersFor(const LineProgram &line, int64_t n,
                                            int64_t rounds) {
  return findOrders(line.table, {n, rounds}, {true}, /*maxPoints=*/100)[0];
}

TEST(RegionOrders, AreTheSameForAllLargeSizes) {
  LineProgram line;
  std::optional<GraphOrders> found = ordersFor(line, 40, 3);
  ASSERT_TRUE(found);
  // Four points and four copies; a point waits for the copies at its halo.
  EXPECT_EQ(found->firstPredecessor.size(), 9u);
  for (int64_t n : {20, 21, 22, 23, 1000, 1001})
    for (int64_t rounds : {2, 50}) {
      std::optional<GraphOrders> other = ordersFor(line, n, rounds);
      ASSERT_TRUE(other);
      EXPECT_EQ(other->firstPredecessor, found->firstPredecessor) << n;
      EXPECT_EQ(other->predecessors, found->predecessors) << n;
    }
  // A block without elements, and one iteration.
  EXPECT_NE(ordersFor(line, 3, 3)->predecessors, found->predecessors);
  EXPECT_NE(ordersFor(line, 40, 1)->predecessors, found->predecessors);
}

TEST(RegionOrders, AreNotFoundForTooManyPoints) {
  LineProgram line;
  EXPECT_FALSE(findOrders(line.table, {40, 3}, {true}, /*maxPoints=*/7)[0]);
  EXPECT_FALSE(findOrders(line.table, {40, 3}, {false}, /*maxPoints=*/8)[0]);
  EXPECT_TRUE(findOrders(line.table, {40, 3}, {true}, /*maxPoints=*/8)[0]);
}

namespace {
class KnownOrdersTest : public TableProgramTest {
protected:
  /// The table with orders that hold from 20 elements on.
  void know(LineProgram &line, std::vector<uint32_t> predecessors = {}) {
    found = *ordersFor(line, 40, 3);
    if (!predecessors.empty())
      found.predecessors = std::move(predecessors);
    orders = {conditions, found.firstPredecessor.data(),
              found.predecessors.data(), 2,
              uint32_t(found.firstPredecessor.size() - 1)};
    line.graph.orders = &orders;
  }
  void compare() {
    program = std::make_unique<RegionProgram>("test", runtime.get(),
                                              /*comparesOrders=*/true);
  }

  SluiceOrderCondition conditions[2] = {{0, SLUICE_ORDERS_AT_LEAST, 20},
                                        {1, SLUICE_ORDERS_COUNT, 3}};
  GraphOrders found;
  SluiceRegionOrders orders = {};
};
} // namespace

INSTANTIATE_TEST_SUITE_P(Workers, KnownOrdersTest, testing::Values(1, 3));

TEST_P(KnownOrdersTest, AreUsedWhereTheirConditionsHold) {
  for (int64_t n : {40, 20, 333, 19, 5, 1})
    for (int64_t rounds : {3, 2, 1, 0})
      for (bool isCompared : {false, true}) {
        start(GetParam());
        if (isCompared)
          compare();
        LineProgram line;
        know(line);
        line.n = n;
        line.rounds = rounds;
        check(run(line.table));
        const int64_t *old = data<int64_t>(0);
        EXPECT_EQ(std::vector<int64_t>(old, old + n), line.expected());
      }
}

TEST_P(KnownOrdersTest, ThatAreWrongAreFoundWhereTheyAreCompared) {
  compare();
  LineProgram line;
  know(line);
  std::vector<uint32_t> wrong = found.predecessors;
  wrong.back() ^= 2;
  know(line, wrong);
  EXPECT_EQ(run(line.table).message(),
            "graph 'main': task 7, 'copy', waits for others than those that "
            "were known when the program was compiled");
}

TEST_P(KnownOrdersTest, OfOtherTasksAreNotUsed) {
  LineProgram line;
  know(line);
  orders.numTasks = 7;
  check(run(line.table));
  const int64_t *old = data<int64_t>(0);
  EXPECT_EQ(std::vector<int64_t>(old, old + line.n), line.expected());
}
