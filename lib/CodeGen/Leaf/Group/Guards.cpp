//===- Guards.cpp - Conditions that become bounds of loops ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With L(id) = L(first) + (id - first), which holds without overflow,
//
//   L(id) < R   is   id < R - L(first) + first
//
// and likewise for the other comparisons. The arithmetic saturates, so bounds
// beyond 64 bits stay on their side.
//
//===----------------------------------------------------------------------===//

#include "Guards.h"

#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace sluice::codegen {

//===----------------------------------------------------------------------===//
// Finding guards
//===----------------------------------------------------------------------===//

namespace {

class GuardFinder {
public:
  GuardFinder(const GroupContext &context, const Fragment &fragment)
      : context(context), fragment(fragment) {}

  SmallVector<Guard> find();

private:
  const GroupContext &context;
  const Fragment &fragment;
  SmallVector<Guard> guards;

  bool hasEffect(const BasicBlock &block) const;
  bool leadsNowhere(const BasicBlock *block) const;
  void addConjuncts(Value *condition, bool truth);
  void addCompare(ICmpInst &compare, bool truth);
  bool isShared(const Value *value, unsigned depth = 0) const;
  std::optional<unsigned> dimensionOfSum(const Value *value,
                                         bool isSigned) const;
};

} // namespace

bool GuardFinder::hasEffect(const BasicBlock &block) const {
  return any_of(block, [&](const Instruction &instruction) {
    Placement where = context.placement[&instruction];
    return where == Placement::Scalar || where == Placement::PerInstance ||
           (!instruction.isTerminator() && instruction.mayHaveSideEffects());
  });
}

/// An instance that comes to `block` leaves the fragment without a trace.
bool GuardFinder::leadsNowhere(const BasicBlock *block) const {
  SmallPtrSet<const BasicBlock *, 8> visited;
  while (block != fragment.next) {
    const auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    if (!branch || branch->isConditional() || hasEffect(*block) ||
        context.skeleton.isNode(block) || !visited.insert(block).second)
      return false;
    block = branch->getSuccessor(0);
  }
  // Values that the next node merges must be stored by every instance.
  return all_of(block->phis(), [&](const PHINode &phi) {
    return context.placement.isShared(&phi);
  });
}

/// Made of values all instances share, so it can be computed before the loops.
bool GuardFinder::isShared(const Value *value, unsigned depth) const {
  if (isa<Constant>(value) || isa<Argument>(value))
    return !context.ownIdDimension(value);
  const auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || depth > 6)
    return false;
  if (context.placement.isShared(instruction))
    return true;
  return isa<BinaryOperator, CastInst>(instruction) &&
         !instruction->getType()->isFPOrFPVectorTy() &&
         !instruction->isIntDivRem() &&
         all_of(instruction->operands(), [&](const Value *operand) {
           return isShared(operand, depth + 1);
         });
}

/// The dimension d if `value` is id.d plus shared values, without overflow.
std::optional<unsigned> GuardFinder::dimensionOfSum(const Value *value,
                                                    bool isSigned) const {
  if (std::optional<unsigned> dim = context.ownIdDimension(value))
    return dim;
  const auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction)
    return std::nullopt;
  if (isa<TruncInst>(instruction))
    return context.isNarrow && instruction->getType()->isIntegerTy(32)
               ? context.ownIdDimension(instruction->getOperand(0))
               : std::nullopt;
  if (isa<SExtInst>(instruction) && isSigned)
    return dimensionOfSum(instruction->getOperand(0), true);
  if (isa<ZExtInst>(instruction) && instruction->hasNonNeg())
    return dimensionOfSum(instruction->getOperand(0), isSigned);
  bool isExact = false;
  if (const auto *disjoint = dyn_cast<PossiblyDisjointInst>(instruction))
    isExact = disjoint->isDisjoint();
  else if (instruction->getOpcode() == Instruction::Add)
    isExact = isSigned ? instruction->hasNoSignedWrap()
                       : instruction->hasNoUnsignedWrap();
  if (!isExact)
    return std::nullopt;
  for (unsigned operand : {0, 1})
    if (isShared(instruction->getOperand(1 - operand)))
      return dimensionOfSum(instruction->getOperand(operand), isSigned);
  return std::nullopt;
}

void GuardFinder::addCompare(ICmpInst &compare, bool truth) {
  ICmpInst::Predicate predicate =
      truth ? compare.getPredicate() : compare.getInversePredicate();
  if (predicate == ICmpInst::ICMP_NE ||
      !compare.getOperand(0)->getType()->isIntegerTy() ||
      compare.getOperand(0)->getType()->getIntegerBitWidth() > 64)
    return;
  bool isSigned = !ICmpInst::isUnsigned(predicate);
  for (unsigned operand : {0, 1}) {
    if (!isShared(compare.getOperand(1 - operand)))
      continue;
    if (std::optional<unsigned> dim =
            dimensionOfSum(compare.getOperand(operand), isSigned))
      guards.push_back({&compare, truth, *dim, operand});
    return;
  }
}

