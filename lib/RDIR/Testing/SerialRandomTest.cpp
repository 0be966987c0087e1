//===- SerialRandomTest.cpp - Fast checks against naive ones --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs of random programs, disturbed so that some break the rules. The fast
// computation of rule R* must order the same tasks as the literal rule, and the
// sweep for data races must find the same races as a comparison of all pairs.
// Orders are compared with closures computed by brute force.
//
//===----------------------------------------------------------------------===//

#include "../Order/SerialGraph.h"
#include "SerialNaive.h"
#include "sluice/RDIR/Checks.h"
#include "sluice/RDIR/SequentialProgram.h"

#include <gtest/gtest.h>
#include <random>

using namespace sluice::rdir;

namespace {
using Matrix = std::vector<std::vector<bool>>;

/// Random forests and graphs of one seed.
class RandomCase {
public:
  RandomCase(uint64_t seed, bool withConstraints) : random(seed) {
    makeForest();
    if (withConstraints)
      addConstraints();
  }

  /// A program's graph, disturbed.
  Graph makeGraph();
  /// Versions of any regions in any order, with few opens and closes between
  /// them.
  Graph makeWildGraph();
  RegionForest forest;

private:
  unsigned pick(unsigned limit) { return random() % limit; }
  RegionIndex pickRegion() { return regions[pick(regions.size())]; }
  void makeForest();
  void addConstraints();
  SequentialProgram makeProgram();
  void disturb(Graph &graph);

  std::mt19937_64 random;
  std::vector<RegionIndex> regions;
};

/// By node: the nodes that a path of at least one edge leads to.
Matrix closure(const Digraph &graph) {
  Matrix reach(graph.size(), std::vector<bool>(graph.size()));
  for (uint32_t start = 0; start < graph.size(); ++start) {
    std::vector<uint32_t> queue = {start};
    for (size_t i = 0; i < queue.size(); ++i)
      for (uint32_t next : graph.out(queue[i]))
        if (!reach[start][next]) {
          reach[start][next] = true;
          queue.push_back(next);
        }
  }
  return reach;
}
} // namespace

void RandomCase::makeForest() {
  unsigned numRoots = 1 + pick(2);
  for (unsigned i = 0; i < numRoots; ++i)
    regions.push_back(forest.addRoot("R" + std::to_string(i)));
  unsigned numPartitions = 1 + pick(4);
  for (unsigned i = 0; i < numPartitions; ++i) {
    RegionIndex parent = pickRegion();
    while (forest.kind(parent) == RegionKind::Partition)
      parent = forest.parent(parent);
    unsigned colors = 1 + pick(3);
    RegionIndex partition = forest.addPartition("P" + std::to_string(i), parent,
                                                pick(3) != 0, pick(2), colors);
    regions.push_back(partition);
    for (unsigned color = 0; color < colors; ++color)
      regions.push_back(forest.getSubregion(partition, color));
  }
}

void RandomCase::addConstraints() {
  for (unsigned i = 0, count = 1 + pick(3); i < count; ++i) {
    RegionIndex a = pickRegion(), b = pickRegion();
    if (a == b || forest.isSubregion(a, b) || forest.isSubregion(b, a))
      continue;
    if (pick(2) && forest.mayAlias(a, b))
      forest.addSubregionConstraint(a, b);
    else if (a != b)
      forest.addDisjointConstraint(a, b);
  }
}

SequentialProgram RandomCase::makeProgram() {
  SequentialProgram program;
  program.forest = &forest;
  for (unsigned i = 0, count = 2 + pick(7); i < count; ++i) {
    ProgramTask task;
    for (unsigned j = 0, size = 1 + pick(2); j < size; ++j) {
      ProgramArgument argument;
      argument.region = pickRegion();
      argument.privilege = Privilege(pick(4));
      if (argument.privilege == Privilege::Reduce)
        argument.reduction = pick(2);
      if (pick(3) == 0)
        argument.fields = 1 + pick(3);
      bool isApart = true;
      for (const ProgramArgument &other : task.arguments)
        isApart &= (other.fields & argument.fields) == 0 ||
                   !forest.mayAlias(other.region, argument.region);
      if (isApart)
        task.arguments.push_back(argument);
    }
    program.tasks.push_back(task);
  }
  return program;
}

/// Adds reads of older versions, and tasks that only read.
void RandomCase::disturb(Graph &graph) {
  Digraph digraph(graph, EdgeSet::Data);
  std::vector<uint32_t> order = topologicalOrder(digraph);
  for (unsigned i = 0, count = pick(4); i < count; ++i) {
    uint32_t a = pick(order.size()), b = pick(order.size());
    NodeIndex from = order[std::min(a, b)], to = order[std::max(a, b)];
    if (isCompute(graph.node(from).kind))
      continue;
    if (!isTaskLike(graph.node(to).kind) || pick(3) == 0)
      to = graph.addCompute(NodeKind::Task);
    graph.addEdge({.from = from,
                   .to = to,
                   .kind = pick(5) ? EdgeKind::Read : EdgeKind::Discard});
  }
  graph.finish();
}

Graph RandomCase::makeGraph() {
  Graph graph = buildGraph(makeProgram());
  disturb(graph);
  return graph;
}

