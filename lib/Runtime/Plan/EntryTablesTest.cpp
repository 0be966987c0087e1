//===- EntryTablesTest.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of random entries, used as random formulas say, against a search of
// all pairs of entries in use.
//
//===----------------------------------------------------------------------===//

#include "EntryTables.h"
#include "PlanInfo.h"
#include "Testing/PlanBuilder.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace sluice;
using namespace sluice::test;

namespace {

void useNoTable(const SluiceInvocation *, uint64_t, uint64_t) {}

/// A graph whose arguments are a table, its size and a number.
class TableGraphOfOne {
public:
  TableGraphOfOne(uint32_t entryBytes, uint32_t numVariables, uint32_t numSums)
      : table{1, entryBytes, 0, numVariables, numSums, 0, nullptr, nullptr, 0,
              0, 0,          0} {
    builder.argument("first", 8);
    builder.buffer("table", SLUICE_ACCESS_IN);
    builder.argument("n", 4);
    builder.node("root/work", useNoTable);
  }

  void add(uint32_t kind, int64_t value = 0) {
    steps.push_back({kind, 0, value});
  }
  void constant(int64_t value) {
    add(SLUICE_STEP_CONSTANT, value);
    add(SLUICE_STEP_END);
  }
  /// factor * n + value
  void linear(int64_t factor, int64_t value) {
    add(SLUICE_STEP_CONSTANT, factor);
    add(SLUICE_STEP_ARGUMENT, 3);
    add(SLUICE_STEP_MULTIPLY);
    add(SLUICE_STEP_CONSTANT, value);
    add(SLUICE_STEP_ADD);
    add(SLUICE_STEP_END);
  }
  Result<std::unique_ptr<PlanInfo>> finish() {
    table.steps = steps.data();
    table.numSteps = uint32_t(steps.size());
    builder.finish();
    builder.plan.tables = &table;
    builder.plan.numTables = 1;
    return PlanInfo::create(builder.plan);
  }

  SluicePlanTable table;
  std::vector<SluicePlanStep> steps;

private:
  PlanBuilder builder;
};

struct TableFrame {
  int64_t first = 0;
  const void *table;
  uint64_t size;
  int32_t n;
};

Status testTable(const PlanInfo &info, const void *table, uint64_t size,
                 int32_t n = 0) {
  const TableFrame frame = {0, table, size, n};
  return info.tables.front()->test(
      reinterpret_cast<const unsigned char *>(&frame));
}

/// A table whose first n entries are in use.
std::unique_ptr<PlanInfo> makeTableOfRow(TableGraphOfOne &graph) {
  graph.linear(1, 0);
  graph.constant(0);
  graph.constant(graph.table.entryBytes);
  Result<std::unique_ptr<PlanInfo>> info = graph.finish();
  EXPECT_TRUE(info.ok());
  return std::move(*info);
}

} // namespace

TEST(EntryTablesTest, NamesTheEqualEntries) {
  TableGraphOfOne graph(4, 1, 1);
  std::unique_ptr<PlanInfo> info = makeTableOfRow(graph);
  int32_t entries[] = {7, -3, 1000000000, 5, -3, 7};
  EXPECT_TRUE(testTable(*info, entries, sizeof entries, 4).ok());
  Status status = testTable(*info, entries, sizeof entries, 5);
  EXPECT_NE(status.message().find(
                "entries 1 and 4 of argument 'table' of graph 'root' are both "
                "-3, but the graph is free of races only if they differ"),
            std::string::npos)
      << status.message();
  // No instance may read what is not there.
  EXPECT_TRUE(testTable(*info, entries, 4 * sizeof *entries, 6).ok());
  EXPECT_TRUE(testTable(*info, nullptr, 0, 6).ok());
}

TEST(EntryTablesTest, NoticesChanges) {
  TableGraphOfOne graph(8, 1, 1);
  std::unique_ptr<PlanInfo> info = makeTableOfRow(graph);
  std::vector<int64_t> entries = {3, 1, 2}, others = {1, 2, 3};
  auto isFree = [&](const std::vector<int64_t> &table) {
    return testTable(*info, table.data(), 8 * table.size(), int(table.size()))
        .ok();
  };
  EXPECT_TRUE(isFree(entries));
  EXPECT_TRUE(isFree(entries));
  EXPECT_TRUE(isFree(others));
  entries[2] = 3;
  EXPECT_FALSE(isFree(entries));
  EXPECT_FALSE(isFree(entries));
  EXPECT_TRUE(isFree(others));
  others.push_back(1);
  EXPECT_FALSE(isFree(others));
}

