//===- ProgramVersions.cpp - The current versions of a tree ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each version has one Open for everything that is opened from it. Each opened
// region is closed at most once, so the work is proportional to the number of
// accesses times the depth of the forest.
//
//===----------------------------------------------------------------------===//

#include "ProgramVersions.h"

#include <algorithm>

using namespace sluice::rdir;

RegionIndex VersionTree::above(RegionIndex region) const {
  if (region == root)
    return noRegion;
  const RegionForest &forest = graph.regions();
  return forest.hasConstraints() ? root : forest.parent(region);
}

/// True if an open region below `parent` may alias `region`.
bool VersionTree::isBlocked(RegionIndex region, RegionIndex parent) const {
  const RegionForest &forest = graph.regions();
  const auto &siblings = states.at(parent).openChildren;
  if (siblings.empty())
    return false;
  if (forest.hasConstraints())
    return std::any_of(
        siblings.begin(), siblings.end(),
        [&](RegionIndex other) { return forest.mayAlias(region, other); });
  return forest.kind(parent) != RegionKind::Partition ||
         !forest.isDisjoint(parent);
}

void VersionTree::setVersion(State &state, NodeIndex version) {
  state.current = version;
  state.open = noNode;
  state.writer = noNode;
  state.reduction = noReduction;
}

void VersionTree::open(RegionIndex region, RegionIndex parent) {
  State &from = states[parent];
  if (from.open == noNode) {
    from.open = graph.addCompute(NodeKind::Open);
    graph.addEdge({.from = current(parent), .to = from.open});
  }
  NodeIndex open = from.open;
  from.openChildren.push_back(region);
  State &state = states[region];
  setVersion(state, graph.addRegion(region, fields));
  graph.addEdge(
      {.from = open, .to = state.current, .kind = EdgeKind::Write, .port = 1});
}

/// Makes a version of the region from its own version and all versions open
/// below it.
void VersionTree::close(RegionIndex region) {
  std::vector<RegionIndex> children = std::move(states[region].openChildren);
  states[region].openChildren.clear();
  for (RegionIndex child : children)
    if (!states[child].openChildren.empty())
      close(child);
  NodeIndex close = graph.addCompute(NodeKind::Close);
  uint32_t port = 0;
  graph.addEdge({.from = current(region), .to = close, .port = port++});
  for (RegionIndex child : children) {
    graph.addEdge({.from = current(child), .to = close, .port = port++});
    states.erase(child);
  }
  State &state = states[region];
  setVersion(state, graph.addRegion(region, fields));
  state.isWrittenBelow = false;
  graph.addEdge({.from = close,
                 .to = state.current,
                 .kind = EdgeKind::Write,
                 .port = port});
}

void VersionTree::prepare(RegionIndex region, bool isRead) {
  std::vector<RegionIndex> path;
  for (RegionIndex at = region; at != noRegion && !states.count(at);
       at = above(at))
    path.push_back(at);
  for (; !path.empty(); path.pop_back()) {
    RegionIndex next = path.back(), parent = above(next);
    if (parent == noRegion) {
      states[next].current = graph.addRegion(next, fields, /*isInitial=*/true);
      continue;
    }
    if (isBlocked(next, parent))
      close(parent);
    open(next, parent);
  }
  State &state = states[region];
  if (!state.openChildren.empty() && (!isRead || state.isWrittenBelow))
    close(region);
}

/// An access that finds a version finds all reductions into it.
NodeIndex VersionTree::current(RegionIndex region) {
  State &state = states.at(region);
  state.reduction = noReduction;
  return state.current;
}

/// Marks all ancestors: a region open below them has a different value.
void VersionTree::markWritten(RegionIndex region) {
  for (RegionIndex at = above(region); at != noRegion; at = above(at)) {
    State &state = states.at(at);
    if (state.isWrittenBelow)
      return;
    state.isWrittenBelow = true;
  }
}

NodeIndex VersionTree::write(RegionIndex region, NodeIndex task) {
  State &state = states.at(region);
  if (state.writer == task)
    return state.current;
  setVersion(state, graph.addRegion(region, fields));
  state.writer = task;
  markWritten(region);
  return state.current;
}

VersionTree::Reduction VersionTree::reduce(RegionIndex region,
                                           ReductionIndex reduction) {
  State &state = states.at(region);
  if (state.reduction != reduction) {
    NodeIndex continued = state.current;
    setVersion(state, graph.addRegion(region, fields));
    state.reduction = reduction;
    state.continued = continued;
    markWritten(region);
  }
  return {state.continued, state.current};
}