Graph RandomCase::makeWildGraph() {
  Graph graph(forest);
  std::vector<NodeIndex> versions;
  for (unsigned i = 0, count = 3 + pick(12); i < count; ++i) {
    NodeIndex version =
        graph.addRegion(pickRegion(), pick(4) ? 3 : 1 + pick(2));
    unsigned numWriters = pick(6) == 0 ? 2 : 1;
    for (unsigned j = 0; j < numWriters; ++j) {
      NodeKind kind = pick(4) || numWriters == 2 ? NodeKind::Task
                      : pick(2)                  ? NodeKind::Open
                                                 : NodeKind::Close;
      NodeIndex writer = graph.addCompute(kind);
      for (NodeIndex earlier : versions)
        if (graph.mayAlias(earlier, version) &&
            (numWriters == 2 || pick(50) != 0))
          graph.addEdge({.from = earlier,
                         .to = writer,
                         .kind = pick(6) ? EdgeKind::Discard : EdgeKind::Read});
      bool isReduce = numWriters == 2;
      graph.addEdge({.from = writer,
                     .to = version,
                     .kind = isReduce ? EdgeKind::Reduce : EdgeKind::Write,
                     .reduction = isReduce ? ReductionIndex(0) : noReduction});
    }
    versions.push_back(version);
    for (unsigned j = 0, readers = pick(3); j < readers; ++j) {
      NodeIndex reader = graph.addCompute(NodeKind::Task);
      for (unsigned k = 0, reads = 1 + pick(2); k < reads; ++k)
        graph.addEdge({.from = versions[pick(versions.size())], .to = reader});
    }
  }
  graph.finish();
  return graph;
}

/// True if a rule with this prefix is violated.
static bool isRefused(const CheckResult &result, const std::string &prefix) {
  for (const Problem &problem : result.problems)
    if (problem.severity == ProblemSeverity::Error &&
        std::string(ruleName(problem.rule)).starts_with(prefix))
      return true;
  return false;
}

/// All pairs of D2.
static bool areHistoriesOrdered(const Graph &graph) {
  Matrix reach = closure(Digraph(graph, EdgeSet::Data));
  auto takesPart = [&](NodeIndex node) {
    return !isCompute(graph.node(node).kind) &&
           !(graph.in(node).empty() && graph.out(node).empty());
  };
  for (NodeIndex a = 0; a < graph.numNodes(); ++a)
    for (NodeIndex b = 0; b < a; ++b)
      if (takesPart(a) && takesPart(b) && graph.mayAlias(a, b) &&
          !reach[a][b] && !reach[b][a])
        return false;
  return true;
}

static void expectSameOrder(const Graph &graph, unsigned &numCyclic) {
  Matrix fast = closure(serialDigraph(graph, serializationEdges(graph)));
  Matrix naive = closure(serialDigraph(graph, naiveSerializationEdges(graph)));
  bool isFastCyclic = false, isNaiveCyclic = false;
  for (NodeIndex node = 0; node < graph.numNodes(); ++node) {
    isFastCyclic |= fast[node][node];
    isNaiveCyclic |= naive[node][node];
  }
  ASSERT_EQ(isFastCyclic, isNaiveCyclic);
  numCyclic += isNaiveCyclic;
  for (NodeIndex a = 0; a < graph.numNodes() && !isNaiveCyclic; ++a)
    for (NodeIndex b = 0; b < graph.numNodes(); ++b)
      ASSERT_EQ(fast[a][b], naive[a][b]) << a << " before " << b;
}

static void expectExactReduction(const Graph &graph) {
  DirectDependences order = taskOrder(graph);
  Matrix reach = closure(serialDigraph(graph, naiveSerializationEdges(graph)));
  for (size_t i = 0; i < order.tasks.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      bool isDirect = reach[order.tasks[j]][order.tasks[i]];
      for (size_t k = j + 1; k < i && isDirect; ++k)
        isDirect = !(reach[order.tasks[j]][order.tasks[k]] &&
                     reach[order.tasks[k]][order.tasks[i]]);
      auto begin = order.predecessors.begin();
      ASSERT_EQ(std::count(begin + order.predecessorBegin[i],
                           begin + order.predecessorBegin[i + 1], j),
                isDirect);
    }
}

static void compare(uint64_t firstSeed, unsigned count, bool withConstraints,
                    bool isWild) {
  unsigned numCyclic = 0, numUnordered = 0;
  for (uint64_t seed = firstSeed; seed < firstSeed + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomCase random(seed, withConstraints);
    Graph graph = isWild ? random.makeWildGraph() : random.makeGraph();
    CheckResult result;
    checkWellFormed(graph, {}, result);
    if (isRefused(result, "W"))
      continue;
    checkRaces(graph, {}, result);
    ASSERT_EQ(!isRefused(result, "D2"), areHistoriesOrdered(graph));
    numUnordered += isRefused(result, "D2");
    if (isRefused(result, "D2"))
      continue;
    expectSameOrder(graph, numCyclic);
    if (!serialOrder(graph).empty())
      expectExactReduction(graph);
    if (testing::Test::HasFailure())
      return;
  }
  EXPECT_GT(numCyclic, count / 50);
  if (isWild)
    EXPECT_GE(numUnordered, count / 50);
}

TEST(RDIRSerialRandom, Programs) { compare(1, 1500, false, false); }

TEST(RDIRSerialRandom, ProgramsUnderConstraints) {
  compare(1'000'000, 1500, true, false);
}

TEST(RDIRSerialRandom, WildGraphs) { compare(2'000'000, 8000, false, true); }

TEST(RDIRSerialRandom, WildGraphsUnderConstraints) {
  compare(3'000'000, 4000, true, true);
}
