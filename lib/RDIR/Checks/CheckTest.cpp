//===- CheckTest.cpp - Rules W, D, T, O and C -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each rule, a graph that violates it and a twin that does not.
//
//===----------------------------------------------------------------------===//

#include "../Testing/TestGraph.h"

#include <gtest/gtest.h>

using namespace sluice::rdir;

TEST(RDIRChecks, W1NamesTheShortestCycle) {
  TestGraph g;
  NodeIndex a0 = g.version(g.A), a1 = g.version(g.A), b = g.version(g.B);
  NodeIndex t1 = g.task({a0}, {a1}), t2 = g.task({a1, b}, {});
  EXPECT_EQ(g.errors(), Rules());
  g.edge(t2, a0, EdgeKind::Write);
  g.edge(t2, b, EdgeKind::Write);
  Problem problem = g.problem(Rule::W1);
  EXPECT_EQ(problem.message, "the graph has a cycle: '%4' -> '%2' -> '%4'");
  EXPECT_EQ(problem.edges.size(), 2u);
  EXPECT_EQ(t1, 3u);
}

TEST(RDIRChecks, W2AndW3AndW4AskForTheRightEnds) {
  TestGraph g;
  NodeIndex a = g.initial(g.A), b = g.initial(g.B);
  NodeIndex t1 = g.task({a}), t2 = g.task({b});
  g.edge(t1, t2, EdgeKind::HappensBefore);
  EXPECT_EQ(g.errors(), Rules());
  g.edge(t1, t2, EdgeKind::Read);
  g.edge(a, t2, EdgeKind::Write);
  g.edge(a, t2, EdgeKind::HappensBefore);
  g.edge(t1, t2, EdgeKind::Discard);
  EXPECT_EQ(g.errors(), Rules({"W2", "W3", "W4", "W2"}));
  EXPECT_EQ(g.problem(Rule::W3).message,
            "a Write edge goes from the data node '%0' to the task '%3'; it "
            "must go from a compute node to a data node");
}

TEST(RDIRChecks, D1AllowsOneWriterOrOneOperator) {
  TestGraph g;
  NodeIndex a0 = g.initial(g.A), a1 = g.version(g.A);
  for (ReductionIndex reduction : {0, 0}) {
    NodeIndex task = g.task();
    g.edge(a0, task, EdgeKind::Continues, reduction);
    g.edge(task, a1, EdgeKind::Reduce, reduction);
  }
  EXPECT_EQ(g.errors(), Rules());
  NodeIndex other = g.task();
  g.edge(a0, other, EdgeKind::Continues, 1);
  g.edge(other, a1, EdgeKind::Reduce, 1);
  EXPECT_EQ(g.errors(), Rules({"D1"}));
  EXPECT_NE(g.problem(Rule::D1).message.find("different operators"),
            std::string::npos);
}

TEST(RDIRChecks, D1RefusesTwoWriters) {
  TestGraph g;
  NodeIndex a0 = g.initial(g.A), a1 = g.version(g.A);
  g.task({a0}, {a1});
  EXPECT_EQ(g.errors(), Rules());
  g.task({a0}, {a1});
  EXPECT_EQ(g.errors(), Rules({"D1"}));
  EXPECT_EQ(g.problem(Rule::D1).notes.size(), 2u);
}

TEST(RDIRChecks, D2OrdersWhatMayAlias) {
  TestGraph g;
  NodeIndex p0 = g.initial(g.P0), p1 = g.initial(g.P1);
  g.task({p0, p1});
  g.task({g.initial(g.B)});
  EXPECT_EQ(g.errors(), Rules());
  g.task({g.initial(g.Q0)});
  EXPECT_EQ(g.errors(), Rules({"D2", "D2"}));
  Problem problem = g.problem(Rule::D2);
  ASSERT_EQ(problem.edges.size(), 1u);
  EXPECT_FALSE(problem.edges[0].isPresent);
}

TEST(RDIRChecks, D2NeedsNoOrderOfDifferentFields) {
  TestGraph g;
  NodeIndex x = g.initial(g.A, 1), y = g.initial(g.A, 2);
  g.task({x});
  g.task({y});
  EXPECT_EQ(g.errors(), Rules());
  g.task({g.initial(g.P0, 6)});
  EXPECT_EQ(g.errors(), Rules({"D2"}));
}

