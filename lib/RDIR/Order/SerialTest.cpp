//===- SerialTest.cpp - Rule S1 and the orders ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs with and without a serial order, and the orders they have.
//
//===----------------------------------------------------------------------===//

#include "../Testing/TestGraph.h"
#include "sluice/RDIR/Order.h"

#include <gtest/gtest.h>

using namespace sluice::rdir;

TEST(RDIRSerial, TheSpecificationsOwnGraphIsRejected) {
  TestGraph g;
  NodeIndex a0 = g.initial(g.A), b0 = g.initial(g.B);
  NodeIndex a1 = g.version(g.A), b1 = g.version(g.B);
  g.task({a0, b0}, {a1});
  g.task({a0, b0}, {b1});
  EXPECT_EQ(g.errors(), Rules({"S1"}));
  Problem problem = g.problem(Rule::S1);
  ASSERT_EQ(problem.notes.size(), 2u);
  EXPECT_EQ(problem.notes[0].text,
            "'%4' reads 'B' (version '%1') and '%5' writes the later version "
            "'%3', so '%4' must come before '%5'");
  EXPECT_EQ(problem.notes[1].text,
            "'%5' reads 'A' (version '%0') and '%4' writes the later version "
            "'%2', so '%5' must come before '%4'");
  EXPECT_TRUE(serialOrder(g.graph).empty());
}

TEST(RDIRSerial, ReadersComeBeforeTheNextWriter) {
  TestGraph g;
  NodeIndex a0 = g.initial(g.A), a1 = g.version(g.A);
  NodeIndex writer = g.task({a0}, {a1}), reader = g.task({a0});
  EXPECT_EQ(g.errors(), Rules());
  EXPECT_EQ(serialOrder(g.graph),
            std::vector<NodeIndex>({a0, reader, writer, a1}));
  DirectDependences order = taskOrder(g.graph);
  EXPECT_EQ(order.tasks, std::vector<NodeIndex>({reader, writer}));
  EXPECT_EQ(order.predecessors, std::vector<uint32_t>({0}));
  EXPECT_EQ(schedule(order).steps, std::vector<uint32_t>({0, 1}));
}

TEST(RDIRSerial, TasksOfDisjointPartsAreFree) {
  TestGraph g;
  NodeIndex a0 = g.initial(g.A), a1 = g.version(g.A);
  NodeIndex p0 = g.version(g.P0), p1 = g.version(g.P1);
  NodeIndex q0 = g.version(g.P0), q1 = g.version(g.P1);
  g.open(a0, {p0, p1});
  g.task({p0}, {q0});
  g.task({p1}, {q1});
  g.close({q0, q1}, a1);
  g.task({a1});
  EXPECT_EQ(g.errors(), Rules());
  DirectDependences order = taskOrder(g.graph);
  EXPECT_EQ(order.predecessorBegin, std::vector<uint32_t>({0, 0, 0, 2}));
  EXPECT_EQ(order.predecessors, std::vector<uint32_t>({0, 1}));
  Schedule steps = schedule(order);
  EXPECT_EQ(steps.criticalPath, 2u);
  EXPECT_EQ(steps.width, 2u);
}
