//===- RegionTasksTest.cpp - Tasks over regions under a given order -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named cases, and random graphs compared with all pairs of instances.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/RegionTasks.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace sluice;
using namespace sluice::regions;
using rdir::Privilege;

namespace {

constexpr Privilege R = Privilege::Read, RW = Privilege::ReadWrite,
                    Plus = Privilege::Reduce;

/// One graph over the objects A and B; ranges are made with their uses.
struct RegionsTest : testing::Test {
  TaskSystem system{{{"A"}, {"B"}}, {}, {{"graph"}}};
  TaskGraph &graph = system.graphs.front();

  Use use(uint32_t object, Privilege privilege,
          std::optional<Span> span = std::nullopt) {
    system.ranges.push_back({object, "", span});
    return {uint32_t(system.ranges.size() - 1), privilege,
            rdir::ReductionIndex(privilege == Plus ? 0 : rdir::noReduction)};
  }
  void task(std::vector<Use> uses, std::vector<int64_t> extents = {}) {
    graph.tasks.push_back({"", std::move(extents), std::move(uses)});
  }
  /// The pairs that are neither ordered nor disjoint.
  std::vector<Meeting> check(Answer answer = Answer::Meet) {
    asked = 0;
    RegionCheck result = checkTasks(system, [&](const Meeting &) {
      ++asked;
      return answer;
    });
    return answer == Answer::Meet ? result.met : result.unknown;
  }
  unsigned asked = 0;
};

} // namespace

TEST_F(RegionsTest, WriterAndReaderNeedAnEdge) {
  task({use(0, RW)});
  task({use(0, R)});
  EXPECT_EQ(check(), (std::vector<Meeting>{{0, 0, 1, 0, 0, false}}));
  graph.order = {{0, 1}};
  EXPECT_TRUE(check().empty());
  EXPECT_EQ(asked, 0u);
}

TEST_F(RegionsTest, EachObjectOfAPairIsReported) {
  task({use(0, RW), use(1, RW)});
  task({use(0, R), use(1, R)});
  EXPECT_EQ(check(), (std::vector<Meeting>{{0, 0, 1, 0, 0, false},
                                           {0, 0, 1, 1, 1, false}}));
}

TEST_F(RegionsTest, SpansThatAreApartNeedNoProof) {
  for (int64_t begin : {0, 8, 12, 20})
    task({use(0, RW, Span{begin, begin + 8})});
  // 0-8, 8-16 with 12-20, 20-28.
  EXPECT_EQ(check(), (std::vector<Meeting>{{0, 1, 2, 0, 0, false}}));
  EXPECT_EQ(asked, 1u);
}

TEST_F(RegionsTest, UpdatesWithOneOperatorCommute) {
  task({use(0, Plus)}, {0});
  task({use(0, Plus)});
  EXPECT_TRUE(check().empty());
  graph.tasks.back().uses.front().reduction = 1;
  EXPECT_EQ(check().size(), 1u);
}

TEST_F(RegionsTest, InstancesOfOneTaskMeet) {
  task({use(0, R), use(0, RW)}, {4});
  EXPECT_EQ(check(), (std::vector<Meeting>{{0, 0, 0, 0, 1, true},
                                           {0, 0, 0, 1, 1, true}}));
  graph.tasks.front().extents = {1, 1};
  EXPECT_TRUE(check().empty());
}

TEST_F(RegionsTest, PointwiseEdgesOrderEqualInstancesOnly) {
  task({use(0, RW)}, {4});
  task({use(1, R)}, {4});
  task({use(0, R)}, {4});
  graph.order = {{0, 1, true}, {1, 2, true}};
  std::vector<Meeting> instances = {{0, 0, 0, 0, 0, true}};
  std::vector<Meeting> both = {{0, 0, 0, 0, 0, true}, {0, 0, 2, 0, 0, true}};
  EXPECT_EQ(check(), both);
  // Any edge on the path that waits for all instances orders all instances.
  graph.order[1].isPointwise = false;
  EXPECT_EQ(check(), instances);
}

