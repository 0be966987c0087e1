//===- Dependences.cpp - Finding the orders between tasks -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk over a graph in its serial order.
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

/// Returns the step behind the loop.
uint32_t DependenceFinder::walkLoop(uint32_t begin) {
  const TableStep &loop = table.steps[begin];
  const uint32_t behind = loop.target;
  if (loop.count <= 0)
    return behind;
  bool mayNotRun = table.loops[loop.index].testTask != UINT32_MAX;
  History::Heads before;
  if (mayNotRun)
    before = history.save();
  for (int64_t i = 0; i < std::min<int64_t>(loop.count, 2); ++i)
    walkSteps(begin + 1, behind - 1);
  if (mayNotRun) {
    // The test that ends the loop, on whichever way.
    walkSteps(begin + 1, begin + 2);
    history.join(before);
  }
  return behind;
}

void DependenceFinder::visit(const Launch &launch) {
  ++stamp;
  for (uint32_t point = 0; point < launch.numPoints; ++point) {
    findBefore(launch, point);
    for (const LaunchAccess &access : launch.accesses)
      history.add(access.storeOf(point), *access.partition,
                  access.colorOf(point), launch.firstTask + point,
                  access.isWrite, stamp);
  }
  for (const LaunchAccess &access : launch.accesses)
    if (access.isWrite)
      hideOlder(launch, access);
}

void DependenceFinder::findBefore(const Launch &launch, uint32_t point) {
  const uint32_t task = launch.firstTask + point;
  ++numSearches;
  seenBy[task] = numSearches;
  for (const LaunchAccess &access : launch.accesses)
    for (const History::Part &part : history.partsOf(access.storeOf(point))) {
      const Overlaps &meeting =
          overlaps.get(*access.partition, *part.partition);
      for (const Overlaps::Overlap &other : meeting.of(access.colorOf(point)))
        for (uint32_t i = part.heads[other.color]; i != History::none;
             i = history.entry(i).next) {
          const History::Entry &entry = history.entry(i);
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

void DependenceFinder::hideOlder(const Launch &launch,
                                 const LaunchAccess &access) {
  if (!access.pointStores.empty())
    return;
  const RegionPartition &own = *access.partition;
  for (size_t p = 0; p < history.partsOf(access.store).size(); ++p) {
    const RegionPartition &other = *history.partsOf(access.store)[p].partition;
    // What went through the same color is hidden already.
    if (&other == &own && own.isDisjoint)
      continue;
    const Overlaps &meeting = overlaps.get(own, other);
    written.assign(other.numColors(), 0);
    touched.clear();
    colorStamp.resize(std::max<size_t>(colorStamp.size(), own.numColors()), 0);
    ++numSearches;
    auto mark = static_cast<uint32_t>(numSearches);
    for (uint32_t point = 0; point < launch.numPoints; ++point) {
      uint32_t color = access.colorOf(point);
      if (colorStamp[color] == mark)
        continue;
      colorStamp[color] = mark;
      hideColor(access, meeting, other, color);
    }
    for (uint32_t color : touched)
      if (written[color] >= other.sets[color].size())
        history.forget(access.store, p, color, stamp);
  }
}

/// Counts what one color of a launch wrote. Colors that may share elements
/// count only by themselves.
void DependenceFinder::hideColor(const LaunchAccess &access,
                                 const Overlaps &meeting,
                                 const RegionPartition &other, uint32_t color) {
  for (const Overlaps::Overlap &overlap : meeting.of(color)) {
    int64_t &count = written[overlap.color];
    if (count == 0)
      touched.push_back(overlap.color);
    if (access.partition->isDisjoint)
      count += overlap.count;
    else
      count = std::max(count, overlap.count);
  }
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
