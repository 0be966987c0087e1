//===- OpenMPCounters.cpp - Counters of small types -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the number of an iteration fits the type of its variable is known
// from the loop alone.
//
//===----------------------------------------------------------------------===//

#include "../Hetero/HeteroGraph.h"
#include "OpenMPTeams.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

static constexpr StringLiteral counterName = "openmp.counter",
                               signedName = "openmp.counter.signed",
                               unsignedName = "openmp.counter.unsigned";

/// Whether the type of a variable has a sign, which only clang knows; debug
/// information keeps it.
static std::optional<DIBasicType::Signedness> signOf(Value &variable) {
  for (DbgVariableRecord *record : findDVRDeclares(&variable)) {
    const DIType *type = record->getVariable()->getType();
    while (const auto *derived = dyn_cast_or_null<DIDerivedType>(type))
      type = derived->getBaseType();
    if (const auto *basic = dyn_cast_or_null<DIBasicType>(type))
      return basic->getSignedness();
  }
  return std::nullopt;
}

/// A loop's variable never wraps around, so one of a small type has the number
/// that it was computed from. Clang sets it before anything else in an
/// iteration.
void openmp::noteCounter(BasicBlock &iteration) {
  for (Instruction &instruction : iteration) {
    auto *store = dyn_cast<StoreInst>(&instruction);
    if (!store)
      continue;
    auto *counter = dyn_cast<TruncInst>(store->getValueOperand());
    if (!counter)
      return;
    auto sign = signOf(*store->getPointerOperand());
    counter->setName(!sign                                      ? counterName
                     : *sign == DIBasicType::Signedness::Signed ? signedName
                                                                : unsignedName);
    return;
  }
}

void openmp::noteCounter(const SharedLoop &loop) {
  noteCounter(*loop.exits.back().inside);
}

/// Whether a value is what the number of the iteration was cut from, without
/// loss.
static bool isWide(const Value &value, const Value &iteration) {
  const auto *cut = dyn_cast<TruncInst>(&iteration);
  return cut && cut->getOperand(0) == &value;
}

/// What a number may be. `iteration`: the number of the iteration, which is
/// in `all`.
static ConstantRange rangeOf(const Value &value, const Value &iteration,
                             const ConstantRange &all, unsigned depth = 0) {
  constexpr unsigned mostDepth = 8;
  unsigned bits = value.getType()->getIntegerBitWidth();
  if (&value == &iteration)
    return all;
  if (isWide(value, iteration))
    return all.zeroExtend(bits);
  if (const auto *known = dyn_cast<ConstantInt>(&value))
    return ConstantRange(known->getValue());
  auto rangeOfOperand = [&](const Value *operand) {
    return rangeOf(*operand, iteration, all, depth + 1);
  };
  if (depth < mostDepth) {
    if (const auto *cast = dyn_cast<CastInst>(&value);
        cast && cast->getSrcTy()->isIntegerTy())
      return rangeOfOperand(cast->getOperand(0))
          .castOp(cast->getOpcode(), bits);
    if (const auto *operation = dyn_cast<BinaryOperator>(&value)) {
      ConstantRange left = rangeOfOperand(operation->getOperand(0));
      ConstantRange right = rangeOfOperand(operation->getOperand(1));
      // What is never said to wrap around may do so.
      unsigned flags = 0;
      if (const auto *bounded = dyn_cast<OverflowingBinaryOperator>(&value)) {
        if (bounded->hasNoSignedWrap())
          flags |= OverflowingBinaryOperator::NoSignedWrap;
        if (bounded->hasNoUnsignedWrap())
          flags |= OverflowingBinaryOperator::NoUnsignedWrap;
      }
      return left.overflowingBinaryOp(operation->getOpcode(), right, flags);
    }
  }
  return ConstantRange::getFull(bits);
}

/// Whether an extension gives the number that a counter was cut from. One that
/// is not negative is in the counter's type, so an extension by zeros keeps it.
/// An extension by the sign keeps what has none in the smaller type, too.
static bool keepsNumber(const CastInst &extension, const ConstantRange &range) {
  unsigned bits = extension.getSrcTy()->getIntegerBitWidth();
  APInt largest = range.getSignedMax(), smallest = range.getSignedMin();
  return isa<ZExtInst>(extension)
             ? smallest.isNonNegative()
             : largest.isSignedIntN(bits) && smallest.isSignedIntN(bits);
}

/// Whether an extension reads a counter as what it is declared.
static bool readsNumber(const CastInst &extension) {
  return extension.getOperand(0)->getName().starts_with(
      isa<SExtInst>(extension) ? signedName : unsignedName);
}

