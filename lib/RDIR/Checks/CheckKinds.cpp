//===- CheckKinds.cpp - Rules T1 to T3 ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The permitted arguments of a task. Copies, fills, host statements, loops and
// must-epochs obey the same rules.
//
//===----------------------------------------------------------------------===//

#include "../Graph/AliasIndex.h"
#include "../Graph/Digraph.h"
#include "../Graph/Reachability.h"
#include "../Graph/VersionSweep.h"
#include "CheckOpenClose.h"
#include "sluice/RDIR/EdgeWords.h"

#include <algorithm>
#include <set>
#include <tuple>

using namespace sluice::rdir;

namespace {
class TaskCheck {
public:
  TaskCheck(const Graph &graph, CheckReport &report)
      : graph(graph), report(report) {}

  void check(NodeIndex task);
  /// T3 for tasks that continue nothing: only the first version may start this
  /// way.
  void checkFirstVersions();

private:
  /// Data that a task reads or makes.
  struct Argument {
    NodeIndex version;
    bool isMade;
    /// The task reads it, and makes a version that it may alias.
    bool isChanged = false;
  };
  /// The data nodes at the other ends of edges, each once.
  struct Arguments {
    std::vector<NodeIndex> reads, discards, writes, reduced;
    std::vector<uint32_t> reduceEdges, continuesEdges;
  };

  void collect(NodeIndex task);
  bool isBase(NodeIndex earlier, NodeIndex later) const;
  void checkWrites(NodeIndex task);
  void checkReduces(NodeIndex task);
  void checkAliases(NodeIndex task);
  bool handsArguments(NodeIndex task) const;
  void checkReadPairs(NodeIndex task, std::span<Argument> reads,
                      const AliasIndex &changes,
                      std::span<const NodeIndex> universe);
  void checkOneRegion(NodeIndex task, std::span<const Argument> versions);
  /// False if this pair of regions of the task was already reported.
  bool isNewPair(NodeIndex a, NodeIndex b) {
    return reported
        .insert(std::minmax(graph.node(a).region, graph.node(b).region))
        .second;
  }
  void reportArguments(NodeIndex task, const Argument &made,
                       const Argument &other);
  void reportBothRead(NodeIndex task, NodeIndex a, NodeIndex b,
                      ProblemSeverity severity);
  void reportUncontinued(const Edge &reduce, NodeIndex earlier);
  std::string hint(NodeIndex a, NodeIndex b) const;

