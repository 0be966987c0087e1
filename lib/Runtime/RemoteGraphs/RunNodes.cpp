//===- RunNodes.cpp - Nodes on this rank ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The worker that walks the nodes also runs chunks.
//
//===----------------------------------------------------------------------===//

#include "RunNodes.h"

#include "../Execution/Executor.h"
#include "../Execution/KernelCall.h"
#include "../Scheduling/Clock.h"
#include "../Trace/Trace.h"

#include "sluice/Base/TaskRecord.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <cstring>

using namespace sluice;

bool sluice::findExtents(GraphInstance &instance, NodeRun &run,
                         NodeCounts &counts) {
  const SluicePlanNode &node = *run.info->node;
  counts = run.info->constantCounts;
  if (!node.extents)
    return true;
  int64_t *extents = instance.extents.get() + run.info->extentsOffset;
  node.extents(instance.frame, extents);
  run.keepsKernel = false;
  Result<NodeCounts> found = countInstances(node, extents);
  run.isCounted = found.ok();
  if (found.ok()) {
    run.counts = counts = *found;
    return true;
  }
  instance.fail(found.takeStatus());
  return false;
}

bool sluice::checkGroup(GraphInstance &instance, const NodeRun &run) {
  const NodeInfo &info = *run.info;
  const SluicePlanNode &node = *info.node;
  if (info.group != SLUICE_NO_INDEX) {
    const uint32_t first = instance.info.groups[info.group].nodes.front();
    const int64_t *expected = instance.runs[first].invocation.extents;
    if (first < info.index &&
        !std::equal(expected, expected + 3 * node.numIndexLevels,
                    run.invocation.extents)) {
      instance.fail(Status::error(
          StatusCode::NodeFailed,
          concat(nodeText(*instance.runs[first].info->node), " has extents ",
                 extentsText(expected, node.numIndexLevels), ", but ",
                 nodeText(node), ", joined to it by one-to-one edges, has ",
                 extentsText(run.invocation.extents, node.numIndexLevels))));
      return false;
    }
  }
  return true;
}

namespace {
/// Chunks of one node's units for the workers.
struct ChunkLoop {
  NodeRun &run;
  const Partition partition;
  const uint64_t begin, scale;
  Trace *const trace;

  static int32_t runChunk(void *context, int64_t index) {
    auto &loop = *static_cast<ChunkLoop *>(context);
    if (loop.run.instance->failed())
      return 1;
    const UnitRange range = loop.partition.chunk(static_cast<uint32_t>(index));
    const UnitRange units = {loop.begin + loop.scale * range.begin,
                             loop.begin + loop.scale * range.end};
    const SluicePlanNode &node = *loop.run.info->node;
    Worker &worker = *Worker::current();
    TaskRecord *record = theTaskRecord.load(std::memory_order_relaxed);
    if (record)
      record->begin(worker.index, node.name, 0, nullptr);
    const uint64_t start = loop.trace ? clockNanoseconds() : 0;
    Status error;
    const bool isGood = callUnits(worker, node, loop.run.kernel,
                                  loop.run.invocation, units, error);
    if (loop.trace)
      loop.trace->buffer(worker.index)
          .addChunk(node, units, start, clockNanoseconds(),
                    loop.run.instance->startTime);
    if (record)
      record->end(worker.index);
    if (isGood)
      return 0;
    loop.run.instance->fail(std::move(error));
    return 1;
  }
};
} // namespace

void sluice::runUnits(Executor &executor, GraphInstance &instance, NodeRun &run,
                      const NodeCounts &counts, UnitRange units) {
  if (units.begin >= units.end || instance.failed())
    return;
  const NodeInfo &info = *run.info;
  if (info.variants && !run.keepsKernel)
    info.variants->choose(run);
  const unsigned numWorkers = executor.getPool().size();
  NodeCounts own = counts;
  own.units = units.end - units.begin;
  uint64_t scale = 1;
  Partition partition;
  if (info.isOrdered()) {
    partition.units = partition.numGranules = own.units;
  } else if (info.group != SLUICE_NO_INDEX) {
    // Split only between instances.
    scale = counts.instances ? counts.units / counts.instances : 1;
    partition.units = partition.numGranules = own.units / scale;
    partition.numChunks =
        std::max(1u, chooseNumChunks(partition.units, 0, numWorkers));
  } else {
    partition = splitUnits(own, instance.info.costs[info.index].unitCost(),
                           numWorkers, leastChunkCost, run.unitsAtOnce);
  }
  ChunkLoop loop = {run, partition, units.begin, scale, executor.getTrace()};
  if (TaskRecord *record = theTaskRecord.load(std::memory_order_relaxed))
    record->addName(info.node->name);
  executor.parallelFor(ChunkLoop::runChunk, &loop, 0, partition.numChunks);
}

void sluice::setForwards(const SluicePlanNode &node, unsigned char *frame) {
  if (!node.share)
    return;
  for (uint32_t i = 0; i < node.share->numForwards; ++i) {
    const SluiceDeviceForward &forward = node.share->forwards[i];
    std::memmove(frame + forward.to, frame + forward.from, forward.size);
  }
}

bool sluice::isForward(const SluicePlanNode &node,
                       const SluicePlanOutput &output) {
  if (!node.share)
    return false;
  const SluiceDeviceForward *forwards = node.share->forwards;
  return std::any_of(forwards, forwards + node.share->numForwards,
                     [&](const SluiceDeviceForward &forward) {
                       return forward.to == output.frameOffset;
                     });
}
