//===- ScaleTest.cpp - Graphs of a hundred thousand nodes -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains so deep that recursion over nodes would overflow the stack, and fans
// so wide that comparing all pairs would not end.
//
//===----------------------------------------------------------------------===//

#include "TestGraph.h"
#include "sluice/RDIR/Order.h"

#include <gtest/gtest.h>

using namespace sluice::rdir;

static constexpr unsigned numTasks = 50'000;

TEST(RDIRScale, DeepChain) {
  TestGraph g;
  NodeIndex last = g.initial(g.A);
  for (unsigned i = 0; i < numTasks; ++i) {
    NodeIndex next = g.version(g.A);
    g.task({last}, {next});
    last = next;
  }
  EXPECT_EQ(g.errors(), Rules());
  TaskOrder order = taskOrder(g.graph);
  EXPECT_EQ(order.predecessors.size(), numTasks - 1);
  EXPECT_EQ(schedule(order).criticalPath, numTasks);
  EXPECT_EQ(schedule(g.graph).criticalPath, numTasks);
}

TEST(RDIRScale, DeepCycle) {
  TestGraph g;
  NodeIndex first = g.initial(g.A), last = first;
  for (unsigned i = 0; i < numTasks; ++i) {
    NodeIndex next = i + 1 == numTasks ? first : g.version(g.A);
    g.task({last}, {next});
    last = next;
  }
  EXPECT_EQ(g.errors(), Rules({"W1"}));
  EXPECT_EQ(g.problem(Rule::W1).edges.size(), 2 * numTasks);
}

/// Readers of A, then writers of its parts, then readers again.
TEST(RDIRScale, ManyReadersBeforeManyWriters) {
  TestGraph g;
  RegionIndex parts = g.forest.addPartition("parts", g.B, true, true, numTasks);
  NodeIndex b0 = g.initial(g.B), b1 = g.version(g.B);
  std::vector<NodeIndex> opened, written;
  for (unsigned i = 0; i < numTasks; ++i) {
    g.task({b0});
    opened.push_back(g.version(g.forest.getSubregion(parts, i)));
    written.push_back(g.version(g.forest.getSubregion(parts, i)));
  }
  g.open(b0, opened);
  for (unsigned i = 0; i < numTasks; ++i)
    g.task({opened[i]}, {written[i]});
  g.close(written, b1);
  g.task({b1});
  EXPECT_EQ(g.errors(), Rules());
  EXPECT_EQ(serializationEdges(g.graph).numJoins, 1u);
  Schedule steps = schedule(g.graph);
  EXPECT_EQ(steps.criticalPath, 3u);
  EXPECT_EQ(steps.width, numTasks);
}

/// The number of problems is bounded, and so is the time to find them.
TEST(RDIRScale, ManyVersionsWithoutAnyOrder) {
  TestGraph g;
  RegionIndex parts = g.forest.addPartition("parts", g.A, true, true, numTasks);
  for (unsigned i = 0; i < numTasks; ++i) {
    g.task({g.initial(g.forest.getSubregion(parts, i))});
    g.task({g.initial(g.A)});
  }
  EXPECT_EQ(g.errors(), Rules(100, "D2"));
}
