//===- ScaleTest.cpp - Graphs of a hundred thousand nodes -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains so deep that recursion over nodes would overflow the stack, and fans
// so wide that comparing all pairs would take forever.
//
//===----------------------------------------------------------------------===//

#include "TestGraph.h"
#include "sluice/RDIR/Order.h"
#include "sluice/RDIR/SequentialProgram.h"

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
  DirectDependences order = taskOrder(g.graph);
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

/// The number of problems is bounded, and so is the time to find them. Disjoint
/// colors are changed one by one, then aliased ones are read: a Close and an
/// Open lie between all changed colors and all read ones.
TEST(RDIRScale, HalosAsSingleTasks) {
  constexpr unsigned numColors = 1000, numRounds = 5;
  TestGraph g;
  RegionIndex blocks =
      g.forest.addPartition("blocks", g.B, true, true, numColors);
  RegionIndex halos =
      g.forest.addPartition("halos", g.B, false, true, numColors);
  SequentialProgram program;
  program.forest = &g.forest;
  for (unsigned round = 0; round < numRounds; ++round)
    for (bool isHalo : {false, true})
      for (unsigned color = 0; color < numColors; ++color) {
        RegionIndex region =
            g.forest.getSubregion(isHalo ? halos : blocks, color);
        ProgramArgument argument = {.region = region,
                                    .privilege = isHalo ? Privilege::Read
                                                        : Privilege::ReadWrite};
        program.tasks.emplace_back().arguments.push_back(argument);
      }
  Graph graph = buildGraph(program);
  EXPECT_FALSE(checkGraph(graph).hasErrors());
  EXPECT_FALSE(serialOrder(graph).empty());
  Schedule steps = schedule(graph);
  EXPECT_EQ(steps.criticalPath, 2 * numRounds);
  EXPECT_EQ(steps.width, numColors);
}

TEST(RDIRScale, ManyVersionsWithoutAnyOrder) {
  TestGraph g;
  RegionIndex parts = g.forest.addPartition("parts", g.A, true, true, numTasks);
  for (unsigned i = 0; i < numTasks; ++i) {
    g.task({g.initial(g.forest.getSubregion(parts, i))});
    g.task({g.initial(g.A)});
  }
  EXPECT_EQ(g.errors(), Rules(100, "D2"));
}
