//===- ReductionUses.cpp - Uses of reduced memory in a leaf ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows values loaded from reduced memory to where they are stored. On the
// way there may be the operator, selects, and conversions to wider or narrower
// types. For minima and maxima, there may also be comparisons. Nothing is known
// about the program's own operators, except that the address must not escape.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/ReductionUses.h"
#include "EqualValues.h"
#include "KeptValues.h"
#include "sluice/Analysis/BarrierCheck.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
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
  void followValue(const LoadInst &load, const Value &value);
  bool isStep(const Use &use) const;
  bool isCompared() const {
    return reduction.op == Op::Min || reduction.op == Op::Max;
  }
  bool isAbsorbing(const Value &value) const;
  void checkOperands();
  void checkDirection(const CmpInst &compare);
  bool isOfElement(const Value &value) const;
  void reportReplaced(const Instruction &choice);
  void checkArms(const Instruction &choice);
  void checkAddressArms(const Instruction &choice, const Value &element,
                        SmallPtrSetImpl<const Value *> &seen);
  void report(const Instruction &instruction, std::string what);

  const LeafReduction &reduction;
  std::vector<ReductionMisuse> &found;
  SmallPtrSet<const Value *, 16> addresses;
  SmallVector<const LoadInst *> loads;
  SmallVector<const StoreInst *> stores;
  /// Stores of values that were loaded from the same element and updated.
  SmallPtrSet<const StoreInst *, 8> updates;
  /// Values on the way from the current load.
  SmallPtrSet<const Value *, 16> onWay;
  /// All values that have come from elements.
  SmallPtrSet<const Value *, 16> loaded;
  /// Addresses of elements that are compared.
  SmallVector<const Value *> compared;
  /// The comparisons.
  SmallSetVector<const CmpInst *, 4> compares;
  /// Addresses that are selected by a comparison, each with the address of the
  /// element that receives the value.
  SmallVector<std::pair<const Instruction *, const Value *>> chosen;
  std::optional<KeptValues> kept;
};
} // namespace

void UseCheck::report(const Instruction &instruction, std::string what) {
  auto lineOf = [](const Instruction &one) {
    const DebugLoc &place = one.getDebugLoc();
    return place ? place.getLine() : 0;
  };
  auto isHere = [&](const ReductionMisuse &misuse) {
    return lineOf(*misuse.place) == lineOf(instruction) &&
           misuse.memory == reduction.memory;
  };
  // One reason is enough.
  if (none_of(found, isHere))
    found.push_back({&instruction, reduction.memory, std::move(what)});
}

/// Whether `address` is `element`, or one of several addresses that include it:
/// std::max returns a reference to one of its arguments.
static bool mayBe(const Value &address, const Value &element,
                  SmallPtrSetImpl<const Value *> &seen) {
  if (areEqualValues(address, element))
    return true;
  if (!isa<PHINode, SelectInst>(address) || !seen.insert(&address).second)
    return false;
  return any_of(cast<Instruction>(address).operands(), [&](const Use &use) {
    return use->getType()->isPointerTy() && mayBe(*use, element, seen);
  });
}

/// The usual source forms of an update.
static StringRef formsOf(Op op) {
  switch (op) {
  case Op::Sum:
    return "'e += v', 'e -= v' or 'e = e + v'";
  case Op::Product:
    return "'e *= v' or 'e = e * v'";
  case Op::Min:
    return "'e = v < e ? v : e', 'if (v < e) e = v', 'e = fmin(e, v)' or "
           "'e = std::min(e, v)'";
  case Op::Max:
    return "'e = v > e ? v : e', 'if (v > e) e = v', 'e = fmax(e, v)' or "
           "'e = std::max(e, v)'";
  case Op::And:
    return "'e &= v' or 'e = e & v'";
  case Op::Or:
    return "'e |= v' or 'e = e | v'";
  case Op::Xor:
    return "'e ^= v' or 'e = e ^ v'";
  case Op::User:
    break;
  }
  return "";
}

