//===- CheapLaunch.cpp - Launches that are not worth a worker -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If the nodes of a launch are known to take less time than notifying another
// worker, the launch runs in the launching thread, without a task, a counter or
// an allocation. If a node turns out to be more expensive, the rest starts as
// usual.
//
//===----------------------------------------------------------------------===//

#include "../Scheduling/Clock.h"
#include "../Trace/Trace.h"
#include "Executor.h"
#include "KernelCall.h"

#include <algorithm>

using namespace sluice;

/// Whether the nodes from `node` on can be started when the earlier nodes have
/// ended: no chunk of a later node continues with the chunk of an earlier one.
static bool canBeginAt(const PlanInfo &info, uint32_t node) {
  auto isCut = [&](const GroupInfo &group) {
    auto [first, last] =
        std::minmax_element(group.nodes.begin(), group.nodes.end());
    return *first < node && node <= *last;
  };
  return node == 0 ||
         std::none_of(info.groups.begin(), info.groups.end(), isCut);
}

[[gnu::always_inline]] static inline void callAll(Worker &worker, NodeRun &run,
                                                  uint64_t numUnits) {
  Status error;
  if (!callUnits(worker, *run.info->node, run.kernel, run.invocation,
                 {0, numUnits}, error))
    run.instance->fail(std::move(error));
}

/// Runs one node after another, in their order, as long as `maxTime`
/// nanoseconds suffice by the times of earlier runs. Returns the first node
/// that did not run. `isLate`: some nodes ran only because the thread waits at
/// once, or all nodes together take long enough to be shared.
///
/// A node may run longer so that its time can be measured. It may also run
/// longer if the thread is about to wait, the node runs best alone and nothing
/// runs beside it; but not so long that much would be lost if this time the
/// thread does something else.
inline uint32_t Executor::runCheapNodes(Worker &worker, GraphInstance &instance,
                                        uint64_t maxTime, bool waitsAtOnce,
                                        bool &isLate) {
  const PlanInfo &info = instance.info;
  const uint32_t numNodes = info.plan.numNodes;
  const uint64_t most = 1000 * maxTime;
  uint64_t left = most;
  for (uint32_t index = 0; index < numNodes && !instance.failed(); ++index) {
    NodeRun &run = instance.runs[index];
    const NodeCounts *counts = countItem(run, 0);
    if (!counts)
      break;
    NodeCost &cost = info.costs[index];
    uint64_t expected = counts->empty ? 0 : cost.expected(counts->units);
    if (expected > left && canBeginAt(info, index)) [[unlikely]] {
      if (waitsAtOnce && info.isChain && info.tiles.empty() &&
          expected <= 50 * most && cost.staysAlone(counts->units, numWorkers)) {
        cost.countAlone();
        isLate = true;
      } else if (!cost.wantsToKnow(counts->units, 10 * most)) {
        return index;
      }
    }
    left -= std::min(left, expected);
    if (!prepareItem(run, 0, *counts))
      continue;
    if (cost.wantsTiming(expected) || expected == UINT64_MAX || trace)
      runTimedNode(worker, run, counts->units);
    else
      callAll(worker, run, counts->units);
  }
  isLate |= most - left >= 1000 * leastShared && numWorkers > 1;
  return numNodes;
}

void Executor::runTimedNode(Worker &worker, NodeRun &run, uint64_t numUnits) {
  uint64_t start = clockNanoseconds();
  callAll(worker, run, numUnits);
  uint64_t end = clockNanoseconds();
  if (!run.instance->failed())
    run.instance->info.costs[run.info->index].addTiming(end - start, numUnits);
  if (trace)
    trace->buffer(worker.index)
        .addChunk(*run.info->node, {0, numUnits}, start, end,
                  run.instance->startTime);
}

