//===- OracleTest.cpp - Graphs that refined the rule ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The smallest graphs on which the rule for HappensBefore edges and the oracle
// differed, or would differ, each with a correct twin; docs/rdir-rules.md gives
// the reasons. Also the coverage of random graphs.
//
//===----------------------------------------------------------------------===//

#include "OracleGraph.h"
#include "TestGraph.h"

#include <gtest/gtest.h>

using namespace sluice::rdir;
using namespace sluice::rdir::oracle;

namespace {

struct OracleGraphs : testing::Test {
  TestGraph g;

  /// A task that continues one version and reduces into another.
  NodeIndex reducer(NodeIndex continued, NodeIndex made,
                    std::vector<NodeIndex> reads = {},
                    ReductionIndex reduction = 0) {
    NodeIndex task = g.task(reads);
    g.edge(continued, task, EdgeKind::Continues, reduction);
    g.edge(task, made, EdgeKind::Reduce, reduction);
    return task;
  }
  NodeIndex discarder(NodeIndex discarded, std::vector<NodeIndex> reads,
                      std::vector<NodeIndex> writes) {
    NodeIndex task = g.task(reads, writes);
    g.edge(discarded, task, EdgeKind::Discard);
    return task;
  }
  bool existsOrder() {
    g.graph.finish();
    ConstrainedForest forest;
    forest.forest = g.forest;
    World world(forest);
    GraphMeaning meaning(g.graph, world);
    return existsRightOrder(meaning.machine(), meaning.before());
  }
  bool passesRule() {
    g.graph.finish();
    return isNaivelySerializable(g.graph);
  }
};

} // namespace

// The rule alone accepts the order of the tasks. But the close takes the
// elements of P[0] from A's first version, while the store holds the values
// that a task wrote there since.
TEST_F(OracleGraphs, CloseThatLosesAnUpdate) {
  NodeIndex a0 = g.initial(g.A), a1 = g.version(g.A);
  NodeIndex p0 = g.version(g.P0), p1 = g.version(g.P1);
  NodeIndex q0 = g.version(g.P0), q1 = g.version(g.P1);
  g.open(a0, {p0, p1});
  g.task({p0}, {q0});
  g.task({p1, q0}, {q1});
  NodeIndex close = g.close({a0, q1}, a1);
  g.task({a1});
  EXPECT_TRUE(passesRule());
  EXPECT_FALSE(existsOrder());
  EXPECT_EQ(g.errors(), Rules({"D4"}));
  Problem problem = g.problem(Rule::D4);
  ASSERT_EQ(problem.edges.size(), 1u);
  EXPECT_EQ(problem.edges[0].from, q0);
  EXPECT_EQ(problem.edges[0].to, close);
  g.edge(q0, close, EdgeKind::Read);
  EXPECT_TRUE(existsOrder());
  EXPECT_EQ(g.errors(), Rules());
}

TEST_F(OracleGraphs, CloseMayLeaveOutWhatNobodyWrote) {
  NodeIndex a0 = g.initial(g.A), a1 = g.version(g.A);
  NodeIndex p0 = g.version(g.P0), p1 = g.version(g.P1);
  NodeIndex q1 = g.version(g.P1);
  g.open(a0, {p0, p1});
  g.task({p1, p0}, {q1});
  g.close({a0, q1}, a1);
  g.task({a1});
  EXPECT_TRUE(existsOrder());
  EXPECT_EQ(g.errors(), Rules());
}

TEST_F(OracleGraphs, ReductionThatContinuesAnOldVersion) {
  NodeIndex a0 = g.initial(g.A), a1 = g.version(g.A), a2 = g.version(g.A);
  NodeIndex b0 = g.initial(g.B), b1 = g.version(g.B);
  g.task({a0}, {a1});
  g.task({a1, b0}, {b1});
  reducer(a0, a2, {b1});
  g.task({a2});
  EXPECT_TRUE(passesRule());
  EXPECT_FALSE(existsOrder());
  EXPECT_EQ(g.errors(), Rules({"D4"}));
}

// Both tasks continue the version that they read: the first one to run changes
// the data that the other one reads. Reducing into one version does not excuse
// this.
TEST_F(OracleGraphs, ReducersThatReadWhatTheyContinue) {
  NodeIndex a0 = g.initial(g.A), a1 = g.version(g.A);
  reducer(a0, a1, {a0});
  reducer(a0, a1, {a0});
  EXPECT_FALSE(existsOrder());
  EXPECT_FALSE(passesRule());
  EXPECT_EQ(g.errors(), Rules({"S1"}));
}

TEST_F(OracleGraphs, OneReducerMayReadWhatItContinues) {
  NodeIndex a0 = g.initial(g.A), a1 = g.version(g.A);
  reducer(a0, a1, {a0});
  reducer(a0, a1);
  EXPECT_TRUE(existsOrder());
  EXPECT_EQ(g.errors(), Rules());
}

// A discarded version is ordered but not read: no task needs to go before.
TEST_F(OracleGraphs, DiscardIsNoRead) {
  NodeIndex a0 = g.initial(g.A), a1 = g.version(g.A), a2 = g.version(g.A);
  NodeIndex b0 = g.initial(g.B), b1 = g.version(g.B);
  g.task({a0}, {a1});
  discarder(b0, {a1}, {b1});
  discarder(a0, {b1}, {a2});
  EXPECT_TRUE(existsOrder());
  EXPECT_EQ(g.errors(), Rules());
}

// Two reducers of one version. One of them must come before a reader of the
// previous version.
TEST_F(OracleGraphs, ReaderBetweenReducers) {
  NodeIndex a0 = g.initial(g.A), a1 = g.version(g.A);
  NodeIndex b0 = g.initial(g.B), b1 = g.version(g.B);
  NodeIndex first = reducer(a0, a1);
  g.edge(b0, first, EdgeKind::Discard);
  g.edge(first, b1, EdgeKind::Write);
  NodeIndex reader = g.task({a0});
  reducer(a0, a1);
  EXPECT_TRUE(existsOrder());
  EXPECT_EQ(g.errors(), Rules());
  g.edge(b1, reader, EdgeKind::Read);
  EXPECT_FALSE(existsOrder());
  EXPECT_EQ(g.errors(), Rules({"S1"}));
}
