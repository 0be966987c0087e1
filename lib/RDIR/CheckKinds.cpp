//===- CheckKinds.cpp - Rules T1 to T3 ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a task may do with its arguments. Copies, fills, host statements, loops
// and must-epochs obey the same rules.
//
//===----------------------------------------------------------------------===//

#include "AliasIndex.h"
#include "CheckOpenClose.h"
#include "Digraph.h"
#include "Reach.h"
#include "VersionSweep.h"

#include <algorithm>
#include <numeric>
#include <set>

using namespace sluice::rdir;

namespace {
class TaskCheck {
public:
  TaskCheck(const Graph &graph, CheckReport &report)
      : graph(graph), report(report) {}

  void check(NodeIndex task);
  /// T3 where nothing is continued: only the first version may start so.
  void checkFirstVersions();

private:
  /// The data nodes at the other ends of edges, each once.
  struct Arguments {
    std::vector<NodeIndex> reads, discards, writes, reduced;
    std::vector<uint32_t> reduceEdges, continuesEdges;
  };

  void collect(NodeIndex task);
  bool isBase(NodeIndex earlier, NodeIndex later) const;
  void checkWrites(NodeIndex task);
  void checkReduces(NodeIndex task);
  void checkReadSet(NodeIndex task);
  void checkReadsOfOneRegion(NodeIndex task,
                             const std::vector<bool> &isChanged);
  void reportBothRead(NodeIndex task, NodeIndex a, NodeIndex b,
                      Severity severity);
  void reportUncontinued(const Edge &reduce, NodeIndex earlier);

  const Graph &graph;
  CheckReport &report;
  Arguments arguments;
  /// Reduce edges without a Continues.
  std::vector<uint32_t> uncontinued;
};
} // namespace

