//===- CheckReport.cpp - Wording and counting of problems -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors and remarks are counted separately, so that many remarks of a rule
// never hide one of its errors.
//
//===----------------------------------------------------------------------===//

#include "CheckReport.h"

#include <algorithm>

using namespace sluice::rdir;

std::string sluice::rdir::disjointHint(const RegionForest &forest,
                                       RegionIndex a, RegionIndex b) {
  if (forest.isSubregion(a, b) || forest.isSubregion(b, a))
    return "";
  return ", or state 'rdir.constraint disjoint' if they share no elements";
}

CheckReport::CheckReport(const Graph &graph, const CheckOptions &options,
                         CheckResult &result)
    : graph(graph), options(options), result(result),
      described(2 * (size_t(Rule::P2) + 1)) {}

Problem *CheckReport::add(Rule rule, NodeIndex node, ProblemSeverity severity) {
  unsigned &count = described[2 * size_t(rule) + size_t(severity)];
  if (count < options.maxProblemsPerRule) {
    ++count;
    Problem &problem = result.problems.emplace_back();
    problem.rule = rule;
    problem.node = node;
    problem.severity = severity;
    return &problem;
  }
  auto it = std::find_if(result.omitted.begin(), result.omitted.end(),
                         [rule](auto &entry) { return entry.first == rule; });
  if (it == result.omitted.end())
    it = result.omitted.insert(it, {rule, 0});
  ++it->second;
  return nullptr;
}

std::string CheckReport::name(NodeIndex node) const {
  if (options.name)
    return options.name(node);
  return "'%" + std::to_string(node) + "'";
}

std::string CheckReport::region(NodeIndex node) const {
  return "'" + graph.regions().name(graph.node(node).region) + "'";
}

std::string CheckReport::describe(NodeIndex node) const {
  if (isCompute(graph.node(node).kind))
    return name(node);
  return name(node) + ", a version of " + region(node);
}

const char *sluice::rdir::kindName(NodeKind kind) {
  switch (kind) {
  case NodeKind::Region:
    return "data node";
  case NodeKind::Task:
    return "task";
  case NodeKind::Open:
    return "open";
  case NodeKind::Close:
    return "close";
  case NodeKind::Copy:
    return "copy";
  case NodeKind::Fill:
    return "fill";
  case NodeKind::Host:
    return "host statement";
  case NodeKind::Loop:
    return "loop";
  case NodeKind::MustEpoch:
    return "must-epoch";
  }
  return "";
}

const char *sluice::rdir::ruleName(Rule rule) {
  static constexpr const char *names[] = {
      "W1", "W2", "W3", "W4", "D1", "D2", "D3", "D4", "T1",
      "T2", "T3", "O1", "O2", "O3", "C1", "C2", "C3", "C4",
      "L1", "L2", "N1", "N2", "N3", "S1", "P1", "P2"};
  static_assert(std::size(names) == size_t(Rule::P2) + 1, "a name per rule");
  return names[size_t(rule)];
}

bool CheckResult::hasErrors() const {
  return std::any_of(problems.begin(), problems.end(), [](const Problem &p) {
    return p.severity == ProblemSeverity::Error;
  });
}
