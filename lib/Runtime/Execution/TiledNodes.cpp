//===- TiledNodes.cpp - Nodes that run strip by strip ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the executor for nodes that may follow each other row by row, as
// proven by the compiler. When an instance starts, it decides whether that
// pays. If so, a group of such nodes acts like one node: the nodes start when
// all predecessors of all of them have ended, and end together.
//
//===----------------------------------------------------------------------===//

#include "../Scheduling/Clock.h"
#include "../Trace/Trace.h"
#include "KernelCall.h"
#include "TileRows.h"

#include <algorithm>
#include <optional>

using namespace sluice;

//===----------------------------------------------------------------------===//
// Whether strips are profitable and allowed
//===----------------------------------------------------------------------===//

/// The number of bytes behind all pointers of a group. None if a size is not
/// stated, or if written memory overlaps with other memory: the proof for the
/// group assumes that this does not happen.
static std::optional<uint64_t> bytesOf(const PlanInfo &info,
                                       const TileInfo &tile,
                                       const unsigned char *frame) {
  struct Memory {
    uint64_t start, size;
    bool isWritten;
  };
  std::vector<Memory> memories;
  uint64_t sum = 0;
  for (uint32_t index : tile.pointers) {
    const PointerArgument &pointer = info.pointers[index];
    if (pointer.sizeOffset == SLUICE_NO_OFFSET)
      return std::nullopt;
    Memory memory = {wordAt(frame, pointer.frameOffset),
                     wordAt(frame, pointer.sizeOffset), pointer.isWritten};
    if (!memory.start)
      continue;
    for (const Memory &other : memories) {
      bool overlaps = memory.start <= other.start
                          ? other.start - memory.start < memory.size
                          : memory.start - other.start < other.size;
      if (overlaps && (memory.isWritten || other.isWritten))
        return std::nullopt;
    }
    memories.push_back(memory);
    if (__builtin_add_overflow(sum, memory.size, &sum))
      return std::nullopt;
  }
  return sum;
}

/// Evaluates the extents of all nodes of a group; false if they are wrong, if a
/// node has no instances, or if they violate an assumption.
bool Executor::evaluateRows(GraphInstance &instance, const TileInfo &tile,
                            uint64_t &rows) {
  rows = 0;
  for (uint32_t i = tile.firstNode; i < tile.endNode; ++i) {
    const NodeInfo &info = instance.info.nodes[i];
    const SluicePlanNode &node = *info.node;
    NodeRun &run = instance.runs[i];
    if (node.extents && !evaluateExtents(run).ok())
      return false;
    const int64_t *extents = run.invocation.extents;
    const NodeCounts &counts = node.extents ? run.counts : info.constantCounts;
    const int64_t most = tile.isUsual ? UINT16_MAX : INT32_MAX;
    if (counts.empty || std::any_of(extents, extents + 3 * node.numLevels,
                                    [&](int64_t e) { return e > most; }))
      return false;
    rows = std::max(rows, tileRows(node, extents));
  }
  return true;
}

/// Whether a group may run strip by strip, and its size.
bool Executor::mayTile(GraphInstance &instance, const TileInfo &tile,
                       TileRun &run) {
  std::optional<uint64_t> bytes = bytesOf(instance.info, tile, instance.frame);
  if (!bytes || !*bytes || !evaluateRows(instance, tile, run.rows))
    return false;
  run.bytes = *bytes;
  return true;
}

/// Chooses how a group that may run strip by strip does so; false: node by
/// node.
bool Executor::chooseTiles(const TileInfo &tile, const TileCost::Choice &choice,
                           TileRun &run) const {
  using Kind = TileWay::Kind;
  const uint32_t numNodes = tile.endNode - tile.firstNode;
  run.way = choice.way;
  if (run.way.kind == Kind::OneByOne)
    return false;
  if (run.way.kind == Kind::Automatic && !choice.isForced)
    run.bands = chooseBands(
        tile.offsets, {tileCache, run.bytes / run.rows, run.rows, numWorkers});
  else // If everything fits the caches, workers only save waiting times.
    run.bands =
        makeBands(tile.offsets, run.rows, numWorkers,
                  run.way.rows ? run.way.rows : run.rows, run.way.nodes);
  const bool usesWindows =
      !tile.windows.arguments.empty() && run.way.kind != Kind::Strips;
  if (!run.bands.empty() || !usesWindows)
    return !run.bands.empty();
  // With windows it may pay. Otherwise each node is a band.
  for (uint32_t i = 0; i < numNodes; ++i)
    run.bands.push_back({i, i + 1, run.rows, run.rows, numWorkers});
  return true;
}

/// Decides, before a start at node `first`, which groups run strip by strip.
/// Returns false if none do.
bool Executor::decideTiles(GraphInstance &instance, uint32_t first) {
  const PlanInfo &info = instance.info;
  TiledTimes shape;
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < info.tiles.size(); ++i) {
    const TileInfo &tile = info.tiles[i];
    TileRun &run = instance.tiles[i];
    run.isActive =
        tileCache && tile.firstNode >= first && mayTile(instance, tile, run);
    run.pending.store(tile.numArrivals, std::memory_order_relaxed);
    if (!run.isActive)
      continue;
    bytes += std::min(run.bytes, UINT64_MAX - bytes);
    shape.rows = std::max(shape.rows, run.rows);
    shape.nodes = std::max(shape.nodes, tile.endNode - tile.firstNode);
    shape.mayKeepWindows |= !tile.windows.arguments.empty();
  }
  instance.tiledBytes = bytes;
  if (!bytes)
    return false;
  instance.tileChoice = info.tileCost->next(
      bytes, bytes / numWorkers > tileCache, numWorkers, shape);
  bool isAny = false;
  for (uint32_t i = 0; i < info.tiles.size(); ++i) {
    TileRun &run = instance.tiles[i];
    run.isActive =
        run.isActive && chooseTiles(info.tiles[i], instance.tileChoice, run);
    isAny |= run.isActive;
  }
  instance.tilesStart = clockNanoseconds();
  return isAny;
}

