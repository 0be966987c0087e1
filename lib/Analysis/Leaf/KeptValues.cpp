//===- KeptValues.cpp - Values that a minimum or maximum keeps ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeptValues.h"
#include "EqualValues.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace sluice;

bool sluice::asksGreater(CmpInst::Predicate predicate) {
  return CmpInst::isFPPredicate(predicate)
             ? is_contained({CmpInst::FCMP_OGT, CmpInst::FCMP_OGE,
                             CmpInst::FCMP_UGT, CmpInst::FCMP_UGE},
                            predicate)
             : ICmpInst::isGT(predicate) || ICmpInst::isGE(predicate);
}

/// A value, the operand that it is a cast of, and so on: of casts that only
/// widen it, or of any casts.
static SmallVector<const Value *, 4> castsOf(const Value &value,
                                             bool onlyWider) {
  SmallVector<const Value *, 4> chain{&value};
  while (isa<ZExtInst, SExtInst, FPExtInst>(chain.back()) ||
         (!onlyWider && isa<TruncInst, FPTruncInst>(chain.back())))
    chain.push_back(cast<CastInst>(chain.back())->getOperand(0));
  return chain;
}

/// A number in a format that holds those of all formats of the processor.
static APFloat asWidest(const ConstantFP &constant) {
  APFloat number = constant.getValueAPF();
  bool isRounded = false;
  number.convert(APFloat::IEEEquad(), APFloat::rmNearestTiesToEven, &isRounded);
  return number;
}

/// Whether two values are the same, also as constants of different types.
static bool isSameNumber(const Value &a, const Value &b) {
  if (areEqualValues(a, b))
    return true;
  const auto *one = dyn_cast<ConstantFP>(&a), *other = dyn_cast<ConstantFP>(&b);
  if (one && other)
    return asWidest(*one).bitwiseIsEqual(asWidest(*other));
  const auto *number = dyn_cast<ConstantInt>(&a);
  const auto *otherNumber = dyn_cast<ConstantInt>(&b);
  return number && otherNumber && number->getBitWidth() <= 64 &&
         otherNumber->getBitWidth() <= 64 &&
         number->getSExtValue() == otherNumber->getSExtValue();
}

/// Whether `operand` compares `value` or, if `value` is an address, its
/// contents.
static bool isOperand(const Value &operand, const Value &value) {
  for (const Value *inner : castsOf(operand, /*onlyWider=*/true)) {
    if (value.getType()->isPointerTy()) {
      const auto *load = dyn_cast<LoadInst>(inner);
      if (load && areEqualValues(*load->getPointerOperand(), value))
        return true;
    } else if (any_of(castsOf(value, /*onlyWider=*/false),
                      [&](const Value *kept) {
                        return isSameNumber(*inner, *kept);
                      })) {
      return true;
    }
  }
  return false;
}

/// Whether the operator keeps `value` rather than the element if a condition
/// has the result `outcome`.
bool KeptValues::isKept(const Value &condition, bool outcome,
                        const Value &value, unsigned depth) const {
  using namespace PatternMatch;
  if (depth == 0)
    return false;
  const Value *a = nullptr, *b = nullptr;
  if (match(&condition, m_Not(m_Value(a))))
    return isKept(*a, !outcome, value, depth - 1);
  if (match(&condition, m_Trunc(m_ZExt(m_Value(a)))) &&
      a->getType()->isIntegerTy(1))
    return isKept(*a, outcome, value, depth - 1);
  bool isAnd = match(&condition, m_LogicalAnd(m_Value(a), m_Value(b)));
  if (isAnd || match(&condition, m_LogicalOr(m_Value(a), m_Value(b)))) {
    bool first = isKept(*a, outcome, value, depth - 1);
    bool second = isKept(*b, outcome, value, depth - 1);
    return isAnd == outcome ? first || second : first && second;
  }
  if (const auto *phi = dyn_cast<PHINode>(&condition))
    return all_of(phi->incoming_values(), [&](const Use &incoming) {
      const auto *known = dyn_cast<ConstantInt>(incoming);
      return (known && known->isOne() != outcome) ||
             (!known && isKept(*incoming, outcome, value, depth - 1)) ||
             isKept(*phi->getIncomingBlock(incoming), value);
    });
  const auto *compare = dyn_cast<CmpInst>(&condition);
  if (!compare)
    return false;
  CmpInst::Predicate predicate = compare->getPredicate();
  const Value &left = *compare->getOperand(0), &right = *compare->getOperand(1);
  if (ICmpInst::isEquality(predicate) && match(&left, m_ZExt(m_Value(a))) &&
      a->getType()->isIntegerTy(1) && match(&right, m_Zero()))
    return isKept(*a, outcome == (predicate == CmpInst::ICMP_NE), value,
                  depth - 1);
  bool isFirst = isOfElement(left);
  bool isGreater = asksGreater(predicate);
  if (isFirst == isOfElement(right) ||
      isGreater == asksGreater(CmpInst::getSwappedPredicate(predicate)) ||
      !isOperand(isFirst ? right : left, value))
    return false;
  bool isElementLarger = (isGreater == isFirst) == outcome;
  return isElementLarger != isMaximum;
}

bool KeptValues::isKept(const BasicBlock &block, const Value &value) const {
  constexpr unsigned maxDepth = 6;
  const auto *node = dominators.getNode(&block);
  if (!node)
    return true; // unreachable
  for (node = node->getIDom(); node; node = node->getIDom()) {
    const auto *branch =
        dyn_cast<BranchInst>(node->getBlock()->getTerminator());
    if (!branch || !branch->isConditional())
      continue;
    for (unsigned way : {0, 1})
      if (dominators.dominates(
              BasicBlockEdge(node->getBlock(), branch->getSuccessor(way)),
              &block) &&
          isKept(*branch->getCondition(), way == 0, value, maxDepth))
        return true;
  }
  return false;
}

bool KeptValues::isArmKept(const Instruction &choice, const Use &arm) const {
  constexpr unsigned maxDepth = 6;
  if (const auto *select = dyn_cast<SelectInst>(&choice))
    return isKept(*select->getCondition(), arm.getOperandNo() == 1, *arm,
                  maxDepth) ||
           isKept(*select->getParent(), *arm);
  const auto &phi = cast<PHINode>(choice);
  const BasicBlock *before = phi.getIncomingBlock(arm);
  const auto *branch = dyn_cast<BranchInst>(before->getTerminator());
  return isKept(*before, *arm) ||
         (branch && branch->isConditional() &&
          branch->getSuccessor(0) != branch->getSuccessor(1) &&
          isKept(*branch->getCondition(),
                 branch->getSuccessor(0) == phi.getParent(), *arm, maxDepth));
}
