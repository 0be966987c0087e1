//===- LeafAssumptions.cpp - Assumptions of a leaf about pointers ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A leaf can state with a call that its index is distinct for each instance,
// where no formula shows it. This file finds the accesses to which such a
// statement applies.
//
//===----------------------------------------------------------------------===//

#include "LeafAssumptions.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/LeafReductions.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::races;

LeafAssumptions::LeafAssumptions(Function &leaf, LeafValues &values)
    : values(values), postDominators(leaf) {
  for (const Instruction &instruction : instructions(leaf))
    if (hpvmIntrinsicName(instruction) == "assume.disjoint")
      calls.push_back(cast<CallBase>(&instruction));
    else if (hpvmIntrinsicName(instruction) == "assume.ordered")
      vouches.push_back(cast<CallBase>(&instruction));
    else if (hpvmIntrinsicName(instruction) == "order.begin")
      orderBegins.push_back(cast<CallBase>(&instruction));
    else if (hpvmIntrinsicName(instruction) == "order.end")
      orderEnds.push_back(cast<CallBase>(&instruction));
  for (const LeafReduction &reduction : reductionsOf(leaf))
    reductions.push_back(reduction.memory);
}

/// True if `pointer` was computed from `base` in all cases.
static bool isFrom(const Value &pointer, const Value &base,
                   SmallPtrSetImpl<const Value *> &seen) {
  if (&pointer == &base || !seen.insert(&pointer).second)
    return true;
  if (const auto *address = dyn_cast<GEPOperator>(&pointer))
    return isFrom(*address->getPointerOperand(), base, seen);
  if (const auto *select = dyn_cast<SelectInst>(&pointer))
    return isFrom(*select->getTrueValue(), base, seen) &&
           isFrom(*select->getFalseValue(), base, seen);
  if (const auto *phi = dyn_cast<PHINode>(&pointer))
    return all_of(phi->incoming_values(), [&](const Use &incoming) {
      return isFrom(*incoming, base, seen);
    });
  return false;
}

/// True if an instance that executes `access` with a value of `base` also
/// executes `call`, which makes a statement about that value. For a value that
/// never changes, the statement may come later.
bool LeafAssumptions::isSaid(const CallBase &call, const Value &base,
                             const Instruction &access) const {
  if (values.dominators.dominates(&call, &access))
    return true;
  return isa<Argument, GlobalVariable>(base) &&
         postDominators.dominates(&call, &access);
}

std::vector<unsigned> LeafAssumptions::sidesOf(const Instruction &instruction,
                                               const Value &pointer) const {
  std::vector<unsigned> sides;
  for (auto [number, call] : enumerate(calls))
    for (unsigned side : {0, 1}) {
      const Value *base = call->getArgOperand(2 * side)->stripPointerCasts();
      SmallPtrSet<const Value *, 8> seen;
      if (isFrom(pointer, *base, seen) && isSaid(*call, *base, instruction))
        sides.push_back(2 * number + side);
    }
  // Each instance has its own copy of reduced memory.
  for (auto [number, memory] : enumerate(reductions)) {
    SmallPtrSet<const Value *, 8> seen;
    unsigned own = calls.size() + number;
    if (memory && isFrom(pointer, *memory, seen))
      sides.insert(sides.end(), {2 * own, 2 * own + 1});
  }
  return sides;
}

std::vector<unsigned> LeafAssumptions::vouchesOf(const Instruction &instruction,
                                                 const Value &pointer) const {
  std::vector<unsigned> result;
  for (auto [number, call] : enumerate(vouches)) {
    const Value *base = call->getArgOperand(0)->stripPointerCasts();
    SmallPtrSet<const Value *, 8> seen;
    if (isFrom(pointer, *base, seen) && isSaid(*call, *base, instruction))
      result.push_back(number);
  }
  return result;
}

bool LeafAssumptions::awaits(const Instruction &access) const {
  return any_of(orderBegins, [&](const CallBase *begin) {
    return values.dominators.dominates(begin, &access);
  });
}

bool LeafAssumptions::isAwaited(const Instruction &access) const {
  return any_of(orderEnds, [&](const CallBase *end) {
    return postDominators.dominates(end, &access);
  });
}

std::vector<LeafVouch> LeafAssumptions::getVouches() const {
  std::vector<LeafVouch> result;
  for (const CallBase *call : vouches) {
    StringRef reason;
    getConstantStringInfo(call->getArgOperand(2), reason);
    result.push_back({reason.str(), call->getDebugLoc()});
  }
  return result;
}
