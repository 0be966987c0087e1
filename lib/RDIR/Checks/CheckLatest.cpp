//===- CheckLatest.cpp - Rule D4 ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usually the earlier version itself is carried on, or a version that is
// carried on comes after it and covers it. Otherwise the version is traced back
// to the source of its values: versions that Opens and Closes made, and that no
// task has written since, may be left out.
//
//===----------------------------------------------------------------------===//

#include "CheckLatest.h"

#include "../Graph/LaunchPoints.h"
#include "../Graph/VersionClasses.h"
#include "CheckOpenClose.h"
#include "Coverage.h"

#include <algorithm>
#include <set>

using namespace sluice::rdir;

bool sluice::rdir::overwrites(const Graph &graph, const Edge &write) {
  const Node &writer = graph.node(write.from);
  if (!isTaskLike(writer.kind) || writer.mayNotRun)
    return false;
  return write.projection == UINT32_MAX ||
         coversColors(graph.domain(writer.domain),
                      graph.projection(write.projection));
}

void sluice::rdir::addOverwritten(const Graph &graph, const Edge &write,
                                  Coverage &coverage) {
  RegionIndex region = graph.node(write.to).region;
  if (overwrites(graph, write))
    return coverage.add(region);
  if (write.projection == UINT32_MAX ||
      !isTaskLike(graph.node(write.from).kind))
    return;
  if (auto colors = linearColors(graph, write, write.from))
    for (int64_t color : *colors)
      coverage.addColor(region, color);
}

/// True for an edge whose version goes on into `version`.
bool LatestCheck::isSource(const Flow &flow, NodeIndex version, EdgeKind kind,
                           const Edge &edge) const {
  const Node &made = graph.node(version), &from = graph.node(edge.from);
  if (isCompute(from.kind) || (made.fields & from.fields) == 0)
    return false;
  if (graph.node(flow.node).kind == NodeKind::Close)
    return edge.kind == EdgeKind::Read;
  if (from.region != made.region)
    return false;
  if (graph.node(flow.node).kind == NodeKind::Loop && kind == EdgeKind::Write)
    return edge.kind == EdgeKind::Discard;
  if (kind == EdgeKind::Reduce)
    return edge.kind == EdgeKind::Continues;
  return edge.kind == EdgeKind::Read || edge.kind == EdgeKind::Discard;
}

void LatestCheck::addFlow(NodeIndex node, NodeIndex version, EdgeKind kind) {
  Flow flow = {node, {}};
  for (uint32_t index : graph.in(node))
    if (isSource(flow, version, kind, graph.edge(index)))
      flow.sources.push_back(graph.edge(index).from);
  std::sort(flow.sources.begin(), flow.sources.end());
  bool isKnown =
      std::any_of(flows.begin(), flows.end(), [&](const Flow &other) {
        return other.sources == flow.sources;
      });
  if (!flow.sources.empty() && !isKnown)
    flows.push_back(std::move(flow));
}

void LatestCheck::findFlows(NodeIndex version) {
  if (current == version)
    return;
  current = version;
  isReported = false;
  flows.clear();
  for (uint32_t index : graph.in(version)) {
    const Edge &edge = graph.edge(index);
    NodeKind kind = graph.node(edge.from).kind;
    bool isPartial = edge.kind == EdgeKind::Write && isTaskLike(kind) &&
                     !overwrites(graph, edge);
    if (kind == NodeKind::Close || edge.kind == EdgeKind::Reduce || isPartial)
      addFlow(edge.from, version, edge.kind);
  }
}

/// True if, for all elements that `part` has in common with `later`, the
/// versions carried on have values at least as new as `version`. The values of
/// `part` come from `version`.
bool LatestCheck::isReplaced(const Flow &flow, NodeIndex version,
                             NodeIndex part, NodeIndex later) const {
  if (std::binary_search(flow.sources.begin(), flow.sources.end(), version))
    return true;
  std::vector<NodeIndex> newer;
  for (NodeIndex source : flow.sources)
    if (graph.mayAlias(source, version) && reaches(version, source)) {
      if (graph.node(source).region == graph.node(later).region &&
          graph.node(source).fields == graph.node(later).fields)
        return true;
      newer.push_back(source);
    }
  FieldMask shared = graph.node(part).fields & graph.node(later).fields;
  for (NodeIndex whole : {part, version, later})
    if ((uncoveredFields(graph, whole, newer) & shared) == 0)
      return true;
  return false;
}

