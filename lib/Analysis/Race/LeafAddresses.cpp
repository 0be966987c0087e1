//===- LeafAddresses.cpp - Values of a leaf as polynomials ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers of a leaf become polynomials over ids, extents, arguments and turns
// of loops. Sums, products and what narrow types leave of them are followed
// modulo two to their width, so they are exact whether or not they overflow;
// where the very number matters, the flags of an instruction, its range, or a
// derived symbol give it. Loops are left to LLVM's scalar evolution.
//
//===----------------------------------------------------------------------===//

#include "LeafAddresses.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::races;

LeafValues::LeafValues(Function &leaf, FunctionAnalysisManager &analyses)
    : scalars(analyses.getResult<ScalarEvolutionAnalysis>(leaf)),
      loops(analyses.getResult<LoopAnalysis>(leaf)),
      dominators(analyses.getResult<DominatorTreeAnalysis>(leaf)) {}

unsigned races::loopNumber(const Loop &loop, LoopInfo &info) {
  SmallVector<Loop *, 4> all = info.getLoopsInPreorder();
  return std::distance(all.begin(), find(all, &loop));
}

static Polynomial turnOf(const Loop &loop, LoopInfo &loops) {
  Symbol turn;
  turn.kind = Symbol::Kind::Turn;
  turn.index = loopNumber(loop, loops);
  return Polynomial::of(turn);
}

static const std::string notLinear =
    "it is not linear in the instance ids and loop counters";

/// What an index that is no polynomial is, for messages.
static std::string describeUnknown(const Value &value) {
  if (isa<LoadInst>(value))
    return "it depends on a value that is loaded from memory";
  if (const auto *call = dyn_cast<CallBase>(&value)) {
    const Function *callee = call->getCalledFunction();
    return callee
               ? "it depends on what '" + callee->getName().str() + "' returns"
               : "it depends on what an indirect call returns";
  }
  return notLinear;
}

Polynomial races::indicator(CmpInst::Predicate predicate,
                            const Polynomial &left, const Polynomial &right) {
  // Of numbers below two to the `bits`, the quotient is 0 or -1.
  auto isNegative = [](const Polynomial &value) {
    Range range = rangeOf(value);
    unsigned bits = 1;
    while (bits < 62 && (range.least < -(int64_t(1) << bits) ||
                         range.most >= (int64_t(1) << bits)))
      ++bits;
    return divide(value, int64_t(1) << bits) * Polynomial(-1);
  };
  switch (predicate) {
  case CmpInst::ICMP_EQ:
    return Polynomial(1) - isNegative(left - right) - isNegative(right - left);
  case CmpInst::ICMP_NE:
    return isNegative(left - right) + isNegative(right - left);
  case CmpInst::ICMP_SLT:
  case CmpInst::ICMP_ULT:
    return isNegative(left - right);
  case CmpInst::ICMP_SLE:
  case CmpInst::ICMP_ULE:
    return isNegative(left - right - 1);
  case CmpInst::ICMP_SGT:
  case CmpInst::ICMP_UGT:
    return isNegative(right - left);
  default:
    return isNegative(right - left - 1);
  }
}

bool races::mayBeHuge(const Polynomial &value) {
  return rangeOf(value, [](const Symbol &symbol) {
           Range range = naturalRange(symbol);
           if (symbol.bits == 0 || symbol.bits == 64)
             range.least = std::max<int64_t>(range.least, 0);
           return range;
         }).least < 0;
}

namespace sluice::races {
/// Finds facts about one value in one block, which decides what turn of a loop
/// is meant.
class FactBuilder {
public:
  FactBuilder(LeafValues &values, const BasicBlock &block, std::string &reason)
      : values(values), block(block), loop(values.loops.getLoopFor(&block)),
        layout(block.getDataLayout()), reason(reason) {}

