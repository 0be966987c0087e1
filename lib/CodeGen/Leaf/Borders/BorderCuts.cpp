//===- BorderCuts.cpp - Where comparisons of a loop change ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With v the moving value in the first round of the inside, s its step, and b
// what it is compared with,
//
//   v + s * r < b   holds for the first (b - v - 1) / s + 1 rounds, if v < b,
//
// and likewise for the other comparisons, as long as v + s * r does not wrap
// around in these rounds: where that is not known it is looked at before the
// loop. No difference here wraps around: it is taken where its sign is known,
// and then it fits the unsigned numbers of its width.
//
// A value that loops inside move, too, spans a window in each round. What holds
// for one end of it holds for all of it, whatever its width.
//
//===----------------------------------------------------------------------===//

#include "BorderCuts.h"

#include "../Group/InstanceLoops.h"
#include "../Lanes/LoopRounds.h"
#include "MaskedGaps.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace sluice::codegen {

BorderCuts::BorderCuts(const BorderLoop &loop, ScalarEvolution &evolution,
                       const TargetTransformInfo &target)
    : loop(loop), evolution(evolution), target(target),
      expander(evolution, "border"), builder(loop.before->getTerminator()) {
  findLimits(loop.test->getOperand(1 - loop.counterOperand), 0);
  const MDNode *id = loop.loop->getLoopID();
  if (std::optional<int64_t> extent = id ? instanceExtent(*id) : std::nullopt)
    constantLimit = extent;
  Value *last = emitLastRound(*loop.loop, evolution);
  builder.SetInsertPoint(loop.before->getTerminator());
  rounds = to =
      builder.CreateAdd(builder.CreateZExt(last, builder.getInt64Ty()),
                        builder.getInt64(1), "rounds");
  from = builder.getInt64(0);
  takeApart();
}

void BorderCuts::findLimits(const Value *limit, unsigned depth) {
  if (const auto *constant = dyn_cast<ConstantInt>(limit)) {
    if (constant->getBitWidth() <= 64)
      constantLimit =
          std::max(constantLimit.value_or(INT64_MIN), constant->getSExtValue());
    return;
  }
  const auto *instruction = dyn_cast<Instruction>(limit);
  bool isChoice = instruction && (isa<SelectInst, CastInst>(instruction) ||
                                  isa<MinMaxIntrinsic>(instruction));
  if (!isChoice || depth > 4) {
    limits.insert(limit);
    return;
  }
  for (const Use &operand : instruction->operands())
    if (!isa<Function>(operand) && !operand->getType()->isIntegerTy(1))
      findLimits(operand, depth + 1);
}

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

/// Whether the instruction decides what runs, or which memory is touched.
/// Other choices among values are cheap in vectors.
bool BorderCuts::isWorthIt(const Instruction &instruction) const {
  SmallPtrSet<const Instruction *, 32> visited;
  SmallVector<const Instruction *> worklist{&instruction};
  while (!worklist.empty() && visited.size() < 200) {
    const Instruction *next = worklist.pop_back_val();
    for (const Use &use : next->uses()) {
      const auto *user = cast<Instruction>(use.getUser());
      if (!loop.loop->contains(user) || user == loop.latch)
        continue;
      if (user->isTerminator() || use.get() == getLoadStorePointerOperand(user))
        return true;
      bool isEnd =
          isa<LoadInst, StoreInst>(user) ||
          (user->getParent() == loop.loop->getHeader() && isa<PHINode>(user));
      if (!isEnd && visited.insert(user).second)
        worklist.push_back(user);
    }
  }
  return false;
}

/// `value`, if it grows or falls by the same number each round.
const SCEVAddRecExpr *BorderCuts::movingValue(const SCEV *value) const {
  const auto *moving = dyn_cast<SCEVAddRecExpr>(value);
  return moving && moving->getLoop() == loop.loop && moving->isAffine() &&
                 moving->getType()->isIntegerTy() &&
                 evolution.getTypeSizeInBits(moving->getType()) <= 64
             ? moving
             : nullptr;
}

