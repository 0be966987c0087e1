//===- ProgramPairsTest.cpp - Conflicting tasks without an order ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named cases, and random programs with random orders compared with all pairs.
//
//===----------------------------------------------------------------------===//

#include "sluice/RDIR/SequentialProgram.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace sluice::rdir;

using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

namespace {

/// A > P (disjoint) and Q (aliased).
struct ProgramPairsTest : testing::Test {
  static constexpr Privilege R = Privilege::Read, RW = Privilege::ReadWrite,
                             Plus = Privilege::Reduce;

  RegionForest forest;
  RegionIndex A = forest.addRoot("A");
  RegionIndex P = forest.addPartition("P", A, true, true, 2);
  RegionIndex Q = forest.addPartition("Q", A, false, false, 2);
  RegionIndex P0 = forest.getSubregion(P, 0), P1 = forest.getSubregion(P, 1);
  RegionIndex Q0 = forest.getSubregion(Q, 0), Q1 = forest.getSubregion(Q, 1);
  SequentialProgram program{&forest, {}, {}, {}};

  void task(std::vector<ProgramArgument> arguments) {
    program.tasks.push_back({NodeKind::Task, std::move(arguments)});
  }
  Pairs find(const Pairs &order) {
    Pairs result;
    for (const UnorderedPair &pair : findUnorderedPairs(program, order))
      result.emplace_back(pair.first, pair.second);
    return result;
  }
};
} // namespace

TEST_F(ProgramPairsTest, WriterAndReaderNeedAnOrder) {
  task({{P0, RW}});
  task({{A, R}});
  EXPECT_EQ(find({}), (Pairs{{0, 1}}));
  EXPECT_EQ(find({{0, 1}}), Pairs());
  EXPECT_EQ(find({{1, 0}}), Pairs());
}

TEST_F(ProgramPairsTest, DisjointReadingAndReducingTasksNeedNone) {
  task({{P0, RW}});
  task({{P1, RW}});
  EXPECT_EQ(find({}), Pairs());
  program.tasks.clear();
  task({{Q0, R}});
  task({{Q1, R}});
  task({{A, R}});
  EXPECT_EQ(find({}), Pairs());
  program.tasks.clear();
  task({{Q0, Plus, allFields, 1}});
  task({{Q1, Plus, allFields, 1}});
  EXPECT_EQ(find({}), Pairs());
  task({{Q0, Plus, allFields, 2}});
  EXPECT_EQ(find({}), (Pairs{{0, 2}, {1, 2}}));
}

TEST_F(ProgramPairsTest, FieldsAreSeparate) {
  task({{A, RW, 0b011}});
  task({{A, RW, 0b100}});
  task({{P0, R, 0b110}});
  EXPECT_EQ(find({}), (Pairs{{0, 2}, {1, 2}}));
}

TEST_F(ProgramPairsTest, ArgumentsThatMeetAreNamed) {
  task({{Q0, R, 1}, {P0, RW, 2}});
  task({{P1, R, 2}, {P1, RW, 1}});
  auto pairs = findUnorderedPairs(program, {});
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].firstArgument, 0u);
  EXPECT_EQ(pairs[0].secondArgument, 1u);
}

TEST_F(ProgramPairsTest, OrderMayGoAgainstTheProgram) {
  task({{A, RW}});
  task({{A, RW}});
  task({{A, RW}});
  // 1 comes before 0 and 2, which stay unordered.
  EXPECT_EQ(find({{1, 0}, {1, 2}}), (Pairs{{0, 2}}));
}

TEST_F(ProgramPairsTest, ConstraintsDecide) {
  task({{P0, RW}});
  task({{Q0, RW}});
  EXPECT_EQ(find({}), (Pairs{{0, 1}}));
  forest.addDisjointConstraint(P0, Q0);
  EXPECT_EQ(find({}), Pairs());
  task({{Q1, R}});
  EXPECT_EQ(find({}), (Pairs{{0, 2}, {1, 2}}));
}

/// True if the arguments conflict.
static bool conflict(const RegionForest &forest, const ProgramArgument &a,
                     const ProgramArgument &b) {
  if (!(a.fields & b.fields) || !forest.mayAlias(a.region, b.region))
    return false;
  if (a.privilege == Privilege::Read && b.privilege == Privilege::Read)
    return false;
  return a.privilege != Privilege::Reduce || b.privilege != Privilege::Reduce ||
         a.reduction != b.reduction;
}

