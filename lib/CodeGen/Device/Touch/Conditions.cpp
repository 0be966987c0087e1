//===- Conditions.cpp - Ids for which conditions hold ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the branches that lead to an instruction, and what follows from their
// comparisons if all numbers are small enough.
//
//===----------------------------------------------------------------------===//

#include "Conditions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

/// The conditions used for one instruction. Each adds host code; without some
/// of them, the computed range of an access is only larger.
static constexpr unsigned maxConditions = 16;

namespace {
/// The remaining budget of a search.
struct ConditionBudget {
  unsigned comparisons = maxConditions;
  /// The values that join and negate conditions count, too.
  unsigned values = 4 * maxConditions;

  bool isOver() const { return comparisons == 0 || values == 0; }
};
} // namespace

static void visitCondition(const Value *condition, bool isTrue,
                           ConditionVisitor visit, ConditionBudget &budget) {
  using namespace PatternMatch;
  const Value *left, *right;
  if (budget.isOver())
    return;
  --budget.values;
  if (match(condition, m_Not(m_Value(left))))
    return visitCondition(left, !isTrue, visit, budget);
  if (isTrue ? match(condition, m_LogicalAnd(m_Value(left), m_Value(right)))
             : match(condition, m_LogicalOr(m_Value(left), m_Value(right)))) {
    visitCondition(left, isTrue, visit, budget);
    visitCondition(right, isTrue, visit, budget);
  } else if (auto *comparison = dyn_cast<ICmpInst>(condition)) {
    --budget.comparisons;
    visit(*comparison, isTrue);
  }
}

void codegen::forEachCondition(const DominatorTree &dominators,
                               const Instruction &inst,
                               ConditionVisitor visit) {
  const BasicBlock *block = inst.getParent();
  ConditionBudget budget;
  for (const DomTreeNode *node = dominators.getNode(block);
       node && node->getIDom() && !budget.isOver(); node = node->getIDom()) {
    const BasicBlock *before = node->getIDom()->getBlock();
    auto *branch = dyn_cast<BranchInst>(before->getTerminator());
    if (!branch || !branch->isConditional())
      continue;
    for (unsigned i : {0u, 1u})
      if (dominators.dominates(BasicBlockEdge(before, branch->getSuccessor(i)),
                               block))
        visitCondition(branch->getCondition(), i == 0, visit, budget);
  }
}

Value *codegen::narrowId(IRBuilderBase &b, const Interval &x, const Interval &y,
                         CmpInst::Predicate predicate, const Interval &rest,
                         unsigned width, Interval &id) {
  Value *isKnown = b.CreateAnd(b.CreateAnd(x.isKnown, y.isKnown), rest.isKnown);
  Value *low = x.low, *high = x.high, *one = b.getInt64(1);
  auto atLeast = [&](Value *bound) {
    low = b.CreateBinaryIntrinsic(Intrinsic::smax, low, bound);
  };
  auto atMost = [&](Value *bound) {
    high = b.CreateBinaryIntrinsic(Intrinsic::smin, high, bound);
  };
  // With these bounds, no sum overflows the type.
  for (const Interval &each : {x, y, rest, id}) {
    const int64_t most = int64_t(1) << (width - 3);
    isKnown = b.CreateAnd(
        isKnown, b.CreateAnd(b.CreateICmpSGT(each.low, b.getInt64(-most)),
                             b.CreateICmpSLT(each.high, b.getInt64(most))));
  }
  switch (predicate) {
  case CmpInst::ICMP_EQ:
    atLeast(y.low);
    atMost(y.high);
    break;
  case CmpInst::ICMP_NE: {
    // An end that is excluded.
    Value *isOne = b.CreateICmpEQ(y.low, y.high);
    Value *isLow = b.CreateAnd(isOne, b.CreateICmpEQ(low, y.low));
    Value *isHigh = b.CreateAnd(isOne, b.CreateICmpEQ(high, y.low));
    low = b.CreateSelect(isLow, b.CreateAdd(low, one), low);
    high = b.CreateSelect(isHigh, b.CreateSub(high, one), high);
    break;
  }
  case CmpInst::ICMP_ULT:
  case CmpInst::ICMP_ULE:
    // In this case, x is not negative either.
    isKnown = b.CreateAnd(isKnown, b.CreateICmpSGE(y.low, b.getInt64(0)));
    atLeast(b.getInt64(0));
    atMost(predicate == CmpInst::ICMP_ULT ? b.CreateSub(y.high, one) : y.high);
    break;
  case CmpInst::ICMP_UGT:
  case CmpInst::ICMP_UGE:
    isKnown = b.CreateAnd(isKnown,
                          b.CreateAnd(b.CreateICmpSGE(x.low, b.getInt64(0)),
                                      b.CreateICmpSGE(y.low, b.getInt64(0))));
    atLeast(predicate == CmpInst::ICMP_UGT ? b.CreateAdd(y.low, one) : y.low);
    break;
  case CmpInst::ICMP_SLT:
    atMost(b.CreateSub(y.high, one));
    break;
  case CmpInst::ICMP_SLE:
    atMost(y.high);
    break;
  case CmpInst::ICMP_SGT:
    atLeast(b.CreateAdd(y.low, one));
    break;
  case CmpInst::ICMP_SGE:
    atLeast(y.low);
    break;
  default:
    return b.getTrue();
  }
  low = b.CreateBinaryIntrinsic(Intrinsic::smax, id.low,
                                b.CreateSub(low, rest.high));
  high = b.CreateBinaryIntrinsic(Intrinsic::smin, id.high,
                                 b.CreateSub(high, rest.low));
  id.low = b.CreateSelect(isKnown, low, id.low);
  id.high = b.CreateSelect(isKnown, high, id.high);
  return b.CreateICmpSLE(id.low, id.high);
}
