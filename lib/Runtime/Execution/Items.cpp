//===- Items.cpp - Instances of several items -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One worker runs a node for all items of a batch, then the next node, or all
// nodes for one item after another.
//
//===----------------------------------------------------------------------===//

#include "../Scheduling/Clock.h"
#include "../Trace/Trace.h"
#include "Executor.h"
#include "KernelCall.h"

using namespace sluice;

void Executor::runInline(Worker &worker, GraphInstance &instance) {
  if (trace)
    instance.startTime = clockNanoseconds();
  // Runs all items of a node, then the next node; or the other way round.
  uint32_t numItems = instance.numItems();
  uint32_t step = instance.goesItemByItem ? 1 : numItems;
  for (uint32_t item = 0; item < numItems; item += step)
    for (size_t i = 0; i < instance.info.nodes.size(); ++i)
      runItems(worker, instance.runs[i], item, item + step);
  endInstance(instance);
}

void Executor::startInline(Worker *worker, GraphInstance &instance) {
  pool.push(worker, {&instance, RunWhole});
}

/// Runs a node of one unit, which needs only the frame.
void Executor::runPlainItems(Worker &worker, NodeRun &run, uint32_t begin,
                             uint32_t end) {
  GraphInstance &instance = *run.instance;
  const SluicePlanNode &node = *run.info->node;
  SluiceInvocation invocation = run.invocation;
  invocation.isAlone = isAlone(instance.info);
  invocation.frame = instance.frameOf(begin);
  for (uint32_t item = begin; item < end && item < instance.numGoodItems();
       ++item) {
    Status error;
    if (!callKernel(worker, node, run.kernel, invocation, {0, 1}, error))
      instance.fail(std::move(error), item);
    invocation.frame += instance.info.frameBytes;
  }
}

/// The counts for the known extents of one item; null if they are wrong.
const NodeCounts *Executor::countAnew(NodeRun &run, uint32_t item) {
  Status status = countExtents(run);
  if (status.ok())
    return &run.counts;
  run.instance->fail(std::move(status), item);
  return nullptr;
}

/// Preparations for nodes in groups, with arrays or without instances.
bool Executor::prepareInFull(NodeRun &run, uint32_t item,
                             const NodeCounts &counts) {
  const NodeInfo &info = *run.info;
  GraphInstance &instance = *run.instance;
  unsigned char *frame = run.invocation.frame;
  if (info.group != SLUICE_NO_INDEX) {
    // The group's first node has already run for this item.
    uint32_t first = instance.info.groups[info.group].nodes.front();
    if (!checkGroup(run, instance.runs[first], item))
      return false;
  }
  if (info.hasArrays) {
    Status status = allocateArrays(*info.node, run.invocation.extents, frame,
                                   counts.empty, instance.memory);
    if (!status.ok()) {
      instance.fail(std::move(status), item);
      return false;
    }
  }
  if (counts.empty) {
    zeroOutputs(*info.node, frame);
    return false;
  }
  return true;
}

void Executor::runItems(Worker &worker, NodeRun &run, uint32_t begin,
                        uint32_t end) {
  GraphInstance &instance = *run.instance;
  const NodeInfo &info = *run.info;
  bool needsTime = trace || instance.isTimed;
  uint64_t start = needsTime ? clockNanoseconds() : 0;
  uint64_t numUnits = 0;
  if (info.isPlain) {
    runPlainItems(worker, run, begin, end);
    numUnits = end - begin;
  } else {
    for (uint32_t item = begin; item < end && item < instance.numGoodItems();
         ++item) {
      const NodeCounts *counts = countItem(run, item);
      if (!counts || !prepareItem(run, item, *counts))
        continue;
      Status error;
      if (!callUnits(worker, *info.node, run.kernel, run.invocation,
                     {0, counts->units}, error))
        instance.fail(std::move(error), item);
      numUnits += counts->units;
    }
    run.invocation.frame = instance.frame;
  }
  if (!needsTime)
    return;
  uint64_t stop = clockNanoseconds();
  if (instance.isTimed)
    instance.busyNanoseconds.fetch_add(stop - start, std::memory_order_relaxed);
  if (trace)
    trace->buffer(worker.index)
        .addChunk(*info.node, {0, numUnits}, start, stop, instance.startTime);
}