/// Whether the user of `use` is an update of the element, or the same value in
/// another type.
bool UseCheck::isStep(const Use &use) const {
  const auto *user = cast<Instruction>(use.getUser());
  if (isa<PHINode>(user))
    return true;
  if (isa<SelectInst>(user))
    return use.getOperandNo() != 0;
  // C computes with `int` and `double` if elements are smaller.
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

/// Whether the operator makes `value` of it and any element. Of `e & 0`, the
/// compiler leaves nothing but the zero.
bool UseCheck::isAbsorbing(const Value &value) const {
  const auto *number = dyn_cast<ConstantInt>(&value);
  if (!number || !reduction.type || !reduction.type->isIntegerTy() ||
      number->getBitWidth() < reduction.type->getIntegerBitWidth())
    return false;
  const APInt element =
      number->getValue().trunc(reduction.type->getIntegerBitWidth());
  const unsigned bits = number->getBitWidth();
  // Comparisons may be of wider numbers.
  auto isExactly = [&](const APInt &bound) {
    return number->getValue() ==
           (reduction.isSigned ? bound.sext(bits) : bound.zext(bits));
  };
  switch (*reduction.op) {
  case Op::And:
  case Op::Product:
    return element.isZero();
  case Op::Or:
    return element.isAllOnes();
  case Op::Min:
    return isExactly(reduction.isSigned
                         ? APInt::getSignedMinValue(element.getBitWidth())
                         : APInt::getMinValue(element.getBitWidth()));
  case Op::Max:
    return isExactly(reduction.isSigned
                         ? APInt::getSignedMaxValue(element.getBitWidth())
                         : APInt::getMaxValue(element.getBitWidth()));
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
    const auto *store = dyn_cast<StoreInst>(user);
    if (store && use.getOperandNo() == 0) {
      const Value &from = *load.getPointerOperand();
      const Value &to = *store->getPointerOperand();
      bool isElement = areEqualValues(to, from);
      SmallPtrSet<const Value *, 4> seen;
      bool isChosen = !isElement && isCompared() && mayBe(from, to, seen);
      if (isChosen)
        chosen.push_back({cast<Instruction>(&from), &to});
      if (isChosen || (isElement && &value != &load))
        updates.insert(store);
      if (isElement || isChosen)
        continue;
    }
    if (isCompared() && isa<CmpInst>(user)) {
      compared.push_back(load.getPointerOperand());
      compares.insert(cast<CmpInst>(user));
      continue;
    }
    if (isStep(use)) {
      followValue(load, *user);
      continue;
    }
    report(*user, "reads an element for another purpose than to update it with "
                  "'" +
                      spellReduction(*reduction.op).str() +
                      "'; write the update of an element 'e' as " +
                      formsOf(*reduction.op).str());
  }
}

/// `x + x` does not update with a separate value.
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

/// Whether a value is an element, or the address of one.
bool UseCheck::isOfElement(const Value &value) const {
  return loaded.contains(&value) || addresses.contains(&value);
}

/// Reports a comparison that selects the larger value while the operator is a
/// minimum, or the other way round.
void UseCheck::checkDirection(const CmpInst &compare) {
  bool isFirst = isOfElement(*compare.getOperand(0));
  if (isFirst == isOfElement(*compare.getOperand(1)))
    return;
  CmpInst::Predicate predicate = compare.getPredicate();
  const bool isGreater = asksGreater(predicate);
  if (isGreater == asksGreater(CmpInst::getSwappedPredicate(predicate)))
    return;
  // The result of the comparison if the element is the larger value.
  const bool isTrue = isGreater == isFirst;
  // The value that stays if the element is the larger one, and the value that
  // stays if it is not.
  auto check = [&](const Value &larger, const Value &smaller,
                   const Instruction &place) {
    bool keepsLarger = isOfElement(larger);
    if (keepsLarger == isOfElement(smaller) ||
        keepsLarger == (reduction.op == Op::Max))
      return;
    report(place, (Twine("keeps the ") + (keepsLarger ? "larger" : "smaller") +
                   " value, which is a '" + (keepsLarger ? "max" : "min") +
                   "'; declare it as SLUICE_" + (keepsLarger ? "MAX" : "MIN"))
                      .str());
  };
  for (const User *user : compare.users()) {
    if (const auto *select = dyn_cast<SelectInst>(user)) {
      const Value *one = select->getTrueValue();
      const Value *other = select->getFalseValue();
      if (select->getCondition() == &compare)
        check(isTrue ? *one : *other, isTrue ? *other : *one, *select);
      continue;
    }
    const auto *branch = dyn_cast<BranchInst>(user);
    if (!branch || branch->getSuccessor(0) == branch->getSuccessor(1))
      continue;
    const BasicBlock *start = branch->getParent();
    const BasicBlock *ifLarger = branch->getSuccessor(isTrue ? 0 : 1);
    const BasicBlock *ifSmaller = branch->getSuccessor(isTrue ? 1 : 0);
    auto nextOf = [&](const BasicBlock *way) {
      return way->getSinglePredecessor() == start ? way->getSingleSuccessor()
                                                  : way;
    };
    const BasicBlock *join = nextOf(ifLarger);
    if (!join || join != nextOf(ifSmaller))
      continue;
    auto lastOf = [&](const BasicBlock *way) {
      return way == join ? start : way;
    };
    for (const PHINode &phi : join->phis())
      check(*phi.getIncomingValueForBlock(lastOf(ifLarger)),
            *phi.getIncomingValueForBlock(lastOf(ifSmaller)), phi);
    // One arm stores another value; on the other arm the element stays.
    for (const BasicBlock *way : {ifLarger, ifSmaller})
      for (const Instruction &next : *way)
        if (const auto *store = dyn_cast<StoreInst>(&next);
            store && way != join &&
            addresses.contains(store->getPointerOperand()) &&
            !isOfElement(*store->getValueOperand())) {
          const Value &element = *store->getPointerOperand();
          const Value &stored = *store->getValueOperand();
          check(way == ifLarger ? stored : element,
                way == ifLarger ? element : stored, *store);
        }
  }
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

static ArrayRef<Use> armsOf(const Instruction &choice) {
  ArrayRef<Use> operands(choice.op_begin(), choice.op_end());
  return isa<SelectInst>(choice) ? operands.drop_front() : operands;
}

void UseCheck::reportReplaced(const Instruction &choice) {
  report(choice, "replaces an element by a value that does not update it with "
                 "'" +
                     spellReduction(*reduction.op).str() +
                     "'; write the update of an element 'e' as " +
                     formsOf(*reduction.op).str());
}

/// Checks a select between an updated element and another value.
void UseCheck::checkArms(const Instruction &choice) {
  for (const Use &arm : armsOf(choice))
    if (!loaded.contains(arm) && !isa<UndefValue>(arm) && !isAbsorbing(*arm) &&
        !(kept && kept->isArmKept(choice, arm)))
      reportReplaced(choice);
}

/// The same for addresses from which the element's new value is read.
void UseCheck::checkAddressArms(const Instruction &choice, const Value &element,
                                SmallPtrSetImpl<const Value *> &seen) {
  if (!seen.insert(&choice).second)
    return;
  for (const Use &arm : armsOf(choice)) {
    if (areEqualValues(*arm, element) || (kept && kept->isArmKept(choice, arm)))
      continue;
    if (isa<PHINode, SelectInst>(arm) && addresses.contains(arm)) {
      checkAddressArms(*cast<Instruction>(arm), element, seen);
      continue;
    }
    reportReplaced(choice);
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
  // A user's own operator may do anything with the copy.
  if (reduction.op == Op::User &&
      (isa<CmpInst>(user) || (call && hpvmIntrinsicName(*call).empty())))
    return;
  if (isa<ReturnInst, InsertValueInst>(user))
    return report(*user, "hands the address on as an output; bind the input "
                         "to the next node instead");
  if (isa<StoreInst>(user))
    return report(*user, "stores the address");
  report(*user, (call ? "passes the address to a call"
                      : "does something with the address that is no update") +
                    (reduction.op == Op::User
                         ? "; update elements by plain C instead"
                         : "; write the update of an element 'e' as " +
                               formsOf(*reduction.op).str()));
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
  for (const CmpInst *compare : compares)
    checkDirection(*compare);
  if (isCompared())
    kept.emplace(*reduction.memory->getParent(), reduction.op == Op::Max,
                 [this](const Value &value) { return isOfElement(value); });
  for (const Value *value : loaded)
    if (isa<PHINode, SelectInst>(value))
      checkArms(*cast<Instruction>(value));
  for (auto [choice, element] : chosen) {
    SmallPtrSet<const Value *, 4> seen;
    checkAddressArms(*choice, *element, seen);
  }
  for (const StoreInst *store : stores) {
    bool isChosen =
        kept &&
        any_of(compared,
               [&](const Value *address) {
                 return areEqualValues(*address, *store->getPointerOperand());
               }) &&
        kept->isKept(*store->getParent(), *store->getValueOperand());
    if (!updates.contains(store) && !isChosen &&
        !isAbsorbing(*store->getValueOperand()))
      report(*store, "writes an element without updating it with '" +
                         spellReduction(*reduction.op).str() +
                         "'; write the update of an element 'e' as " +
                         formsOf(*reduction.op).str());
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
