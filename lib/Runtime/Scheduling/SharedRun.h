//===- SharedRun.h - Work to which workers invite each other --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An invitation to a run may be found in a queue long after the run has ended.
// So runs are numbered, and a worker that accepts an invitation checks here
// first.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_SCHEDULING_SHAREDRUN_H
#define SLUICE_RUNTIME_SCHEDULING_SHAREDRUN_H

#include "FloatingControl.h"

#include <atomic>
#include <cstdint>

namespace sluice {

class RunGate {
public:
  /// Begins a run in which the caller takes part.
  void open(uint32_t run) {
    state.store(uint64_t(run) << 32 | 1, std::memory_order_release);
  }
  /// Takes part in a run; false if it has ended.
  bool join(uint32_t run) {
    uint64_t seen = state.load(std::memory_order_acquire);
    do {
      if (seen >> 32 != run || static_cast<uint32_t>(seen) == 0)
        return false;
    } while (!state.compare_exchange_weak(
        seen, seen + 1, std::memory_order_acq_rel, std::memory_order_acquire));
    return true;
  }
  /// True for the last participant, which ends the run.
  bool leave() {
    return static_cast<uint32_t>(
               state.fetch_sub(1, std::memory_order_acq_rel)) == 1;
  }
  bool isOver() const {
    return static_cast<uint32_t>(state.load(std::memory_order_acquire)) == 0;
  }

private:
  /// Number of the run << 32 | number of participating workers.
  alignas(64) std::atomic<uint64_t> state{0};
};

class Worker;

/// Work that several workers do together: nodes of a plain graph, tasks of a
/// table, iterations of a loop. One worker begins it and leaves an invitation
/// in a deque; a worker that finds the invitation passes it on, if more workers
/// are wanted, before it works. Objects are reused, and freed only with the
/// executor, because invitations may outlive the run.
class SharedRun {
public:
  virtual ~SharedRun() = default;
  /// For a worker that has joined: works until nothing is left to take, and
  /// leaves the gate.
  virtual void takePart(Worker &worker) = 0;
  /// Whether a worker other than this one should join.
  virtual bool wantsMore(const Worker &worker) const = 0;

  /// Begins the next run, in which the caller takes part. The others compute as
  /// it does.
  void open() {
    control = FloatingControl::current();
    gate.open(++number);
  }

  RunGate gate;
  /// The number of the run, which its invitations contain.
  uint32_t number = 0;
  FloatingControl control;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_SCHEDULING_SHAREDRUN_H