  const Graph &graph;
  CheckReport &report;
  Arguments arguments;
  /// T2: pairs of regions of the task.
  std::set<std::pair<RegionIndex, RegionIndex>> reported;
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
  checkAliases(task);
  checkReduces(task);
}

std::string TaskCheck::hint(NodeIndex a, NodeIndex b) const {
  return disjointHint(graph.regions(), graph.node(a).region,
                      graph.node(b).region);
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

/// `made` aliases another argument.
void TaskCheck::reportArguments(NodeIndex task, const Argument &made,
                                const Argument &other) {
  Problem *problem = report.add(Rule::T2, task);
  if (!problem)
    return;
  auto does = [&](const Argument &argument) {
    bool isReduced = std::binary_search(
        arguments.reduced.begin(), arguments.reduced.end(), argument.version);
    EdgeKind kind = !argument.isMade ? EdgeKind::Read
                    : isReduced      ? EdgeKind::Reduce
                                     : EdgeKind::Write;
    return std::string(wordsOf(kind).verb) + " " +
           report.describe(argument.version);
  };
  problem->message = report.name(task) + " " + does(made) + ", and " +
                     does(other) +
                     ", which may share elements; let it name one region that "
                     "covers both" +
                     hint(made.version, other.version);
  problem->notes.push_back({made.version, "one version is here"});
  problem->notes.push_back({other.version, "the other version is here"});
}

void TaskCheck::reportBothRead(NodeIndex task, NodeIndex a, NodeIndex b,
                               ProblemSeverity severity) {
  Problem *problem = report.add(Rule::T2, task, severity);
  if (!problem)
    return;
  problem->message = report.name(task) + " reads " + report.describe(a) +
                     ", and " + report.describe(b) +
                     ", which may share elements";
  if (severity == ProblemSeverity::Remark)
    problem->message += "; this is accepted since it changes neither";
  else
    problem->message += ", and changes one of them; let it read one region "
                        "that covers both" +
                        hint(a, b);
  problem->notes.push_back({a, "one version is here"});
  problem->notes.push_back({b, "the other version is here"});
}

/// Versions of one region, sorted by it: two that share fields, unless the task
/// changes all of what it reads.
void TaskCheck::checkOneRegion(NodeIndex task,
                               std::span<const Argument> versions) {
  FieldMask seen = 0;
  for (size_t i = 0; i < versions.size(); ++i) {
    const Argument &b = versions[i];
    FieldMask fields = graph.node(b.version).fields;
    for (size_t j = 0; j < i && (seen & fields) != 0; ++j) {
      const Argument &a = versions[j];
      if (a.version == b.version || !graph.mayAlias(a.version, b.version) ||
          (a.isMade != b.isMade && isBase(a.version, b.version)))
        continue;
      bool isChanged = a.isChanged || b.isChanged;
      if (a.isMade || b.isMade)
        reportArguments(task, b, a);
      else if (!isChanged || handsArguments(task))
        reportBothRead(task, a.version, b.version,
                       isChanged ? ProblemSeverity::Error
                                 : ProblemSeverity::Remark);
      break;
    }
    seen |= fields;
  }
}

/// A read may alias another read and a version that the task makes. This is an
/// error if the arguments are passed to a function. A read that aliases only
/// another read gets a remark.
void TaskCheck::checkReadPairs(NodeIndex task, std::span<Argument> reads,
                               const AliasIndex &changes,
                               std::span<const NodeIndex> universe) {
  AliasIndex others(graph, universe);
  for (const Argument &read : reads)
    others.insert(read.version);
  bool isCall = handsArguments(task);
  for (Argument &read : reads) {
    read.isChanged =
        changes.find(read.version, AliasIndex::AnyRegion) != noNode;
    NodeIndex other = others.find(read.version, AliasIndex::OtherRegion);
    if (other == noNode || (!read.isChanged && other > read.version) ||
        (read.isChanged && !isCall) || !isNewPair(read.version, other))
      continue;
    reportBothRead(task, read.version, other,
                   read.isChanged ? ProblemSeverity::Error
                                  : ProblemSeverity::Remark);
  }
}

/// A function must not receive changed data through two arguments. L1 covers
/// the arguments of a launch's points; loops and epochs pass no arguments on.
bool TaskCheck::handsArguments(NodeIndex task) const {
  const Node &node = graph.node(task);
  return node.domain == UINT32_MAX && node.kind != NodeKind::Loop &&
         node.kind != NodeKind::MustEpoch;
}

void TaskCheck::checkAliases(NodeIndex task) {
  std::vector<Argument> all;
  for (NodeIndex version : arguments.reads)
    all.push_back({version, /*isMade=*/false});
  for (const auto *list : {&arguments.writes, &arguments.reduced})
    for (NodeIndex version : *list)
      all.push_back({version, /*isMade=*/true});
  size_t numReads = arguments.reads.size();
  if (all.size() < 2)
    return;
  std::vector<NodeIndex> universe;
  for (const Argument &argument : all)
    universe.push_back(argument.version);
  reported.clear();
  AliasIndex changes(graph, universe);
  for (size_t i = numReads; i < all.size(); ++i)
    changes.insert(all[i].version);
  checkReadPairs(task, std::span(all).first(numReads), changes, universe);
  bool isCall = handsArguments(task);
  for (size_t i = 0; i < all.size() && isCall; ++i) {
    NodeIndex made = changes.find(all[i].version, AliasIndex::OtherRegion);
    if (made != noNode && isNewPair(all[i].version, made))
      reportArguments(task, {made, /*isMade=*/true}, all[i]);
  }
  if (!isCall)
    all.resize(numReads);
  auto region = [&](const Argument &a) { return graph.node(a.version).region; };
  std::sort(all.begin(), all.end(), [&](const Argument &a, const Argument &b) {
    return std::tuple(region(a), a.isMade, a.version) <
           std::tuple(region(b), b.isMade, b.version);
  });
  for (size_t begin = 0, end; begin < all.size(); begin = end) {
    end = begin + 1;
    while (end < all.size() && region(all[end]) == region(all[begin]))
      ++end;
    checkOneRegion(task, std::span(all).subspan(begin, end - begin));
  }
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
  Reachability reach(digraph, order);
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
