//===- SerialSweep.cpp - Rule R* in near-linear time ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Versions are placed at their canonical regions, as in VersionSweep.cpp.
//
//===----------------------------------------------------------------------===//

#include "SerialSweep.h"

#include "../Graph/VersionSweep.h"

#include <algorithm>

using namespace sluice::rdir;

void SerialSweep::LastEvents::set(Event event) {
  unsigned last = 0;
  while (last < 2 && events[last].child != event.child)
    ++last;
  std::move_backward(events, events + last, events + last + 1);
  events[0] = event;
}

const SerialSweep::Event &
SerialSweep::LastEvents::notBelow(RegionIndex child, unsigned number) const {
  for (const Event &event : events)
    if (event.child != child && number-- == 0)
      return event;
  static const Event never;
  return never;
}

void SerialSweep::LastWrites::add(Time time, RegionIndex siblingsAt) {
  if (time > newest) {
    second = newest;
    newest = time;
    newestAt = siblingsAt;
  } else {
    second = std::max(second, time);
  }
}

SerialSweep::SerialSweep(const Graph &graph, std::span<const uint32_t> position,
                         SerialCollector &collector)
    : graph(graph), forest(graph.regions()), position(position),
      collector(collector), places(forest.size()) {}

void SerialSweep::run(const VersionClass &versions) {
  if (versions.versions.size() < 2)
    return;
  if (versions.isConstrained) {
    runConstrained(versions);
  } else {
    for (NodeIndex version : versions.versions) {
      RegionIndex region = forest.canonical(graph.node(version).region);
      if (collector.begin(version)) {
        addWrite(version, region);
        collector.end();
      }
      if (collector.hasReaders(version))
        addReads(version, region);
    }
  }
  for (RegionIndex region : used)
    places[region] = Place();
  used.clear();
  siblingsOf.clear();
}

/// The oldest of the versions that the reducers of this version continue.
/// Versions after it need not come before all reducers.
SerialSweep::Time SerialSweep::oldestBase(NodeIndex version) const {
  Time oldest = UINT32_MAX;
  for (NodeIndex writer : collector.writers()) {
    Time newest = 0;
    for (uint32_t index : graph.in(writer)) {
      const Edge &edge = graph.edge(index);
      if (edge.kind == EdgeKind::Continues &&
          graph.node(edge.from).region == graph.node(version).region)
        newest = std::max(newest, position[edge.from] + 1);
    }
    oldest = std::min(oldest, newest);
  }
  return oldest;
}

SerialSweep::LastWrites SerialSweep::lastWritesBefore(RegionIndex region) {
  LastWrites last;
  last.add(places[region].lastWriteBelow, noRegion);
  for (RegionIndex child = region, above = forest.parent(region);
       above != noRegion; child = above, above = forest.parent(above)) {
    last.add(places[above].lastWrite, noRegion);
    if (!mayChildrenAlias(forest, above))
      continue;
    if (auto it = siblingsOf.find(above); it != siblingsOf.end())
      last.add(it->second.writes.notBelow(child, 0).time, above);
  }
  return last;
}

void SerialSweep::waitForPlace(Place &place, Time last) {
  for (NodeIndex version : place.special)
    if (position[version] + 1 >= last)
      collector.waitForSpecial(version);
  if (place.lastRead < last || place.log.empty())
    return;
  if (place.joinEnd < place.log.size())
    place.join = collector.join(
        place.join,
        std::span<const NodeIndex>(place.log).subspan(place.joinEnd));
  place.joinEnd = place.log.size();
  if (place.join)
    collector.waitFor(place.join);
}

void SerialSweep::waitForSiblings(Siblings &siblings, RegionIndex child,
                                  Time last) {
  for (auto [version, other] : siblings.special)
    if (other != child && position[version] + 1 > last)
      collector.waitForSpecial(version);
  if (siblings.reads.notBelow(child, 0).time <= last)
    return;
  // Each older read is below a child that differs from the child of one of the
  // last two writes.
  const Event &implied = siblings.writes.notBelow(child, 1);
  size_t begin = limited(implied.time) == 0 ? 0 : implied.index;
  SiblingJoin &join = siblings.joins[child];
  if (join.end < begin || join.begin > begin)
    join = {begin, begin, SerialSource()};
  std::vector<NodeIndex> versions;
  for (size_t i = join.end; i < siblings.log.size(); ++i)
    if (siblings.log[i].second != child)
      versions.push_back(siblings.log[i].first);
  join.end = siblings.log.size();
  join.join = collector.join(join.join, versions);
  if (join.join)
    collector.waitFor(join.join);
}