  std::optional<Fact> of(Value *value);
  std::optional<Fact> of(const SCEV *expression);
  std::optional<Polynomial> number(Value *value, bool isSigned);
  std::optional<Polynomial> number(const SCEV *expression, bool isSigned);
  std::optional<Polynomial> offset(Value *pointer, const Value *base);
  /// The number that a fact about `bits` bits means.
  std::optional<Polynomial> number(const std::optional<Fact> &fact,
                                   unsigned bits, bool isSigned);

private:
  std::optional<Fact> build(Value *value, unsigned bits);
  std::optional<Fact> build(const SCEV *expression, unsigned bits);
  std::optional<Fact> binary(BinaryOperator &operation, unsigned bits);
  std::optional<Fact> linear(BinaryOperator &operation, unsigned bits);
  std::optional<Fact> divided(BinaryOperator &operation, unsigned bits);
  std::optional<Fact> quotient(const Polynomial &value, bool isSigned,
                               int64_t divisor, unsigned bits);
  std::optional<Fact> masked(Value *value, const APInt &mask, unsigned bits);
  std::optional<Fact> logic(BinaryOperator &operation, unsigned bits);
  std::optional<Fact> call(IntrinsicInst &call, unsigned bits);
  std::optional<Fact> chosen(Value *condition, Value *yes, Value *no,
                             unsigned bits);
  std::optional<Fact> merged(PHINode &phi, unsigned bits);
  std::optional<Fact> recurrence(const SCEVAddRecExpr &expression,
                                 unsigned bits);
  std::optional<Fact> some(User &operation, unsigned bits, Range range);
  std::optional<Polynomial> truth(Value *condition);
  std::optional<Polynomial> pick(Value *condition,
                                 const std::optional<Polynomial> &yes,
                                 const std::optional<Polynomial> &no);
  std::nullopt_t unknown(std::string why = notLinear) {
    if (reason.empty())
      reason = std::move(why);
    return std::nullopt;
  }
  std::nullopt_t unknown(const Value &value) {
    return unknown(describeUnknown(value));
  }
  std::optional<Fact> make(Polynomial value, unsigned bits,
                           bool isSigned = false, bool isUnsigned = false);

  LeafValues &values;
  const BasicBlock &block;
  const Loop *loop;
  const DataLayout &layout;
  std::string &reason;
  unsigned depth = 0;
};
} // namespace sluice::races

std::optional<Fact> FactBuilder::make(Polynomial value, unsigned bits,
                                      bool isSigned, bool isUnsigned) {
  if (!value.isValid() || value.getTerms().size() > 40)
    return unknown();
  Range range = rangeOf(value);
  return Fact{std::move(value),
              isSigned || range.isWithin(rangeOfType(bits, true)),
              isUnsigned || range.isWithin(rangeOfType(bits, false))};
}

std::optional<Polynomial> FactBuilder::number(const std::optional<Fact> &fact,
                                              unsigned bits, bool isSigned) {
  if (!fact)
    return std::nullopt;
  if (bits >= 64 || (isSigned ? fact->isSigned : fact->isUnsigned))
    return fact->value;
  Polynomial value = wrap(fact->value, bits, isSigned);
  if (!value.isValid())
    return unknown();
  return value;
}

std::optional<Polynomial> FactBuilder::number(Value *value, bool isSigned) {
  if (!value->getType()->isIntegerTy())
    return unknown();
  return number(of(value), value->getType()->getIntegerBitWidth(), isSigned);
}

std::optional<Polynomial> FactBuilder::number(const SCEV *expression,
                                              bool isSigned) {
  if (!expression->getType()->isIntegerTy())
    return unknown();
  return number(of(expression), expression->getType()->getIntegerBitWidth(),
                isSigned);
}

