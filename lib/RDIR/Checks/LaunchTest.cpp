//===- LaunchTest.cpp - Rules L1 and L2 -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Injective and non-injective projections, both hand-picked and compared with
// all pairs of points, and the checks that are left until the program runs.
//
//===----------------------------------------------------------------------===//

#include "../Graph/LaunchPoints.h"
#include "../Testing/TestGraph.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace sluice::rdir;

namespace {
/// A launch that reads and writes a partition R of B with one projection.
struct LaunchGraph : TestGraph {
  RegionIndex R = forest.addPartition("R", B, true, true);
  RegionIndex S = forest.addPartition("S", A, false, true);
  NodeIndex task = noNode;

  Projection affine(std::vector<std::vector<int64_t>> rows,
                    std::vector<int64_t> offset, std::vector<int64_t> colors) {
    Projection map;
    map.numColorDims = rows.size();
    for (const auto &row : rows)
      map.matrix.insert(map.matrix.end(), row.begin(), row.end());
    map.offset = std::move(offset);
    map.colors = std::move(colors);
    return map;
  }
  void launch(std::vector<int64_t> extents) {
    task =
        graph.addCompute(NodeKind::Task, graph.addDomain({std::move(extents)}));
  }
  uint32_t use(RegionIndex region, EdgeKind kind, const Projection &map,
               ReductionIndex reduction = noReduction) {
    NodeIndex version = graph.addRegion(region, allFields, true);
    bool isOut = kind == EdgeKind::Write || kind == EdgeKind::Reduce;
    return graph.addEdge({.from = isOut ? task : version,
                          .to = isOut ? version : task,
                          .kind = kind,
                          .reduction = reduction,
                          .projection = graph.addProjection(map)});
  }
  Rules launchErrors(ProblemSeverity severity = ProblemSeverity::Error) {
    graph.finish();
    CheckResult result;
    checkLaunches(graph, {}, result);
    Rules rules;
    for (const Problem &problem : result.problems)
      if (problem.severity == severity)
        rules.push_back(ruleName(problem.rule));
    return rules;
  }
};
} // namespace

TEST(RDIRLaunches, TheSingularMapInterferes) {
  LaunchGraph g;
  g.launch({4, 4});
  g.use(g.R, EdgeKind::Write, g.affine({{1, 1}, {1, 1}}, {0, 0}, {7, 7}));
  EXPECT_EQ(g.launchErrors(), Rules({"L1"}));
  Problem problem = g.problem(Rule::L1);
  EXPECT_EQ(problem.message,
            "points (0, 1) and (1, 0) of '%0' interfere: the one writes "
            "'R[1, 1]', the other writes 'R[1, 1]'; give each point a color "
            "of its own");
}

TEST(RDIRLaunches, MixedRadixIsInjectiveWithinItsDomain) {
  for (int64_t extent : {10, 11}) {
    LaunchGraph g;
    g.launch({extent, 10});
    g.use(g.R, EdgeKind::Write, g.affine({{1, 10}}, {0}, {1000}));
    EXPECT_EQ(g.launchErrors(), extent == 10 ? Rules() : Rules({"L1"}));
  }
}

TEST(RDIRLaunches, NeighborsAreReadOfWhatNobodyWrites) {
  LaunchGraph g;
  g.launch({8});
  g.use(g.R, EdgeKind::Read, g.affine({{1}}, {1}, {9}));
  g.use(g.S, EdgeKind::Read, g.affine({{1}}, {0}, {8}));
  EXPECT_EQ(g.launchErrors(), Rules());
  g.use(g.R, EdgeKind::Write, g.affine({{1}}, {0}, {9}));
  EXPECT_EQ(g.launchErrors(), Rules({"L1"}));
}

