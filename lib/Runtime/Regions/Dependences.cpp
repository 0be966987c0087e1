//===- Dependences.cpp - Finding the orders between tasks -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks a graph in serial order.
//
//===----------------------------------------------------------------------===//

#include "Dependences.h"

using namespace sluice;
using namespace sluice::regions;

DependenceFinder::DependenceFinder(Expansion &expansion, OverlapTable &overlaps)
    : expansion(expansion), table(expansion.table), overlaps(overlaps),
      seenBy(table.tasks.size(), 0) {
  history.resize(expansion.numStores);
}

void DependenceFinder::run() {
  walkSteps(0, table.steps.size() - 1);
  gatherOrders();
  dropImpliedOrders(table);
}

//===----------------------------------------------------------------------===//
// Walking
//===----------------------------------------------------------------------===//

void DependenceFinder::walkSteps(uint32_t begin, uint32_t end) {
  for (uint32_t step = begin; step < end;) {
    if (table.steps[step].kind == TableStep::LoopBegin) {
      step = walkLoop(step);
      continue;
    }
    if (table.steps[step].kind == TableStep::Block)
      for (const auto &launch : expansion.blocks[table.steps[step].index])
        visit(*launch);
    ++step;
  }
}

/// Returns the step after the loop.
uint32_t DependenceFinder::walkLoop(uint32_t begin) {
  const TableStep &loop = table.steps[begin];
  const uint32_t behind = loop.target;
  if (loop.count <= 0)
    return behind;
  bool mayNotRun = table.loops[loop.index].testTask != UINT32_MAX;
  History::Heads before;
  const std::vector<uint32_t> hostsBefore = lastHosts;
  if (mayNotRun)
    before = history.save();
  for (int64_t i = 0; i < std::min<int64_t>(loop.count, 2); ++i)
    walkSteps(begin + 1, behind - 1);
  if (mayNotRun) {
    // The test that ends the loop, on any path.
    walkSteps(begin + 1, begin + 2);
    history.join(before);
    coverages.clear();
    for (uint32_t host : hostsBefore)
      if (std::find(lastHosts.begin(), lastHosts.end(), host) ==
          lastHosts.end())
        lastHosts.push_back(host);
  }
  return behind;
}

void DependenceFinder::visit(const RegionLaunch &launch) {
  ++stamp;
  for (uint32_t point = 0; point < launch.numPoints; ++point) {
    findBefore(launch, point);
    orderHost(launch.firstTask + point);
    for (const LaunchAccess &access : launch.accesses)
      history.add(access.storeOf(point), *access.partition,
                  access.colorOf(point), launch.firstTask + point,
                  access.isWrite, stamp);
  }
  for (const LaunchAccess &access : launch.accesses)
    if (access.isWrite)
      hideOlder(launch, access);
}

/// Host statements print in order, whatever they access.
void DependenceFinder::orderHost(uint32_t task) {
  if (table.tasks[task].home != TableTask::hostHome)
    return;
  for (uint32_t host : lastHosts)
    if (host != task)
      orders.push_back({task, host});
  lastHosts = {task};
}

void DependenceFinder::findBefore(const RegionLaunch &launch, uint32_t point) {
  const uint32_t task = launch.firstTask + point;
  ++numSearches;
  seenBy[task] = numSearches;
  for (const LaunchAccess &access : launch.accesses)
    for (const History::Part &part : history.partsOf(access.storeOf(point))) {
      if (!access.isWrite && !part.hasWrites)
        continue;
      const Overlaps &meeting =
          overlaps.get(*access.partition, *part.partition);
      for (const Overlaps::Overlap &other : meeting.of(access.colorOf(point)))
        for (uint32_t i = part.heads.get(other.color), next; i != History::none;
             i = next) {
          const History::Entry &entry = history.entry(i);
          next = access.isWrite ? entry.next : entry.nextWrite;
          if ((!access.isWrite && !entry.isWrite) ||
              seenBy[entry.task] == numSearches)
            continue;
          seenBy[entry.task] = numSearches;
          orders.push_back({task, entry.task});
        }
    }
}

//===----------------------------------------------------------------------===//
// Hiding what was overwritten
//===----------------------------------------------------------------------===//

void DependenceFinder::hideOlder(const RegionLaunch &launch,
                                 const LaunchAccess &access) {
  if (!access.pointStores.empty())
    return;
  const auto &parts = history.partsOf(access.store);
  for (size_t part = 0; part < parts.size(); ++part)
    // Accesses through the same color are already hidden.
    if (parts[part].partition != access.partition ||
        !access.partition->isDisjoint)
      hideThrough(launch, access, part);
}

void DependenceFinder::hideThrough(const RegionLaunch &launch,
                                   const LaunchAccess &access, size_t part) {
  const RootPartition &own = *access.partition;
  const RootPartition &other = *history.partsOf(access.store)[part].partition;
  const Overlaps &meeting = overlaps.get(own, other);
  Coverage *coverage = nullptr;
  if (own.isDisjoint) {
    coverage = &coverages[{access.store, &other, &own}];
    coverage->colors.resize(other.numColors());
    coverage->countedIn.resize(meeting.size(), 0);
  }
  const uint32_t numColors = access.colors.size() == 1 ? 1 : launch.numPoints;
  for (uint32_t point = 0; point < numColors; ++point)
    for (const Overlaps::Overlap &overlap : meeting.of(access.colorOf(point))) {
      if (overlap.count == other.sets[overlap.color].size())
        history.forget(access.store, part, overlap.color, stamp);
      else if (coverage)
        cover(access.store, part, meeting, overlap, *coverage);
    }
}

/// Counts a part of a color that was written. A part that was already counted
/// begins a new round once all parts have been counted.
void DependenceFinder::cover(Store store, size_t part, const Overlaps &meeting,
                             const Overlaps::Overlap &overlap,
                             Coverage &coverage) {
  Coverage::OfColor &color = coverage.colors[overlap.color];
  uint32_t &counted = coverage.countedIn[meeting.indexOf(overlap)];
  if (counted == color.round)
    return;
  counted = color.round;
  if (color.written == 0)
    color.since = stamp;
  color.written += overlap.count;
  const RootPartition &other = *history.partsOf(store)[part].partition;
  if (color.written < other.sets[overlap.color].size())
    return;
  history.forget(store, part, overlap.color, color.since);
  color.written = 0;
  ++color.round;
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

void DependenceFinder::gatherOrders() {
  std::vector<uint32_t> next(table.tasks.size() + 1, 0);
  for (const auto &[task, before] : orders)
    ++next[task + 1];
  for (size_t i = 1; i < next.size(); ++i)
    next[i] += next[i - 1];
  std::vector<uint32_t> all(orders.size()), first = next;
  for (const auto &[task, before] : orders)
    all[next[task]++] = before;
  for (uint32_t task = 0; task < table.tasks.size(); ++task) {
    auto begin = all.begin() + first[task], end = all.begin() + first[task + 1];
    std::sort(begin, end);
    end = std::unique(begin, end);
    TableTask &info = table.tasks[task];
    info.firstPredecessor = table.predecessors.size();
    info.numPredecessors = end - begin;
    for (auto before = begin; before != end; ++before) {
      uint32_t block = table.tasks[*before].block;
      table.predecessors.push_back(
          {*before, block, block == info.block && *before >= task});
    }
  }
  orders = {};
}