/// What the number of an iteration is multiplied by in a value, or less: a step
/// that only the host knows counts as 1, since no step is 0. None: the number
/// is divided, as in collapsed loops, or used twice.
static std::optional<int64_t>
factorIn(const Value &value, const Value &iteration, unsigned depth = 0) {
  constexpr unsigned mostDepth = 8;
  if (&value == &iteration || isWide(value, iteration))
    return 1;
  if (depth == mostDepth)
    return std::nullopt;
  if (const auto *cast = dyn_cast<CastInst>(&value))
    return factorIn(*cast->getOperand(0), iteration, depth + 1);
  const auto *operation = dyn_cast<BinaryOperator>(&value);
  if (!operation)
    return 0;
  std::optional<int64_t> left =
      factorIn(*operation->getOperand(0), iteration, depth + 1);
  std::optional<int64_t> right =
      factorIn(*operation->getOperand(1), iteration, depth + 1);
  if (!left || !right || (*left == 0 && *right == 0))
    return left && right ? left : std::nullopt;
  const std::optional<int64_t> onlyOne = *left == 0    ? right
                                         : *right == 0 ? left
                                                       : std::nullopt;
  const auto *known = dyn_cast<ConstantInt>(operation->getOperand(1));
  int64_t result = 0;
  switch (operation->getOpcode()) {
  case Instruction::Add:
    return onlyOne;
  case Instruction::Sub:
    if (!onlyOne || SubOverflow(*left, *right, result))
      return std::nullopt;
    return result;
  case Instruction::Mul:
    if (!known)
      return onlyOne;
    if (known->getBitWidth() > 64 ||
        MulOverflow(*left, known->getSExtValue(), result))
      return std::nullopt;
    return result;
  case Instruction::Shl:
    if (!known || known->uge(32) ||
        MulOverflow(*left, int64_t(1) << known->getZExtValue(), result))
      return std::nullopt;
    return result;
  default:
    return std::nullopt;
  }
}

/// States how many iterations there are at most, since a counter has another
/// value in each of them.
static void boundIterations(Value &number, const TruncInst &counter) {
  unsigned bits = counter.getType()->getIntegerBitWidth();
  auto *cut = dyn_cast<TruncInst>(&number);
  Value &whole = cut ? *cut->getOperand(0) : number;
  auto *place = dyn_cast<Instruction>(&number);
  std::optional<int64_t> step = factorIn(*counter.getOperand(0), number);
  if (!place || !whole.getType()->isIntegerTy(64) || !step || *step == 0 ||
      bits >= 32)
    return;
  uint64_t all = uint64_t(1) << bits;
  uint64_t width = *step < 0 ? 0 - uint64_t(*step) : uint64_t(*step);
  IRBuilder<> builder(place->getNextNode());
  builder.CreateAssumption(
      builder.CreateICmpSLT(&whole, builder.getInt64(divideCeil(all, width))));
}

/// A program may read a counter with a sign and without. Of an int, whose
/// numbers may be too many only in theory, the host asks before the launch:
/// returned is how many are right.
std::optional<int64_t> openmp::widenCounters(Function &iteration, Value &number,
                                             bool isUnsigned,
                                             std::optional<int64_t> count) {
  if (!isUnsigned)
    hetero::widenPlaces(iteration, number);
  unsigned bits = number.getType()->getIntegerBitWidth();
  ConstantRange all = ConstantRange::getFull(bits);
  if (count && *count > 0 && isUIntN(bits - 1, *count))
    all = ConstantRange(APInt(bits, 0), APInt(bits, *count));
  else if (!isUnsigned)
    all = ConstantRange(APInt(bits, 0), APInt::getSignedMinValue(bits));
  SmallVector<CastInst *> extended;
  for (Instruction &instruction : instructions(iteration))
    if (auto *cast = dyn_cast<CastInst>(&instruction);
        cast && isa<ZExtInst, SExtInst>(cast) &&
        isa<TruncInst>(cast->getOperand(0)) &&
        cast->getOperand(0)->getName().starts_with(counterName))
      extended.push_back(cast);
  // One that is read in both ways says nothing.
  bool hasBoth =
      any_of(extended, [](CastInst *cast) { return isa<ZExtInst>(cast); }) &&
      any_of(extended, [](CastInst *cast) { return isa<SExtInst>(cast); });
  std::optional<int64_t> most;
  SmallSetVector<const TruncInst *, 2> bounded;
  for (CastInst *cast : extended) {
    IRBuilder<> builder(cast);
    Value *whole = llvm::cast<TruncInst>(cast->getOperand(0))->getOperand(0);
    const bool isSmall = cast->getSrcTy()->getIntegerBitWidth() < 32;
    if (isSmall && !count)
      bounded.insert(llvm::cast<TruncInst>(cast->getOperand(0)));
    if (!keepsNumber(*cast, rangeOf(*whole, number, all))) {
      if (isSmall && readsNumber(*cast)) {
        cast->replaceAllUsesWith(
            builder.CreateIntCast(whole, cast->getType(), isa<SExtInst>(cast)));
        continue;
      }
      if (hasBoth || isSmall)
        continue;
      uint64_t right = 0;
      for (unsigned bit = std::min(bits, 63U) - 1; bit-- > 0;) {
        uint64_t tried = right | uint64_t(1) << bit;
        ConstantRange some(APInt(bits, 0), APInt(bits, tried));
        if (keepsNumber(*cast, rangeOf(*whole, number, some)))
          right = tried;
      }
      if (right == 0)
        continue;
      most = std::min<int64_t>(right, most.value_or(right));
    }
    cast->replaceAllUsesWith(
        builder.CreateIntCast(whole, cast->getType(), isa<SExtInst>(cast)));
  }
  for (const TruncInst *counter : bounded)
    boundIterations(number, *counter);
  return most;
}
