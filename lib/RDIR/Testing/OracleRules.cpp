//===- OracleRules.cpp - The rules, stated simply -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rule exactly as its sentence states it, over all pairs and all elements.
//
//===----------------------------------------------------------------------===//

#include "OracleGraph.h"

#include <algorithm>

using namespace sluice::rdir;
using namespace sluice::rdir::oracle;

std::vector<std::pair<NodeIndex, NodeIndex>>
oracle::naiveSerializationEdges(const Graph &graph) {
  std::vector<NodeSet> reach = reachability(graph, /*withHappensBefore=*/false);
  std::set<std::pair<NodeIndex, NodeIndex>> edges;
  for (const Edge &write : graph.allEdges()) {
    if ((write.kind != EdgeKind::Write && write.kind != EdgeKind::Reduce) ||
        !isTaskLike(graph.node(write.from).kind))
      continue;
    for (const Edge &read : graph.allEdges())
      if (read.kind == EdgeKind::Read && read.to != write.from &&
          isTaskLike(graph.node(read.to).kind) && read.from != write.to &&
          graph.mayAlias(read.from, write.to) && reach[read.from][write.to])
        edges.emplace(read.to, write.from);
  }
  return {edges.begin(), edges.end()};
}

bool oracle::isNaivelySerializable(const Graph &graph) {
  std::vector<NodeSet> reach = reachability(graph, /*withHappensBefore=*/true,
                                            naiveSerializationEdges(graph));
  for (NodeIndex node = 0; node < graph.numNodes(); ++node)
    if (reach[node][node])
      return false;
  return true;
}

namespace {

class RuleChecks {
public:
  RuleChecks(const Graph &graph, const World &world)
      : graph(graph), world(world) {}
  std::set<Rule> run();

private:
  std::vector<Edge> in(NodeIndex node, EdgeKind kind) const;
  std::vector<Edge> out(NodeIndex node, EdgeKind kind) const;
  bool has(NodeIndex node, EdgeKind kind) const {
    return !in(node, kind).empty() || !out(node, kind).empty();
  }
  bool isSame(NodeIndex a, NodeIndex b) const;
  void expect(bool holds, Rule rule) {
    if (!holds)
      violated.insert(rule);
  }
  void checkEdges();
  void checkWriters(NodeIndex data);
  bool hasBase(NodeIndex task, NodeIndex made, EdgeKind kind,
               ReductionIndex reduction = noReduction) const;
  void checkTask(NodeIndex task);
  void checkReadSet(NodeIndex task);
  void checkOpen(NodeIndex open);
  void checkClose(NodeIndex close);
  void checkVersions();
  bool isLost(const GraphMeaning &meaning, NodeIndex from, NodeIndex to,
              uint32_t place) const;
  void checkLatest();

  const Graph &graph;
  const World &world;
  std::set<Rule> violated;
};

} // namespace

std::vector<Edge> RuleChecks::in(NodeIndex node, EdgeKind kind) const {
  std::vector<Edge> result;
  for (const Edge &edge : graph.allEdges())
    if (edge.to == node && edge.kind == kind)
      result.push_back(edge);
  return result;
}

std::vector<Edge> RuleChecks::out(NodeIndex node, EdgeKind kind) const {
  std::vector<Edge> result;
  for (const Edge &edge : graph.allEdges())
    if (edge.from == node && edge.kind == kind)
      result.push_back(edge);
  return result;
}

/// The number of nodes at the other ends of the edges.
static size_t numEnds(const std::vector<Edge> &edges, NodeIndex Edge::*end) {
  std::set<NodeIndex> ends;
  for (const Edge &edge : edges)
    ends.insert(edge.*end);
  return ends.size();
}

/// Versions of the same region and fields.
bool RuleChecks::isSame(NodeIndex a, NodeIndex b) const {
  return graph.node(a).region == graph.node(b).region &&
         graph.node(a).fields == graph.node(b).fields;
}

void RuleChecks::checkEdges() {
  for (const Edge &edge : graph.allEdges()) {
    bool fromData = !isCompute(graph.node(edge.from).kind);
    bool toData = !isCompute(graph.node(edge.to).kind);
    switch (edge.kind) {
    case EdgeKind::Read:
    case EdgeKind::Discard:
    case EdgeKind::Continues:
      expect(fromData && !toData, Rule::W2);
      break;
    case EdgeKind::Write:
    case EdgeKind::Reduce:
      expect(!fromData && toData, Rule::W3);
      break;
    case EdgeKind::HappensBefore:
      expect(!fromData && !toData, Rule::W4);
    }
  }
}