std::optional<Fact> FactBuilder::of(Value *value) {
  auto *type = dyn_cast<IntegerType>(value->getType());
  if (!type || type->getBitWidth() > 64 || type->getBitWidth() == 63)
    return unknown(*value);
  LeafValues::Key key = {value, loop};
  auto found = values.known.find(key);
  if (found == values.known.end()) {
    // Long chains of computations are not followed to their end.
    if (depth > 60)
      return unknown();
    std::string outer = std::exchange(reason, "");
    ++depth;
    std::optional<Fact> fact = build(value, type->getBitWidth());
    --depth;
    found = values.known.insert({key, {fact, reason}}).first;
    reason = outer;
  }
  if (!found->second.fact && reason.empty())
    reason = found->second.reason;
  return found->second.fact;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

std::optional<Fact> FactBuilder::build(Value *value, unsigned bits) {
  if (auto *constant = dyn_cast<ConstantInt>(value)) {
    int64_t number = constant->getSExtValue();
    return Fact{Polynomial(number), true, number >= 0};
  }
  if (std::optional<Symbol> query = symbolOfQuery(*value))
    return make(Polynomial::of(*query), bits);
  if (auto *argument = dyn_cast<Argument>(value)) {
    Symbol symbol;
    symbol.kind = Symbol::Kind::Argument;
    symbol.index = argument->getArgNo();
    symbol.bits = bits;
    return make(Polynomial::of(symbol), bits, /*isSigned=*/true);
  }
  if (auto *operation = dyn_cast<BinaryOperator>(value))
    return binary(*operation, bits);
  if (auto *cast = dyn_cast<CastInst>(value)) {
    Value *operand = cast->getOperand(0);
    if (!operand->getType()->isIntegerTy())
      return unknown();
    bool isSigned = isa<SExtInst>(cast);
    if (isa<TruncInst>(cast)) {
      std::optional<Fact> wide = of(operand);
      return wide ? make(wide->value, bits) : std::nullopt;
    }
    if (auto *extension = dyn_cast<ZExtInst>(cast))
      isSigned = extension->hasNonNeg();
    std::optional<Polynomial> narrow = number(operand, isSigned);
    return narrow ? make(*narrow, bits) : std::nullopt;
  }
  if (isa<ICmpInst>(value)) {
    std::optional<Polynomial> holds = truth(value);
    return holds ? make(*holds, bits, false, /*isUnsigned=*/true)
                 : std::nullopt;
  }
  if (auto *freeze = dyn_cast<FreezeInst>(value))
    return of(freeze->getOperand(0));
  if (auto *select = dyn_cast<SelectInst>(value))
    return chosen(select->getCondition(), select->getTrueValue(),
                  select->getFalseValue(), bits);
  if (auto *phi = dyn_cast<PHINode>(value))
    return merged(*phi, bits);
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(value))
    return call(*intrinsic, bits);
  return unknown(*value);
}

std::optional<Fact> FactBuilder::binary(BinaryOperator &operation,
                                        unsigned bits) {
  switch (operation.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::Shl:
    return linear(operation, bits);
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    return logic(operation, bits);
  default:
    return divided(operation, bits);
  }
}

/// Of types up to 64 bits, a constant as a signed number; 1 << 63 is none.
static std::optional<int64_t> shiftFactor(const Value *amount, unsigned bits) {
  auto *constant = dyn_cast<ConstantInt>(amount);
  if (!constant || constant->getValue().uge(std::min(bits, 63u)))
    return std::nullopt;
  return int64_t(1) << constant->getZExtValue();
}

std::optional<Fact> FactBuilder::linear(BinaryOperator &operation,
                                        unsigned bits) {
  auto &flags = cast<OverflowingBinaryOperator>(operation);
  Value *left = operation.getOperand(0), *right = operation.getOperand(1);
  std::optional<Polynomial> factor;
  if (operation.getOpcode() == Instruction::Shl) {
    std::optional<int64_t> power = shiftFactor(right, bits);
    if (!power)
      return some(operation, bits, rangeOfType(bits, bits >= 64));
    factor = Polynomial(*power);
  }
  auto apply = [&](const Polynomial &a,
                   const Polynomial &b) -> std::optional<Polynomial> {
    Polynomial result = operation.getOpcode() == Instruction::Add   ? a + b
                        : operation.getOpcode() == Instruction::Sub ? a - b
                                                                    : a * b;
    if (!result.isValid())
      return unknown();
    return result;
  };
  bool isSigned = flags.hasNoSignedWrap() || bits >= 64;
  bool isUnsigned = flags.hasNoUnsignedWrap();
  std::optional<Polynomial> a, b;
  if (isSigned || isUnsigned) {
    a = number(left, isSigned);
    b = factor ? factor : number(right, isSigned);
  } else {
    std::optional<Fact> first = of(left);
    std::optional<Fact> second = factor ? std::nullopt : of(right);
    if (first)
      a = first->value;
    if (second)
      b = second->value;
    else
      b = factor;
  }
  std::optional<Polynomial> result = a && b ? apply(*a, *b) : std::nullopt;
  if (!result)
    return std::nullopt;
  return make(*result, bits, isSigned, !isSigned && isUnsigned);
}

/// `value` by `divisor`, rounded towards zero as the machine does.
std::optional<Fact> FactBuilder::quotient(const Polynomial &value,
                                          bool isSigned, int64_t divisor,
                                          unsigned bits) {
  if (divisor == 0 || divisor == INT64_MIN)
    return unknown();
  int64_t positive = std::abs(divisor);
  Polynomial dividend = value;
  if (isSigned && rangeOf(value).least < 0)
    dividend += indicator(CmpInst::ICMP_SLT, value, Polynomial(0)) *
                Polynomial(positive - 1);
  Polynomial result =
      divide(dividend, positive) * Polynomial(divisor < 0 ? -1 : 1);
  return make(result, bits, isSigned, !isSigned);
}