/// `condition` must be `truth`: collects the comparisons this demands.
void GuardFinder::addConjuncts(Value *condition, bool truth) {
  Value *left, *right;
  bool isBoth =
      truth ? match(condition, m_LogicalAnd(m_Value(left), m_Value(right)))
            : match(condition, m_LogicalOr(m_Value(left), m_Value(right)));
  if (isBoth) {
    addConjuncts(left, truth);
    addConjuncts(right, truth);
  } else if (match(condition, m_Not(m_Value(left)))) {
    addConjuncts(left, !truth);
  } else if (auto *compare = dyn_cast<ICmpInst>(condition)) {
    addCompare(*compare, truth);
  }
}

SmallVector<Guard> GuardFinder::find() {
  const BasicBlock *block = fragment.entry;
  while (block != fragment.next && !context.skeleton.isNode(block) &&
         !hasEffect(*block)) {
    const auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    if (!branch)
      break;
    unsigned way = 0;
    if (branch->isConditional()) {
      if (leadsNowhere(branch->getSuccessor(0)))
        way = 1;
      else if (!leadsNowhere(branch->getSuccessor(1)))
        break;
      addConjuncts(branch->getCondition(), way == 0);
    }
    // Further guards follow only where this block is the one way in.
    block = branch->getSuccessor(way);
    if (!block->getSinglePredecessor())
      break;
  }
  return std::move(guards);
}

SmallVector<Guard> findGuards(const GroupContext &context,
                              const Fragment &fragment) {
  if (!context.spec.options.splitGuards || context.spec.options.reference ||
      !fragment.next)
    return {};
  return GuardFinder(context, fragment).find();
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// A value for the first instance, in code before the loops.
static Value *evaluate(IRBuilderBase &builder, const GroupContext &context,
                       ValueSource &source, Value *value) {
  // Not through `source`, which would remember it for all instances.
  if (context.ownIdDimension(value))
    return context.group.getArg(cast<Argument>(value)->getArgNo());
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || context.placement.isShared(instruction))
    return source.get(value);
  Instruction *copy = instruction->clone();
  for (Use &operand : copy->operands())
    operand.set(evaluate(builder, context, source, operand.get()));
  return builder.Insert(copy);
}

static Value *extend(IRBuilderBase &builder, Value *value, bool isSigned) {
  Type *type = builder.getInt64Ty();
  if (isSigned)
    return builder.CreateSExt(value, type);
  // Beyond 2^63 lies no id.
  return builder.CreateBinaryIntrinsic(Intrinsic::umin,
                                       builder.CreateZExt(value, type),
                                       builder.getInt64(INT64_MAX));
}

IdRange restrict(IRBuilderBase &builder, const GroupContext &context,
                 ValueSource &source, const Guard &guard, IdRange range,
                 Value *first) {
  ICmpInst::Predicate predicate = guard.truth
                                      ? guard.compare->getPredicate()
                                      : guard.compare->getInversePredicate();
  if (guard.idOperand == 1)
    predicate = ICmpInst::getSwappedPredicate(predicate);
  bool isSigned = !ICmpInst::isUnsigned(predicate);
  auto operand = [&](unsigned index) {
    return extend(
        builder,
        evaluate(builder, context, source, guard.compare->getOperand(index)),
        isSigned);
  };
  auto saturating = [&](Intrinsic::ID operation, Value *left, Value *right) {
    return builder.CreateBinaryIntrinsic(operation, left, right);
  };
  Value *start = operand(guard.idOperand);
  Value *bound = operand(1 - guard.idOperand);
  Value *equal =
      saturating(Intrinsic::sadd_sat,
                 saturating(Intrinsic::ssub_sat, bound, start), first);
  Value *after = saturating(Intrinsic::sadd_sat, equal, builder.getInt64(1));

  Value *begin = range.begin, *end = range.end;
  if (predicate == ICmpInst::ICMP_EQ || ICmpInst::isGE(predicate) ||
      ICmpInst::isGT(predicate)) {
    Value *lowest = ICmpInst::isGT(predicate) ? after : equal;
    begin = saturating(Intrinsic::smax, begin, lowest);
    begin = saturating(Intrinsic::smin, begin, range.end);
  }
  if (predicate == ICmpInst::ICMP_EQ || ICmpInst::isLE(predicate) ||
      ICmpInst::isLT(predicate)) {
    Value *highest = ICmpInst::isLT(predicate) ? equal : after;
    end = saturating(Intrinsic::smin, end, highest);
    end = saturating(Intrinsic::smax, end, range.begin);
  }
  return {begin, end};
}

} // namespace sluice::codegen
