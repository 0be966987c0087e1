//===- Guards.cpp - Turning conditions into loop bounds -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With L(id) = L(first) + (id - first), which holds without overflow,
//
//   L(id) < R   is   id < R - L(first) + first
//
// The other comparisons are similar. The arithmetic saturates, so bounds beyond
// 64 bits stay on their side.
//
// If bounds are constants, LLVM combines two comparisons into one, such as id -
// 1 < 2046 (unsigned) for `id >= 1 && id < 2047`, in which the sum wraps
// around. Then this file computes the range of ids for which it holds.
//
//===----------------------------------------------------------------------===//

#include "Guards.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
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
  bool addConstants(ICmpInst &compare, bool truth);
  bool addRange(ICmpInst &compare, bool truth);
  std::optional<unsigned> idDimension(const Value *value) const;
  std::optional<Guard> idsWithin(const Value *value,
                                 ConstantRange region) const;
  bool collectParts(Value *value, ICmpInst::Predicate predicate,
                    const APInt &bound, SmallVectorImpl<Guard> &parts) const;
  bool isShared(const Value *value, unsigned depth = 0) const;
  std::optional<unsigned> dimensionOfSum(const Value *value,
                                         bool isSigned) const;
};

} // namespace

bool GuardFinder::hasEffect(const BasicBlock &block) const {
  return any_of(block, [&](const Instruction &instruction) {
    PlacementKind where = context.placement[&instruction];
    return where == PlacementKind::Scalar ||
           where == PlacementKind::PerInstance ||
           (!instruction.isTerminator() && instruction.mayHaveSideEffects());
  });
}

/// True if an instance that comes to `block` leaves the fragment without any
/// effect.
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

/// True if the value depends only on values that all instances share, so that
/// it can be computed before the loops.
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

/// The dimension d if `value` is id.d, in 64 bits or in the width that loops
/// count in.
std::optional<unsigned> GuardFinder::idDimension(const Value *value) const {
  if (std::optional<unsigned> dim = context.ownIdDimension(value))
    return dim;
  const auto *truncation = dyn_cast<TruncInst>(value);
  return truncation && context.isNarrow &&
                 truncation->getType()->isIntegerTy(32)
             ? context.ownIdDimension(truncation->getOperand(0))
             : std::nullopt;
}

/// The dimension d if `value` is id.d plus shared values, without overflow.
std::optional<unsigned> GuardFinder::dimensionOfSum(const Value *value,
                                                    bool isSigned) const {
  if (std::optional<unsigned> dim = idDimension(value))
    return dim;
  const auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction)
    return std::nullopt;
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

/// The ids for which `value`, which depends on one id and on constants, lies in
/// `region`. None if the ids are not contiguous.
std::optional<Guard> GuardFinder::idsWithin(const Value *value,
                                            ConstantRange region) const {
  std::optional<unsigned> dim;
  while (!(dim = idDimension(value))) {
    const APInt *constant;
    const Value *inner;
    unsigned bits = region.getBitWidth();
    if (match(value, m_AddLike(m_Value(inner), m_APInt(constant)))) {
      region = region.subtract(*constant);
    } else if (match(value, m_Sub(m_APInt(constant), m_Value(inner)))) {
      region = ConstantRange(*constant).sub(region);
    } else if (match(value, m_Not(m_Value(inner)))) {
      region = ConstantRange(APInt::getAllOnes(bits)).sub(region);
    } else if (match(value, m_ZExtOrSExt(m_Value(inner)))) {
      // The possible values of the extension.
      unsigned before = inner->getType()->getIntegerBitWidth();
      ConstantRange all = ConstantRange::getFull(before);
      std::optional<ConstantRange> met = region.exactIntersectWith(
          isa<SExtInst>(value) ? all.signExtend(bits) : all.zeroExtend(bits));
      if (!met)
        return std::nullopt;
      region = met->truncate(before);
    } else {
      return std::nullopt;
    }
    value = inner;
  }
  unsigned bits = region.getBitWidth();
  int64_t extent =
      std::max<int64_t>(context.extents[*dim].value_or(INT64_MAX), 1);
  APInt end = bits < 64 ? APInt(bits, 1).shl(bits - 1) : APInt(64, extent);
  if (bits < 64 && uint64_t(extent) < end.getZExtValue())
    end = APInt(bits, extent);
  std::optional<ConstantRange> ids =
      region.exactIntersectWith(ConstantRange(APInt(bits, 0), end));
  if (!ids)
    return std::nullopt;
  Guard guard;
  guard.dim = *dim;
  guard.constants = {0, 0};
  if (!ids->isEmptySet())
    guard.constants = {ids->getLower().getZExtValue(),
                       ids->getUpper().getZExtValue()};
  return guard;
}

/// Adds the guards that `value predicate bound` requires to `parts`. Returns
/// true if they are all that it requires. LLVM merges comparisons of several
/// values, each below a power of two or equal to 0, into one comparison of
/// their union.
bool GuardFinder::collectParts(Value *value, ICmpInst::Predicate predicate,
                               const APInt &bound,
                               SmallVectorImpl<Guard> &parts) const {
  ConstantRange region = ConstantRange::makeExactICmpRegion(predicate, bound);
  if (std::optional<Guard> part = idsWithin(value, region)) {
    parts.push_back(*part);
    return true;
  }
  bool isBelow = !region.isEmptySet() && !region.isFullSet() &&
                 region.getLower().isZero() && region.getUpper().isPowerOf2();
  Value *left, *right;
  if (!isBelow || !match(value, m_Or(m_Value(left), m_Value(right))))
    return false;
  bool isLeft = collectParts(left, predicate, bound, parts);
  return collectParts(right, predicate, bound, parts) && isLeft;
}

