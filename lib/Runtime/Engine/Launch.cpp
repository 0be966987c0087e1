//===- Launch.cpp - One asynchronous launch -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the argument structure to the frame, through the executor, and back.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include "../Scheduling/Clock.h"
#include "Engine.h"

#include <algorithm>

using namespace sluice;

/// A launch behind others that were not waited for may run beside them, so it
/// runs here only if it takes about as long as handing it to another worker.
static constexpr uint64_t partInFlight = 10;

/// A thread that waits for a launch within so many nanoseconds, so many times
/// in a row, does nothing between, and will do the same next time.
static constexpr uint64_t atOnce = 2000;
static constexpr uint32_t enoughAtOnce = 4;

/// Launches of this thread that were not waited for, if the thread that
/// launches also waits. Only a guess of how many are in flight is needed.
__attribute__((
    tls_model("initial-exec"))) static thread_local int64_t numUnwaited = 0;

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
  this->structure = structure;
  const uint64_t *offsets =
      layout ? layout->resultOffsets : info.packedResults.data();
  for (size_t i = 0; i < resultOffsets.size(); ++i)
    resultOffsets[i] = offsets[i];
  readArguments(info, structure, layout, ArgumentSet::All, instance.frame);
  ended.store(false, std::memory_order_relaxed);
  this->ordersUntracked = ordersUntracked;
  if (!info.hasPointers && !(ordersUntracked && info.plan.numMemories))
    return true;
  Result<bool> isFree =
      engine.claimMemory(info, ArgumentSet::All, instance.frame, *this);
  if (!heldBack.empty())
    Engine::startHeldBack(heldBack);
  return isFree;
}

void Launch::start(bool isFree) {
  bool isAlone = numUnwaited++ <= 0;
  returnTime = 0;
  if (!isFree)
    return;
  engine.place(instance);
  if (isCoarse)
    return engine.startInstance(instance);
  uint64_t maxTime = engine.options.maxTimeHere;
  bool waitsAtOnce = isAlone && maxTime && numWaitedAtOnce >= enoughAtOnce;
  engine.startLaunch(instance, isAlone ? maxTime : maxTime / partInFlight,
                     waitsAtOnce);
  if (isAlone && (waitsAtOnce || !hasEnded()))
    returnTime = clockNanoseconds();
}

Status Launch::wait() {
  --numUnwaited;
  if (returnTime) {
    bool isSoon = clockNanoseconds() - returnTime < atOnce;
    numWaitedAtOnce = isSoon ? std::min(numWaitedAtOnce + 1, enoughAtOnce) : 0;
  }
  if (!hasEnded())
    engine.waitFor(*this, instance, end, ended);
  if (Status status = instance.takeError(); !status.ok())
    return status;
  if (!resultOffsets.empty())
    writeResults(*entry.info, instance.frame, resultOffsets.data(), structure);
  return {};
}

void Launch::instanceEnded(Worker *worker) {
  engine.releaseMemory(*this, worker);
  ended.store(true, std::memory_order_release);
  end.notify();
}

void Launch::memoryReady(Worker *worker) {
  engine.place(instance);
  engine.startInstance(worker, instance);
}