TEST(EntryTablesTest, RefusesStepsThatCannotBeFollowed) {
  auto isRefused = [](auto &&change) {
    TableGraphOfOne graph(4, 1, 1);
    graph.linear(1, 0);
    graph.constant(0);
    graph.constant(4);
    change(graph);
    return !graph.finish().ok();
  };
  EXPECT_FALSE(isRefused([](TableGraphOfOne &) {}));
  EXPECT_TRUE(isRefused([](auto &graph) { graph.table.argument = 0; }));
  EXPECT_TRUE(isRefused([](auto &graph) { graph.table.entryBytes = 3; }));
  EXPECT_TRUE(isRefused([](auto &graph) { graph.table.numSums = 0; }));
  EXPECT_TRUE(isRefused([](auto &graph) { graph.table.numLoads = 1; }));
  EXPECT_TRUE(
      isRefused([](auto &graph) { graph.table.rule = SLUICE_TABLE_ROWS; }));
  EXPECT_TRUE(isRefused([](auto &graph) { graph.table.numVariables = 7; }));
  EXPECT_TRUE(isRefused([](auto &graph) { graph.steps.pop_back(); }));
  EXPECT_TRUE(isRefused([](auto &graph) { graph.constant(1); }));
  EXPECT_TRUE(isRefused([](auto &graph) { graph.steps[1].value = 1; }));
  EXPECT_TRUE(isRefused([](auto &graph) { graph.steps[0].kind = 99; }));
  EXPECT_TRUE(
      isRefused([](auto &graph) { graph.steps[0].kind = SLUICE_STEP_ADD; }));
}

TEST(EntryTablesTest, RandomTables) {
  std::mt19937 random(7);
  auto draw = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  unsigned numEqual = 0;
  constexpr unsigned rounds = 10000;
  for (unsigned round = 0; round != rounds; ++round) {
    const uint32_t entryBytes = 1u << draw(0, 3);
    const uint32_t numVariables = uint32_t(draw(0, 3));
    const uint32_t numSums = uint32_t(draw(1, 4));
    TableGraphOfOne graph(entryBytes, numVariables, numSums);
    const int32_t n = draw(-2, 6);
    std::vector<int64_t> extents;
    std::vector<std::vector<int64_t>> sums(numSums);
    auto formula = [&](int64_t factor, int64_t value) {
      graph.linear(factor, value);
      return factor * n + value;
    };
    for (uint32_t i = 0; i != numVariables; ++i)
      extents.push_back(formula(draw(0, 1), draw(0, 4)));
    for (uint32_t i = 0; i != numSums; ++i)
      for (uint32_t k = 0; k <= numVariables; ++k)
        // The first is the place of an entry.
        sums[i].push_back(i == 0 ? formula(0, int64_t(entryBytes) * draw(-1, 4))
                                 : formula(draw(-1, 1), draw(-2, 2)));
    Result<std::unique_ptr<PlanInfo>> info = graph.finish();
    ASSERT_TRUE(info.ok()) << info.status().message();

    std::vector<unsigned char> bytes(size_t(entryBytes) * size_t(draw(0, 40)));
    for (unsigned char &byte : bytes)
      byte = uint8_t(entryBytes == 1 ? draw(0, 255) : draw(0, 1));
    std::set<int64_t> places;
    std::vector<int64_t> ids(numVariables);
    auto isUsed = [&] {
      for (uint32_t i = 1; i != numSums; ++i) {
        int64_t value = sums[i][0];
        for (uint32_t k = 0; k != numVariables; ++k)
          value += sums[i][k + 1] * ids[k];
        if (value > 0)
          return false;
      }
      return true;
    };
    auto walk = [&](auto &&self, uint32_t variable) -> void {
      if (variable != numVariables) {
        for (ids[variable] = 0; ids[variable] < extents[variable];
             ++ids[variable])
          self(self, variable + 1);
        return;
      }
      int64_t place = sums[0][0];
      for (uint32_t k = 0; k != numVariables; ++k)
        place += sums[0][k + 1] * ids[k];
      if (isUsed() && place >= 0 && place + entryBytes <= int64_t(bytes.size()))
        places.insert(place);
    };
    walk(walk, 0);
    std::set<std::vector<unsigned char>> seen;
    bool areDifferent = true;
    for (int64_t place : places)
      areDifferent &= seen.insert({bytes.begin() + place,
                                   bytes.begin() + place + entryBytes})
                          .second;
    numEqual += !areDifferent;
    ASSERT_EQ(testTable(**info, bytes.data(), bytes.size(), n).ok(),
              areDifferent)
        << "round " << round;
    ASSERT_EQ(testTable(**info, bytes.data(), bytes.size(), n).ok(),
              areDifferent);
  }
  EXPECT_GT(numEqual, rounds / 20);
  EXPECT_LT(numEqual, rounds);
}
