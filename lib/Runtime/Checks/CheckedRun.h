//===- CheckedRun.h - Running a graph instance under SLUICE_CHECK=1 -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans whose leaves report their accesses run with the checker. For all other
// plans only the result can be checked: memory given as `in` must not have
// changed.
//
//
// Room: the implementation of SLUICE_CHECK=1. It observes the interpreter and
// never the executor. May include Base, KernelMemory, Scheduling, Plan and
// Execution. CheckHeap.cpp is a separate library that is linked into checked
// programs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_CHECKS_CHECKEDRUN_H
#define SLUICE_RUNTIME_CHECKS_CHECKEDRUN_H

#include "../KernelMemory/InstanceMemory.h"
#include "../Plan/PlanInfo.h"
#include "../Scheduling/Pool.h"
#include "Checker.h"

namespace sluice {

/// Whether graphs are checked while they run.
enum class CheckMode {
  AsBuilt, ///< graphs that were compiled for checks
  Off,
  On ///< all graphs; the others only as far as possible
};

/// Copies of the memory that a graph instance received only as `in`.
class InputSnapshot {
public:
  InputSnapshot(const SluicePlan &plan, const unsigned char *frame);
  /// An error that names every changed argument and its first changed byte.
  Status compare() const;

private:
  struct Input {
    const char *name;
    const unsigned char *memory;
    std::vector<unsigned char> copy;
  };
  const SluicePlan &plan;
  std::vector<Input> inputs;
};

/// Used by one thread at a time.
class CheckedRun {
public:
  explicit CheckedRun(CheckMode mode) : mode(mode) {}

  /// Whether to run instances of this plan here.
  bool wants(const SluicePlan &plan) const {
    return mode == CheckMode::On ||
           (mode == CheckMode::AsBuilt && plan.isChecked);
  }
  /// Runs one graph instance in the calling thread.
  Status run(const PlanInfo &info, unsigned char *frame,
             InstanceMemory &memory);

private:
  Status runChecked(const PlanInfo &info, unsigned char *frame,
                    InstanceMemory &memory);
  Status runUninstrumented(const PlanInfo &info, unsigned char *frame,
                           InstanceMemory &memory);

  const CheckMode mode;
  Checker checker;
  /// A worker outside the pool, whose workers may be busy.
  Worker worker{0};
  bool saidWhatIsMissing = false;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_CHECKS_CHECKEDRUN_H
