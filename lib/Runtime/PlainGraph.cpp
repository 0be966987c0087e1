//===- PlainGraph.cpp - Graphs of single instances ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the executor for graphs whose nodes all have one unit and
// nothing to prepare. What is left per node is a call, a counter for each
// successor, and the question whether the node is worth handing out at all.
//
//===----------------------------------------------------------------------===//

#include "Clock.h"
#include "Executor.h"
#include "KernelCall.h"
#include "Trace.h"

using namespace sluice;

/// Runs the kernels of `begin <= node < end`; stops at the first that fails.
void Executor::callPlainNodes(Worker &worker, GraphInstance &instance,
                              uint32_t begin, uint32_t end) {
  if (instance.failed())
    return;
  const PlainNode *nodes = instance.info.plain.data();
  SluiceInvocation invocation = {instance.frame, nullptr, &instance.memory};
  uint32_t index = begin;
  worker.insideKernel = true;
  try {
    for (; index < end; ++index) {
      invocation.extents = nodes[index].extents;
      nodes[index].kernel(&invocation, 0, 1);
    }
  } catch (...) {
    instance.fail(kernelError(worker, instance.info.plan.nodes[index]));
  }
  worker.insideKernel = false;
}

/// The same, and notes the time of each.
void Executor::tracePlainNodes(Worker &worker, GraphInstance &instance,
                               uint32_t begin, uint32_t end) {
  for (uint32_t index = begin; index < end; ++index) {
    uint64_t start = clockNanoseconds();
    callPlainNodes(worker, instance, index, index + 1);
    trace->buffer(worker.index)
        .addChunk(instance.info.plan.nodes[index], {0, 1}, start,
                  clockNanoseconds());
  }
}

/// Runs nodes in their order, which is topological. Where they turn out to be
/// worth it, and more than one can run at a time, the rest is shared.
void Executor::runPlainGraph(Worker &worker, GraphInstance &instance) {
  const PlanInfo &info = instance.info;
  PlainCost &cost = *info.plainCost;
  const auto numNodes = static_cast<uint32_t>(info.plain.size());
  // A chain gains nothing from other workers.
  const bool mayShare = numWorkers > 1 && cost.width > 1.25;
  const bool isTimed = mayShare && (cost.wantsTiming() || !cost.isKnown());
  if (mayShare && !isTimed && !cost.isSmall())
    return sharePlainNodes(worker, instance, 0);
  // While the cost is not known, looks at the clock are frequent at first.
  uint32_t step = !isTimed ? numNodes : cost.isKnown() ? 64 : 1;
  uint64_t lastTime = isTimed ? clockNanoseconds() : 0;
  for (uint32_t begin = 0; begin < numNodes;) {
    uint32_t end = begin + std::min(step, numNodes - begin);
    if (trace)
      tracePlainNodes(worker, instance, begin, end);
    else
      callPlainNodes(worker, instance, begin, end);
    if (isTimed) {
      uint64_t time = clockNanoseconds();
      cost.set((time - lastTime) / (end - begin));
      if (!cost.isSmall())
        return sharePlainNodes(worker, instance, end);
      lastTime = time;
      step = std::min(2 * step, 256u);
    }
    begin = end;
  }
  finishInstance(&worker, instance);
}

/// The nodes before `first` have ended; makes tasks of those that can run.
void Executor::sharePlainNodes(Worker &worker, GraphInstance &instance,
                               uint32_t first) {
  const std::vector<PlainNode> &nodes = instance.info.plain;
  const auto numNodes = static_cast<uint32_t>(nodes.size());
  uint32_t numSinks = 0;
  for (uint32_t i = first; i < numNodes; ++i)
    numSinks += nodes[i].numSuccessors == 0;
  if (numSinks == 0)
    return finishInstance(&worker, instance);
  instance.pendingSinks.store(numSinks, std::memory_order_relaxed);
  std::vector<uint32_t> ready;
  // Counters first: once a task is out, everything may run.
  for (uint32_t i = 0; i < first; ++i)
    for (uint32_t k = 0; k < nodes[i].numSuccessors; ++k)
      if (uint32_t successor = nodes[i].successors[k]; successor >= first) {
        std::atomic<uint32_t> &waits = instance.plainWait(successor);
        uint32_t left = waits.load(std::memory_order_relaxed) - 1;
        waits.store(left ? left : nodes[successor].numPredecessors,
                    std::memory_order_relaxed);
        if (left == 0)
          ready.push_back(successor);
      }
  for (uint32_t i = first; i < numNodes; ++i)
    if (nodes[i].numPredecessors == 0)
      ready.push_back(i);
  for (uint32_t index : ready)
    pool.push(&worker, plainTask(instance, index));
}

Task Executor::runPlainNode(Worker &worker, GraphInstance &instance,
                            uint32_t index) {
  constexpr uint32_t none = UINT32_MAX;
  const PlainNode *nodes = instance.info.plain.data();
  while (true) {
    if (trace)
      tracePlainNodes(worker, instance, index, index + 1);
    else
      callPlainNodes(worker, instance, index, index + 1);
    const PlainNode &node = nodes[index];
    uint32_t next = none;
    for (uint32_t k = 0; k < node.numSuccessors; ++k) {
      uint32_t successor = node.successors[k];
      uint32_t numPredecessors = nodes[successor].numPredecessors;
      if (numPredecessors != 1) {
        std::atomic<uint32_t> &waits = instance.plainWait(successor);
        if (waits.fetch_sub(1, std::memory_order_acq_rel) != 1)
          continue;
        waits.store(numPredecessors, std::memory_order_relaxed);
      }
      if (next == none)
        next = successor;
      else
        pool.push(&worker, plainTask(instance, successor));
    }
    if (next != none) {
      index = next;
      continue;
    }
    if (node.numSuccessors == 0 &&
        instance.pendingSinks.fetch_sub(1, std::memory_order_acq_rel) == 1)
      finishInstance(&worker, instance);
    return {};
  }
}