TEST(RDIRChecks, D2ForgetsIsolatedNodes) {
  TestGraph g;
  g.initial(g.A);
  g.initial(g.A);
  EXPECT_EQ(g.errors(), Rules());
}

TEST(RDIRChecks, D3RemarksOnReadsOfNothing) {
  TestGraph g;
  g.task({g.initial(g.A)});
  EXPECT_EQ(g.remarks(), Rules());
  g.task({g.version(g.B)});
  EXPECT_EQ(g.remarks(), Rules({"D3"}));
}

TEST(RDIRChecks, T1WantsABaseOfTheSameRegionAndFields) {
  TestGraph g;
  NodeIndex a0 = g.initial(g.A), a1 = g.version(g.A), a2 = g.version(g.A);
  g.task({a0}, {a1});
  NodeIndex t2 = g.task({}, {a2});
  g.edge(a1, t2, EdgeKind::Discard);
  EXPECT_EQ(g.errors(), Rules());
  NodeIndex b0 = g.initial(g.B, 1), b1 = g.version(g.B, 2);
  g.task({b0}, {b1});
  EXPECT_EQ(g.errors(), Rules({"T1"}));
}

TEST(RDIRChecks, T2AcceptsAliasesThatAreOnlyRead) {
  TestGraph g;
  NodeIndex a0 = g.initial(g.A), p0 = g.version(g.P0);
  g.open(a0, {p0});
  NodeIndex task = g.task({a0, p0});
  EXPECT_EQ(g.errors(), Rules());
  EXPECT_EQ(g.remarks(), Rules({"T2"}));
  g.edge(task, g.version(g.P0), EdgeKind::Write);
  EXPECT_EQ(g.errors(), Rules({"T2"}));
}

TEST(RDIRChecks, T2RefusesWhatIsChangedThroughTwoArguments) {
  TestGraph g;
  NodeIndex q0 = g.initial(g.Q0), q1 = g.initial(g.Q1), made = g.version(g.Q1);
  NodeIndex task = g.task({q0}, {made});
  g.edge(q1, task, EdgeKind::Discard);
  EXPECT_EQ(g.problem(Rule::T2).message,
            "'%3' writes '%2', a version of 'Q[1]', and reads '%0', a version "
            "of 'Q[0]', which may share elements; let it name one region that "
            "covers both, or state 'rdir.constraint disjoint' if they share no "
            "elements");
  // L1 covers launches, and a loop passes no arguments on.
  TestGraph h;
  q0 = h.initial(h.Q0), q1 = h.initial(h.Q1), made = h.version(h.Q1);
  NodeIndex loop = h.compute(NodeKind::Loop, {q0}, {made});
  h.edge(q1, loop, EdgeKind::Discard);
  EXPECT_EQ(h.problem(Rule::T2).node, noNode);
}

TEST(RDIRChecks, T2ComparesAllVersionsOfARegion) {
  TestGraph g;
  // Of three versions, the first and the last share a field.
  NodeIndex x = g.initial(g.B, 1), y = g.initial(g.B, 2), z = g.version(g.B, 1);
  g.task({x}, {z});
  NodeIndex task = g.task({x, y, z});
  EXPECT_EQ(g.problem(Rule::T2).node, task);
  EXPECT_EQ(g.problem(Rule::T2).severity, ProblemSeverity::Remark);
  // Reading more fields than are changed makes another argument.
  TestGraph h;
  NodeIndex both = h.initial(h.B, 3), one = h.initial(h.B, 1);
  NodeIndex made = h.version(h.B, 1);
  task = h.task({both}, {made});
  h.edge(one, task, EdgeKind::Discard);
  EXPECT_EQ(h.problem(Rule::T2).node, task);
  EXPECT_EQ(h.problem(Rule::T2).severity, ProblemSeverity::Error);
}