/// Handles a comparison with a constant.
bool GuardFinder::addConstants(ICmpInst &compare, bool truth) {
  const APInt *bound;
  if (!match(compare.getOperand(1), m_APInt(bound)))
    return false;
  SmallVector<Guard> parts;
  bool isWhole = collectParts(compare.getOperand(0),
                              truth ? compare.getPredicate()
                                    : compare.getInversePredicate(),
                              *bound, parts);
  for (Guard &part : parts) {
    part.compare = &compare;
    part.truth = truth;
    part.isWhole = isWhole;
    guards.push_back(part);
  }
  return !parts.empty();
}

/// Handles `id - constant < bound`, unsigned, where `bound` is not negative:
/// both ends of a range.
bool GuardFinder::addRange(ICmpInst &compare, bool truth) {
  ICmpInst::Predicate predicate =
      truth ? compare.getPredicate() : compare.getInversePredicate();
  Value *moving = compare.getOperand(0), *bound = compare.getOperand(1);
  unsigned idOperand = 0;
  if (ICmpInst::isGT(predicate) || ICmpInst::isGE(predicate)) {
    std::swap(moving, bound);
    predicate = ICmpInst::getSwappedPredicate(predicate);
    idOperand = 1;
  }
  const Value *id;
  const APInt *offset;
  if (!ICmpInst::isUnsigned(predicate) ||
      !match(moving, m_Add(m_Value(id), m_APInt(offset))) ||
      !offset->isNegative() || offset->isMinSignedValue() || !isShared(bound) ||
      !isKnownNonNegative(
          bound, SimplifyQuery(context.item.getDataLayout(), &compare)))
    return false;
  std::optional<unsigned> dim = idDimension(id);
  if (!dim)
    return false;
  Guard guard;
  guard.compare = &compare;
  guard.truth = truth;
  guard.dim = *dim;
  guard.constants = {-offset->getSExtValue(), INT64_MAX};
  guard.predicate = ICmpInst::getSignedPredicate(predicate);
  guard.idOperand = idOperand;
  guards.push_back(guard);
  return true;
}

void GuardFinder::addCompare(ICmpInst &compare, bool truth) {
  ICmpInst::Predicate predicate =
      truth ? compare.getPredicate() : compare.getInversePredicate();
  if (!compare.getOperand(0)->getType()->isIntegerTy() ||
      compare.getOperand(0)->getType()->getIntegerBitWidth() > 64 ||
      addConstants(compare, truth) || predicate == ICmpInst::ICMP_NE)
    return;
  bool isSigned = !ICmpInst::isUnsigned(predicate);
  for (unsigned operand : {0, 1}) {
    if (!isShared(compare.getOperand(1 - operand)))
      continue;
    std::optional<unsigned> dim =
        dimensionOfSum(compare.getOperand(operand), isSigned);
    if (!dim)
      break;
    Guard guard;
    guard.compare = &compare;
    guard.truth = truth;
    guard.dim = *dim;
    guard.predicate =
        operand == 0 ? predicate : ICmpInst::getSwappedPredicate(predicate);
    guard.idOperand = operand;
    guards.push_back(guard);
    return;
  }
  addRange(compare, truth);
}

/// Collects the comparisons that follow if `condition` must be `truth`.
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
    // More guards are only found if this block is the only predecessor.
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

/// Computes a value for the first instance, in code before the loops.
static Value *evaluate(IRBuilderBase &builder, const GroupContext &context,
                       ValueSource &source, Value *value) {
  // Bypasses `source`, which would remember the value for all instances.
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
  // There are no ids beyond 2^63.
  return builder.CreateBinaryIntrinsic(Intrinsic::umin,
                                       builder.CreateZExt(value, type),
                                       builder.getInt64(INT64_MAX));
}

IdRange restrict(IRBuilderBase &builder, const GroupContext &context,
                 ValueSource &source, const Guard &guard, IdRange range,
                 Value *first) {
  auto atLeast = [&](Value *lowest) {
    range.begin =
        builder.CreateBinaryIntrinsic(Intrinsic::smax, range.begin, lowest);
    range.begin =
        builder.CreateBinaryIntrinsic(Intrinsic::smin, range.begin, range.end);
  };
  auto below = [&](Value *highest) {
    range.end =
        builder.CreateBinaryIntrinsic(Intrinsic::smin, range.end, highest);
    range.end =
        builder.CreateBinaryIntrinsic(Intrinsic::smax, range.end, range.begin);
  };
  if (guard.constants) {
    atLeast(builder.getInt64(guard.constants->first));
    below(builder.getInt64(guard.constants->second));
  }
  if (!guard.predicate)
    return range;
  ICmpInst::Predicate predicate = *guard.predicate;
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

  if (predicate == ICmpInst::ICMP_EQ || ICmpInst::isGE(predicate) ||
      ICmpInst::isGT(predicate))
    atLeast(ICmpInst::isGT(predicate) ? after : equal);
  if (predicate == ICmpInst::ICMP_EQ || ICmpInst::isLE(predicate) ||
      ICmpInst::isLT(predicate))
    below(ICmpInst::isLT(predicate) ? equal : after);
  return range;
}

} // namespace sluice::codegen
