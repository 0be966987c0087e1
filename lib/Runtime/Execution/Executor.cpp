//===- Executor.cpp - Running graph instances on the pool -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the steps in Executor.h. One rule protects instances that are
// reused: after the call that releases the last waiting entity, nothing of the
// instance may be accessed.
//
//===----------------------------------------------------------------------===//

#include "Executor.h"

#include "../Scheduling/Clock.h"
#include "../Trace/Trace.h"
#include "BackEnd.h"
#include "KernelCall.h"

#include "sluice/Base/Text.h"

#include <algorithm>

using namespace sluice;

Executor::Executor(unsigned numWorkers, Trace *trace, uint64_t tileCache)
    : numWorkers(numWorkers), trace(trace), tileCache(tileCache),
      pool(numWorkers, *this) {}

//===----------------------------------------------------------------------===//
// Starting and opening
//===----------------------------------------------------------------------===//

void Executor::start(Worker *worker, GraphInstance &instance) {
  const PlanInfo &info = instance.info;
  if (trace)
    instance.startTime = clockNanoseconds();
  if (info.numSinks == 0)
    return finishInstance(worker, instance);
  if (instance.getBackEnd()) {
    for (size_t i = 0; i < info.groups.size(); ++i)
      instance.groups[i].decided = false;
    return instance.getBackEnd()->start(worker);
  }
  if (instance.isPlainLaunch || instance.isSerial)
    return pool.push(worker, {&instance, RunWhole});
  for (size_t i = 0; i < info.groups.size(); ++i)
    instance.groups[i].decided = false;
  // Nodes of an ordered instance wait for other nodes individually.
  if (decideTiles(instance, instance.isOrdered ? UINT32_MAX : 0))
    return startWithTiles(worker, instance);
  if (instance.isOrdered) {
    for (uint32_t i = 0; i < info.nodes.size(); ++i)
      arrive(worker, instance, i);
    return;
  }
  // All nodes are opened before the first runs: a chunk that ends continues
  // with nodes that were opened here.
  for (uint32_t index : info.opened)
    openNode(instance.runs[index]);
  // The worker takes the most recently added task, so the first node is added
  // last.
  for (auto i = info.entries.rbegin(); i != info.entries.rend(); ++i)
    pool.push(worker, makeRunnable(instance.runs[*i]));
}

void Executor::arrive(Worker *worker, GraphInstance &instance, uint32_t node) {
  if (instance.getBackEnd())
    return instance.getBackEnd()->arrive(worker, node);
  NodeRun &run = instance.runs[node];
  if (run.pending.arrive())
    if (WorkItem task = openReadyNode(worker, run))
      pool.push(worker, task);
}

WorkItem Executor::openReadyNode(Worker *worker, NodeRun &run) {
  openNode(run);
  return letRun(worker, run);
}

WorkItem Executor::letRun(Worker *worker, NodeRun &run) {
  if (run.numChained == 0)
    return makeRunnable(run);
  openGate(worker, run);
  return {};
}

void Executor::openNode(NodeRun &run) {
  const NodeInfo &info = *run.info;
  if (!prepareNode(run) || run.instance->numItems() > 1)
    return;
  chooseKernel(run);
  NodeCost &cost = run.instance->info.costs[info.index];
  run.isTimed = cost.wantsTiming();
  run.startTime = 0;
  if (run.partition.numChunks == 1 || info.group != SLUICE_NO_INDEX)
    return;
  using Sharing = NodeCost::Sharing;
  Sharing sharing = run.instance->prefersSharing
                        ? cost.shareIfItMayGain(run.partition.units, numWorkers)
                        : cost.shareAmong(run.partition.units, numWorkers);
  run.isTimed |= sharing == Sharing::TryAlone || sharing == Sharing::TryShared;
  if (sharing == Sharing::No || sharing == Sharing::TryAlone) {
    run.partition.numChunks = 1;
    run.pendingChunks.store(1, std::memory_order_relaxed);
    return;
  }
  run.startTime = run.isTimed ? clockNanoseconds() : 0;
}

