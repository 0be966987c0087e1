//===- Checker.h - Finds violations of a graph's declarations -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The run-time half of the race check (SLUICE_CHECK=1). Instrumented leaves
// report every access, and the interpreter runs the leaves one after another.
// This class compares each access with earlier ones and with the attributes of
// the leaf.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_CHECKS_CHECKER_H
#define SLUICE_RUNTIME_CHECKS_CHECKER_H

#include "../Execution/PlanInterpreter.h"
#include "CheckAssumptions.h"
#include "CheckFindings.h"
#include "CheckOrder.h"
#include "CheckTurns.h"
#include "Shadow.h"

#include "sluice/Base/Status.h"

#include <map>
#include <vector>

namespace sluice {

/// Checks one graph instance at a time, all in the thread that called `begin`.
///
/// For an access of one instance to some bytes:
///
/// 1. It lies within the object from which its address was computed.
/// 2. It is not a write to memory given as `in`, nor a read of memory given as
///    `out` that the graph has not written.
/// 3. It is ordered after all earlier conflicting accesses to the same bytes.
///    Two accesses conflict if one of them writes and not both are atomic.
/// Statements of instances by sluice_assume_disjoint must also agree.
/// An access outside of its object ends the graph instance, since it would do
/// damage; all other violations are only reported. An earlier access is dropped
/// when a later one is ordered after it and conflicts with at least as many
/// accesses; of many unordered readers, the first two and the last are kept. So
/// races may hide other races on the same bytes, but every reported race is
/// real.
class Checker final : public PlanObserver {
public:
  /// The checker of the graph that runs in this thread, or null.
  static Checker *current();

  /// Begins a graph instance with its arguments in `frame`.
  void begin(const SluicePlan &plan, const unsigned char *frame);
  void beginNode(uint32_t node) override { currentNode = node; }
  /// Ends the graph instance. Returns an error that lists all findings, if
  /// there are any, and otherwise `status`.
  Status end(Status status);

  void beginLeaf(const SluiceCheckLeaf &leaf, const int64_t *numbers);
  void setInstance(uint64_t instance, uint64_t phase);
  /// See sluiceCheckAccess.
  void access(const SluiceCheckSite &site, const void *address, uint64_t size,
              uint64_t instance, uint64_t phase, const void *base,
              uint64_t extent);
  /// See sluiceCheckDisjoint.
  void assume(const SluiceCheckSite &site, uint64_t instance, uint64_t phase,
              CheckRange a, CheckRange b);
  /// See sluiceCheckOrdered and sluiceCheckTurn.
  void vouch(CheckRange memory);
  void turn(uint64_t instance, const void *lock, uint32_t turn);
  /// See sluiceCheckReduction.
  void standFor(CheckRange copy, uintptr_t memory);
  /// Records that these bytes belong to a new object.
  void renewed(const void *pointer, uint64_t size);
  /// Records memory that a leaf or the runtime allocated for the graph.
  void allocated(const void *pointer, uint64_t size);
  void freed(const void *pointer);

private:
  /// An argument of the graph with its memory.
  struct Range {
    const SluicePlanArgument *argument;
    uintptr_t start;
    uint64_t size;
  };
  /// A copy of memory that is reduced, by its start.
  struct Copy {
    uint64_t size;
    uintptr_t memory;
  };
  struct Access {
    const SluiceCheckSite &site;
    uintptr_t start;
    uint64_t size;
    CheckInstance instance;
    uintptr_t base;
    /// An access to a copy of memory that is reduced: instances cannot disturb
    /// each other.
    bool isReduction = false;
  };

  /// While an object exists, the checker itself runs: memory that it allocates
  /// does not belong to the program.
  class Work {
  public:
    explicit Work(Checker &checker)
        : checker(checker), before(checker.isAtWork) {
      checker.isAtWork = true;
    }
    ~Work() { checker.isAtWork = before; }

  private:
    Checker &checker;
    const bool before;
  };

  const Range *findRange(uintptr_t address) const;
  const std::pair<const uintptr_t, Copy> *findCopy(uintptr_t address) const;
  bool isPrivate(uintptr_t address);
  bool isThreadLocal(uintptr_t address);
  void checkAttributes(const Access &access, const Range *range);
  bool isUnwritten(const Access &access, uintptr_t &where, uint8_t &mask);
  void checkRaces(const Access &access);
  void checkConflict(const Access &access, const ShadowEntry &entry,
                     const ShadowEntry &fresh, uintptr_t where);
  bool isVouched(uint32_t execution, uintptr_t address) const;
  void settleWrites();
  void checkGranule(const Access &access, ShadowGranule &granule, uint8_t mask,
                    uintptr_t where);
  /// `mask`: the relevant bytes of the granule at `where`.
  CheckFindings::Place placeOf(const Access &access, uintptr_t where,
                               uint8_t mask) const;

  const SluicePlan *plan = nullptr;
  std::vector<Range> ranges;
  std::map<uintptr_t, uint64_t> allocations;
  std::map<uintptr_t, Copy> copies;
  CheckOrder order;
  CheckFindings report{order};
  CheckAssumptions assumptions;
  CheckLocks locks;
  CheckVouched vouched;
  /// A write to memory of sluice_assume_ordered that another instance also
  /// wrote. It happens after it is reported.
  struct PendingWrite {
    CheckFindings::Place place;
    CheckInstance other;
    const SluiceCheckSite *otherSite;
    uintptr_t start;
    std::vector<unsigned char> before;
  };
  std::vector<PendingWrite> pending;
  Shadow shadow;
  uint32_t currentNode = 0;
  CheckInstance currentInstance;
  /// Stack of the kernels: below the frame that started the graph instance.
  uintptr_t stackTop = 0;
  /// Thread-local memory of the checker's thread, sorted by address; empty
  /// until first requested.
  std::vector<CheckRange> threadLocals;
  bool isAtWork = false;
  /// A kernel was ended because an access would have done damage.
  bool wasStopped = false;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_CHECKS_CHECKER_H
