//===- Launch.cpp - One asynchronous launch -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the argument structure to the frame, through the executor, and back.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include <algorithm>

using namespace sluice;

Launch::Launch(Engine &engine, PlanEntry &entry, bool isCoarse)
    : Handled(Kind::Launch), entry(entry),
      instance(*entry.info, *this, 1, isCoarse), engine(engine),
      isCoarse(isCoarse), resultOffsets(entry.info->packedResults) {
  name = entry.info->plan.name;
  instance.mayEndQuietly = true;
}

Result<bool> Launch::prepare(void *structure, const SluiceLayout *layout,
                             bool ordersUntracked) {
  const PlanInfo &info = *entry.info;
  name = info.plan.name; // may be another one by now
  this->structure = structure;
  const uint64_t *offsets =
      layout ? layout->resultOffsets : info.packedResults.data();
  for (size_t i = 0; i < resultOffsets.size(); ++i)
    resultOffsets[i] = offsets[i];
  readArguments(info, structure, layout, ArgumentSet::All, instance.frame);
  ended.store(false, std::memory_order_relaxed);
  instance.control = FloatingControl::current();
  startTime = 0;
  if (this->ordersUntracked != ordersUntracked)
    forgetAllClaims();
  this->ordersUntracked = ordersUntracked;
  wasPlain = structure && !layout && !isCoarse && !instance.isSerial &&
             info.tables.empty() && !engine.isSequential(info);
  if (!info.hasPointers && !(ordersUntracked && info.plan.numMemories))
    return true;
  if (engine.trace)
    instance.claimTime = clockNanoseconds();
  Result<bool> isFree =
      engine.claimMemory(info, ArgumentSet::All, instance.frame, *this);
  if (!heldBack.empty())
    Engine::startHeldBack(heldBack);
  return isFree;
}

void Launch::start(bool isFree) {
  returnTime = 0;
  if (!isFree)
    return startLater();
  engine.place(instance);
  Worker *worker = nullptr;
  if (!isCoarse && !engine.isSequential(*entry.info))
    worker = engine.executor.getPool().tryEnter();
  if (worker)
    return runHere(*worker);
  startLater();
  engine.startInstance(instance);
}

/// Another worker will run it.
void Launch::startLater() {
  if (numUnwaited++ > 0)
    joinBurst();
}

/// For a launch that the host will wait for at once, chooses whether this
/// thread or the workers run it. Returns how long it may run in this thread.
uint64_t Launch::chooseWay(uint64_t maxTime) {
  if (engine.numWorkers() == 1 || instance.isPlainLaunch ||
      instance.getBackEnd())
    return maxTime;
  const Executor::ExpectedWork work = Executor::expectedWork(instance);
  if (work.time < Executor::leastShared || work.time > longest * maxTime)
    return maxTime;
  units = work.units;
  isAllHere = entry.info->launchCosts->isNextAlone(units);
  instance.prefersSharing = !isAllHere;
  startTime = clockNanoseconds();
  return isAllHere ? 2 * longest * maxTime : maxTime / partOfShared;
}

namespace {
/// The burst of one thread; see BurstCost. It is measured from its second
/// launch on.
struct Burst {
  /// Null: it has become too long. The plan may be gone before the burst ends.
  std::shared_ptr<BurstCost> cost;
  uint64_t startTime = 0, numLaunches = 0;
  bool isAlone = false;
};
} // namespace

static thread_local Burst burst;

/// For a launch behind others that were not waited for: whether it is to run in
/// this thread, if it is small.
bool Launch::joinBurst() {
  constexpr uint64_t launchesToLook = 16;
  if (engine.numWorkers() == 1)
    return false;
  if (!isInBurst) {
    const std::shared_ptr<BurstCost> &cost = entry.info->burstCost;
    burst = {cost, clockNanoseconds(), 1, cost->isNextAlone()};
    isInBurst = true;
  }
  if (!burst.cost)
    return false;
  if (++burst.numLaunches % launchesToLook == 0 &&
      clockNanoseconds() - burst.startTime > BurstCost::longest) {
    endBurst();
    isInBurst = true;
    return false;
  }
  return burst.isAlone;
}

void Launch::endBurst() {
  if (burst.cost)
    burst.cost->add(burst.isAlone, clockNanoseconds() - burst.startTime,
                    burst.numLaunches);
  burst = {};
  isInBurst = false;
}

void Launch::noteTime() {
  instance.prefersSharing = false;
  if (!instance.failed())
    entry.info->launchCosts->add(units, isAllHere,
                                 clockNanoseconds() - startTime);
}

void Launch::noteWaitTime() {
  bool isSoon = clockNanoseconds() - returnTime < atOnce;
  numWaitedAtOnce = isSoon ? std::min(numWaitedAtOnce + 1, enoughAtOnce) : 0;
}

Status Launch::wait() {
  noteWait();
  if (!hasEnded())
    engine.waitFor(*this, instance, end, ended);
  noteEnd();
  if (Status status = instance.takeError(); !status.ok())
    return status;
  if (!resultOffsets.empty())
    writeResults(*entry.info, instance.frame, resultOffsets.data(), structure);
  return {};
}

void Launch::instanceEnded(Worker *worker) {
  if (startTime && !isAllHere)
    noteTime();
  engine.releaseMemory(*this, worker);
  ended.store(true, std::memory_order_release);
  end.notify();
}

void Launch::memoryReady(Worker *worker) {
  if (engine.trace)
    engine.traceMemoryWait(instance);
  engine.place(instance);
  engine.startInstance(worker, instance);
}
