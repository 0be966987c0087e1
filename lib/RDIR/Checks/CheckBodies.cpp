//===- CheckBodies.cpp - Values that bodies see from before them ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On one store, an element keeps its earlier value until a task overwrites it.
// Opens, closes and reductions carry values on and, by rule D4, always the
// latest ones. So an element of a version is new if the version itself, or a
// version before it that has the element, was overwritten.
//
//===----------------------------------------------------------------------===//

#include "CheckBodies.h"

#include "../Graph/LaunchPoints.h"
#include "../Graph/VersionClasses.h"
#include "CheckLatest.h"
#include "Coverage.h"

#include <algorithm>

using namespace sluice::rdir;

BodyValues::BodyValues(const Graph &body, NamedFields read)
    : graph(body), read(std::move(read)), digraph(body, EdgeSet::Data),
      order(topologicalOrder(digraph)) {
  if (order.size() == digraph.size())
    reach.emplace(digraph, order);
  for (uint32_t i = 0; i < graph.allEdges().size(); ++i) {
    const Edge &edge = graph.edge(i);
    if (edge.kind == EdgeKind::Write && isCompute(graph.node(edge.from).kind) &&
        !isCompute(graph.node(edge.to).kind))
      writes.push_back(i);
  }
}

/// Returns the fields among the given ones in which the region, or some of its
/// colors, may have elements that neither a write before `until` nor a region
/// that is read covers.
FieldMask BodyValues::notOverwritten(RegionIndex region, FieldMask fields,
                                     NodeIndex until,
                                     const std::vector<int64_t> *colors) {
  const RegionForest &forest = graph.regions();
  std::vector<FieldMask> masks = {fields};
  std::vector<uint32_t> used;
  for (uint32_t index : writes) {
    const Edge &edge = graph.edge(index);
    const Node &made = graph.node(edge.to);
    if (!(made.fields & fields) || !forest.mayAlias(made.region, region) ||
        (until != noNode && !(*reach)(edge.to, until)))
      continue;
    used.push_back(index);
    masks.push_back(made.fields);
  }
  for (auto [other, mask] : read)
    masks.push_back(mask);
  FieldMask missing = 0;
  for (FieldMask part : splitFields(masks)) {
    if (!(part & fields))
      continue;
    Coverage coverage(forest);
    for (uint32_t index : used)
      if ((part & ~graph.node(graph.edge(index).to).fields) == 0)
        addOverwritten(graph, graph.edge(index), coverage);
    for (auto [other, mask] : read)
      if ((part & ~mask) == 0)
        coverage.add(other);
    if (forest.hasConstraints())
      coverage.addConstrained();
    bool isCovered =
        colors ? std::all_of(colors->begin(), colors->end(),
                             [&](int64_t color) {
                               return coverage.containsColor(region, color);
                             })
               : coverage.contains(region);
    if (!isCovered)
      missing |= part & fields;
  }
  return missing;
}

FieldMask BodyValues::seenFromBefore(const Edge &edge) {
  for (uint32_t index : graph.in(edge.from))
    if (graph.edge(index).kind == EdgeKind::Write &&
        overwrites(graph, graph.edge(index)))
      return 0;
  const Node &version = graph.node(edge.from);
  std::optional<std::vector<int64_t>> colors;
  if (edge.projection != UINT32_MAX)
    colors = linearColors(graph, edge, edge.to);
  return notOverwritten(version.region, version.fields, edge.from,
                        colors ? &*colors : nullptr);
}

FieldMask BodyValues::leftFromBefore(RegionIndex region, FieldMask fields) {
  return notOverwritten(region, fields, noNode, nullptr);
}
