//===- SequentialProgramTest.cpp - From tasks in program order to a graph -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shape of small programs' graphs. Vectors and random programs test that
// the graphs are correct.
//
//===----------------------------------------------------------------------===//

#include "sluice/RDIR/SequentialProgram.h"
#include "sluice/RDIR/Checks.h"

#include <gtest/gtest.h>

using namespace sluice::rdir;

namespace {

/// A > P (disjoint, complete) and Q (aliased, incomplete); B apart.
struct ProgramTest : testing::Test {
  static constexpr Privilege R = Privilege::Read, RW = Privilege::ReadWrite,
                             WD = Privilege::WriteDiscard,
                             Plus = Privilege::Reduce;

  RegionForest forest;
  RegionIndex A = forest.addRoot("A"), B = forest.addRoot("B");
  RegionIndex P = forest.addPartition("P", A, true, true, 2);
  RegionIndex Q = forest.addPartition("Q", A, false, false, 2);
  RegionIndex P0 = forest.getSubregion(P, 0), P1 = forest.getSubregion(P, 1);
  RegionIndex Q0 = forest.getSubregion(Q, 0), Q1 = forest.getSubregion(Q, 1);
  SequentialProgram program{&forest, {}, {}, {}};
  Graph graph{forest};
  std::vector<NodeIndex> nodes;

  void task(std::vector<ProgramArgument> arguments,
            uint32_t domain = UINT32_MAX) {
    program.tasks.push_back({NodeKind::Task, std::move(arguments), domain});
  }
  void build() {
    graph = buildGraph(program, &nodes);
    for (const Problem &problem : checkGraph(graph).problems)
      EXPECT_EQ(problem.severity, ProblemSeverity::Remark) << problem.message;
  }
  size_t count(NodeKind kind) const {
    size_t result = 0;
    for (const Node &node : graph.allNodes())
      result += node.kind == kind;
    return result;
  }
  /// The other ends of a task's edges of one kind.
  std::vector<NodeIndex> ends(unsigned task, EdgeKind kind) const {
    std::vector<NodeIndex> result;
    for (const Edge &edge : graph.allEdges())
      if (edge.kind == kind && edge.to == nodes[task])
        result.push_back(edge.from);
      else if (edge.kind == kind && edge.from == nodes[task])
        result.push_back(edge.to);
    return result;
  }
  uint32_t projection(int64_t step, int64_t offset, int64_t colors) {
    Projection projection;
    projection.numColorDims = 1;
    projection.matrix = {step};
    projection.offset = {offset};
    projection.colors = {colors};
    program.projections.push_back(projection);
    return program.projections.size() - 1;
  }
};

} // namespace

TEST_F(ProgramTest, ReadingWhatIsOpenForReadingNeedsNoClose) {
  task({{P0, R}});
  task({{A, R}});
  task({{P1, R}});
  build();
  EXPECT_EQ(count(NodeKind::Close), 0u);
  // One Open per version, from A to P and from P to its colors.
  EXPECT_EQ(count(NodeKind::Open), 2u);
  EXPECT_EQ(graph.node(ends(1, EdgeKind::Read)[0]).region, A);
}

TEST_F(ProgramTest, ReadingWhatWasWrittenBelowCloses) {
  task({{P0, RW}});
  task({{P1, RW}});
  task({{A, R}});
  build();
  EXPECT_EQ(count(NodeKind::Close), 2u);
}

TEST_F(ProgramTest, OtherPartitionIsOpenedFromTheClosedParent) {
  task({{P0, R}});
  task({{Q0, R}});
  task({{Q1, R}});
  build();
  // Closes P into A, and Q[0] into Q, so that versions that may alias are
  // ordered.
  EXPECT_EQ(count(NodeKind::Close), 3u);
}

TEST_F(ProgramTest, ReducersShareAVersionUntilItIsRead) {
  task({{A, Plus, allFields, 1}});
  task({{A, Plus, allFields, 1}});
  task({{A, Plus, allFields, 2}});
  task({{A, R}});
  task({{A, Plus, allFields, 2}});
  build();
  auto made = [&](unsigned i) { return ends(i, EdgeKind::Reduce)[0]; };
  EXPECT_EQ(made(0), made(1));
  EXPECT_NE(made(1), made(2));
  EXPECT_NE(made(2), made(4));
  EXPECT_EQ(ends(0, EdgeKind::Continues), ends(1, EdgeKind::Continues));
  EXPECT_EQ(ends(2, EdgeKind::Continues)[0], made(0));
  EXPECT_EQ(ends(3, EdgeKind::Read)[0], made(2));
}