std::optional<Fact> FactBuilder::divided(BinaryOperator &operation,
                                         unsigned bits) {
  unsigned opcode = operation.getOpcode();
  bool isSigned = opcode == Instruction::SDiv || opcode == Instruction::SRem ||
                  opcode == Instruction::AShr;
  bool isRest = opcode == Instruction::SRem || opcode == Instruction::URem;
  Range range = rangeOfType(bits, isSigned);
  Value *right = operation.getOperand(1);
  auto *constant = dyn_cast<ConstantInt>(right);
  if (!constant)
    return some(operation, bits, range);
  if (opcode == Instruction::URem && constant->getValue().isPowerOf2())
    return masked(operation.getOperand(0), constant->getValue() - 1, bits);
  std::optional<Polynomial> value = number(operation.getOperand(0), isSigned);
  if (!value)
    return std::nullopt;
  if (!isSigned && bits >= 64 && mayBeHuge(*value))
    return some(operation, bits, {0, INT64_MAX});
  if (opcode == Instruction::LShr || opcode == Instruction::AShr) {
    std::optional<int64_t> power = shiftFactor(right, bits);
    return power ? make(divide(*value, *power), bits, isSigned || *power > 1,
                        !isSigned)
                 : unknown();
  }
  if (!isSigned && bits >= 64 && constant->isNegative())
    return unknown();
  int64_t divisor = isSigned ? constant->getSExtValue()
                             : static_cast<int64_t>(constant->getZExtValue());
  std::optional<Fact> ratio = quotient(*value, isSigned, divisor, bits);
  if (!ratio || !isRest)
    return ratio;
  Polynomial rest = *value - ratio->value * Polynomial(divisor);
  // The sum of both terms may look larger than a rest is.
  return make(rest, bits,
              isSigned || bits >= 64 || divisor <= int64_t(1) << (bits - 1),
              !isSigned);
}

/// The bits of `value` that are set in `mask`.
std::optional<Fact> FactBuilder::masked(Value *value, const APInt &mask,
                                        unsigned bits) {
  std::optional<Fact> fact = of(value);
  if (!fact)
    return std::nullopt;
  Polynomial result;
  unsigned runs = 0;
  bool keepsTop = false;
  for (unsigned begin = 0; begin < bits;) {
    if (!mask[begin]) {
      ++begin;
      continue;
    }
    unsigned end = begin;
    while (end < bits && mask[end])
      ++end;
    if (begin == 0 && end == bits)
      return fact;
    if (++runs > 4 || begin > 61)
      return unknown();
    if (end == bits) {
      result += fact->value - wrap(fact->value, begin, /*isSigned=*/false);
      keepsTop = true;
    } else {
      result += wrap(divide(fact->value, int64_t(1) << begin), end - begin,
                     /*isSigned=*/false) *
                Polynomial(int64_t(1) << begin);
    }
    begin = end;
  }
  return make(result, bits,
              keepsTop ? fact->isSigned : bits > mask.getActiveBits(),
              keepsTop ? fact->isUnsigned : true);
}

std::optional<Fact> FactBuilder::logic(BinaryOperator &operation,
                                       unsigned bits) {
  using namespace PatternMatch;
  Value *left = operation.getOperand(0), *right = operation.getOperand(1);
  if (isa<ConstantInt>(left))
    std::swap(left, right);
  unsigned opcode = operation.getOpcode();
  if (auto *constant = dyn_cast<ConstantInt>(right)) {
    const APInt &mask = constant->getValue();
    if (opcode == Instruction::And)
      return masked(left, mask, bits);
    std::optional<Fact> fact = of(left);
    if (!fact)
      return std::nullopt;
    if (opcode == Instruction::Xor && bits == 1 && mask.isOne()) {
      std::optional<Polynomial> holds = number(left, /*isSigned=*/false);
      return holds ? make(Polynomial(1) - *holds, bits, false, true)
                   : std::nullopt;
    }
    if (opcode == Instruction::Xor && mask.isAllOnes())
      return make(Polynomial(-1) - fact->value, bits, fact->isSigned);
    std::optional<Fact> common = masked(left, mask, bits);
    if (!common)
      return std::nullopt;
    Polynomial twice = opcode == Instruction::Xor ? common->value : 0;
    bool isPositive = !mask.isNegative();
    return make(
        fact->value + Polynomial(mask.getSExtValue()) - common->value - twice,
        bits, isPositive && fact->isSigned, isPositive && fact->isUnsigned);
  }
  if (bits == 1) {
    std::optional<Polynomial> a = number(left, false), b = number(right, false);
    if (!a || !b)
      return std::nullopt;
    Polynomial both = *a * *b;
    return make(opcode == Instruction::And  ? both
                : opcode == Instruction::Or ? *a + *b - both
                                            : *a + *b - both - both,
                bits, false, /*isUnsigned=*/true);
  }
  bool isSum = opcode != Instruction::And &&
               haveNoCommonBitsSet(left, right, SimplifyQuery(layout));
  if (auto *disjoint = dyn_cast<PossiblyDisjointInst>(&operation))
    isSum |= disjoint->isDisjoint();
  std::optional<Fact> a = of(left), b = of(right);
  if (isSum && a && b)
    return make(a->value + b->value, bits);
  return some(operation, bits, rangeOfType(bits, bits >= 64));
}