TEST_F(RegionsTest, PairsBehindAWriteAreAskedForWhereItIsDisjoint) {
  task({use(0, RW)});
  task({use(0, RW)});
  task({use(0, RW)});
  graph.order = {{1, 2}};
  // The edge from 0 to 1 would order 0 and 2 as well.
  EXPECT_EQ(check().size(), 1u);
  RegionCheck result = checkTasks(system, [](const Meeting &meeting) {
    return meeting.second == 1 ? Answer::Disjoint : Answer::Meet;
  });
  EXPECT_EQ(result.met, (std::vector<Meeting>{{0, 0, 2, 0, 0, false}}));
}

TEST_F(RegionsTest, UnknownMemoryMeetsAnything) {
  system.objects.push_back({"unknown", true});
  task({use(2, R)});
  task({use(0, R)});
  EXPECT_TRUE(check(Answer::Unknown).empty());
  task({use(1, RW)});
  EXPECT_EQ(check(Answer::Unknown),
            (std::vector<Meeting>{{0, 0, 2, 0, 0, false}}));
}

TEST_F(RegionsTest, RunsAreOrderedByTheMemoryThatTheyShare) {
  task({use(0, RW), use(1, R)});
  task({use(0, R), use(1, R)});
  graph.order = {{0, 1}};
  auto check = [&](RunMemory memory) {
    return checkRepeated(system, 0, [=](uint32_t) { return memory; });
  };
  RepeatCheck ordered = check(RunMemory::Ordered);
  EXPECT_EQ(ordered.orderedObjects, (std::vector<uint32_t>{0}));
  EXPECT_TRUE(ordered.meetings.empty());
  RepeatCheck own = check(RunMemory::Own);
  EXPECT_TRUE(own.orderedObjects.empty());
  EXPECT_TRUE(own.meetings.empty());
  // The writer meets itself, so all instances do, and the reader meets the
  // writer.
  RepeatCheck free = check(RunMemory::Free);
  EXPECT_TRUE(free.orderedObjects.empty());
  EXPECT_EQ(free.meetings, (std::vector<Meeting>{{0, 0, 0, 0, 0, false},
                                                 {0, 1, 0, 0, 0, false}}));
}

TEST_F(RegionsTest, UnknownMemoryIsNotOrderedBetweenRuns) {
  system.objects.push_back({"unknown", true});
  task({use(2, RW)});
  task({use(0, R)});
  graph.order = {{0, 1}};
  auto memoryOf = [](uint32_t object) {
    return object == 2 ? RunMemory::Free : RunMemory::Own;
  };
  EXPECT_TRUE(check(Answer::Unknown).empty());
  EXPECT_EQ(checkRepeated(system, 0, memoryOf).meetings.size(), 2u);
}

//===----------------------------------------------------------------------===//
// Random graphs
//===----------------------------------------------------------------------===//