/// Called when nodes that run strip by strip, or could have, have ended.
void Executor::noteTiles(GraphInstance &instance) {
  if (!instance.failed())
    instance.info.tileCost->add(instance.tileChoice, instance.tiledBytes,
                                clockNanoseconds() - instance.tilesStart);
  instance.tiledBytes = 0;
}

/// Implements `start` for an unordered instance in which groups act as nodes.
void Executor::startWithTiles(Worker *worker, GraphInstance &instance) {
  const PlanInfo &info = instance.info;
  for (uint32_t index : info.opened)
    if (!isInActiveTile(instance, index))
      openNode(instance.runs[index]);
  // As soon as the last one may run, the instance may end.
  std::vector<NodeRun *> entries;
  for (uint32_t index : info.entries)
    if (!isInActiveTile(instance, index))
      entries.push_back(&instance.runs[index]);
  std::vector<WorkItem> tiles;
  for (uint32_t i = 0; i < info.tiles.size(); ++i)
    if (instance.tiles[i].isActive && info.tiles[i].numArrivals == 0)
      tiles.push_back(tilesTask(instance, i));
  for (WorkItem task : tiles)
    pool.push(worker, task);
  for (auto i = entries.rbegin(); i != entries.rend(); ++i)
    pool.push(worker, makeRunnable(**i));
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// One event has happened for which a group waits.
WorkItem Executor::arriveAtTile(GraphInstance &instance, uint32_t tile) {
  bool isLast =
      instance.tiles[tile].pending.fetch_sub(1, std::memory_order_acq_rel) == 1;
  return isLast ? tilesTask(instance, tile) : WorkItem();
}

/// Runs rows of one node; false if the launch has failed.
bool Executor::runRows(NodeRun &run, const SluiceInvocation &invocation,
                       uint64_t begin, uint64_t end) {
  GraphInstance &instance = *run.instance;
  const SluicePlanNode &node = *run.info->node;
  const uint64_t rows = tileRows(node, run.invocation.extents);
  const uint64_t rowUnits = run.partition.units / rows;
  UnitRange units = {std::min(begin, rows) * rowUnits,
                     std::min(end, rows) * rowUnits};
  if (instance.failed())
    return false;
  if (units.begin >= units.end)
    return true;
  Worker &worker = *Worker::current();
  const bool wasInside = worker.insideKernel;
  bool needsTime = trace || instance.isTimed;
  uint64_t start = needsTime ? clockNanoseconds() : 0;
  Status error;
  if (!callKernel(worker, node, run.kernel, invocation, units, error))
    instance.fail(std::move(error));
  worker.insideKernel = wasInside;
  if (!needsTime)
    return true;
  uint64_t stop = clockNanoseconds();
  if (instance.isTimed)
    instance.busyNanoseconds.fetch_add(stop - start, std::memory_order_relaxed);
  if (trace)
    trace->buffer(worker.index)
        .addChunk(node, units, start, stop, instance.startTime);
  return true;
}

void Executor::runBand(GraphInstance &instance, const TileInfo &tile,
                       const TileBand &band) {
  auto run = [&](uint32_t node, uint64_t begin, uint64_t end) {
    NodeRun &nodeRun = instance.runs[tile.firstNode + node];
    return runRows(nodeRun, nodeRun.invocation, begin, end);
  };
  TileWalk walk(band, tile.offsets);
  auto region = [&](uint32_t number) { walk.region(number, run); };
  auto gap = [&](uint32_t number) { walk.gap(number, run); };
  forAll(*this, band.numRegions, region);
  forAll(*this, band.numRegions - 1, gap);
}

/// Runs all nodes of a group.
WorkItem Executor::runTiles(Worker &worker, GraphInstance &instance,
                            uint32_t number) {
  const FloatingScope scope(instance.control);
  const TileInfo &tile = instance.info.tiles[number];
  for (uint32_t i = tile.firstNode; i < tile.endNode; ++i) {
    NodeRun &run = instance.runs[i];
    if (prepareNode(run))
      chooseKernel(run);
  }
  if (!runInWindows(instance, tile, instance.tiles[number]))
    for (const TileBand &band : instance.tiles[number].bands) {
      if (instance.failed())
        break;
      runBand(instance, tile, band);
    }
  return finishTiles(worker, instance, tile);
}

/// Announces that all nodes of a group have ended. Nodes that wait for them may
/// run from then on; the instance may end with the last announcement.
WorkItem Executor::finishTiles(Worker &worker, GraphInstance &instance,
                               const TileInfo &tile) {
  const PlanInfo &info = instance.info;
  std::vector<uint32_t> successors;
  uint32_t numSinks = 0;
  for (uint32_t i = tile.firstNode; i < tile.endNode; ++i) {
    if (instance.reportsNodes)
      instance.owner.nodeEnded(&worker, i);
    numSinks += info.nodes[i].isSink();
    for (uint32_t successor : info.nodes[i].allToAllSuccessors)
      if (successor >= tile.endNode)
        successors.push_back(successor);
  }
  if (numSinks && finishSinks(worker, instance, numSinks))
    return {};
  return arriveAtSuccessors(worker, instance, successors);
}