TEST(RDIRChecks, T2WithThousandsOfArguments) {
  TestGraph g;
  RegionIndex R = g.forest.addPartition("R", g.B, true, true, 2000);
  std::vector<NodeIndex> reads, writes;
  for (int64_t color = 0; color < 2000; ++color) {
    reads.push_back(g.initial(g.forest.getSubregion(R, color)));
    writes.push_back(g.version(g.forest.getSubregion(R, color)));
  }
  NodeIndex task = g.task(reads, writes);
  EXPECT_EQ(g.errors(), Rules());
  EXPECT_EQ(g.remarks(), Rules());
  RegionIndex S =
      g.forest.addPartition("S", g.forest.getSubregion(R, 7), true, true, 2);
  NodeIndex s = g.version(g.forest.getSubregion(S, 0));
  g.open(reads[7], {s});
  g.edge(s, task, EdgeKind::Read);
  EXPECT_EQ(g.problem(Rule::T2).severity, ProblemSeverity::Error);
}

TEST(RDIRChecks, T3WantsTheVersionToContinue) {
  TestGraph g;
  NodeIndex first = g.version(g.B), a0 = g.initial(g.A), a1 = g.version(g.A);
  NodeIndex t1 = g.task(), t2 = g.task({a0});
  g.edge(t1, first, EdgeKind::Reduce, 0);
  uint32_t continues = g.edge(a0, t2, EdgeKind::Continues, 0);
  g.edge(t2, a1, EdgeKind::Reduce, 0);
  EXPECT_EQ(g.errors(), Rules());
  EXPECT_EQ(continues, 2u);
  NodeIndex second = g.version(g.B), t3 = g.task({first});
  g.edge(t3, second, EdgeKind::Reduce, 0);
  EXPECT_EQ(g.errors(), Rules({"T3"}));
}

TEST(RDIRChecks, OpenRules) {
  TestGraph g;
  NodeIndex a0 = g.initial(g.A), p0 = g.version(g.P0), p1 = g.version(g.P1);
  NodeIndex open = g.open(a0, {p0, p1});
  EXPECT_EQ(g.errors(), Rules());
  g.edge(g.initial(g.B), open, EdgeKind::Read);
  EXPECT_EQ(g.errors(), Rules({"O1"}));
  TestGraph h;
  h.open(h.initial(h.A), {h.version(h.B)});
  h.open(h.initial(h.B), {});
  EXPECT_EQ(h.problem(Rule::O2).node, 2u);
  TestGraph i;
  NodeIndex whole = i.initial(i.A), part = i.version(i.P0);
  NodeIndex other = i.open(whole, {part});
  i.edge(i.initial(i.B), other, EdgeKind::Discard);
  EXPECT_EQ(i.errors(), Rules({"O3"}));
}

TEST(RDIRChecks, CloseRules) {
  TestGraph g;
  NodeIndex p0 = g.initial(g.P0), p1 = g.initial(g.P1), a1 = g.version(g.A);
  NodeIndex close = g.close({p0, p1}, a1);
  EXPECT_EQ(g.errors(), Rules());
  g.edge(close, g.version(g.B), EdgeKind::Write);
  EXPECT_EQ(g.errors(), Rules({"C1"}));
  TestGraph h;
  h.close({h.initial(h.P0), h.initial(h.P1), h.initial(h.B)}, h.version(h.A));
  EXPECT_EQ(h.errors(), Rules({"C2"}));
  TestGraph i;
  NodeIndex old = i.initial(i.A), part = i.version(i.P0);
  i.open(old, {part});
  NodeIndex second = i.close({part}, i.version(i.A));
  EXPECT_EQ(i.errors(), Rules({"C3"}));
  i.edge(old, second, EdgeKind::Read);
  EXPECT_EQ(i.errors(), Rules());
  i.edge(second, i.version(i.B), EdgeKind::Reduce, 0);
  EXPECT_EQ(i.errors(), Rules({"C4"}));
}

TEST(RDIRChecks, ProblemsBeyondTheLimitAreCounted) {
  TestGraph g;
  for (int i = 0; i < 10; ++i)
    g.task({}, {g.version(g.forest.addRoot("R"))});
  g.graph.finish();
  CheckResult result =
      checkGraph(g.graph, {.name = {}, .maxProblemsPerRule = 3});
  EXPECT_EQ(result.problems.size(), 3u);
  ASSERT_EQ(result.omitted.size(), 1u);
  EXPECT_EQ(result.omitted[0], std::pair(Rule::T1, uint64_t(7)));
}