namespace {

/// Whether `before` with instance x comes before `after` with instance y.
class Closure {
public:
  explicit Closure(const TaskGraph &graph) : count(graph.tasks.size()) {
    for (uint32_t a = 0; a != count; ++a)
      for (uint32_t b = 0; b != count; ++b)
        for (const OrderEdge &edge : graph.order)
          if (edge.before == a && edge.after == b)
            for (int x : points)
              for (int y : points)
                if (!isPointwise(graph, edge) || x == y)
                  known.insert({node(a, x), node(b, y)});
    for (uint32_t k = 0; k != count * 2; ++k)
      for (uint32_t i = 0; i != count * 2; ++i)
        for (uint32_t j = 0; j != count * 2; ++j)
          if (known.count({i, k}) && known.count({k, j}))
            known.insert({i, j});
  }
  bool isOrdered(uint32_t a, int x, uint32_t b, int y) const {
    return known.count({node(a, x), node(b, y)});
  }

private:
  static bool isPointwise(const TaskGraph &graph, const OrderEdge &edge) {
    return edge.isPointwise && !graph.tasks[edge.before].extents.empty();
  }
  static uint32_t node(uint32_t task, int point) { return task * 2 + point; }
  static constexpr int points[] = {0, 1};
  uint32_t count;
  std::set<std::pair<uint32_t, uint32_t>> known;
};

TaskSystem randomSystem(std::minstd_rand &random) {
  TaskSystem system{{{"A"}, {"B"}}, {}, {{"graph"}}};
  TaskGraph &graph = system.graphs.front();
  uint32_t count = 2 + random() % 5;
  for (uint32_t i = 0; i != count; ++i) {
    Task task{"", {}, {}};
    if (random() % 2)
      task.extents = {4};
    for (uint32_t j = 0, e = 1 + random() % 2; j != e; ++j) {
      std::optional<Span> span;
      int64_t begin = random() % 6;
      if (random() % 3)
        span = Span{begin, begin + 1 + int64_t(random() % 3)};
      Privilege privilege = random() % 2 ? R : RW;
      task.uses.push_back({uint32_t(system.ranges.size()), privilege});
      system.ranges.push_back({uint32_t(random() % 2), "", span});
    }
    for (uint32_t before = 0; before != i; ++before)
      if (random() % 3 == 0)
        graph.order.push_back({before, i,
                               random() % 2 && !task.extents.empty() &&
                                   !graph.tasks[before].extents.empty()});
    graph.tasks.push_back(std::move(task));
  }
  return system;
}

} // namespace

TEST(Regions, AgreesWithAllPairsOfInstances) {
  unsigned meetings = 0, free = 0;
  for (unsigned seed = 1; seed != 3000; ++seed) {
    std::minstd_rand random(seed);
    TaskSystem system = randomSystem(random);
    const TaskGraph &graph = system.graphs.front();
    // Some pairs are disjoint although their spans overlap.
    auto isDisjoint = [&](uint32_t a, uint32_t b) {
      std::optional<Span> x = system.ranges[a].span, y = system.ranges[b].span;
      return system.ranges[a].object != system.ranges[b].object ||
             (x && y && (x->end <= y->begin || y->end <= x->begin)) ||
             (a * b + seed) % 3 == 0;
    };
    RegionCheck result = checkTasks(system, [&](const Meeting &meeting) {
      uint32_t a = graph.tasks[meeting.first].uses[meeting.firstUse].range;
      uint32_t b = graph.tasks[meeting.second].uses[meeting.secondUse].range;
      return isDisjoint(a, b) ? Answer::Disjoint : Answer::Unknown;
    });
    std::set<Meeting> found(result.unknown.begin(), result.unknown.end());
    EXPECT_EQ(found.size(), result.unknown.size()) << "seed " << seed;
    Closure closure(graph);
    std::set<Meeting> expected;
    for (uint32_t a = 0; a != graph.tasks.size(); ++a)
      for (uint32_t b = a; b != graph.tasks.size(); ++b)
        for (uint32_t i = 0; i != graph.tasks[a].uses.size(); ++i)
          for (uint32_t j = a == b ? i : 0; j != graph.tasks[b].uses.size();
               ++j) {
            const Use &x = graph.tasks[a].uses[i], &y = graph.tasks[b].uses[j];
            if (!conflict(x, y) || isDisjoint(x.range, y.range))
              continue;
            if (a == b && graph.tasks[a].extents.empty())
              continue;
            bool equal = a != b && !closure.isOrdered(a, 0, b, 0);
            bool different = a == b || !closure.isOrdered(a, 0, b, 1);
            if (equal || different)
              expected.insert({0, a, b, i, j, !equal});
          }
    EXPECT_EQ(found, expected) << "seed " << seed;
    meetings += expected.size();
    free += expected.empty();
  }
  EXPECT_GT(meetings, 1000u);
  EXPECT_GT(free, 100u);
}
