//===- VersionSweep.cpp - Pairs of versions that meet, in order -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Versions are placed at their canonical regions: a version of a complete
// partition covers the same elements as a version of its parent.
//
//===----------------------------------------------------------------------===//

#include "VersionSweep.h"

#include <algorithm>
#include <unordered_set>

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

/// Calls `meet` with the latest version at the region or above it.
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

/// Calls `meet` with the latest run below children of `above` other than
/// `child`.
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

namespace {
/// Finds the regions of a set that may share elements with a given one.
/// Constraints between regions of one root only separate regions that the
/// forest does not, so the forest selects the regions to compare.
class AliasSearch {
public:
  explicit AliasSearch(const RegionForest &forest) : forest(forest) {}

  void add(RegionIndex region);
  /// Returns the regions in the order in which they were added, including
  /// `region`.
  std::vector<RegionIndex> find(RegionIndex region);

  const std::vector<RegionIndex> &all() const { return regions; }

private:
  void visit(RegionIndex region, RegionIndex other);
  void visitBelow(RegionIndex region, RegionIndex top);

  const RegionForest &forest;
  std::vector<RegionIndex> regions, roots, stack;
  std::unordered_map<RegionIndex, uint32_t> numbers;
  /// The part of the forest that leads to the regions.
  std::unordered_set<RegionIndex> isKnown;
  std::unordered_map<RegionIndex, std::vector<RegionIndex>> children;
  std::vector<uint32_t> found;
};
} // namespace

void AliasSearch::add(RegionIndex region) {
  if (!numbers.try_emplace(region, regions.size()).second)
    return;
  regions.push_back(region);
  for (RegionIndex at = region; isKnown.insert(at).second;
       at = forest.parent(at)) {
    if (forest.parent(at) == noRegion) {
      roots.push_back(at);
      return;
    }
    children[forest.parent(at)].push_back(at);
  }
}

void AliasSearch::visit(RegionIndex region, RegionIndex other) {
  auto number = numbers.find(other);
  if (number != numbers.end() && forest.mayAlias(region, other))
    found.push_back(number->second);
}

void AliasSearch::visitBelow(RegionIndex region, RegionIndex top) {
  stack.assign(1, top);
  while (!stack.empty()) {
    RegionIndex at = stack.back();
    stack.pop_back();
    visit(region, at);
    if (auto below = children.find(at); below != children.end())
      stack.insert(stack.end(), below->second.begin(), below->second.end());
  }
}

std::vector<RegionIndex> AliasSearch::find(RegionIndex region) {
  found.clear();
  visitBelow(region, region);
  for (RegionIndex child = region, above = forest.parent(child);
       above != noRegion; child = above, above = forest.parent(above)) {
    visit(region, above);
    if (mayChildrenAlias(forest, above))
      for (RegionIndex other : children[above])
        if (other != child)
          visitBelow(region, other);
  }
  // Constraints may join roots.
  for (RegionIndex root : roots)
    if (root != forest.root(region))
      visitBelow(region, root);
  std::sort(found.begin(), found.end());
  std::vector<RegionIndex> result;
  for (uint32_t number : found)
    result.push_back(regions[number]);
  return result;
}

std::unordered_map<RegionIndex, std::vector<RegionIndex>>
sluice::rdir::aliasingRegions(const Graph &graph,
                              const VersionClass &versions) {
  AliasSearch search(graph.regions());
  for (NodeIndex version : versions.versions)
    search.add(graph.regions().canonical(graph.node(version).region));
  std::unordered_map<RegionIndex, std::vector<RegionIndex>> result;
  for (RegionIndex region : search.all())
    result[region] = search.find(region);
  return result;
}

/// For constrained classes, where constraints decide what aliases. Each pair of
/// regions is compared once.
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