TEST_F(ProgramTest, FieldsHaveVersionsOfTheirOwn) {
  task({{A, RW, 0b011}});
  task({{A, RW, 0b110}});
  build();
  // Classes {0}, {1} and {2}: two versions of the first and third, three of the
  // second.
  EXPECT_EQ(count(NodeKind::Region), 7u);
  EXPECT_EQ(ends(0, EdgeKind::Write).size(), 2u);
  for (const Edge &edge : graph.allEdges())
    EXPECT_EQ(edge.port, 0u);
}

TEST_F(ProgramTest, DiscardingIsNoReading) {
  task({{A, WD}});
  build();
  EXPECT_TRUE(ends(0, EdgeKind::Read).empty());
  EXPECT_EQ(ends(0, EdgeKind::Discard).size(), 1u);
  EXPECT_EQ(ends(0, EdgeKind::Write).size(), 1u);
}

TEST_F(ProgramTest, PartitionsMayBeArguments) {
  task({{P, RW}});
  task({{P1, R}});
  task({{Q, Plus, allFields, 0}});
  build();
  EXPECT_EQ(graph.node(ends(0, EdgeKind::Write)[0]).region, P);
  EXPECT_EQ(graph.node(ends(2, EdgeKind::Reduce)[0]).region, Q);
}

TEST_F(ProgramTest, ConstraintsKeepDisjointRegionsOpen) {
  forest.addDisjointConstraint(P0, Q0);
  task({{P0, RW}});
  task({{Q0, RW}});
  task({{P0, RW}, {Q0, R}});
  build();
  EXPECT_EQ(count(NodeKind::Close), 0u);
  task({{Q1, R}});
  build();
  EXPECT_EQ(count(NodeKind::Close), 1u);
}

TEST_F(ProgramTest, LaunchesKeepDomainsPortsAndProjections) {
  program.domains.push_back({{2}});
  task({{B, R}, {P, RW, allFields, noReduction, projection(1, 0, 2)}}, 0);
  build();
  EXPECT_EQ(graph.node(nodes[0]).domain, 0u);
  EXPECT_EQ(graph.domain(0).extents, std::vector<int64_t>({2}));
  for (const Edge &edge : graph.allEdges()) {
    if (edge.from != nodes[0] && edge.to != nodes[0])
      continue;
    bool isB = graph.node(edge.from).region == B;
    EXPECT_EQ(edge.port, isB ? 0u : 1u);
    EXPECT_EQ(edge.projection, isB ? UINT32_MAX : 0u);
  }
}

// Each point reads the color between the ones that it and the next point write.
TEST_F(ProgramTest, LaunchReadsOtherColorsThanItWrites) {
  RegionIndex S = forest.addPartition("S", B, true, true, 4);
  program.domains.push_back({{2}});
  task({{S, R, allFields, noReduction, projection(2, 1, 4)},
        {S, RW, allFields, noReduction, projection(2, 0, 4)}},
       0);
  task({{S, R}});
  build();
  EXPECT_EQ(ends(0, EdgeKind::Read).size(), 2u);
  EXPECT_EQ(ends(0, EdgeKind::Read)[0], ends(0, EdgeKind::Read)[1]);
  EXPECT_EQ(ends(0, EdgeKind::Write), ends(1, EdgeKind::Read));
}

// The version that is read is the one that the close made for the write.
TEST_F(ProgramTest, LaunchReadsWhatWasOpenForReading) {
  program.domains.push_back({{1}});
  task({{P0, R}});
  task({{P, R, allFields, noReduction, projection(1, 0, 2)},
        {P, RW, allFields, noReduction, projection(1, 1, 2)}},
       0);
  build();
  EXPECT_EQ(ends(1, EdgeKind::Read)[0], ends(1, EdgeKind::Read)[1]);
}

TEST_F(ProgramTest, ProgramsWithoutTasks) {
  build();
  EXPECT_EQ(graph.numNodes(), 0u);
  task({});
  build();
  EXPECT_EQ(graph.numNodes(), 1u);
}

TEST_F(ProgramTest, GraphsGrowWithArguments) {
  RegionIndex S = forest.addPartition("S", B, true, true, 100);
  for (unsigned i = 0; i < 100000; ++i)
    if (i % 1000 == 999)
      task({{B, RW}});
    else
      task({{forest.getSubregion(S, i % 100), i % 3 == 0 ? R : RW}});
  graph = buildGraph(program, &nodes);
  EXPECT_LT(graph.numNodes(), 3 * program.tasks.size());
  EXPECT_FALSE(checkGraph(graph).hasErrors());
}