static void sortUnique(std::vector<NodeIndex> &nodes) {
  if (std::is_sorted(nodes.begin(), nodes.end(), std::less_equal<>()))
    return;
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

void TaskCheck::collect(NodeIndex task) {
  Arguments &a = arguments;
  for (auto *list : {&a.reads, &a.discards, &a.writes, &a.reduced})
    list->clear();
  a.reduceEdges.clear();
  a.continuesEdges.clear();
  auto isData = [&](NodeIndex node) {
    return !isCompute(graph.node(node).kind);
  };
  for (uint32_t index : graph.in(task)) {
    const Edge &edge = graph.edge(index);
    if (!isData(edge.from))
      continue;
    if (edge.kind == EdgeKind::Read)
      a.reads.push_back(edge.from);
    else if (edge.kind == EdgeKind::Discard)
      a.discards.push_back(edge.from);
    else if (edge.kind == EdgeKind::Continues)
      a.continuesEdges.push_back(index);
  }
  for (uint32_t index : graph.out(task)) {
    const Edge &edge = graph.edge(index);
    if (!isData(edge.to))
      continue;
    if (edge.kind == EdgeKind::Write)
      a.writes.push_back(edge.to);
    if (edge.kind == EdgeKind::Reduce) {
      a.reduced.push_back(edge.to);
      a.reduceEdges.push_back(index);
    }
  }
  for (auto *list : {&a.reads, &a.discards, &a.writes, &a.reduced})
    sortUnique(*list);
}

void TaskCheck::check(NodeIndex task) {
  collect(task);
  checkWrites(task);
  checkReadSet(task);
  checkReduces(task);
}

/// Versions of the same region and fields.
bool TaskCheck::isBase(NodeIndex earlier, NodeIndex later) const {
  return graph.node(earlier).region == graph.node(later).region &&
         graph.node(earlier).fields == graph.node(later).fields;
}

void TaskCheck::checkWrites(NodeIndex task) {
  // By region and fields, so that tasks with thousands of arguments are quick.
  std::vector<std::pair<RegionIndex, FieldMask>> bases;
  for (const auto *list : {&arguments.reads, &arguments.discards})
    for (NodeIndex version : *list)
      bases.push_back({graph.node(version).region, graph.node(version).fields});
  std::sort(bases.begin(), bases.end());
  for (NodeIndex written : arguments.writes) {
    const Node &node = graph.node(written);
    if (std::binary_search(bases.begin(), bases.end(),
                           std::pair(node.region, node.fields)))
      continue;
    Problem *problem = report.add(Rule::T1, task);
    if (!problem)
      continue;
    problem->message =
        report.name(task) + " writes " + report.describe(written) +
        ", but neither reads nor discards a version of " +
        report.region(written) +
        " with the same fields; let it read the version before, or discard "
        "that if it writes all elements";
    problem->notes.push_back({written, "it is written here"});
  }
}

void TaskCheck::checkReduces(NodeIndex task) {
  for (uint32_t index : arguments.reduceEdges) {
    const Edge &reduce = graph.edge(index);
    bool isContinued =
        std::any_of(arguments.continuesEdges.begin(),
                    arguments.continuesEdges.end(), [&](uint32_t other) {
                      const Edge &edge = graph.edge(other);
                      return edge.reduction == reduce.reduction &&
                             isBase(edge.from, reduce.to);
                    });
    if (!isContinued)
      uncontinued.push_back(index);
  }
}

void TaskCheck::reportBothRead(NodeIndex task, NodeIndex a, NodeIndex b,
                               Severity severity) {
  Problem *problem = report.add(Rule::T2, task, severity);
  if (!problem)
    return;
  problem->message = report.name(task) + " reads " + report.describe(a) +
                     ", and " + report.describe(b) +
                     ", which may share elements";
  if (severity == Severity::Remark)
    problem->message += "; this is accepted since it changes neither";
  else
    problem->message += ", and changes one of them; let it read one region "
                        "that covers both";
  problem->notes.push_back({a, "one version is here"});
  problem->notes.push_back({b, "the other version is here"});
}

/// Two versions of one region.
void TaskCheck::checkReadsOfOneRegion(NodeIndex task,
                                      const std::vector<bool> &isChanged) {
  const std::vector<NodeIndex> &reads = arguments.reads;
  std::vector<uint32_t> sorted(reads.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  auto region = [&](uint32_t i) { return graph.node(reads[i]).region; };
  std::sort(sorted.begin(), sorted.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(region(a), a) < std::pair(region(b), b);
  });
  for (size_t i = 1; i < sorted.size(); ++i) {
    uint32_t a = sorted[i - 1], b = sorted[i];
    if (region(a) == region(b) && graph.mayAlias(reads[a], reads[b]))
      reportBothRead(task, reads[a], reads[b],
                     isChanged[a] || isChanged[b] ? Severity::Error
                                                  : Severity::Remark);
  }
}

/// A read that aliases another read and a version that the task makes is an
/// error; one that aliases another read only is remarked on.
void TaskCheck::checkReadSet(NodeIndex task) {
  const std::vector<NodeIndex> &reads = arguments.reads;
  if (reads.size() < 2)
    return;
  std::vector<NodeIndex> universe = reads;
  for (const auto *list : {&arguments.writes, &arguments.reduced})
    universe.insert(universe.end(), list->begin(), list->end());
  std::span<const NodeIndex> changed(universe.data() + reads.size(),
                                     universe.size() - reads.size());
  AliasIndex changes(graph, universe), others(graph, universe);
  for (NodeIndex version : changed)
    changes.insert(version);
  for (NodeIndex read : reads)
    others.insert(read);
  std::vector<bool> isChanged;
  std::set<std::pair<NodeIndex, NodeIndex>> reported;
  for (NodeIndex read : reads) {
    isChanged.push_back(changes.find(read, AliasIndex::AnyRegion) != noNode);
    NodeIndex other = others.find(read, AliasIndex::OtherRegion);
    if (other == noNode || (!isChanged.back() && other > read) ||
        !reported.insert(std::minmax(read, other)).second)
      continue;
    reportBothRead(task, read, other,
                   isChanged.back() ? Severity::Error : Severity::Remark);
  }
  checkReadsOfOneRegion(task, isChanged);
}

void TaskCheck::reportUncontinued(const Edge &reduce, NodeIndex earlier) {
  Problem *problem = report.add(Rule::T3, reduce.from);
  if (!problem)
    return;
  problem->message =
      report.name(reduce.from) + " reduces into " + report.describe(reduce.to) +
      ", but does not continue an earlier version of " +
      report.region(reduce.to) + "; " + report.describe(earlier) +
      ", comes before it: name the version it starts from "
      "with 'continues'";
  problem->notes.push_back({reduce.to, "it is reduced into here"});
  problem->notes.push_back({earlier, "this version comes before it"});
}

void TaskCheck::checkFirstVersions() {
  if (uncontinued.empty())
    return;
  Digraph digraph(graph, EdgeSet::Data);
  std::vector<uint32_t> order = topologicalOrder(digraph);
  if (order.size() != digraph.size())
    return;
  Reach reach(digraph, order);
  std::vector<NodeIndex> earlierOf(graph.numNodes(), noNode);
  std::vector<bool> isAsked(graph.numNodes());
  for (uint32_t index : uncontinued)
    isAsked[graph.edge(index).to] = true;
  auto meet = [&](NodeIndex earlier, NodeIndex later) {
    if (isAsked[later] && earlierOf[later] == noNode && reach(earlier, later))
      earlierOf[later] = earlier;
    return true;
  };
  std::vector<uint32_t> position(order.size());
  for (uint32_t i = 0; i < order.size(); ++i)
    position[order[i]] = i;
  VersionSweep sweep(graph, position, meet);
  for (const VersionClass &versions : versionClasses(graph, order))
    sweep.run(versions);
  for (uint32_t index : uncontinued) {
    const Edge &reduce = graph.edge(index);
    if (earlierOf[reduce.to] != noNode)
      reportUncontinued(reduce, earlierOf[reduce.to]);
  }
}

void sluice::rdir::checkKinds(const Graph &graph, const CheckOptions &options,
                              CheckResult &result) {
  CheckReport report(graph, options, result);
  TaskCheck tasks(graph, report);
  OpenCloseCheck others(graph, report);
  for (NodeIndex node = 0; node < graph.numNodes(); ++node) {
    NodeKind kind = graph.node(node).kind;
    if (isTaskLike(kind))
      tasks.check(node);
    else if (kind == NodeKind::Open)
      others.checkOpen(node);
    else if (kind == NodeKind::Close)
      others.checkClose(node);
  }
  tasks.checkFirstVersions();
}