void SerialSweep::waitAbove(RegionIndex region) {
  LastWrites last = lastWritesBefore(region);
  for (RegionIndex child = region, above = forest.parent(region);
       above != noRegion; child = above, above = forest.parent(above)) {
    waitForPlace(places[above], limited(last.newest));
    if (!mayChildrenAlias(forest, above))
      continue;
    if (auto it = siblingsOf.find(above); it != siblingsOf.end())
      waitForSiblings(it->second, child, limited(last.without(above)));
  }
}

/// Waits for all reads at and below the region, and removes them.
void SerialSweep::consume(RegionIndex region) {
  stack.assign(1, region);
  for (size_t i = 0; i < stack.size(); ++i) {
    Place &place = places[stack[i]];
    for (NodeIndex version : place.log)
      collector.waitForAll(version);
    for (RegionIndex child = place.firstActive; child != noRegion;
         child = places[child].nextActive)
      stack.push_back(child);
    place.log.clear();
    place.special.clear();
    place.joinEnd = 0;
    place.join = SerialSource();
    place.firstActive = noRegion;
    if (i != 0)
      place.isActive = false;
    if (mayChildrenAlias(forest, stack[i]))
      siblingsOf.erase(stack[i]);
  }
}

void SerialSweep::activate(RegionIndex region) {
  while (!places[region].isActive) {
    places[region].isActive = true;
    used.push_back(region);
    RegionIndex above = forest.parent(region);
    if (above == noRegion)
      return;
    places[region].nextActive = places[above].firstActive;
    places[above].firstActive = region;
    region = above;
  }
}

void SerialSweep::addWrite(NodeIndex version, RegionIndex region) {
  newestUsable =
      collector.writers().size() > 1 ? oldestBase(version) : UINT32_MAX;
  waitAbove(region);
  consume(region);
  Time now = position[version] + 1;
  activate(region);
  places[region].lastWrite = places[region].lastWriteBelow = now;
  for (RegionIndex child = region, above = forest.parent(region);
       above != noRegion; child = above, above = forest.parent(above)) {
    places[above].lastWriteBelow = now;
    if (mayChildrenAlias(forest, above)) {
      Siblings &siblings = siblingsOf[above];
      siblings.writes.set({child, now, siblings.log.size()});
    }
  }
}

void SerialSweep::addReads(NodeIndex version, RegionIndex region) {
  Time now = position[version] + 1;
  Place &place = places[region];
  activate(region);
  place.log.push_back(version);
  if (collector.hasPlainReaders(version))
    place.lastRead = now;
  if (collector.hasSpecialReaders(version))
    place.special.push_back(version);
  for (RegionIndex child = region, above = forest.parent(region);
       above != noRegion; child = above, above = forest.parent(above)) {
    if (!mayChildrenAlias(forest, above))
      continue;
    Siblings &siblings = siblingsOf[above];
    if (collector.hasPlainReaders(version)) {
      siblings.log.push_back({version, child});
      siblings.reads.set({child, now, siblings.log.size()});
    }
    if (collector.hasSpecialReaders(version))
      siblings.special.push_back({version, child});
  }
}

/// For constrained classes, where constraints decide what aliases. Each pair of
/// regions is compared once.
void SerialSweep::runConstrained(const VersionClass &versions) {
  auto aliasing = aliasingRegions(graph, versions);
  for (NodeIndex version : versions.versions) {
    RegionIndex region = forest.canonical(graph.node(version).region);
    Place &place = places[region];
    if (!place.isActive)
      used.push_back(region);
    place.isActive = true;
    if (collector.begin(version)) {
      newestUsable =
          collector.writers().size() > 1 ? oldestBase(version) : UINT32_MAX;
      Time last = limited(place.lastWrite);
      for (RegionIndex other : aliasing[region]) {
        if (forest.isSubregion(other, region))
          consume(other);
        else
          waitForPlace(places[other], last);
      }
      collector.end();
      place.lastWrite = position[version] + 1;
    }
    if (!collector.hasReaders(version))
      continue;
    place.log.push_back(version);
    if (collector.hasPlainReaders(version))
      place.lastRead = position[version] + 1;
    if (collector.hasSpecialReaders(version))
      place.special.push_back(version);
  }
}