static bool conflict(const SequentialProgram &program, uint32_t a, uint32_t b) {
  for (const ProgramArgument &first : program.tasks[a].arguments)
    for (const ProgramArgument &second : program.tasks[b].arguments)
      if (conflict(*program.forest, first, second))
        return true;
  return false;
}

/// The transitive closure, by Warshall's algorithm.
static std::vector<std::vector<bool>> closure(size_t n, const Pairs &order) {
  std::vector<std::vector<bool>> reach(n, std::vector<bool>(n));
  for (auto [from, to] : order)
    reach[from][to] = true;
  for (size_t k = 0; k < n; ++k)
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; reach[i][k] && j < n; ++j)
        if (reach[k][j])
          reach[i][j] = true;
  return reach;
}

/// The number of conflicts that the order leaves open.
static unsigned numOpen(const SequentialProgram &program, const Pairs &order) {
  unsigned result = 0;
  auto before = closure(program.tasks.size(), order);
  for (uint32_t i = 0; i < program.tasks.size(); ++i)
    for (uint32_t j = i + 1; j < program.tasks.size(); ++j)
      result += conflict(program, i, j) && !before[i][j] && !before[j][i];
  return result;
}

/// Every reported pair is open and conflicts. If any pair is open, something is
/// reported. If the order is part of the program's, then the order together
/// with the reported pairs leaves nothing open.
static void expectExact(const SequentialProgram &program, Pairs order,
                        bool isForward) {
  auto before = closure(program.tasks.size(), order);
  auto pairs = findUnorderedPairs(program, order);
  EXPECT_EQ(pairs.empty(), numOpen(program, order) == 0);
  for (const UnorderedPair &pair : pairs) {
    EXPECT_LT(pair.first, pair.second);
    EXPECT_FALSE(before[pair.first][pair.second]);
    EXPECT_FALSE(before[pair.second][pair.first]);
    EXPECT_TRUE(
        conflict(*program.forest,
                 program.tasks[pair.first].arguments[pair.firstArgument],
                 program.tasks[pair.second].arguments[pair.secondArgument]));
    order.emplace_back(pair.first, pair.second);
  }
  if (isForward)
    EXPECT_EQ(numOpen(program, order), 0u);
}

TEST_F(ProgramPairsTest, RandomProgramsAgreeWithAllPairs) {
  RegionIndex D = forest.addPartition("D", P0, true, false, 2);
  RegionIndex E = forest.addPartition("E", Q1, true, false, 2);
  RegionIndex B = forest.addRoot("B");
  std::vector<RegionIndex> regions = {A,
                                      P,
                                      Q,
                                      P0,
                                      P1,
                                      Q0,
                                      Q1,
                                      D,
                                      E,
                                      B,
                                      forest.getSubregion(D, 0),
                                      forest.getSubregion(D, 1),
                                      forest.getSubregion(E, 0),
                                      forest.getSubregion(E, 1)};
  std::mt19937 random(5);
  auto pick = [&](uint32_t n) { return uint32_t(random() % n); };
  for (int round = 0; round < 2000 && !HasFailure(); ++round) {
    if (round == 1500) {
      forest.addDisjointConstraint(P0, Q1);
      forest.addSubregionConstraint(Q0, P0);
    }
    program.tasks.clear();
    uint32_t n = 2 + pick(9);
    for (uint32_t i = 0; i < n; ++i) {
      std::vector<ProgramArgument> arguments;
      for (uint32_t k = 0, e = 1 + pick(3); k < e; ++k)
        arguments.push_back({regions[pick(regions.size())], Privilege(pick(4)),
                             1 + pick(3), ReductionIndex(pick(2))});
      task(std::move(arguments));
    }
    // The order follows the program, or a random permutation.
    std::vector<uint32_t> along(n);
    for (uint32_t i = 0; i < n; ++i)
      along[i] = i;
    bool isForward = round % 2 == 0;
    if (!isForward)
      std::shuffle(along.begin(), along.end(), random);
    Pairs order;
    for (uint32_t i = 0; i < n; ++i)
      for (uint32_t j = i + 1; j < n; ++j)
        if (pick(3) == 0)
          order.emplace_back(along[i], along[j]);
    expectExact(program, order, isForward);
  }
}
