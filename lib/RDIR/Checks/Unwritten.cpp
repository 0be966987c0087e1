//===- Unwritten.cpp - Reads of what has no value -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a version that a launch over some colors made, the way back leads over
// what it started from, as long as that was made so too. If it ends at a
// version without a writer, only the colors that were written on the way have
// values.
//
//===----------------------------------------------------------------------===//

#include "sluice/RDIR/Unwritten.h"
#include "../Graph/LaunchPoints.h"
#include "CheckLatest.h"
#include "Coverage.h"

#include <algorithm>

using namespace sluice::rdir;

namespace {
/// The way back from a version.
struct WayBack {
  NodeIndex origin = noNode;
  std::vector<uint32_t> writes;
};
} // namespace

/// The only edge into a version, if it is the Write of a launch over some
/// colors, which are known; else UINT32_MAX.
static uint32_t partialWrite(const Graph &graph, NodeIndex version) {
  if (graph.in(version).size() != 1)
    return UINT32_MAX;
  const uint32_t index = graph.in(version)[0];
  const Edge &edge = graph.edge(index);
  return edge.kind == EdgeKind::Write &&
                 isTaskLike(graph.node(edge.from).kind) &&
                 edge.projection != UINT32_MAX && !overwrites(graph, edge) &&
                 linearColors(graph, edge, edge.from)
             ? index
             : UINT32_MAX;
}

/// The version that a launch over some colors starts from; noNode if there are
/// several, or one without a writer that it reads: of that it is told itself.
static NodeIndex startOf(const Graph &graph, const Edge &write) {
  const Node &made = graph.node(write.to);
  NodeIndex start = noNode;
  for (uint32_t index : graph.in(write.from)) {
    const Edge &edge = graph.edge(index);
    const Node &from = graph.node(edge.from);
    if (isCompute(from.kind) || from.region != made.region ||
        from.fields != made.fields ||
        (edge.kind != EdgeKind::Discard && edge.kind != EdgeKind::Read))
      continue;
    if ((start != noNode && start != edge.from) ||
        (edge.kind == EdgeKind::Read && graph.in(edge.from).empty()))
      return noNode;
    start = edge.from;
  }
  return start;
}

static WayBack wayBack(const Graph &graph, NodeIndex version) {
  constexpr size_t maxWrites = 1000;
  WayBack way;
  while (version != noNode && way.writes.size() < maxWrites) {
    if (graph.in(version).empty()) {
      way.origin = graph.node(version).isInitial ? noNode : version;
      return way;
    }
    const uint32_t write = partialWrite(graph, version);
    if (write == UINT32_MAX)
      return way;
    way.writes.push_back(write);
    version = startOf(graph, graph.edge(write));
  }
  return way;
}

/// True unless the reader surely sees elements that are not covered.
static bool readsCovered(const Graph &graph, const Edge &read,
                         Coverage coverage) {
  const NodeIndex reader = read.to;
  const Node &version = graph.node(read.from);
  if (graph.node(reader).kind == NodeKind::Open) {
    for (uint32_t index : graph.out(reader))
      if (const Edge &opened = graph.edge(index);
          opened.kind == EdgeKind::Write &&
          (graph.node(opened.to).fields & version.fields) != 0 &&
          !coverage.contains(graph.node(opened.to).region))
        return false;
    return true;
  }
  if (graph.node(reader).kind == NodeKind::Close)
    for (uint32_t index : graph.in(reader))
      if (const Edge &other = graph.edge(index); other.from != read.from)
        coverage.add(graph.node(other.from).region);
  if (read.projection == UINT32_MAX)
    return coverage.contains(version.region);
  auto colors = linearColors(graph, read, reader);
  return !colors ||
         std::all_of(colors->begin(), colors->end(), [&](int64_t color) {
           return coverage.containsColor(version.region, color);
         });
}

std::optional<UnwrittenRead>
sluice::rdir::findUnwrittenRead(const Graph &graph, NodeIndex version) {
  if (isCompute(graph.node(version).kind) || graph.node(version).isInitial ||
      graph.out(version).empty())
    return std::nullopt;
  const WayBack way = wayBack(graph, version);
  if (way.origin == noNode)
    return std::nullopt;
  Coverage coverage(graph.regions());
  for (uint32_t write : way.writes)
    addOverwritten(graph, graph.edge(write), coverage);
  if (!way.writes.empty() && graph.regions().hasConstraints())
    coverage.addConstrained();
  for (uint32_t index : graph.out(version)) {
    const Edge &edge = graph.edge(index);
    if (edge.kind == EdgeKind::Read &&
        (way.writes.empty() || !readsCovered(graph, edge, coverage)))
      return UnwrittenRead{.reader = edge.to,
                           .version = version,
                           .origin = way.origin,
                           .writer = way.writes.empty()
                                         ? noNode
                                         : graph.edge(way.writes[0]).from};
  }
  return std::nullopt;
}