bool Executor::prepareNode(NodeRun &run) {
  const NodeInfo &info = *run.info;
  GraphInstance &instance = *run.instance;
  run.skip = instance.failed();
  run.isTimed = false;
  if (info.isPlain)
    return !run.skip;
  NodeCounts counts;
  bool hasItems = instance.numItems() > 1;
  if (!run.skip && !hasItems)
    evaluateExtents(run, counts);
  decideChunks(run, counts);
  run.pendingChunks.store(run.partition.numChunks, std::memory_order_relaxed);
  if (run.skip || hasItems)
    return !run.skip;
  if (info.hasArrays) {
    Status status =
        allocateArrays(*info.node, run.invocation.extents, instance.frame,
                       counts.empty, instance.memory);
    if (!status.ok()) {
      instance.fail(std::move(status));
      run.skip = true;
    }
  }
  if (counts.empty) {
    zeroOutputs(*info.node, instance.frame);
    run.skip = true;
  }
  return !run.skip;
}

/// Counts the units that the known extents of a node span.
Status Executor::countExtents(NodeRun &run) {
  const SluicePlanNode &node = *run.info->node;
  run.keepsKernel = false;
  Result<NodeCounts> result = countInstances(node, run.invocation.extents);
  run.isCounted = result.ok();
  if (!result.ok())
    return result.takeStatus();
  run.counts = *result;
  return {};
}

void Executor::evaluateExtents(NodeRun &run, NodeCounts &counts) {
  counts = run.info->constantCounts;
  if (!run.info->node->extents)
    return;
  run.invocation.frame = run.instance->frame;
  Status status = evaluateExtents(run);
  counts = run.counts;
  if (status.ok())
    return;
  run.instance->fail(std::move(status));
  run.skip = true;
}

void Executor::decideChunks(NodeRun &run, const NodeCounts &counts) {
  const NodeInfo &info = *run.info;
  if (info.group != SLUICE_NO_INDEX)
    return decideGroup(run, counts, run.instance->groups[info.group]);
  const NodeCost &cost = run.instance->info.costs[info.index];
  if (run.skip || counts.empty || run.instance->numItems() > 1)
    run.partition = {};
  else if (info.isOrdered())
    run.partition = splitLanes(run, counts);
  else
    run.partition = splitUnits(counts, cost.unitCost(), numWorkers,
                               cost.minChunkCost(), run.unitsAtOnce);
}

/// The cost of one instance in all nodes of a group; 0 if one cost is unknown.
/// Assumes that the nodes have equal numbers of units per instance.
uint64_t Executor::itemCost(const GraphInstance &instance,
                            const GroupInfo &group,
                            uint64_t unitsPerItem) const {
  uint64_t sum = 0;
  for (uint32_t index : group.nodes) {
    uint64_t cost = instance.info.costs[index].unitCost();
    if (!cost)
      return 0;
    sum += cost * unitsPerItem;
  }
  return sum;
}

