//===- ReductionUses.cpp - What a leaf does with a reduction --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows what is loaded from memory that is reduced to where it is stored:
// on the way there may be the operator, choices, and wider or narrower types.
// With minima and maxima, it may also be compared. Of operators of the program
// nothing is known but that the address must not get away.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/ReductionUses.h"
#include "sluice/Analysis/BarrierCheck.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace sluice;

using Op = LeafReduction::Op;

namespace {
class UseCheck {
public:
  UseCheck(const LeafReduction &reduction, std::vector<ReductionMisuse> &found)
      : reduction(reduction), found(found) {}

  void run();

private:
  void followAddress(const Value &address);
  void checkUse(const Use &use);
  void checkLoad(const LoadInst &load);
  void followValue(const LoadInst &load, const Value &value);
  bool isStep(const Use &use) const;
  bool isCompared() const {
    return reduction.op == Op::Min || reduction.op == Op::Max;
  }
  void checkOperands();
  void report(const Instruction &instruction, std::string what);

  const LeafReduction &reduction;
  std::vector<ReductionMisuse> &found;
  SmallPtrSet<const Value *, 16> addresses;
  SmallVector<const LoadInst *> loads;
  SmallVector<const StoreInst *> stores;
  /// Stores of what was loaded from the same element and updated.
  SmallPtrSet<const StoreInst *, 8> updates;
  /// Values on the way from the current load.
  SmallPtrSet<const Value *, 16> onWay;
  /// All values that have come from elements.
  SmallPtrSet<const Value *, 16> loaded;
  /// Addresses of elements that are compared.
  SmallVector<const Value *> compared;
};
} // namespace

void UseCheck::report(const Instruction &instruction, std::string what) {
  auto isHere = [&](const ReductionMisuse &misuse) {
    return misuse.place->getDebugLoc() == instruction.getDebugLoc() &&
           misuse.memory == reduction.memory;
  };
  // One reason is enough.
  if (none_of(found, isHere))
    found.push_back({&instruction, reduction.memory, std::move(what)});
}

/// Whether two addresses are computed alike. Code such as `a[k % 3]` is not
/// simplified yet, so each use of it computes anew.
static bool isSame(const Value &a, const Value &b) {
  if (&a == &b)
    return true;
  const auto *first = dyn_cast<Instruction>(&a);
  const auto *second = dyn_cast<Instruction>(&b);
  if (!first || !second || !first->isSameOperationAs(second) ||
      isa<PHINode, AllocaInst>(first))
    return false;
  if (isa<CallBase>(first) && !hpvmIntrinsicName(*first).starts_with("get"))
    return false;
  return all_of(zip(first->operands(), second->operands()), [](auto pair) {
    return isSame(*std::get<0>(pair), *std::get<1>(pair));
  });
}

/// Whether the value that `use` is the operand of is an update of it, or the
/// same in another type.
bool UseCheck::isStep(const Use &use) const {
  const auto *user = cast<Instruction>(use.getUser());
  if (isa<PHINode>(user))
    return true;
  if (isa<SelectInst>(user))
    return use.getOperandNo() != 0;
  // C computes with `int` and `double` where elements are smaller.
  if (isa<TruncInst, ZExtInst, SExtInst, FPExtInst, FPTruncInst>(user))
    return true;
  if (const auto *call = dyn_cast<IntrinsicInst>(user)) {
    switch (call->getIntrinsicID()) {
    case Intrinsic::fmuladd:
    case Intrinsic::fma:
      return reduction.op == Op::Sum && use.getOperandNo() == 2;
    case Intrinsic::minnum:
    case Intrinsic::minimum:
    case Intrinsic::smin:
    case Intrinsic::umin:
      return reduction.op == Op::Min;
    case Intrinsic::maxnum:
    case Intrinsic::maximum:
    case Intrinsic::smax:
    case Intrinsic::umax:
      return reduction.op == Op::Max;
    default:
      return false;
    }
  }
  if (const auto *call = dyn_cast<CallInst>(user)) {
    const Function *callee = call->getCalledFunction();
    StringRef name = callee ? callee->getName() : StringRef();
    return (reduction.op == Op::Min && (name == "fmin" || name == "fminf")) ||
           (reduction.op == Op::Max && (name == "fmax" || name == "fmaxf"));
  }
  switch (user->getOpcode()) {
  case Instruction::Add:
  case Instruction::FAdd:
    return reduction.op == Op::Sum;
  case Instruction::Sub:
  case Instruction::FSub:
    return reduction.op == Op::Sum && use.getOperandNo() == 0;
  case Instruction::Mul:
  case Instruction::FMul:
    return reduction.op == Op::Product;
  case Instruction::And:
    return reduction.op == Op::And;
  case Instruction::Or:
    return reduction.op == Op::Or;
  case Instruction::Xor:
    return reduction.op == Op::Xor;
  default:
    return false;
  }
}

