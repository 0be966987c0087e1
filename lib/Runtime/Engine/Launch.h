//===- Launch.h - One asynchronous launch ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The object behind the handle of a launch that is not a stream.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_ENGINE_LAUNCH_H
#define SLUICE_RUNTIME_ENGINE_LAUNCH_H

#include "../Scheduling/Clock.h"
#include "Engine.h"

#include "sluice/Base/MachineCosts.h"

namespace sluice {

/// Life of a launch: idle, prepared (arguments copied, memory claimed),
/// running, ended, waited for and idle again.
class Launch final : public Handled, public InstanceOwner, public MemoryUser {
public:
  Launch(Engine &engine, PlanEntry &entry, bool isCoarse);

  PlanEntry &entry;
  PlanEntry::Idle idle;
  GraphInstance instance;

  /// Copies the arguments and claims memory. True: it is free; false: the
  /// launch starts by itself when earlier ones have ended.
  /// `ordersUntracked` as in MemoryUser.
  Result<bool> prepare(void *structure, const SluiceLayout *layout,
                       bool ordersUntracked);
  /// Has it run, if its memory is free. Cheap launches have ended when this
  /// returns.
  void start(bool isFree);
  /// Both at once, for a packed structure, where nothing is to be decided or
  /// reported: this is a launch like one of the last two, and this thread may
  /// run it. False: neither was done.
  bool startAgain(void *structure, bool ordersUntracked);
  /// Blocks until it has ended; writes the results if it succeeded.
  Status wait();
  /// The same after it has ended well.
  void finish() {
    noteWait();
    noteEnd();
    if (!resultOffsets.empty())
      writeResults(*entry.info, instance.frame, resultOffsets.data(),
                   structure);
  }
  bool hasEndedWell() const { return hasEnded() && !instance.failed(); }
  bool isRunning() override { return !hasEnded(); }
  bool hasEnded() const { return ended.load(std::memory_order_acquire); }

  void instanceEnded(Worker *worker) override;
  void memoryReady(Worker *worker) override;

private:
  /// A launch behind others that were not waited for may run beside them, so it
  /// runs here only if it takes about as long as handing it to another worker.
  static constexpr uint64_t partInFlight = 10;
  /// A thread that waits for a launch within so many nanoseconds, so many times
  /// in a row, does nothing between, and will do the same next time.
  static constexpr uint64_t atOnce = 2 * handOverTime;
  static constexpr uint32_t enoughAtOnce = 4;

  /// Nothing is gained by knowing what launches that take longer, in units of
  /// RuntimeOptions::maxTimeHere, lose by being shared.
  static constexpr uint64_t longest = 50;
  /// In a shared launch, nodes that take longer than this part of
  /// RuntimeOptions::maxTimeHere are shared.
  static constexpr uint64_t partOfShared = 10;

  void runHere(Worker &worker);
  uint64_t chooseWay(uint64_t maxTime);
  void noteTime();
  void noteWait() {
    --numUnwaited;
    if (returnTime)
      noteWaitTime();
  }
  void noteWaitTime();
  void startLater();
  bool joinBurst();
  /// The thread has waited for this launch.
  static void noteEnd() {
    if (isInBurst && numUnwaited <= 0)
      endBurst();
  }
  static void endBurst();

  /// Launches of this thread that were not waited for, if the thread that
  /// launches also waits. Only a guess of how many are in flight is needed.
  __attribute__((
      tls_model("initial-exec"))) static inline constinit thread_local int64_t
      numUnwaited = 0;
  /// This thread has launched behind another launch in flight, and not waited
  /// for all since: see BurstCost.
  __attribute__((tls_model(
      "initial-exec"))) static inline constinit thread_local bool isInBurst =
      false;
  Engine &engine;
  /// Each node is worth a worker.
  const bool isCoarse;
  void *structure = nullptr;
  std::vector<uint64_t> resultOffsets;
  /// The last launch was not serial, its structure packed, and instances of the
  /// plan are not run sequentially.
  bool wasPlain = false;
  std::atomic<bool> ended{false};
  WaitPoint end;
  /// Launches in a row that took long enough to look, and were waited for at
  /// once: nothing is gained by another thread that could begin meanwhile.
  uint32_t numWaitedAtOnce = 0;
  /// When the last such launch returned; else 0. See Clock.h.
  uint64_t returnTime = 0;
  /// The last launch took long enough to be shared.
  bool wasLong = false;
  /// When a launch began whose time is measured, else 0; whether all of it is
  /// to run in this thread, and how long that takes by what is known.
  uint64_t startTime = 0;
  bool isAllHere = false;
  uint64_t units = 0;
};

[[gnu::always_inline]] inline bool Launch::startAgain(void *structure,
                                                      bool ordersUntracked) {
  if (!wasPlain || this->ordersUntracked != ordersUntracked ||
      instance.getBackEnd())
    return false;
  const PlanInfo &info = *entry.info;
  if (ordersUntracked && info.plan.numMemories)
    return false;
  Pool &pool = engine.executor.getPool();
  Worker *worker = pool.tryEnter();
  if (!worker)
    return false;
  readPackedArguments(info, structure, instance.frame);
  const bool isFree =
      !info.hasPointers || engine.claimAgain(info, instance.frame, *this);
  if (!isFree || engine.mayBePlaced(info)) {
    engine.releaseMemory(*this, worker);
    pool.leave();
    return false;
  }
  this->structure = structure;
  ended.store(false, std::memory_order_relaxed);
  instance.control = FloatingControl::current();
  returnTime = 0;
  makeAlive();
  runHere(*worker);
  return true;
}

/// Runs it in this thread, or starts it, and leaves the seat.
[[gnu::always_inline]] inline void Launch::runHere(Worker &worker) {
  using Started = Executor::Started;
  const bool isAlone = numUnwaited++ <= 0;
  uint64_t maxTime = engine.options.maxTimeHere;
  const bool waitsAtOnce =
      isAlone && maxTime && numWaitedAtOnce >= enoughAtOnce;
  startTime = 0;
  if (!isAlone)
    maxTime /= joinBurst() ? 1 : partInFlight;
  else if (waitsAtOnce && wasLong) [[unlikely]]
    maxTime = chooseWay(maxTime);
  const bool isMeasured = startTime != 0;
  Started started = engine.executor.startHere(
      worker, instance, maxTime, waitsAtOnce && !instance.prefersSharing);
  wasLong = isMeasured || started != Started::Ended;
  if (started != Started::Running) {
    if (isMeasured)
      noteTime();
    // Nobody has the handle yet, to wait for the end.
    engine.releaseMemory(*this, &worker);
    ended.store(true, std::memory_order_release);
  }
  engine.executor.getPool().leave();
  if (isMeasured || started == Started::EndedLate ||
      (isAlone && started == Started::Running && !hasEnded()))
    returnTime = clockNanoseconds();
}

} // namespace sluice

#endif // SLUICE_RUNTIME_ENGINE_LAUNCH_H
