//===- RankedRun.cpp - The tasks of one rank ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A message without elements consists of one byte.
//
//===----------------------------------------------------------------------===//

#include "RankedRun.h"

#include "../../Plan/Arguments.h"
#include "../../Scheduling/Clock.h"
#include "../../Trace/Trace.h"

#include <chrono>
#include <thread>

using namespace sluice;
using namespace sluice::tasks;

RankedRun::RankedRun(const SluiceTaskProgram &program, Datasets &datasets,
                     Runtime &runtime, const SluiceCluster &cluster,
                     TaskMap givenMap, std::vector<uint32_t> givenRanks)
    : program(program), datasets(datasets), runtime(runtime), cluster(cluster),
      map(std::move(givenMap)), ranks(std::move(givenRanks)),
      orders(findOrders(program, map, ranks, findMessages(program, map, ranks),
                        cluster.rank)),
      plan(*program.plan), messages(cluster) {
  keepOthersOut();
}

static void doNothing(const SluiceInvocation *, uint64_t, uint64_t) {}

/// Nodes of other ranks' tasks keep their orders, which also order the tasks of
/// this rank.
void RankedRun::keepOthersOut() {
  nodes.assign(plan.nodes, plan.nodes + plan.numNodes);
  for (uint32_t i = 0; i < plan.numNodes; ++i) {
    SluicePlanNode &node = nodes[i];
    node.device = nullptr; // everything runs on the host
    node.share = nullptr;  // and each task runs as a whole
    if (isHere(map.taskOf[i]))
      continue;
    node.kernel = doNothing;
    node.extents = nullptr;
    node.constantExtents = nullptr;
    node.numLevels = node.numIndexLevels = node.numUnitLevels = 0;
    node.numOperands = node.numOutputs = node.numShape = node.numUses = 0;
    node.orderedDims = node.tiling = node.tileAhead = node.tileBehind = 0;
    node.touch = nullptr;
    node.numTouched = 0;
  }
  plan.nodes = nodes.data();
  plan.deviceModule = nullptr;
}

Status RankedRun::addMessages() {
  static char nothing; // content of a message without elements
  for (uint32_t i = 0; i < orders.messages.size(); ++i) {
    const RankOrders::Message &message = orders.messages[i];
    std::vector<MessagePart> parts;
    for (const TaskMessage::Part &part : message.what.parts)
      parts.push_back({datasets.address(part.data),
                       program.data[part.data].elementBits / 8u, part.runs,
                       nullptr});
    if (parts.empty())
      parts.push_back({&nothing, 1, {{0, 1}}, nullptr});
    if (Status status =
            messages.add(i, message.isSend,
                         message.isSend ? message.what.to : message.what.from,
                         message.what.reader, std::move(parts));
        !status.ok())
      return status;
  }
  return {};
}

Status RankedRun::execute(const void *arguments) {
  if (Status status = addMessages(); !status.ok())
    return status;
  Result<const PlanInfo *> info = runtime.findPlan(plan);
  if (!info.ok())
    return info.takeStatus();
  instance.emplace(**info, *this, 1, /*isCoarse=*/true);
  readPackedArguments(**info, arguments, instance->frame);
  instance->reportsNodes = true;
  std::vector<uint32_t> numArrivals(plan.numNodes, 0);
  for (uint32_t task = 0; task < program.numTasks; ++task)
    numArrivals[map.firstNode[task]] = orders.numWaits[task];
  instance->expectArrivals(numArrivals);
  const size_t numMessages = orders.messages.size();
  waits = std::make_unique<std::atomic<uint32_t>[]>(numMessages);
  isKnown = std::make_unique<std::atomic<bool>[]>(numMessages);
  for (size_t i = 0; i < numMessages; ++i)
    waits[i].store(orders.messages[i].numWaits, std::memory_order_relaxed);
  times.resize(numMessages);
  numUnended.store(numMessages, std::memory_order_relaxed);
  for (uint32_t i = 0; i < numMessages; ++i)
    if (orders.messages[i].numWaits == 0)
      begin(i);
  runtime.getExecutor().start(nullptr, *instance);
  runtime.getExecutor().getPool().helpUntil(end->changed,
                                            [this] { return isOver(); });
  return instance->takeError();
}