/// Some function of the operands of `operation`.
std::optional<Fact> FactBuilder::some(User &operation, unsigned bits,
                                      Range range) {
  std::vector<Polynomial> operands;
  for (Value *operand : operation.operands()) {
    if (isa<Function>(operand))
      continue;
    std::optional<Polynomial> value = number(operand, /*isSigned=*/true);
    if (!value)
      return std::nullopt;
    operands.push_back(*value);
  }
  unsigned code = operation.getValueID();
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&operation))
    code = 1000 + intrinsic->getIntrinsicID();
  if (operands.empty())
    return unknown();
  return make(opaque(code, bits, operands, range), bits, range.least < 0,
              range.least >= 0);
}

std::optional<Fact> FactBuilder::call(IntrinsicInst &call, unsigned bits) {
  auto operand = [&](unsigned index, bool isSigned) {
    return number(call.getArgOperand(index), isSigned);
  };
  switch (call.getIntrinsicID()) {
  case Intrinsic::smax:
  case Intrinsic::umax:
  case Intrinsic::smin:
  case Intrinsic::umin: {
    auto &extreme = cast<MinMaxIntrinsic>(call);
    std::optional<Polynomial> a = operand(0, extreme.isSigned());
    std::optional<Polynomial> b = operand(1, extreme.isSigned());
    if (!a || !b)
      return std::nullopt;
    bool isLess = call.getIntrinsicID() == Intrinsic::smin ||
                  call.getIntrinsicID() == Intrinsic::umin;
    Polynomial sign(isLess ? -1 : 1);
    return make(maximum(*a * sign, *b * sign) * sign, bits, extreme.isSigned(),
                !extreme.isSigned());
  }
  case Intrinsic::abs: {
    std::optional<Polynomial> value = operand(0, true);
    if (!value)
      return std::nullopt;
    return make(maximum(*value, *value * Polynomial(-1)), bits, false, true);
  }
  case Intrinsic::ctpop:
  case Intrinsic::ctlz:
  case Intrinsic::cttz:
    return some(call, bits, {0, bits});
  case Intrinsic::bswap:
  case Intrinsic::bitreverse:
  case Intrinsic::fshl:
  case Intrinsic::fshr:
    return some(call, bits, rangeOfType(bits, false));
  case Intrinsic::expect:
    return of(call.getArgOperand(0));
  default:
    return unknown(call);
  }
}

/// 1 where `condition` holds, else 0.
std::optional<Polynomial> FactBuilder::truth(Value *condition) {
  auto *comparison = dyn_cast<ICmpInst>(condition);
  if (!comparison)
    return number(condition, /*isSigned=*/false);
  Value *left = comparison->getOperand(0), *right = comparison->getOperand(1);
  if (!left->getType()->isIntegerTy())
    return unknown();
  bool isSigned = !comparison->isUnsigned();
  std::optional<Polynomial> a = number(left, isSigned);
  std::optional<Polynomial> b = number(right, isSigned);
  if (!a || !b)
    return std::nullopt;
  if (!isSigned && left->getType()->getIntegerBitWidth() >= 64 &&
      (mayBeHuge(*a) || mayBeHuge(*b)))
    return unknown();
  Polynomial result = indicator(comparison->getPredicate(), *a, *b);
  if (!result.isValid())
    return unknown();
  return result;
}

