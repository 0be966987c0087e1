//===- OutsideTasks.h - Tasks whose end comes from outside ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some tasks of a table are only begun by a worker, and end when something else
// says so: a message that is under way. No worker waits for them; workers look
// for ends between their own tasks, and when they have none.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_OUTSIDETASKS_H
#define SLUICE_RUNTIME_PLAN_OUTSIDETASKS_H

#include <cstdint>
#include <functional>

namespace sluice {

/// A message between this rank and another one.
struct MessageInfo {
  uint32_t peer = 0;
  uint32_t tag = 0;
  uint64_t bytes = 0;
  bool isSend = false;
};

class OutsideTasks {
public:
  virtual ~OutsideTasks() = default;
  /// Begins a task, which does not run.
  virtual void start(uint32_t task) = 0;
  /// Calls `setEnded` with tasks that have ended; any thread may call it, and
  /// returns at once while another one does.
  virtual void poll(const std::function<void(uint32_t task)> &setEnded) = 0;
  /// For whoever has nothing else to do, while some have begun: the same after
  /// waiting for an end, where looking again would not let any come. False:
  /// where that is not so, and nothing was done.
  virtual bool wait(const std::function<void(uint32_t task)> & /*setEnded*/) {
    return false;
  }
  /// Whether some have begun and not ended.
  virtual bool isBusy() const = 0;
  /// What a task sends or receives, for timelines.
  virtual MessageInfo messageOf(uint32_t task) const = 0;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_OUTSIDETASKS_H