bool RankedRun::isOver() const {
  return end->hasEnded.load(std::memory_order_acquire) &&
         end->numLooks.load(std::memory_order_acquire) == 0 &&
         (instance->failed() ||
          numUnended.load(std::memory_order_acquire) == 0);
}

//===----------------------------------------------------------------------===//
// What ends
//===----------------------------------------------------------------------===//

void RankedRun::instanceEnded(Worker *) {
  const std::shared_ptr<End> shared = end;
  shared->hasEnded.store(true, std::memory_order_release);
  shared->changed.notify();
}

void RankedRun::nodeEnded(Worker *worker, uint32_t node) {
  const uint32_t task = map.taskOf[node];
  // Tasks that wait for messages will not run: the messages may never arrive.
  if (instance->failed()) {
    for (uint32_t i = 0; i < orders.messages.size(); ++i)
      releaseTasks(worker, i);
    return;
  }
  if (isHere(task) && node == map.lastNode(task))
    arriveAt(worker, orders.messagesAfter[task]);
}

/// An event for which these messages wait has happened.
void RankedRun::arriveAt(Worker *, const std::vector<uint32_t> &after) {
  for (uint32_t message : after)
    if (waits[message].fetch_sub(1, std::memory_order_acq_rel) == 1)
      begin(message);
}

void RankedRun::begin(uint32_t number) {
  const RankOrders::Message &message = orders.messages[number];
  for (const TaskMessage::Part &part : message.what.parts) {
    const bool isAll =
        !message.isSend &&
        countOf(part.runs) == numElements(program.data[part.data]);
    datasets.beginUse(part.data, isAll ? SLUICE_ACCESS_OUT
                                       : SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
  }
  if (Trace *trace = runtime.getTrace())
    times[number] = {trace->beginMessage(messages.messageOf(number)),
                     clockNanoseconds()};
  messages.start(number);
  lookForMessages();
}

void RankedRun::messageEnded(Worker &worker, uint32_t number) {
  const RankOrders::Message &message = orders.messages[number];
  if (Trace *trace = runtime.getTrace())
    trace->addMessage(messages.messageOf(number), times[number].number,
                      times[number].begun, clockNanoseconds());
  for (const TaskMessage::Part &part : message.what.parts)
    datasets.endUse(part.data);
  arriveAt(&worker, message.messagesAfter);
  releaseTasks(&worker, number);
  numUnended.fetch_sub(1, std::memory_order_release);
}

void RankedRun::releaseTasks(Worker *worker, uint32_t number) {
  if (isKnown[number].exchange(true, std::memory_order_acq_rel))
    return;
  for (uint32_t task : orders.messages[number].tasksAfter)
    runtime.getExecutor().arrive(worker, *instance, map.firstNode[task]);
}

//===----------------------------------------------------------------------===//
// Looking for messages
//===----------------------------------------------------------------------===//

/// One worker at a time polls, which finds this task when it has no other.
void RankedRun::lookForMessages() {
  if (end->numLooks.fetch_add(1, std::memory_order_acq_rel) == 0)
    runtime.getExecutor().pushOutsideTask(*this);
}

WorkItem RankedRun::run(Worker &worker) {
  constexpr unsigned numSpins = 16, numLooks = 64, patience = 256;
  uint32_t asked = end->numLooks.load(std::memory_order_acquire);
  bool isAny = false;
  for (unsigned i = 0; i < numLooks && !isAny; ++i) {
    messages.poll([&](uint32_t message) {
      messageEnded(worker, message);
      isAny = true;
    });
    if (i >= numSpins && !isAny)
      std::this_thread::yield();
  }
  numVainLooks = isAny ? 0 : numVainLooks + 1;
  if (numVainLooks > patience)
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  const bool mayStop = !messages.isBusy() || instance->failed();
  const std::shared_ptr<End> shared = end;
  // Unless another message has begun meanwhile.
  if (mayStop && shared->numLooks.compare_exchange_strong(
                     asked, 0, std::memory_order_acq_rel))
    shared->changed.notify();
  else
    runtime.getExecutor().pushOutsideTask(*this);
  return {};
}
