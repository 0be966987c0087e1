//===- PlainGraph.cpp - Graphs of single instances ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the executor for graphs in which all nodes have one unit and need
// no preparation. The remaining cost per node is a call, a check of the node's
// predecessors, and the decision whether to share the node at all.
//
//===----------------------------------------------------------------------===//

#include "../Scheduling/Clock.h"
#include "../Trace/Trace.h"
#include "Executor.h"
#include "KernelCall.h"
#include "PlainShare.h"

#include <algorithm>

using namespace sluice;

/// Runs the kernels of `begin <= node < end`; stops at the first that fails.
void Executor::callPlainNodes(Worker &worker, GraphInstance &instance,
                              uint32_t begin, uint32_t end) {
  if (instance.failed())
    return;
  const PlainNode *nodes = instance.info.plain.data();
  SluiceInvocation invocation = {instance.frame, nullptr, &instance.memory,
                                 isAlone(instance.info), 0};
  uint32_t index = begin;
  worker.insideKernel = true;
  try {
#ifdef __clang__
    [[clang::code_align(64)]] // in one line of the instruction cache
#endif
    for (; index < end; ++index) {
      invocation.extents = nodes[index].extents;
      nodes[index].kernel(&invocation, 0, 1);
    }
  } catch (...) {
    instance.fail(kernelError(worker, instance.info.plan.nodes[index]));
  }
  worker.insideKernel = false;
}

/// The same; records the time of each node.
void Executor::tracePlainNodes(Worker &worker, GraphInstance &instance,
                               uint32_t begin, uint32_t end) {
  for (uint32_t index = begin; index < end; ++index) {
    uint64_t start = clockNanoseconds();
    callPlainNodes(worker, instance, index, index + 1);
    trace->buffer(worker.index)
        .addChunk(instance.info.plan.nodes[index], {0, 1}, start,
                  clockNanoseconds(), instance.startTime);
  }
}

/// Runs nodes in their order, which is topological. If they are expensive
/// enough and several can run at the same time, shares the rest and returns
/// false. Returns true if all have ended.
bool Executor::runPlainGraph(Worker &worker, GraphInstance &instance) {
  const PlanInfo &info = instance.info;
  PlainCost &cost = *info.plainCost;
  const auto numNodes = static_cast<uint32_t>(info.plain.size());
  // A chain does not profit from other workers.
  const bool mayShare =
      numWorkers > 1 && info.plainWidth > 1.25 && !instance.isSerial;
  const PlainCost::Way way =
      mayShare ? cost.next(numNodes)
               : PlainCost::Way{false, cost.wantsTiming(numNodes)};
  if (way.isShared) {
    sharePlainNodes(worker, instance, 0, way.isTimed);
    return false;
  }
  // At first, the clock is checked often.
  uint32_t step = way.isTimed ? 1 : numNodes;
  uint64_t start = way.isTimed ? clockNanoseconds() : 0;
  for (uint32_t begin = 0; begin < numNodes;) {
    uint32_t end = begin + std::min(step, numNodes - begin);
    if (trace)
      tracePlainNodes(worker, instance, begin, end);
    else
      callPlainNodes(worker, instance, begin, end);
    begin = end;
    if (!way.isTimed || instance.failed())
      continue;
    uint64_t time = clockNanoseconds() - start;
    const bool isSlow = mayShare && cost.isSlow(time, end);
    if (isSlow || end == numNodes)
      cost.addAlone(time, end);
    if (isSlow && end < numNodes) {
      sharePlainNodes(worker, instance, end, true);
      return false;
    }
    step = std::min(2 * step, 1024u);
  }
  return true;
}

/// A plain graph shared by several workers.
class Executor::PlainRun final : public ListRun<PlainShare> {
public:
  PlainRun(Executor &executor, GraphInstance &instance)
      : executor(executor), instance(instance),
        lists(instance.info, instance.info.plainLists(executor.numWorkers)) {
    share = &lists;
  }

  void takePart(Worker &worker) override {
    runNodes(worker, lists, [&](uint32_t node) {
      if (executor.trace)
        executor.tracePlainNodes(worker, instance, node, node + 1);
      else
        executor.callPlainNodes(worker, instance, node, node + 1);
      lists.setEnded(node);
    });
    if (!gate.leave())
      return;
    if (lists.startTime() && !instance.failed())
      instance.info.plainCost->addShared(clockNanoseconds() - lists.startTime(),
                                         lists.numShared());
    executor.finishInstance(&worker, instance);
  }

private:
  Executor &executor;
  GraphInstance &instance;
  PlainShare lists;
};

/// The nodes before `first` have ended; invites other workers to the rest.
void Executor::sharePlainNodes(Worker &worker, GraphInstance &instance,
                               uint32_t first, bool isTimed) {
  if (!instance.plainRun)
    instance.plainRun = std::make_unique<PlainRun>(*this, instance);
  auto &run = static_cast<PlainRun &>(*instance.plainRun);
  run.share->begin(first, isTimed ? clockNanoseconds() : 0);
  run.open();
  pool.push(&worker, inviteTask(run, run.number));
  run.takePart(worker);
}