void Executor::decideGroup(NodeRun &run, const NodeCounts &counts,
                           GroupRun &group) {
  const GroupInfo &info = run.instance->info.groups[run.info->group];
  std::lock_guard lock(group.mutex);
  run.skip |= run.instance->failed();
  run.unitsPerItem = counts.instances ? counts.units / counts.instances : 1;
  bool hasItems = run.instance->numItems() > 1;
  if (group.decided) {
    if (!run.skip && !hasItems)
      run.skip = !checkGroup(run, *group.first);
    run.partition = group.partition;
    return;
  }
  Partition partition;
  if (!run.skip && !hasItems) {
    partition.units = partition.numGranules = counts.instances;
    partition.numChunks = std::max(
        1u, chooseNumChunks(counts.instances,
                            itemCost(*run.instance, info, run.unitsPerItem),
                            numWorkers));
    // Costs of all nodes count, so vectors of all nodes do. Other workers may
    // be choosing kernels of the other nodes now: those of the plan count.
    uint32_t step = run.unitsAtOnce;
    for (uint32_t index : info.nodes)
      step = std::max(step, run.instance->runs[index].info->unitsAtOnce());
    if (run.unitsPerItem == 1)
      keepStepsWhole(partition, step, numWorkers);
  }
  run.partition = group.partition = partition;
  group.first = &run;
  group.decided = true;

  size_t numWaits = info.nodes.size() * size_t(partition.numChunks);
  if (group.waitsCapacity < numWaits) {
    group.waits = std::make_unique<std::atomic<uint32_t>[]>(numWaits);
    group.waitsCapacity = numWaits;
  }
  std::atomic<uint32_t> *wait = group.waits.get();
  for (uint32_t index : info.nodes) {
    // Its chunks also wait until it is open, unless it waits for nothing.
    const NodeRun &member = run.instance->runs[index];
    uint32_t count = member.numChained + member.pending.isNeeded();
    for (uint32_t chunk = 0; chunk < partition.numChunks; ++chunk)
      (wait++)->store(count, std::memory_order_relaxed);
  }
}

/// Whether a node has the same extents as the first node of its group.
bool Executor::checkGroup(NodeRun &run, const NodeRun &groupsFirst,
                          uint32_t item) {
  const SluicePlanNode &node = *run.info->node;
  const SluicePlanNode &first = *groupsFirst.info->node;
  const int64_t *extents = run.invocation.extents;
  const int64_t *expected = groupsFirst.invocation.extents;
  if (std::equal(extents, extents + 3 * node.numIndexLevels, expected))
    return true;
  run.instance->fail(
      Status::error(StatusCode::NodeFailed,
                    concat(nodeText(first), " has extents ",
                           extentsText(expected, node.numIndexLevels), ", but ",
                           nodeText(node),
                           ", joined to it by one-to-one edges, has ",
                           extentsText(extents, node.numIndexLevels))),
      item);
  return false;
}

std::atomic<uint32_t> &Executor::chunkWaits(NodeRun &run, uint32_t chunk) {
  GroupRun &group = run.instance->groups[run.info->group];
  // The node itself may not be open yet, but the group is decided.
  uint32_t numChunks = group.partition.numChunks;
  return group.waits[size_t(run.info->groupPosition) * numChunks + chunk];
}

