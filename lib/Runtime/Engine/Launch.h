//===- Launch.h - One asynchronous launch ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands behind the handle of a launch that is no stream.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_ENGINE_LAUNCH_H
#define SLUICE_RUNTIME_ENGINE_LAUNCH_H

#include "../Execution/Instance.h"
#include "../Memory/Tracker.h"
#include "../Plan/Arguments.h"
#include "../Scheduling/Pool.h"
#include "Handles.h"
#include "PlanTable.h"

namespace sluice {

class Engine;

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
  /// Blocks until it has ended; writes the results if it succeeded.
  Status wait();
  bool isRunning() override { return !hasEnded(); }
  bool hasEnded() const { return ended.load(std::memory_order_acquire); }

  void instanceEnded(Worker *worker) override;
  void memoryReady(Worker *worker) override;

private:
  Engine &engine;
  /// Each node is worth a worker.
  const bool isCoarse;
  void *structure = nullptr;
  std::vector<uint64_t> resultOffsets;
  std::atomic<bool> ended{false};
  WaitPoint end;
  /// Launches in a row that took long enough to look, and were waited for at
  /// once: nothing is gained by another thread that could begin meanwhile.
  uint32_t numWaitedAtOnce = 0;
  /// When the last such launch returned; else 0. See Clock.h.
  uint64_t returnTime = 0;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_ENGINE_LAUNCH_H