TEST(RDIRLaunches, ParityKeepsReadsAndWritesApart) {
  LaunchGraph g;
  g.launch({1'000'000'000});
  g.use(g.R, EdgeKind::Read, g.affine({{2}}, {1}, {2'000'000'000}));
  g.use(g.R, EdgeKind::Write, g.affine({{2}}, {0}, {2'000'000'000}));
  EXPECT_EQ(g.launchErrors(), Rules());
}

TEST(RDIRLaunches, AliasedPartitionsInterfere) {
  LaunchGraph g;
  g.launch({4});
  g.use(g.S, EdgeKind::Write, g.affine({{1}}, {0}, {4}));
  EXPECT_EQ(g.launchErrors(), Rules({"L1"}));
  LaunchGraph one;
  one.launch({1});
  one.use(one.S, EdgeKind::Write, one.affine({{1}}, {0}, {4}));
  EXPECT_EQ(one.launchErrors(), Rules());
}

TEST(RDIRLaunches, ConstraintsTellColorsApart) {
  LaunchGraph g;
  g.forest.addDisjointConstraint(g.Q0, g.Q1);
  g.launch({2});
  g.use(g.Q, EdgeKind::Write, g.affine({{1}}, {0}, {2}));
  EXPECT_EQ(g.launchErrors(), Rules());
}

TEST(RDIRLaunches, ReductionsWithOneOperatorDoNotInterfere) {
  LaunchGraph g;
  g.launch({4});
  g.use(g.S, EdgeKind::Reduce, g.affine({{1}}, {0}, {4}), 0);
  g.use(g.A, EdgeKind::Reduce, {}, 0);
  g.launch({4});
  g.use(g.S, EdgeKind::Reduce, g.affine({{1}}, {0}, {4}), 0);
  EXPECT_EQ(g.launchErrors(), Rules({"L2"}));
  g.use(g.S, EdgeKind::Reduce, g.affine({{1}}, {0}, {4}), 1);
  EXPECT_EQ(g.launchErrors(), Rules({"L2", "L1"}));
}

TEST(RDIRLaunches, ColorsMustExist) {
  for (int64_t offset : {-1, 0, 1}) {
    LaunchGraph g;
    g.launch({8});
    g.use(g.R, EdgeKind::Write, g.affine({{1}}, {offset}, {8}));
    EXPECT_EQ(g.launchErrors(), offset == 0 ? Rules() : Rules({"L2"}));
  }
}

TEST(RDIRLaunches, OpaqueProjectionsAreCheckedAtRunTime) {
  LaunchGraph g;
  g.launch({4});
  Projection opaque;
  opaque.isOpaque = true;
  uint32_t edge = g.use(g.R, EdgeKind::Write, opaque);
  EXPECT_EQ(g.launchErrors(), Rules());
  EXPECT_EQ(g.launchErrors(ProblemSeverity::Remark), Rules({"L1"}));
  std::vector<LaunchCheck> checks = launchChecks(g.graph, g.task);
  ASSERT_EQ(checks.size(), 2u);
  EXPECT_TRUE(checks[0].isRange);
  EXPECT_FALSE(checks[1].isRange);
  EXPECT_EQ(checks[1].first, edge);
}

TEST(RDIRLaunches, UnknownExtents) {
  LaunchGraph identity;
  identity.launch({0, 0});
  identity.use(identity.R, EdgeKind::Write,
               identity.affine({{1, 0}, {0, 1}}, {0, 0}, {0, 0}));
  EXPECT_EQ(identity.launchErrors(), Rules());
  EXPECT_EQ(identity.launchErrors(ProblemSeverity::Remark), Rules());
  LaunchGraph sum;
  sum.launch({0, 0});
  sum.use(sum.R, EdgeKind::Write, sum.affine({{1, 1}}, {0}, {0}));
  EXPECT_EQ(sum.launchErrors(), Rules({"L1"}));
  LaunchGraph radix;
  radix.launch({0, 10});
  radix.use(radix.R, EdgeKind::Write, radix.affine({{1, 10}}, {0}, {0}));
  EXPECT_EQ(radix.launchErrors(), Rules());
  EXPECT_EQ(radix.launchErrors(ProblemSeverity::Remark), Rules({"L1"}));
}

/// Finds two different points that meet by trying all pairs.
static bool meetByTrying(const LaunchDomain &domain, const Projection &a,
                         const Projection &b) {
  Point i(domain.extents.size());
  do {
    Point j(domain.extents.size());
    do {
      if (i != j && colorOf(a, i) == colorOf(b, j))
        return true;
    } while (nextPoint(domain, j));
  } while (nextPoint(domain, i));
  return false;
}

TEST(RDIRLaunches, RandomProjectionsAreDecidedExactly) {
  std::mt19937 random(1);
  unsigned numMeeting = 0;
  for (int round = 0; round < 2000; ++round) {
    auto pick = [&](int low, int high) {
      return low + int64_t(random() % unsigned(high - low + 1));
    };
    LaunchDomain domain;
    for (int64_t dim = 0, dims = pick(1, 3); dim < dims; ++dim)
      domain.extents.push_back(pick(1, 4));
    Projection maps[2];
    unsigned rows = pick(1, 2);
    for (Projection &map : maps) {
      map.numColorDims = rows;
      for (size_t i = 0; i < rows * domain.extents.size(); ++i)
        map.matrix.push_back(pick(-4, 4));
      for (unsigned i = 0; i < rows; ++i) {
        map.offset.push_back(pick(-3, 3));
        map.colors.push_back(0);
      }
    }
    const Projection &second = maps[pick(0, 1)];
    auto found = findMeeting(domain, maps[0], second, 0);
    ASSERT_EQ(found.has_value(), meetByTrying(domain, maps[0], second));
    if (!found)
      continue;
    ++numMeeting;
    EXPECT_NE(found->first, found->second);
    EXPECT_EQ(colorOf(maps[0], found->first), colorOf(second, found->second));
  }
  EXPECT_GT(numMeeting, 200u);
  EXPECT_LT(numMeeting, 1800u);
}
