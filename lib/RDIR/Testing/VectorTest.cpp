//===- VectorTest.cpp - Agreement with the ground truth -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares every vector with the oracle, the rule as stated, and the checks.
//
//===----------------------------------------------------------------------===//

#include "VectorFiles.h"

#include <gtest/gtest.h>

using namespace sluice::rdir;
using namespace sluice::rdir::oracle;

TEST(RDIRVectors, Graphs) {
  VectorForest forest;
  World world(forest);
  auto graphs = readVectorGraphs(forest);
  EXPECT_EQ(graphs.size(), 1768u);
  for (const VectorGraph &vector : graphs) {
    SCOPED_TRACE(vector.line);
    GraphMeaning meaning(vector.graph, world);
    EXPECT_EQ(naiveViolations(vector.graph, world), std::set<Rule>());
    EXPECT_EQ(existsRightOrder(meaning.machine(), meaning.before()),
              vector.existsSerialOrder);
    EXPECT_EQ(isNaivelySerializable(vector.graph), vector.existsSerialOrder);
    EXPECT_EQ(!checkGraph(vector.graph).hasErrors(), vector.existsSerialOrder);
    if (vector.existsSerialOrder)
      EXPECT_EQ(
          allOrdersRight(meaning.machine(),
                         meaning.before(naiveSerializationEdges(vector.graph))),
          vector.allOrdersRight);
  }
}

/// The graph of a task list is correct: all rules hold, and every order that
/// the graph allows computes the same as the program.
static void expectRightGraph(const SequentialProgram &program,
                             const Graph &graph,
                             std::span<const NodeIndex> nodes,
                             const World &world) {
  EXPECT_EQ(naiveViolations(graph, world), std::set<Rule>());
  EXPECT_TRUE(isNaivelySerializable(graph));
  EXPECT_FALSE(checkGraph(graph).hasErrors());
  auto added = naiveSerializationEdges(graph);
  GraphMeaning meaning(graph, world);
  EXPECT_TRUE(allOrdersRight(meaning.machine(), meaning.before(added)));
  ProgramMeaning wanted(program, world);
  EXPECT_TRUE(
      allOrdersRight(wanted.machine, wanted.before(graph, nodes, added)));
}

TEST(RDIRVectors, Programs) {
  VectorForest forest;
  World world(forest);
  auto programs = readVectorPrograms(forest);
  EXPECT_EQ(programs.size(), 4096u);
  for (const VectorProgram &vector : programs) {
    SCOPED_TRACE(vector.line);
    std::vector<NodeIndex> nodes;
    Graph graph = buildGraph(vector.program, &nodes);
    expectRightGraph(vector.program, graph, nodes, world);
    nodes.clear();
    for (NodeIndex node = 0; node < vector.translated.numNodes(); ++node)
      if (vector.translated.node(node).kind == NodeKind::Task)
        nodes.push_back(node);
    expectRightGraph(vector.program, vector.translated, nodes, world);
  }
}

/// "Regions A, B -> Task t1 -> Region A; Regions A, B -> Task t2 -> Region B".
TEST(RDIRVectors, TheSpecificationsOwnGraphHasNoSerialOrder) {
  ConstrainedForest forest;
  RegionIndex regionA = forest.forest.addRoot("A");
  RegionIndex regionB = forest.forest.addRoot("B");
  Graph graph(forest.forest);
  NodeIndex a0 = graph.addRegion(regionA, allFields, true);
  NodeIndex b0 = graph.addRegion(regionB, allFields, true);
  NodeIndex t1 = graph.addCompute(NodeKind::Task);
  NodeIndex t2 = graph.addCompute(NodeKind::Task);
  NodeIndex a1 = graph.addRegion(regionA), b1 = graph.addRegion(regionB);
  for (NodeIndex task : {t1, t2})
    for (NodeIndex data : {a0, b0})
      graph.addEdge({.from = data, .to = task});
  graph.addEdge({.from = t1, .to = a1, .kind = EdgeKind::Write});
  graph.addEdge({.from = t2, .to = b1, .kind = EdgeKind::Write});
  graph.finish();
  World world(forest);
  EXPECT_EQ(naiveViolations(graph, world), std::set<Rule>());
  GraphMeaning meaning(graph, world);
  EXPECT_FALSE(existsRightOrder(meaning.machine(), meaning.before()));
  EXPECT_FALSE(isNaivelySerializable(graph));
  CheckResult result = checkGraph(graph);
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_EQ(result.problems[0].rule, Rule::S1);
  EXPECT_EQ(result.problems[0].edges.size(), 2u);
}