/// Starts the nodes from `first` on; the earlier nodes have ended.
void Executor::startFrom(Worker &worker, GraphInstance &instance,
                         uint32_t first) {
  const PlanInfo &info = instance.info;
  for (size_t i = 0; i < info.groups.size(); ++i)
    instance.groups[i].decided = false;
  const auto numNodes = static_cast<uint32_t>(info.nodes.size());
  decideTiles(instance, first);
  std::vector<uint32_t> numPending(numNodes);
  std::vector<WorkItem> tiles;
  uint32_t numSinks = 0;
  for (uint32_t i = first; i < numNodes; ++i) {
    numSinks += info.nodes[i].isSink();
    for (uint32_t successor : info.nodes[i].allToAllSuccessors)
      ++numPending[successor];
  }
  for (uint32_t i = 0; i < info.tiles.size(); ++i) {
    if (!instance.tiles[i].isActive)
      continue;
    // Nodes that have already ended count as arrived.
    for (uint32_t node = 0; node < first; ++node)
      for (uint32_t successor : info.nodes[node].allToAllSuccessors)
        if (info.nodes[successor].tile == i)
          instance.tiles[i].pending.fetch_sub(1, std::memory_order_relaxed);
    if (instance.tiles[i].pending.load(std::memory_order_relaxed) == 0)
      tiles.push_back(tilesTask(instance, i));
  }
  instance.pendingSinks.store(numSinks, std::memory_order_relaxed);
  // As soon as the last of these may run, the instance may end, so it must not
  // be accessed any more.
  std::vector<NodeRun *> ready;
  for (uint32_t i = first; i < numNodes; ++i) {
    if (isInActiveTile(instance, i))
      continue;
    NodeRun &run = instance.runs[i];
    if (numPending[i]) {
      run.pending.set(numPending[i]);
      continue;
    }
    openNode(run);
    if (run.pending.isNeeded() || !run.numChained)
      ready.push_back(&run);
  }
  for (WorkItem task : tiles)
    pool.push(&worker, task);
  for (size_t i = ready.size(); i-- > 0;)
    if (WorkItem task = letRun(&worker, *ready[i]))
      pool.push(&worker, task);
}

Executor::ExpectedWork Executor::expectedWork(GraphInstance &instance) {
  constexpr uint64_t unknown = UINT64_MAX;
  ExpectedWork sum = {0, 0};
  for (uint32_t index = 0; index < instance.info.plan.numNodes; ++index) {
    NodeRun &run = instance.runs[index];
    const bool isConstant = !run.info->node->extents;
    run.invocation.frame = instance.frame;
    // Wrong extents are reported when the node is about to run.
    if (!isConstant && !evaluateExtents(run).ok())
      return {unknown, 0};
    const NodeCounts &counts =
        isConstant ? run.info->constantCounts : run.counts;
    uint64_t time =
        counts.empty ? 0 : instance.info.costs[index].expected(counts.units);
    const uint64_t units = counts.empty ? 0 : counts.units;
    if (time == unknown || __builtin_add_overflow(sum.time, time, &sum.time) ||
        __builtin_add_overflow(sum.units, units, &sum.units))
      return {unknown, 0};
  }
  sum.time /= 1000;
  return sum;
}

Executor::Started Executor::startHere(Worker &worker, GraphInstance &instance,
                                      uint64_t maxTime, bool waitsAtOnce) {
  const PlanInfo &info = instance.info;
  if (info.numSinks == 0 || instance.getBackEnd() || instance.isSerial ||
      (instance.isPlainLaunch &&
       !info.plainCost->isWithin(maxTime, info.plain.size()))) {
    start(&worker, instance);
    return Started::Running;
  }
  if (trace)
    instance.startTime = clockNanoseconds();
  bool isLate = false;
  if (instance.isPlainLaunch) {
    if (!runPlainGraph(worker, instance))
      return Started::Running;
  } else {
    uint32_t first =
        runCheapNodes(worker, instance, maxTime, waitsAtOnce, isLate);
    if (first != info.plan.numNodes) {
      if (first == 0)
        start(&worker, instance);
      else
        startFrom(worker, instance, first);
      return Started::Running;
    }
  }
  endInstance(instance);
  return isLate ? Started::EndedLate : Started::Ended;
}
