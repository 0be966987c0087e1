//===- VersionSweep.cpp - Which versions meet, in order -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Versions are placed at their canonical regions: a version of a complete
// partition covers what a version of its parent does.
//
//===----------------------------------------------------------------------===//

#include "VersionSweep.h"

#include <algorithm>

using namespace sluice::rdir;

bool sluice::rdir::mayChildrenAlias(const RegionForest &forest,
                                    RegionIndex region) {
  if (forest.kind(region) == RegionKind::Partition)
    return !forest.isDisjoint(region) && forest.numColors(region) != 1;
  return forest.numPartitions(region) > 1;
}

VersionSweep::VersionSweep(const Graph &graph,
                           std::span<const uint32_t> position, Meet meet)
    : graph(graph), forest(graph.regions()), position(position),
      meet(std::move(meet)), places(forest.size()),
      consumedIn(graph.numNodes()) {}

void VersionSweep::run(const VersionClass &versions) {
  ++classNumber;
  if (versions.versions.size() < 2)
    return;
  if (versions.isConstrained)
    return runConstrained(versions);
  for (NodeIndex version : versions.versions)
    addToForest(version);
  clear(versions.group);
  places[versions.group] = Place();
}

void VersionSweep::addToForest(NodeIndex version) {
  RegionIndex region = forest.canonical(graph.node(version).region);
  metUpTo = -1;
  meetAbove(version, region);
  for (RegionIndex child = region, above = forest.parent(child);
       above != noRegion; child = above, above = forest.parent(child))
    if (mayChildrenAlias(forest, above))
      meetBeside(version, above, child);
  consumeBelow(version, region);
  places[region].latest = version;
  activate(region);
}

void VersionSweep::consume(NodeIndex earlier, NodeIndex later) {
  meet(earlier, later);
  consumedIn[earlier] = classNumber;
}

/// Meets the latest version at the region or above it.
void VersionSweep::meetAbove(NodeIndex version, RegionIndex region) {
  RegionIndex at = region;
  while (at != noRegion && places[at].latest == noNode)
    at = forest.parent(at);
  if (at == noRegion)
    return;
  NodeIndex latest = places[at].latest;
  metUpTo = position[latest];
  if (at == region)
    consume(latest, version);
  else
    meet(latest, version);
}

/// Meets the latest run below other children of `above` than `child`.
void VersionSweep::meetBeside(NodeIndex version, RegionIndex above,
                              RegionIndex child) {
  constexpr unsigned maxUnordered = 4;
  RunPair &pair = runs[above];
  Run &other = pair.latest.child != child ? pair.latest : pair.before;
  std::erase_if(other.versions, [&](NodeIndex earlier) {
    return consumedIn[earlier] == classNumber;
  });
  unsigned numUnordered = 0;
  for (auto it = other.versions.rbegin();
       it != other.versions.rend() && numUnordered < maxUnordered; ++it) {
    if (int64_t(position[*it]) <= metUpTo)
      break;
    if (!meet(*it, version))
      ++numUnordered;
  }
  if (pair.latest.child != child) {
    std::swap(pair.latest, pair.before);
    pair.latest.child = child;
    pair.latest.versions.clear();
  }
  pair.latest.versions.push_back(version);
}

void VersionSweep::consumeBelow(NodeIndex version, RegionIndex region) {
  stack.clear();
  for (RegionIndex child = places[region].firstActive; child != noRegion;
       child = places[child].nextActive)
    stack.push_back(child);
  for (size_t i = 0; i < stack.size(); ++i) {
    const Place &place = places[stack[i]];
    if (place.latest != noNode)
      consume(place.latest, version);
    for (RegionIndex child = place.firstActive; child != noRegion;
         child = places[child].nextActive)
      stack.push_back(child);
  }
  clear(region);
}

/// Forgets all versions below the region.
void VersionSweep::clear(RegionIndex region) {
  stack.assign(1, region);
  for (size_t i = 0; i < stack.size(); ++i) {
    if (mayChildrenAlias(forest, stack[i]))
      runs.erase(stack[i]);
    for (RegionIndex child = places[stack[i]].firstActive; child != noRegion;
         child = places[child].nextActive)
      stack.push_back(child);
    if (i == 0)
      places[region].firstActive = noRegion;
    else
      places[stack[i]] = Place();
  }
}

void VersionSweep::activate(RegionIndex region) {
  while (!places[region].isActive) {
    places[region].isActive = true;
    RegionIndex above = forest.parent(region);
    if (above == noRegion)
      return;
    places[region].nextActive = places[above].firstActive;
    places[above].firstActive = region;
    region = above;
  }
}

std::unordered_map<RegionIndex, std::vector<RegionIndex>>
sluice::rdir::aliasingRegions(const Graph &graph,
                              const VersionClass &versions) {
  const RegionForest &forest = graph.regions();
  std::unordered_map<RegionIndex, std::vector<RegionIndex>> result;
  std::vector<RegionIndex> regions;
  for (NodeIndex version : versions.versions) {
    RegionIndex region = forest.canonical(graph.node(version).region);
    if (!result.try_emplace(region).second)
      continue;
    for (RegionIndex other : regions)
      if (forest.mayAlias(region, other)) {
        result[region].push_back(other);
        result[other].push_back(region);
      }
    result[region].push_back(region);
    regions.push_back(region);
  }
  return result;
}

/// Constraints decide what aliases: pairs of regions are compared once.
void VersionSweep::runConstrained(const VersionClass &versions) {
  auto aliasing = aliasingRegions(graph, versions);
  for (NodeIndex version : versions.versions) {
    RegionIndex region = forest.canonical(graph.node(version).region);
    NodeIndex before = places[region].latest;
    metUpTo = before == noNode ? -1 : int64_t(position[before]);
    for (RegionIndex other : aliasing[region]) {
      NodeIndex &latest = places[other].latest;
      if (latest == noNode)
        continue;
      bool isCovered = forest.isSubregion(other, region);
      if (int64_t(position[latest]) >= metUpTo)
        meet(latest, version);
      if (isCovered)
        latest = noNode;
    }
    places[region].latest = version;
  }
  for (const auto &entry : aliasing)
    places[entry.first].latest = noNode;
}