/// The range of a value that inner loops change in the same way for each
/// instance. Loops as long as the extents have no window, since they reach the
/// borders from every instance.
std::optional<BorderWindow> BorderCuts::windowOf(const SCEV *value) {
  constexpr unsigned mostSpans = 3;
  BorderWindow window;
  SmallVector<std::pair<const SCEV *, int64_t>, 2> moves;
  Instruction *end = loop.before->getTerminator();
  for (const auto *inner = dyn_cast<SCEVAddRecExpr>(value);
       inner && inner->getLoop() != loop.loop;
       inner = dyn_cast<SCEVAddRecExpr>(value)) {
    const auto *step =
        inner->isAffine()
            ? dyn_cast<SCEVConstant>(inner->getStepRecurrence(evolution))
            : nullptr;
    if (!step || step->isZero() || step->getAPInt().getSignificantBits() > 16 ||
        !loop.loop->contains(inner->getLoop()) || moves.size() == mostSpans)
      return std::nullopt;
    const SCEV *count =
        evolution.getSymbolicMaxBackedgeTakenCount(inner->getLoop());
    if (isa<SCEVCouldNotCompute>(count))
      return std::nullopt;
    bool reachesLimit = SCEVExprContains(count, [&](const SCEV *part) {
      const auto *unknown = dyn_cast<SCEVUnknown>(part);
      return unknown && limits.contains(unknown->getValue());
    });
    if (reachesLimit || evolution.getTypeSizeInBits(count->getType()) > 64 ||
        !evolution.isLoopInvariant(count, loop.loop) ||
        !expander.isSafeToExpandAt(count, end))
      return std::nullopt;
    moves.push_back({count, step->getAPInt().getSExtValue()});
    value = inner->getStart();
  }
  const SCEVAddRecExpr *moving = movingValue(value);
  unsigned bits = moving ? evolution.getTypeSizeInBits(moving->getType()) : 0;
  if (moves.empty() || (bits != 32 && bits != 64))
    return std::nullopt;
  const SCEV *low = moving, *high = moving;
  for (auto [count, step] : moves) {
    const SCEV *&end = step > 0 ? high : low;
    end = evolution.getAddExpr(
        end, evolution.getMulExpr(
                 evolution.getTruncateOrZeroExtend(count, moving->getType()),
                 evolution.getConstant(moving->getType(), step,
                                       /*isSigned=*/true)));
    window.spans.push_back({count, std::abs(step)});
  }
  window.lowest = movingValue(low);
  window.highest = movingValue(high);
  if (!window.lowest || !window.highest)
    return std::nullopt;
  return window;
}

std::optional<BorderCondition>
BorderCuts::compare(const SCEV *left, ICmpInst::Predicate predicate,
                    const SCEV *right) {
  if (!evolution.isLoopInvariant(right, loop.loop)) {
    std::swap(left, right);
    predicate = ICmpInst::getSwappedPredicate(predicate);
  }
  if (!evolution.isLoopInvariant(right, loop.loop))
    return std::nullopt;
  const SCEVAddRecExpr *moving = movingValue(left);
  std::optional<BorderWindow> window;
  if (!moving && ICmpInst::isSigned(predicate)) {
    window = windowOf(left);
    moving = window ? window->lowest : nullptr;
  }
  if (!moving)
    return std::nullopt;
  const auto *step =
      dyn_cast<SCEVConstant>(moving->getStepRecurrence(evolution));
  if (!step || step->isZero() || step->getAPInt().isMinSignedValue())
    return std::nullopt;
  BorderCondition condition;
  condition.moving = moving;
  condition.step = step->getAPInt().getSExtValue();
  condition.fixed = right;
  condition.predicate = predicate;
  condition.window = std::move(window);
  Instruction *end = loop.before->getTerminator();
  if ((ICmpInst::isEquality(predicate) && std::abs(condition.step) != 1) ||
      !expander.isSafeToExpandAt(moving->getStart(), end) ||
      !expander.isSafeToExpandAt(right, end))
    return std::nullopt;
  place(condition);
  settleEnd(condition);
  return condition;
}

/// All of a window is on the same side if its nearer end is.
void BorderCuts::settleEnd(BorderCondition &condition) const {
  if (!condition.window)
    return;
  bool isSmall = ICmpInst::isLT(condition.predicate) ||
                 ICmpInst::isLE(condition.predicate);
  condition.moving = isSmall == condition.truth ? condition.window->highest
                                                : condition.window->lowest;
  const SCEV *first = firstId(*condition.moving);
  const auto *bound =
      first ? dyn_cast<SCEVConstant>(evolution.getAddExpr(
                  condition.fixed,
                  evolution.getMinusSCEV(first, condition.moving->getStart())))
            : nullptr;
  condition.isShort =
      bound && isShort(bound->getAPInt().getSExtValue(), condition.isAtStart);
}