void UseCheck::followValue(const LoadInst &load, const Value &value) {
  if (!onWay.insert(&value).second)
    return;
  for (const Use &use : value.uses()) {
    const auto *user = dyn_cast<Instruction>(use.getUser());
    if (!user)
      continue;
    if (const auto *store = dyn_cast<StoreInst>(user);
        store && use.getOperandNo() == 0 &&
        isSame(*store->getPointerOperand(), *load.getPointerOperand())) {
      if (&value != &load)
        updates.insert(store);
      continue;
    }
    if (isCompared() && isa<CmpInst>(user)) {
      compared.push_back(load.getPointerOperand());
      continue;
    }
    if (isStep(use)) {
      followValue(load, *user);
      continue;
    }
    report(*user, "reads an element for another purpose than to update it with "
                  "'" +
                      spellReduction(*reduction.op).str() + "'");
  }
}

/// `x + x` updates by no value of its own.
void UseCheck::checkOperands() {
  for (const Value *value : loaded) {
    const auto *user = dyn_cast<Instruction>(value);
    if (!user || isa<LoadInst, PHINode, SelectInst>(user))
      continue;
    if (count_if(user->operands(), [&](const Use &operand) {
          return loaded.contains(operand);
        }) > 1)
      report(*user, "updates an element with another one, or with itself");
  }
}

void UseCheck::checkUse(const Use &use) {
  const auto *user = dyn_cast<Instruction>(use.getUser());
  if (!user || reductionOf(*user))
    return;
  if (const auto *load = dyn_cast<LoadInst>(user)) {
    loads.push_back(load);
    return;
  }
  if (const auto *store = dyn_cast<StoreInst>(user);
      store && use.getOperandNo() == 1) {
    stores.push_back(store);
    return;
  }
  if (isa<GetElementPtrInst, BitCastInst, PHINode>(user) ||
      (isa<SelectInst>(user) && use.getOperandNo() != 0))
    return followAddress(*user);
  const auto *call = dyn_cast<CallBase>(user);
  if (call && (isa<DbgInfoIntrinsic>(call) || call->isDroppable() ||
               call->isLifetimeStartOrEnd()))
    return;
  // Who has an operator of one's own may do with the copy what one likes.
  if (reduction.op == Op::User &&
      (isa<CmpInst>(user) || (call && hpvmIntrinsicName(*call).empty())))
    return;
  if (isa<ReturnInst, InsertValueInst>(user))
    return report(*user, "hands the address on as an output; bind the input "
                         "to the next node instead");
  if (isa<StoreInst>(user))
    return report(*user, "stores the address");
  report(*user, call ? "passes the address to a call; update elements by plain "
                       "C instead"
                     : "does something with the address that is no update");
}

void UseCheck::followAddress(const Value &address) {
  if (!addresses.insert(&address).second)
    return;
  for (const Use &use : address.uses())
    checkUse(use);
}

void UseCheck::run() {
  followAddress(*reduction.memory);
  if (reduction.op == Op::User || !reduction.op)
    return;
  for (const LoadInst *load : loads) {
    onWay.clear();
    followValue(*load, *load);
    loaded.insert(onWay.begin(), onWay.end());
  }
  checkOperands();
  for (const StoreInst *store : stores) {
    bool isChosen = isCompared() && any_of(compared, [&](const Value *address) {
                      return isSame(*address, *store->getPointerOperand());
                    });
    if (!updates.contains(store) && !isChosen)
      report(*store, "writes an element without updating it with '" +
                         spellReduction(*reduction.op).str() + "'");
  }
}

std::vector<ReductionMisuse>
sluice::findReductionMisuses(const LeafReduction &reduction) {
  if (isScan(reduction))
    return findScanMisuses(reduction);
  std::vector<ReductionMisuse> found;
  UseCheck(reduction, found).run();
  return found;
}