void RuleChecks::checkWriters(NodeIndex data) {
  auto writes = in(data, EdgeKind::Write), reduces = in(data, EdgeKind::Reduce);
  expect(writes.empty() || reduces.empty(), Rule::D1);
  for (size_t i = 0; i < writes.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      expect(writes[i].from == writes[j].from &&
                 graph.node(writes[i].from).domain != UINT32_MAX &&
                 writes[i].projection != writes[j].projection,
             Rule::D1);
  for (const Edge &reduce : reduces)
    expect(reduce.reduction == reduces.front().reduction, Rule::D1);
  if (graph.in(data).empty() && !out(data, EdgeKind::Read).empty())
    expect(graph.node(data).isInitial, Rule::D3);
}

/// True if an edge of this kind into the task comes from a version of the same
/// region and fields as `made`.
bool RuleChecks::hasBase(NodeIndex task, NodeIndex made, EdgeKind kind,
                         ReductionIndex reduction) const {
  auto edges = in(task, kind);
  return std::any_of(edges.begin(), edges.end(), [&](const Edge &edge) {
    return isSame(edge.from, made) && edge.reduction == reduction;
  });
}

void RuleChecks::checkTask(NodeIndex task) {
  for (const Edge &write : out(task, EdgeKind::Write))
    expect(hasBase(task, write.to, EdgeKind::Read) ||
               hasBase(task, write.to, EdgeKind::Discard),
           Rule::T1);
  checkReadSet(task);
  for (const Edge &reduce : out(task, EdgeKind::Reduce)) {
    if (hasBase(task, reduce.to, EdgeKind::Continues, reduce.reduction))
      continue;
    auto reach = reachability(graph, /*withHappensBefore=*/false);
    for (NodeIndex node = 0; node < graph.numNodes(); ++node)
      expect(graph.node(node).kind != NodeKind::Region || node == reduce.to ||
                 !reach[node][reduce.to] || !graph.mayAlias(node, reduce.to),
             Rule::T3);
  }
}

/// A task may read two versions that may alias, unless it changes data that one
/// of them may alias. L1 covers launches.
void RuleChecks::checkReadSet(NodeIndex task) {
  if (graph.node(task).domain != UINT32_MAX)
    return;
  auto reads = in(task, EdgeKind::Read);
  for (const Edge &a : reads)
    for (const Edge &b : reads)
      if (a.from != b.from && graph.mayAlias(a.from, b.from))
        for (EdgeKind kind : {EdgeKind::Write, EdgeKind::Reduce})
          for (const Edge &made : out(task, kind))
            expect(!graph.mayAlias(a.from, made.to), Rule::T2);
  // Nor may it receive changed data through two arguments.
  std::vector<Edge> made = out(task, EdgeKind::Write);
  for (const Edge &reduce : out(task, EdgeKind::Reduce))
    made.push_back(reduce);
  for (const Edge &a : made) {
    for (const Edge &b : made)
      expect(a.to == b.to || !graph.mayAlias(a.to, b.to), Rule::T2);
    for (const Edge &read : reads)
      expect(!graph.mayAlias(a.to, read.from) || isSame(read.from, a.to),
             Rule::T2);
  }
}

void RuleChecks::checkOpen(NodeIndex open) {
  auto reads = in(open, EdgeKind::Read), writes = out(open, EdgeKind::Write);
  expect(numEnds(reads, &Edge::from) == 1, Rule::O1);
  expect(!writes.empty(), Rule::O2);
  if (numEnds(reads, &Edge::from) != 1)
    reads.clear();
  for (const Edge &write : writes)
    for (const Edge &read : reads) {
      const Node &inner = graph.node(write.to), &outer = graph.node(read.from);
      expect(inner.region != outer.region &&
                 graph.regions().isBelow(inner.region, outer.region) &&
                 !(inner.fields & ~outer.fields),
             Rule::O2);
    }
  expect(!has(open, EdgeKind::Discard) && !has(open, EdgeKind::Reduce) &&
             !has(open, EdgeKind::Continues),
         Rule::O3);
}

void RuleChecks::checkClose(NodeIndex close) {
  auto reads = in(close, EdgeKind::Read), writes = out(close, EdgeKind::Write);
  expect(numEnds(writes, &Edge::to) == 1, Rule::C1);
  if (numEnds(writes, &Edge::to) != 1)
    writes.clear();
  for (const Edge &write : writes)
    for (const Edge &read : reads) {
      const Node &inner = graph.node(read.from), &outer = graph.node(write.to);
      expect(graph.regions().isBelow(inner.region, outer.region) &&
                 !(inner.fields & ~outer.fields),
             Rule::C2);
    }
  for (const Edge &a : reads)
    for (const Edge &b : reads)
      expect(a.from == b.from ||
                 graph.node(a.from).region != graph.node(b.from).region ||
                 !(graph.node(a.from).fields & graph.node(b.from).fields),
             Rule::C2);
  std::vector<FieldMask> masks;
  for (const Node &node : graph.allNodes())
    masks.push_back(node.fields);
  Places places(world, masks);
  for (const Edge &write : writes) {
    const Node &made = graph.node(write.to);
    for (uint32_t place : places.of(made.region, made.fields))
      expect(std::any_of(reads.begin(), reads.end(),
                         [&](const Edge &read) {
                           const Node &node = graph.node(read.from);
                           return places.contains(node.region, node.fields,
                                                  place);
                         }),
             Rule::C3);
  }
  expect(!has(close, EdgeKind::Discard) && !has(close, EdgeKind::Reduce) &&
             !has(close, EdgeKind::Continues),
         Rule::C4);
}

void RuleChecks::checkVersions() {
  auto reach = reachability(graph, /*withHappensBefore=*/false);
  auto isVersion = [&](NodeIndex node) {
    return graph.node(node).kind == NodeKind::Region &&
           (!graph.in(node).empty() || !graph.out(node).empty());
  };
  for (NodeIndex a = 0; a < graph.numNodes(); ++a)
    for (NodeIndex b = 0; b < a; ++b)
      if (isVersion(a) && isVersion(b) && graph.mayAlias(a, b))
        expect(reach[a][b] || reach[b][a], Rule::D2);
}

/// True if a task's version of the place lies between the two.
bool RuleChecks::isLost(const GraphMeaning &meaning, NodeIndex from,
                        NodeIndex to, uint32_t place) const {
  const auto &reach = meaning.reach();
  for (NodeIndex node = 0; node < graph.numNodes(); ++node) {
    const Node &data = graph.node(node);
    if (data.kind != NodeKind::Region || node == from || node == to ||
        !meaning.allPlaces().contains(data.region, data.fields, place) ||
        !reach[node][to] || !reach[from][node])
      continue;
    for (uint32_t i : graph.in(node))
      if (isTaskLike(graph.node(graph.edge(i).from).kind))
        return true;
  }
  return false;
}

/// A Close or a reduction, which carry a value on, must take the latest value.
void RuleChecks::checkLatest() {
  GraphMeaning meaning(graph, world);
  const Places &places = meaning.allPlaces();
  for (const Edge &edge : graph.allEdges()) {
    const Node &made = graph.node(edge.to);
    if (edge.kind == EdgeKind::Write &&
        graph.node(edge.from).kind == NodeKind::Close) {
      for (uint32_t place : places.of(made.region, made.fields))
        expect(!isLost(meaning, meaning.closedFrom(edge.from, place), edge.to,
                       place),
               Rule::D4);
    }
    if (edge.kind != EdgeKind::Reduce)
      continue;
    for (const Edge &base : in(edge.from, EdgeKind::Continues)) {
      const Node &from = graph.node(base.from);
      if (from.region == made.region)
        for (uint32_t place : places.of(made.region, made.fields & from.fields))
          expect(!isLost(meaning, base.from, edge.to, place), Rule::D4);
    }
  }
}

std::set<Rule> RuleChecks::run() {
  checkEdges();
  auto all = reachability(graph, /*withHappensBefore=*/true);
  for (NodeIndex node = 0; node < graph.numNodes(); ++node)
    expect(!all[node][node], Rule::W1);
  if (!violated.empty())
    return violated;
  for (NodeIndex node = 0; node < graph.numNodes(); ++node) {
    NodeKind kind = graph.node(node).kind;
    if (kind == NodeKind::Region)
      checkWriters(node);
    else if (kind == NodeKind::Open)
      checkOpen(node);
    else if (kind == NodeKind::Close)
      checkClose(node);
    else
      checkTask(node);
  }
  checkVersions();
  if (violated.empty() || violated == std::set<Rule>{Rule::D3})
    checkLatest();
  return violated;
}

std::set<Rule> oracle::naiveViolations(const Graph &graph, const World &world) {
  return RuleChecks(graph, world).run();
}