std::optional<Polynomial>
FactBuilder::pick(Value *condition, const std::optional<Polynomial> &yes,
                  const std::optional<Polynomial> &no) {
  if (!yes || !no)
    return std::nullopt;
  Polynomial difference = *yes - *no;
  if (difference.isZero())
    return yes;
  std::optional<Polynomial> holds = truth(condition);
  if (!holds)
    return std::nullopt;
  Polynomial result = *no + *holds * difference;
  if (!result.isValid() || result.getTerms().size() > 24)
    return unknown();
  return result;
}

std::optional<Fact> FactBuilder::chosen(Value *condition, Value *yes, Value *no,
                                        unsigned bits) {
  using namespace PatternMatch;
  // The larger or smaller one of two.
  auto *comparison = dyn_cast<ICmpInst>(condition);
  if (comparison && comparison->isRelational() &&
      ((comparison->getOperand(0) == yes && comparison->getOperand(1) == no) ||
       (comparison->getOperand(0) == no && comparison->getOperand(1) == yes))) {
    bool isSigned = comparison->isSigned();
    bool isMore = (ICmpInst::isGT(comparison->getPredicate()) ||
                   ICmpInst::isGE(comparison->getPredicate())) ==
                  (comparison->getOperand(0) == yes);
    std::optional<Polynomial> a = number(yes, isSigned);
    std::optional<Polynomial> b = number(no, isSigned);
    if (!a || !b)
      return std::nullopt;
    if (isSigned || bits < 64 || (!mayBeHuge(*a) && !mayBeHuge(*b))) {
      Polynomial sign(isMore ? 1 : -1);
      return make(maximum(*a * sign, *b * sign) * sign, bits, isSigned,
                  !isSigned);
    }
  }
  bool isSigned = bits != 1;
  std::optional<Polynomial> result =
      pick(condition, number(yes, isSigned), number(no, isSigned));
  return result ? make(*result, bits, isSigned, !isSigned) : std::nullopt;
}

/// The branch that decides which of two values `phi` has; none if that is not
/// so. Then `yes` is the value where it is taken.
static BranchInst *decidingBranch(PHINode &phi, DominatorTree &dominators,
                                  Value *&yes, Value *&no) {
  auto *node = dominators.getNode(phi.getParent());
  if (phi.getNumIncomingValues() != 2 || !node || !node->getIDom())
    return nullptr;
  BasicBlock *above = node->getIDom()->getBlock();
  auto *branch = dyn_cast<BranchInst>(above->getTerminator());
  if (!branch || !branch->isConditional() ||
      branch->getSuccessor(0) == branch->getSuccessor(1))
    return nullptr;
  auto comesFrom = [&](unsigned side, unsigned incoming) {
    BasicBlockEdge edge(above, branch->getSuccessor(side));
    BasicBlock *from = phi.getIncomingBlock(incoming);
    if (from == above)
      return branch->getSuccessor(side) == phi.getParent();
    return dominators.dominates(edge, from);
  };
  for (unsigned first : {0, 1})
    if (comesFrom(0, first) && comesFrom(1, 1 - first)) {
      yes = phi.getIncomingValue(first);
      no = phi.getIncomingValue(1 - first);
      return branch;
    }
  return nullptr;
}

std::optional<Fact> FactBuilder::merged(PHINode &phi, unsigned bits) {
  const SCEV *expression = values.scalars.getSCEV(&phi);
  if (bits > 1 && !isa<SCEVUnknown>(expression))
    if (std::optional<Fact> fact = of(expression))
      return fact;
  const Loop *around = values.loops.getLoopFor(phi.getParent());
  if (around && around->getHeader() == phi.getParent())
    return unknown();
  Value *yes, *no;
  if (BranchInst *branch = decidingBranch(phi, values.dominators, yes, no))
    return chosen(branch->getCondition(), yes, no, bits);
  return unknown();
}

//===----------------------------------------------------------------------===//
// Scalar evolution
//===----------------------------------------------------------------------===//

std::optional<Fact> FactBuilder::of(const SCEV *expression) {
  auto *type = dyn_cast<IntegerType>(expression->getType());
  if (!type || type->getBitWidth() > 64 || type->getBitWidth() == 63 ||
      depth > 60)
    return unknown();
  ++depth;
  std::optional<Fact> fact = build(expression, type->getBitWidth());
  --depth;
  return fact;
}

