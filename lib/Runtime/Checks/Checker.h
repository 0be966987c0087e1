//===- Checker.h - Finds what a graph does against its own words ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The run-time half of the race check (SLUICE_CHECK=1). Instrumented leaves
// report every access, and the interpreter runs them one after another. Each
// access is compared here with the earlier ones, and with the attributes of the
// leaf.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_CHECKS_CHECKER_H
#define SLUICE_RUNTIME_CHECKS_CHECKER_H

#include "../Execution/Interpreter.h"
#include "CheckAssumptions.h"
#include "CheckOrder.h"
#include "CheckReport.h"
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
/// 1. It lies within the object that its address was computed from.
/// 2. It is no write to memory given as `in`, and no read of memory given as
///    `out` that the graph has not written.
/// 3. It is ordered after all earlier accesses to the same bytes with which it
///    conflicts: two accesses do if one of them writes and not both are
///    atomic.
///
/// The statements of instances by sluice_assume_disjoint must agree, too.
///
/// An access outside of its object ends the graph instance, since it would do
/// damage; all other violations are only reported. Of the earlier accesses
/// those are kept that no later one replaces: an access is dropped when one
/// that is ordered after it conflicts with at least as many accesses; of many
/// unordered readers the first two and the last are kept. So a race may be
/// hidden by others on the same bytes, but everything that is reported is a
/// race.
class Checker final : public PlanObserver {
public:
  /// The checker of the graph that runs in this thread, or null.
  static Checker *current();

  /// A graph instance starts: its arguments stand in `frame`.
  void begin(const SluicePlan &plan, const unsigned char *frame);
  void beginNode(uint32_t node) override { currentNode = node; }
  /// The graph instance has ended with `status`: an error that lists all that
  /// was found, if anything was, and `status` itself otherwise.
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
  /// These bytes belong to a new object.
  void renewed(const void *pointer, uint64_t size);
  /// Memory that a leaf or the runtime allocated for the graph.
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
    /// To a copy of memory that is reduced: no instance disturbs another one.
    bool isReduction = false;
  };

  /// While one exists, the checker itself runs: memory that it allocates is not
  /// the program's.
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
  /// `mask`: the bytes that matter of the granule at `where`.
  CheckReport::Place placeOf(const Access &access, uintptr_t where,
                             uint8_t mask) const;

  const SluicePlan *plan = nullptr;
  std::vector<Range> ranges;
  std::map<uintptr_t, uint64_t> allocations;
  std::map<uintptr_t, Copy> copies;
  CheckOrder order;
  CheckReport report{order};
  CheckAssumptions assumptions;
  CheckLocks locks;
  CheckVouched vouched;
  /// A write to memory of sluice_assume_ordered that another instance wrote,
  /// too. It takes place after it was reported.
  struct PendingWrite {
    CheckReport::Place place;
    CheckInstance other;
    const SluiceCheckSite *otherSite;
    uintptr_t start;
    std::vector<unsigned char> before;
  };
  std::vector<PendingWrite> pending;
  Shadow shadow;
  uint32_t currentNode = 0;
  CheckInstance currentInstance;
  /// Stack of the kernels: below where the graph instance started.
  uintptr_t stackTop = 0;
  /// Thread-local memory of the checker's thread, in the order of addresses;
  /// empty until somebody asks.
  std::vector<CheckRange> threadLocals;
  bool isAtWork = false;
  /// A kernel was ended because of an access that would have done damage.
  bool wasStopped = false;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_CHECKS_CHECKER_H