/// The first of the ids that the loop counts, if they grow as `moving` does.
const SCEV *BorderCuts::firstId(const SCEVAddRecExpr &moving) const {
  const auto *step =
      dyn_cast<SCEVConstant>(moving.getStepRecurrence(evolution));
  Type *type = moving.getType();
  const SCEV *result = nullptr;
  for (auto [phi, own] : zip(loop.loop->getHeader()->phis(), loop.steps)) {
    if (!step || !own || step->getAPInt().getSExtValue() != *own ||
        evolution.getTypeSizeInBits(phi.getType()) <
            evolution.getTypeSizeInBits(type))
      continue;
    result = evolution.getTruncateOrNoop(
        evolution.getSCEV(phi.getIncomingValueForBlock(loop.before)), type);
    if (phi.getType() == type)
      break;
  }
  return result;
}

/// By how much `moving` exceeds the id, if that is a constant.
std::optional<int64_t>
BorderCuts::beyondId(const SCEVAddRecExpr &moving) const {
  const SCEV *first = firstId(moving);
  const auto *offset = first ? dyn_cast<SCEVConstant>(evolution.getMinusSCEV(
                                   moving.getStart(), first))
                             : nullptr;
  if (!offset)
    return std::nullopt;
  return offset->getAPInt().getSExtValue();
}

/// Whether the border before or behind the id `idBound` is short.
bool BorderCuts::isShort(int64_t idBound, bool isAtStart) const {
  if (!isAtStart && !constantLimit)
    return false;
  int64_t width;
  if (SubOverflow(isAtStart ? idBound : *constantLimit,
                  isAtStart ? int64_t(0) : idBound, width))
    return false;
  return -shortBorder <= width && width <= shortBorder;
}

/// A window that meets a number does so early, and one that meets an extent
/// late.
void BorderCuts::placeWindow(BorderCondition &condition) const {
  const auto *constant = dyn_cast<SCEVConstant>(condition.fixed);
  condition.isAtStart =
      constant && (!constantLimit ||
                   constant->getAPInt().getSExtValue() < *constantLimit / 2);
}

/// Guesses at which end of the loop the comparison changes: a wrong guess makes
/// an inside of few rounds, and borders that are as slow as they were.
void BorderCuts::place(BorderCondition &condition) const {
  const SCEV *bound = condition.fixed;
  // In terms of the ids that the loop counts.
  const SCEV *first = firstId(*condition.moving);
  if (first)
    bound = evolution.getAddExpr(
        bound, evolution.getMinusSCEV(first, condition.moving->getStart()));
  if (condition.window) {
    placeWindow(condition);
  } else if (const auto *constant = dyn_cast<SCEVConstant>(bound)) {
    int64_t value = constant->getAPInt().getSExtValue();
    if (first)
      condition.idBound = value;
    condition.isAtStart =
        !first || !constantLimit || value < *constantLimit / 2;
    condition.isShort = isShort(value, condition.isAtStart);
    condition.isWithin = !condition.isShort;
  } else {
    auto isLimit = [&](const SCEV *part) {
      const auto *unknown = dyn_cast<SCEVUnknown>(part);
      return unknown && limits.contains(unknown->getValue());
    };
    const auto *sum = dyn_cast<SCEVAddExpr>(bound);
    const auto *offset =
        sum ? dyn_cast<SCEVConstant>(sum->getOperand(0)) : nullptr;
    // A value less a constant is nearly always the extent.
    bool isBehind =
        offset && sum->getNumOperands() == 2 &&
        offset->getAPInt().abs().ule(shortBorder) &&
        (offset->getAPInt().isNegative() || isLimit(sum->getOperand(1)));
    condition.isAtStart = false;
    condition.isShort = isLimit(bound) || isBehind;
    condition.isWithin = !condition.isShort;
  }
  condition.isWithin &= ICmpInst::isEquality(condition.predicate);
  if (condition.step < 0)
    condition.isAtStart = !condition.isAtStart;

  ICmpInst::Predicate predicate = condition.predicate;
  if (ICmpInst::isEquality(predicate)) {
    condition.truth = predicate == ICmpInst::ICMP_NE;
    return;
  }
  bool isSmall = ICmpInst::isLT(predicate) || ICmpInst::isLE(predicate);
  bool holdsFirst = isSmall == (condition.step > 0);
  condition.truth = holdsFirst != condition.isAtStart;
}