/// True if a launch changes only some colors of a version, and the versions
/// carried on have newer values of all these colors. The values that the launch
/// leaves unchanged come from before it.
bool LatestCheck::isOnlyReplaced(const Flow &flow, const Edge &change,
                                 FieldMask fields) const {
  const Node &writer = graph.node(change.from), &made = graph.node(change.to);
  if (change.projection == UINT32_MAX || writer.domain == UINT32_MAX)
    return false;
  auto colors = linearColors(graph, change, change.from);
  if (!colors)
    return false;
  std::vector<NodeIndex> newer;
  std::vector<FieldMask> masks = {made.fields & fields};
  for (NodeIndex source : flow.sources)
    if (graph.mayAlias(source, change.to) && reaches(change.to, source)) {
      newer.push_back(source);
      masks.push_back(graph.node(source).fields);
    }
  for (FieldMask part : splitFields(masks)) {
    if ((part & made.fields & fields) == 0)
      continue;
    Coverage coverage(graph.regions());
    for (NodeIndex source : newer)
      if ((part & ~graph.node(source).fields) == 0)
        coverage.add(graph.node(source).region);
    if (graph.regions().hasConstraints())
      coverage.addConstrained();
    for (int64_t color : *colors)
      if (!coverage.containsColor(made.region, color))
        return false;
  }
  return true;
}

/// The version of a task that is lost if `earlier` is left out; noNode if there
/// is none.
NodeIndex LatestCheck::findLost(const Flow &flow, NodeIndex earlier,
                                NodeIndex later) const {
  std::vector<NodeIndex> pending = {earlier};
  std::set<NodeIndex> seen = {earlier};
  while (!pending.empty()) {
    NodeIndex version = pending.back();
    pending.pop_back();
    if (isReplaced(flow, version, earlier, later))
      continue;
    for (uint32_t index : graph.in(version)) {
      NodeIndex writer = graph.edge(index).from;
      if (isTaskLike(graph.node(writer).kind) &&
          !isOnlyReplaced(flow, graph.edge(index), graph.node(later).fields))
        return version;
      for (uint32_t read : graph.in(writer)) {
        NodeIndex from = graph.edge(read).from;
        if (!isCompute(graph.node(from).kind) &&
            graph.mayAlias(from, earlier) && graph.mayAlias(from, later) &&
            seen.insert(from).second)
          pending.push_back(from);
      }
    }
  }
  return noNode;
}

void LatestCheck::reportLost(const Flow &flow, NodeIndex lost,
                             NodeIndex later) {
  Problem *problem = report.add(Rule::D4, flow.node);
  if (!problem)
    return;
  NodeIndex writer = graph.edge(graph.in(lost)[0]).from;
  bool isClose = graph.node(flow.node).kind == NodeKind::Close;
  problem->message =
      report.name(flow.node) + " makes " + report.describe(later) + ", from " +
      report.name(flow.sources.front()) +
      (flow.sources.size() > 1 ? " and others" : "") + ", but " +
      report.describe(lost) + ", is later, and what " + report.name(writer) +
      " wrote is lost; " + (isClose ? "let the close read " : "continue ") +
      report.name(lost) + " or a version that comes after it";
  for (NodeIndex source : flow.sources)
    if (problem->notes.size() < 16)
      problem->notes.push_back({source, "values are carried on from here"});
  problem->notes.push_back({lost, "the later version is here"});
  problem->edges.push_back(
      {.from = lost,
       .to = flow.node,
       .isPresent = false,
       .kind = isClose ? EdgeKind::Read : EdgeKind::Continues});
}

void LatestCheck::meet(NodeIndex earlier, NodeIndex later) {
  findFlows(later);
  for (const Flow &flow : flows) {
    if (isReported)
      return;
    NodeIndex lost = findLost(flow, earlier, later);
    // Elements that a close does not cover break rule C3 instead.
    if (lost == noNode || (graph.node(flow.node).kind == NodeKind::Close &&
                           uncoveredFields(graph, later, flow.sources) != 0))
      continue;
    isReported = true;
    reportLost(flow, lost, later);
  }
}