/// Called when a node is open whose chunks wait for those of others.
void Executor::openGate(Worker *worker, NodeRun &run) {
  uint32_t numChunks = run.partition.numChunks;
  for (uint32_t chunk = 0; chunk < numChunks; ++chunk)
    if (chunkWaits(run, chunk).fetch_sub(1, std::memory_order_acq_rel) == 1)
      pool.push(worker, chunkTask(run, chunk));
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

WorkItem Executor::makeRunnable(NodeRun &run) {
  uint32_t numChunks = run.partition.numChunks;
  if (numChunks == 1)
    return chunkTask(run, 0);
  if (!run.shares)
    run.shares = std::make_unique<ChunkShares>(numWorkers);
  run.shares->deal(numChunks);
  pool.notifyWork(std::min(numChunks, numWorkers));
  return joinTask(run);
}

void Executor::runTask(Worker &worker, WorkItem task) {
  while (task) {
    auto number = static_cast<uint32_t>(task.argument >> kindBits);
    uint64_t kind = task.argument & ((1u << kindBits) - 1);
    switch (static_cast<TaskKind>(kind)) {
    case RunChunk:
      task = runChain(worker, *static_cast<NodeRun *>(task.object), number);
      break;
    case JoinNode:
      task = joinNode(worker, *static_cast<NodeRun *>(task.object));
      break;
    case RunWhole:
      return runWhole(worker, *static_cast<GraphInstance *>(task.object));
    case JoinShared:
      return joinShared(worker, *static_cast<SharedRun *>(task.object), number);
    case RunTiles:
      task =
          runTiles(worker, *static_cast<GraphInstance *>(task.object), number);
      break;
    case RunOutside:
      task = static_cast<OutsideTask *>(task.object)->run(worker);
      break;
    }
  }
}

void Executor::joinShared(Worker &worker, SharedRun &run, uint32_t number) {
  if (!run.gate.join(number))
    return;
  const FloatingScope scope(run.control);
  // Passes the invitation on; it is refused when the run is over.
  if (run.wantsMore(worker))
    pool.push(&worker, inviteTask(run, number));
  run.takePart(worker);
}

static int32_t runLoopAlone(LoopBody body, void *context, int64_t begin,
                            int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (int32_t value = body(context, begin + i))
      return value;
  return 0;
}

int32_t Executor::parallelFor(LoopBody body, void *context, int64_t begin,
                              int64_t count) {
  if (numWorkers == 1 || count <= 1)
    return runLoopAlone(body, context, begin, count);
  ParallelLoop &loop = loops.open(body, context, begin, count);
  Worker *worker = Worker::current();
  bool isOurs = worker && worker->runner == this;
  pool.push(isOurs ? worker : nullptr, inviteTask(loop, loop.number));
  return loops.finish(loop);
}

/// Runs all nodes of an instance in one task.
void Executor::runWhole(Worker &worker, GraphInstance &instance) {
  const FloatingScope scope(instance.control);
  if (instance.isPlainLaunch) {
    if (runPlainGraph(worker, instance))
      finishInstance(&worker, instance);
    return;
  }
  runInline(worker, instance);
  instance.owner.instanceEnded(&worker);
}

WorkItem Executor::joinNode(Worker &worker, NodeRun &run) {
  ChunkShares &shares = *run.shares;
  uint32_t chunk;
  if (!shares.take(worker.index, chunk))
    return {};
  const FloatingScope scope(run.instance->control);
  if (!shares.looksEmpty())
    pool.push(&worker, joinTask(run));
  if (run.chained.empty()) {
    uint32_t count = 0;
    do {
      runChunk(worker, run, chunk);
      ++count;
    } while (shares.take(worker.index, chunk));
    return finishChunks(worker, run, count);
  }
  do {
    if (WorkItem ready = runChain(worker, run, chunk))
      pool.push(&worker, ready);
  } while (shares.take(worker.index, chunk));
  return {};
}

WorkItem Executor::runChain(Worker &worker, NodeRun &first, uint32_t chunk) {
  const FloatingScope scope(first.instance->control);
  if (first.info->isOrdered() && shareSteps(worker, first))
    return {};
  NodeRun *run = &first;
  while (true) {
    GraphInstance &instance = *run->instance;
    const std::span<const uint32_t> chained = run->chained;
    runChunk(worker, *run, chunk);
    WorkItem ready = finishChunks(worker, *run, 1);
    // If there are any, the instance has not ended.
    if (chained.empty())
      return ready;
    if (ready)
      pool.push(&worker, ready);
    run = nullptr;
    for (uint32_t index : chained) {
      NodeRun &successor = instance.runs[index];
      bool waitsForThisOnly =
          successor.numChained == 1 && !successor.pending.isNeeded();
      if (!waitsForThisOnly &&
          chunkWaits(successor, chunk)
                  .fetch_sub(1, std::memory_order_acq_rel) != 1)
        continue;
      if (run)
        pool.push(&worker, chunkTask(successor, chunk));
      else
        run = &successor;
    }
    if (!run)
      return {};
  }
}

void Executor::runChunk(Worker &worker, NodeRun &run, uint32_t chunk) {
  GraphInstance &instance = *run.instance;
  if (run.skip || instance.failed())
    return;
  if (instance.numItems() > 1)
    return runItems(worker, run, 0, instance.numItems());
  UnitRange units = run.chunkUnits(chunk);
  if (units.begin >= units.end)
    return;
  const SluicePlanNode &node = *run.info->node;
  bool needsTime = trace || run.isTimed || instance.isTimed;
  uint64_t start = needsTime ? clockNanoseconds() : 0;
  Status error;
  if (!callUnits(worker, node, run.kernel, run.invocation, units, error))
    instance.fail(std::move(error));
  if (!needsTime)
    return;
  uint64_t end = clockNanoseconds();
  if (run.isTimed)
    run.nanoseconds.fetch_add(end - start, std::memory_order_relaxed);
  if (instance.isTimed)
    instance.busyNanoseconds.fetch_add(end - start, std::memory_order_relaxed);
  if (trace)
    trace->buffer(worker.index)
        .addChunk(node, units, start, end, instance.startTime);
}

//===----------------------------------------------------------------------===//
// Finishing
//===----------------------------------------------------------------------===//

WorkItem Executor::finishChunks(Worker &worker, NodeRun &run, uint32_t count) {
  if (run.partition.numChunks != count &&
      run.pendingChunks.fetch_sub(count, std::memory_order_acq_rel) != count)
    return {};
  return finishNode(worker, run);
}

/// Records that a run of a node has ended, and the total time of its kernels.
void Executor::addTiming(NodeRun &run, uint64_t time) {
  NodeCost &cost = run.instance->info.costs[run.info->index];
  const uint64_t units = run.partition.units * run.unitsPerItem;
  const uint32_t numChunks = run.partition.numChunks;
  if (run.info->group != SLUICE_NO_INDEX && numChunks > 1)
    cost.addBusy(time, units);
  else if (numChunks > 1)
    cost.addShared(clockNanoseconds() - run.startTime, time, units,
                   std::min(numWorkers, numChunks));
  else if (!run.startTime) // else its steps were shared
    cost.addTiming(time, units);
}

WorkItem Executor::finishNode(Worker &worker, NodeRun &run) {
  const NodeInfo &info = *run.info;
  GraphInstance &instance = *run.instance;
  if (run.isTimed) {
    uint64_t time = run.nanoseconds.exchange(0, std::memory_order_relaxed);
    if (!instance.failed())
      addTiming(run, time);
  }
  if (instance.getBackEnd())
    return instance.getBackEnd()->nodeEnded(worker, info.index);
  if (instance.reportsNodes)
    instance.owner.nodeEnded(&worker, info.index);
  if (info.isSink()) {
    finishSinks(worker, instance, 1);
    return {};
  }
  return arriveAtSuccessors(worker, instance, info.allToAllSuccessors);
}

/// Records that this many nodes without successors have ended. Returns true if
/// all have ended, and so the instance.
bool Executor::finishSinks(Worker &worker, GraphInstance &instance,
                           uint32_t count) {
  if (instance.info.numSinks != count &&
      instance.pendingSinks.fetch_sub(count, std::memory_order_acq_rel) !=
          count)
    return false;
  finishInstance(&worker, instance);
  return true;
}

/// A node has ended for which these nodes wait.
WorkItem Executor::arriveAtSuccessors(Worker &worker, GraphInstance &instance,
                                      std::span<const uint32_t> successors) {
  WorkItem first;
  for (uint32_t index : successors) {
    WorkItem ready;
    if (isInActiveTile(instance, index))
      ready = arriveAtTile(instance, instance.info.nodes[index].tile);
    else if (NodeRun &successor = instance.runs[index];
             successor.pending.arrive())
      ready = openReadyNode(&worker, successor);
    if (first && ready)
      pool.push(&worker, ready);
    else if (ready)
      first = ready;
  }
  return first;
}

void Executor::traceInstance(const GraphInstance &instance) {
  trace->addInstance(instance.info.plan, instance.startTime,
                     clockNanoseconds());
}

void Executor::finishInstance(Worker *worker, GraphInstance &instance) {
  instance.pendingSinks.store(instance.info.numSinks,
                              std::memory_order_relaxed);
  endInstance(instance);
  instance.owner.instanceEnded(worker);
}
