//===- TestGraph.h - Hand-built graphs for tests ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds graphs over a small forest with one line per node, and lists the
// problems that the checks find.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_TESTING_TESTGRAPH_H
#define SLUICE_LIB_RDIR_TESTING_TESTGRAPH_H

#include "sluice/RDIR/Checks.h"

#include <string>

namespace sluice::rdir {

/// A > P (disjoint, complete, 2), Q (aliased, incomplete, 2); B apart.
struct TestGraph {
  RegionForest forest;
  RegionIndex A = forest.addRoot("A"), B = forest.addRoot("B");
  RegionIndex P = forest.addPartition("P", A, true, true, 2);
  RegionIndex Q = forest.addPartition("Q", A, false, false, 2);
  RegionIndex P0 = forest.getSubregion(P, 0), P1 = forest.getSubregion(P, 1);
  RegionIndex Q0 = forest.getSubregion(Q, 0), Q1 = forest.getSubregion(Q, 1);
  Graph graph{forest};

  NodeIndex version(RegionIndex region, FieldMask fields = allFields) {
    return graph.addRegion(region, fields, false);
  }
  NodeIndex initial(RegionIndex region, FieldMask fields = allFields) {
    return graph.addRegion(region, fields, true);
  }
  NodeIndex compute(NodeKind kind, std::vector<NodeIndex> reads = {},
                    std::vector<NodeIndex> writes = {}) {
    NodeIndex node = graph.addCompute(kind);
    for (NodeIndex read : reads)
      edge(read, node, EdgeKind::Read);
    for (NodeIndex written : writes)
      edge(node, written, EdgeKind::Write);
    return node;
  }
  NodeIndex task(std::vector<NodeIndex> reads = {},
                 std::vector<NodeIndex> writes = {}) {
    return compute(NodeKind::Task, reads, writes);
  }
  NodeIndex open(NodeIndex read, std::vector<NodeIndex> writes) {
    return compute(NodeKind::Open, {read}, writes);
  }
  NodeIndex close(std::vector<NodeIndex> reads, NodeIndex written) {
    return compute(NodeKind::Close, reads, {written});
  }
  uint32_t edge(NodeIndex from, NodeIndex to, EdgeKind kind,
                ReductionIndex reduction = noReduction) {
    return graph.addEdge(
        {.from = from, .to = to, .kind = kind, .reduction = reduction});
  }

  /// The rules of all errors, in order, one entry per violation.
  std::vector<std::string> errors() { return rules(ProblemSeverity::Error); }
  std::vector<std::string> remarks() { return rules(ProblemSeverity::Remark); }
  /// The first problem of a rule, from a new run of the checks.
  Problem problem(Rule rule) {
    graph.finish();
    for (Problem &problem : checkGraph(graph).problems)
      if (problem.rule == rule)
        return problem;
    return {};
  }

private:
  std::vector<std::string> rules(ProblemSeverity severity) {
    graph.finish();
    std::vector<std::string> result;
    for (const Problem &problem : checkGraph(graph).problems)
      if (problem.severity == severity)
        result.push_back(ruleName(problem.rule));
    return result;
  }
};

using Rules = std::vector<std::string>;

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_TESTING_TESTGRAPH_H