std::optional<BorderFinding> BorderCuts::findCompare(ICmpInst &test) {
  if (&test == loop.test || !test.getOperand(0)->getType()->isIntegerTy())
    return std::nullopt;
  if (std::optional<BorderFinding> range = findRange(test))
    return range;
  std::optional<BorderCondition> condition =
      compare(evolution.getSCEV(test.getOperand(0)), test.getPredicate(),
              evolution.getSCEV(test.getOperand(1)));
  if (!condition ||
      (condition->isWithin && masksGap(*loop.loop, test, evolution, target)))
    return std::nullopt;
  return BorderFinding{
      &test, {*condition}, builder.getInt1(condition->truth), nullptr};
}

std::optional<BorderFinding> BorderCuts::find(Instruction &instruction) {
  if (auto *test = dyn_cast<ICmpInst>(&instruction))
    return findCompare(*test);
  if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
    return findMinMax(*call);
  auto *binary = dyn_cast<BinaryOperator>(&instruction);
  if (binary && binary->getType()->isIntegerTy() &&
      (binary->getOpcode() == Instruction::URem ||
       binary->getOpcode() == Instruction::SRem ||
       binary->getOpcode() == Instruction::And))
    return findRemainder(*binary);
  return std::nullopt;
}

std::optional<BorderFinding> BorderCuts::findNext() {
  for (BasicBlock *block : loop.loop->blocks())
    for (Instruction &instruction : *block) {
      if (done.contains(&instruction) || instruction.use_empty())
        continue;
      std::optional<BorderFinding> finding = find(instruction);
      if (finding && isWorthIt(instruction))
        return finding;
    }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Cutting
//===----------------------------------------------------------------------===//

/// A value before the loop; what is undefined does not matter there.
Value *BorderCuts::expand(const SCEV *value) {
  Value *result = expander.expandCodeFor(value, value->getType(),
                                         loop.before->getTerminator());
  builder.SetInsertPoint(loop.before->getTerminator());
  return isa<Constant>(result) ? result : builder.CreateFreeze(result);
}

static Value *divide(IRBuilderBase &builder, Value *value, int64_t step) {
  return std::abs(step) == 1
             ? value
             : builder.CreateUDiv(
                   value, ConstantInt::get(value->getType(), std::abs(step)));
}

/// Whether the moving value, now `value`, does not wrap around within the
/// `left` rounds of the inside. Null: it is known.
Value *BorderCuts::staysApart(const BorderCondition &condition, Value *value,
                              Value *left) {
  bool isEquality = ICmpInst::isEquality(condition.predicate);
  bool isSigned = ICmpInst::isSigned(condition.predicate);
  unsigned bits = value->getType()->getIntegerBitWidth();
  if (isEquality && bits == 64)
    return nullptr;
  if ((isSigned || isEquality) && condition.moving->hasNoSignedWrap())
    return nullptr;
  if (!isSigned && condition.step > 0 && condition.moving->hasNoUnsignedWrap())
    return nullptr;
  Type *type = value->getType();
  APInt highest =
      isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  APInt lowest = isSigned ? APInt::getSignedMinValue(bits) : APInt(bits, 0);
  Value *room;
  if (isEquality)
    room = ConstantInt::get(type, APInt::getMaxValue(bits));
  else if (condition.step > 0)
    room = builder.CreateSub(ConstantInt::get(type, highest), value);
  else
    room = builder.CreateSub(value, ConstantInt::get(type, lowest));
  room = divide(builder, room, condition.step);
  return builder.CreateICmpULE(builder.CreateSub(left, builder.getInt64(1)),
                               builder.CreateZExt(room, builder.getInt64Ty()));
}

/// Whether nothing of a window wraps around, in signed numbers of its type, in
/// any round of the loop: with `unit` the sixteenth part of those numbers, its
/// end is within two units of 0 in the first round, and no loop moves it by
/// more than one.
Value *BorderCuts::keepsRoom(const BorderCondition &condition, Value *start) {
  unsigned bits = start->getType()->getIntegerBitWidth();
  uint64_t unit = uint64_t(1) << (bits - 4);
  auto number = [&](uint64_t value) {
    return ConstantInt::get(start->getType(), value);
  };
  auto movesLittle = [&](Value *count, uint64_t step) {
    return builder.CreateICmpULE(count, builder.getInt64(unit / step));
  };
  Value *result = builder.CreateICmpULT(
      builder.CreateAdd(start, number(2 * unit)), number(4 * unit));
  result = builder.CreateAnd(
      result, movesLittle(rounds, uint64_t(std::abs(condition.step))));
  for (auto [count, step] : condition.window->spans) {
    Value *number = builder.CreateZExt(expand(count), builder.getInt64Ty());
    result = builder.CreateAnd(result, movesLittle(number, step));
  }
  return result;
}

void BorderCuts::cutAt(const BorderCondition &condition) {
  Type *type = condition.moving->getType(), *i64 = builder.getInt64Ty();
  Value *start = expand(condition.moving->getStart());
  Value *fixed = expand(condition.fixed);
  Value *left = builder.CreateSub(to, from);
  Value *value = builder.CreateAdd(
      start, builder.CreateMul(builder.CreateTrunc(from, type),
                               ConstantInt::getSigned(type, condition.step)));
  Value *apart = condition.window ? keepsRoom(condition, start)
                                  : staysApart(condition, value, left);
  bool isRising = condition.step > 0;
  Value *distance = isRising ? builder.CreateSub(fixed, value)
                             : builder.CreateSub(value, fixed);
  auto minimum = [&](Value *first, Value *second) {
    return builder.CreateBinaryIntrinsic(Intrinsic::umin, first, second);
  };
  Value *zero = builder.getInt64(0), *one = builder.getInt64(1);
  Value *number;
  if (ICmpInst::isEquality(condition.predicate)) {
    Value *round = builder.CreateZExt(distance, i64);
    Value *meets = builder.CreateICmpULT(round, left);
    number =
        condition.isAtStart
            ? builder.CreateSelect(meets, builder.CreateAdd(round, one), zero)
            : builder.CreateSelect(meets, round, left);
  } else {
    ICmpInst::Predicate first = condition.predicate;
    bool isSmall = ICmpInst::isLT(first) || ICmpInst::isLE(first);
    if (isSmall != isRising)
      first = ICmpInst::getInversePredicate(first);
    if (ICmpInst::isStrictPredicate(first))
      distance = builder.CreateSub(distance, ConstantInt::get(type, 1));
    Value *last =
        builder.CreateZExt(divide(builder, distance, condition.step), i64);
    Value *held = minimum(builder.CreateAdd(minimum(last, left), one), left);
    number = builder.CreateSelect(builder.CreateICmp(first, value, fixed), held,
                                  zero);
  }
  if (apart)
    number =
        builder.CreateSelect(apart, number, condition.isAtStart ? left : zero);
  if (condition.isAtStart) {
    from = builder.CreateAdd(from, number);
    cutsStart = true;
    isShortStart &= condition.isShort;
  } else {
    to = builder.CreateAdd(from, number);
    cutsEnd = true;
    isShortEnd &= condition.isShort;
  }
}

/// From the value in the first round to the one that is looked for, in rounds.
const SCEV *BorderCuts::distanceOf(const BorderCondition &condition) const {
  const SCEV *start = condition.moving->getStart();
  return condition.step > 0 ? evolution.getMinusSCEV(condition.fixed, start)
                            : evolution.getMinusSCEV(start, condition.fixed);
}

/// There is room for one gap.
bool BorderCuts::leavesGap(const BorderCondition &condition) const {
  return condition.isWithin &&
         (!gapDistance || gapDistance == distanceOf(condition));
}

/// Instances such as those of a pivot's row or column leave a gap in the
/// inside, rather than be a border with all that is behind them.
void BorderCuts::leaveGap(const BorderCondition &condition) {
  if (gap)
    return;
  gapDistance = distanceOf(condition);
  Value *value = expand(condition.moving->getStart());
  Value *distance = expand(gapDistance);
  gap = builder.CreateZExt(distance, builder.getInt64Ty(), "gap");
  if (Value *apart = staysApart(condition, value, rounds)) {
    to = builder.CreateSelect(apart, to, from);
    cutsEnd = true;
    isShortEnd = false;
  }
}

std::pair<Value *, Value *> BorderCuts::placeGap() {
  if (!gap)
    return {to, to};
  Value *isInside = builder.CreateAnd(builder.CreateICmpUGE(gap, from),
                                      builder.CreateICmpULT(gap, to));
  Value *end = builder.CreateAdd(gap, builder.getInt64(1));
  return {builder.CreateSelect(isInside, gap, to),
          builder.CreateSelect(isInside, end, to)};
}

void BorderCuts::cut(const BorderFinding &finding) {
  for (const BorderCondition &condition : finding.conditions)
    if (leavesGap(condition))
      leaveGap(condition);
    else
      cutAt(condition);
  Instruction &instruction = *finding.instruction;
  Value *simpler = finding.simpler;
  if (finding.subtracted)
    simpler = BinaryOperator::CreateSub(simpler, finding.subtracted, "",
                                        instruction.getIterator());
  done.insert(&instruction);
  evolution.forgetValue(&instruction);
  instruction.replaceAllUsesWith(simpler);
}

} // namespace sluice::codegen