std::optional<Fact> FactBuilder::recurrence(const SCEVAddRecExpr &expression,
                                            unsigned bits) {
  if (!expression.isAffine() || !expression.getLoop()->contains(&block))
    return unknown();
  bool isSigned = expression.hasNoSignedWrap() || bits >= 64;
  bool isUnsigned = expression.hasNoUnsignedWrap();
  std::optional<Polynomial> start =
      number(expression.getStart(), isSigned || !isUnsigned);
  std::optional<Polynomial> step =
      number(expression.getOperand(1), isSigned || !isUnsigned);
  if (!start || !step)
    return std::nullopt;
  return make(*start + *step * turnOf(*expression.getLoop(), values.loops),
              bits, isSigned, !isSigned && isUnsigned);
}

std::optional<Fact> FactBuilder::build(const SCEV *expression, unsigned bits) {
  if (auto *constant = dyn_cast<SCEVConstant>(expression))
    return of(constant->getValue());
  if (auto *value = dyn_cast<SCEVUnknown>(expression)) {
    if (isa<PHINode>(value->getValue())) {
      Value *yes, *no;
      auto *phi = cast<PHINode>(value->getValue());
      const Loop *around = values.loops.getLoopFor(phi->getParent());
      BranchInst *branch =
          around && around->getHeader() == phi->getParent()
              ? nullptr
              : decidingBranch(*phi, values.dominators, yes, no);
      return branch ? chosen(branch->getCondition(), yes, no, bits) : unknown();
    }
    return of(value->getValue());
  }
  if (auto *recurring = dyn_cast<SCEVAddRecExpr>(expression))
    return recurrence(*recurring, bits);
  if (auto *cast = dyn_cast<SCEVCastExpr>(expression)) {
    const SCEV *operand = cast->getOperand();
    if (isa<SCEVTruncateExpr>(cast)) {
      std::optional<Fact> wide = of(operand);
      return wide ? make(wide->value, bits) : std::nullopt;
    }
    if (!isa<SCEVZeroExtendExpr, SCEVSignExtendExpr>(cast))
      return unknown();
    std::optional<Polynomial> narrow =
        number(operand, isa<SCEVSignExtendExpr>(cast));
    return narrow ? make(*narrow, bits) : std::nullopt;
  }
  if (auto *ratio = dyn_cast<SCEVUDivExpr>(expression)) {
    auto *divisor = dyn_cast<SCEVConstant>(ratio->getRHS());
    std::optional<Polynomial> value = number(ratio->getLHS(), false);
    if (!divisor || divisor->getAPInt().getActiveBits() > 62 || !value ||
        divisor->getAPInt().isZero() || (bits >= 64 && mayBeHuge(*value)))
      return unknown();
    return quotient(*value, false, divisor->getAPInt().getZExtValue(), bits);
  }
  auto *operands = dyn_cast<SCEVNAryExpr>(expression);
  if (!operands)
    return unknown();
  SCEVTypes kind = expression->getSCEVType();
  bool isSum = kind == scAddExpr, isProduct = kind == scMulExpr;
  bool isSigned = isSum || isProduct
                      ? operands->hasNoSignedWrap() || bits >= 64 ||
                            !operands->hasNoUnsignedWrap()
                      : kind == scSMaxExpr || kind == scSMinExpr;
  bool isLess = kind == scSMinExpr || kind == scUMinExpr;
  if (kind == scSequentialUMinExpr)
    return unknown();
  std::optional<Polynomial> all;
  for (const SCEV *operand : operands->operands()) {
    std::optional<Polynomial> value = number(operand, isSigned);
    if (!value)
      return std::nullopt;
    if (!isSum && !isProduct && !isSigned && bits >= 64 && mayBeHuge(*value))
      return unknown();
    Polynomial sign(isLess ? -1 : 1);
    all = !all        ? *value
          : isSum     ? *all + *value
          : isProduct ? *all * *value
                      : maximum(*all * sign, *value * sign) * sign;
  }
  bool isExact = (!isSum && !isProduct) ||
                 (isSigned ? operands->hasNoSignedWrap() || bits >= 64
                           : operands->hasNoUnsignedWrap());
  return make(*all, bits, isExact && isSigned, isExact && !isSigned);
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

std::optional<Polynomial> FactBuilder::offset(Value *pointer,
                                              const Value *base) {
  if (pointer == base)
    return Polynomial(0);
  if (++depth > 60)
    return unknown();
  if (auto *address = dyn_cast<GEPOperator>(pointer)) {
    std::optional<Polynomial> result =
        offset(address->getPointerOperand(), base);
    SmallMapVector<Value *, APInt, 4> indices;
    APInt constant(64, 0);
    if (!result || !address->collectOffset(layout, 64, indices, constant))
      return result ? std::optional<Polynomial>(unknown()) : std::nullopt;
    *result += Polynomial(constant.getSExtValue());
    for (const auto &[index, stride] : indices) {
      std::optional<Polynomial> value = number(index, /*isSigned=*/true);
      if (!value)
        return std::nullopt;
      *result += *value * Polynomial(stride.getSExtValue());
    }
    if (!result->isValid())
      return unknown();
    return result;
  }
  if (auto *cast = dyn_cast<Operator>(pointer);
      cast && (cast->getOpcode() == Instruction::BitCast ||
               cast->getOpcode() == Instruction::AddrSpaceCast))
    return offset(cast->getOperand(0), base);
  if (auto *select = dyn_cast<SelectInst>(pointer))
    return pick(select->getCondition(), offset(select->getTrueValue(), base),
                offset(select->getFalseValue(), base));
  auto *phi = dyn_cast<PHINode>(pointer);
  if (!phi)
    return unknown();
  const SCEV *expression = values.scalars.getSCEV(phi);
  const auto *found =
      dyn_cast<SCEVUnknown>(values.scalars.getPointerBase(expression));
  if (found && found->getValue() == base) {
    const SCEV *bytes = values.scalars.removePointerBase(expression);
    if (isa<SCEVCouldNotCompute>(bytes))
      return unknown();
    return number(bytes, /*isSigned=*/true);
  }
  const Loop *around = values.loops.getLoopFor(phi->getParent());
  Value *yes, *no;
  if (around && around->getHeader() == phi->getParent())
    return unknown();
  if (BranchInst *branch = decidingBranch(*phi, values.dominators, yes, no))
    return pick(branch->getCondition(), offset(yes, base), offset(no, base));
  return unknown();
}

//===----------------------------------------------------------------------===//
// What others ask
//===----------------------------------------------------------------------===//

std::optional<Polynomial> LeafValues::number(Value *value, bool isSigned,
                                             const BasicBlock &block,
                                             std::string &reason) {
  return FactBuilder(*this, block, reason).number(value, isSigned);
}

std::optional<Polynomial> LeafValues::number(const SCEV *expression,
                                             bool isSigned,
                                             const BasicBlock &block,
                                             std::string &reason) {
  return FactBuilder(*this, block, reason).number(expression, isSigned);
}

std::optional<Polynomial> LeafValues::difference(Value *a, Value *b,
                                                 const BasicBlock &block,
                                                 std::string &reason) {
  FactBuilder facts(*this, block, reason);
  std::optional<Fact> first = facts.of(a), second = facts.of(b);
  if (!first || !second)
    return std::nullopt;
  // Any view of both will do.
  bool isSigned = !(first->isUnsigned && second->isUnsigned) ||
                  (first->isSigned && second->isSigned);
  unsigned bits = a->getType()->getIntegerBitWidth();
  std::optional<Polynomial> x = facts.number(first, bits, isSigned);
  std::optional<Polynomial> y = facts.number(second, bits, isSigned);
  if (!x || !y)
    return std::nullopt;
  return *x - *y;
}

std::optional<Polynomial> LeafValues::offset(Value *pointer, const Value *base,
                                             const BasicBlock &block,
                                             std::string &reason) {
  return FactBuilder(*this, block, reason).offset(pointer, base);
}

std::vector<Condition> LeafValues::turnLimits(const BasicBlock &block) {
  std::vector<Condition> limits;
  for (const Loop *loop = loops.getLoopFor(&block); loop;
       loop = loop->getParentLoop()) {
    const SCEV *most = scalars.getSymbolicMaxBackedgeTakenCount(loop);
    if (isa<SCEVCouldNotCompute>(most))
      continue;
    std::string reason;
    std::optional<Polynomial> limit =
        number(most, /*isSigned=*/false, block, reason);
    if (!limit || !limit->isValid() || mayBeHuge(*limit))
      continue;
    limits.push_back({Condition::Kind::NotPositive,
                      turnOf(*loop, loops) - *limit,
                      static_cast<int>(loopNumber(*loop, loops))});
  }
  return limits;
}
