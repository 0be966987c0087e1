//===- OutsideTasks.h - Tasks that end externally -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A worker only begins these tasks of a table; they end when an external event
// occurs, such as the arrival of a message. No worker waits for them; workers
// check for ends between their own tasks, and when they have none.
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
  /// Begins a task, but does not run it.
  virtual void start(uint32_t task) = 0;
  /// Calls `setEnded` for tasks that have ended. Any thread may call it;
  /// returns at once while another thread is calling it.
  virtual void poll(const std::function<void(uint32_t task)> &setEnded) = 0;
  /// For threads that have nothing else to do, while tasks have begun: if
  /// polling alone would not let any task end, waits for an end and then does
  /// the same. Otherwise does nothing and returns false.
  virtual bool wait(const std::function<void(uint32_t task)> & /*setEnded*/) {
    return false;
  }
  /// Whether some tasks have begun and not ended.
  virtual bool isBusy() const = 0;
  /// The message of a task, for timelines.
  virtual MessageInfo messageOf(uint32_t task) const = 0;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_OUTSIDETASKS_H
