//===- IntegerFacts.cpp - Known facts about integers of a leaf ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The basis of a leaf's formulas: for each integer, its polynomial and how
// exactly it is known. Values that are not polynomials get a symbol that
// records their operands.
//
//===----------------------------------------------------------------------===//

#include "IntegerFacts.h"

#include "llvm/Analysis/ValueTracking.h"

#include <cmath>

using namespace llvm;
using namespace sluice;
using namespace sluice::races;

/// Describes an index that is not a polynomial, for messages.
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

std::nullopt_t FactBuilder::unknown(const Value &value) {
  return unknown(describeUnknown(value));
}

/// The range of `symbol`, given the `ranges` of others. A quotient by an
/// unknown number, or a remainder, is not larger than the dividend.
static IntegerRange usualRange(const Symbol &symbol, Ranges ranges) {
  IntegerRange range = rangeOf(symbol, ranges);
  if (!symbol.derivation || symbol.derivation->op != Derivation::Op::Opaque ||
      symbol.derivation->code < Value::InstructionVal)
    return range;
  switch (symbol.derivation->code - Value::InstructionVal) {
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem: {
    IntegerRange whole = rangeOf(symbol.derivation->operands[0], ranges);
    if (!whole.isBounded())
      return range;
    int64_t most = std::max(whole.most, -whole.least);
    return {std::max(range.least, -most), std::min(range.most, most)};
  }
  default:
    return range;
  }
}

/// True if 64 bits may be too few for `value`, assuming that one factor of each
/// product takes any value of its type while ids, extents and other arguments
/// are small. This is true for hashes, but not for the index of an element in
/// many dimensions.
static bool mayWrap(const Polynomial &value) {
  static constexpr int64_t large = int64_t(1) << 31, small = 1 << 7;
  auto usual = [](const Symbol &symbol) {
    IntegerRange range = naturalRange(symbol);
    return IntegerRange{std::max(range.least, -large),
                        std::min(range.most, large)};
  };
  for (const auto &[monomial, coefficient] : value.getTerms()) {
    if (monomial.empty())
      continue;
    double product = std::abs(double(coefficient)), largest = 1;
    for (const Symbol &symbol : monomial) {
      IntegerRange range = usualRange(symbol, usual);
      double size =
          std::max(std::abs(double(range.least)), std::abs(double(range.most)));
      product *= std::min<double>(size, small);
      largest = std::max(largest, size / std::min<double>(size, small));
    }
    if (product * largest > double(int64_t(1) << 62))
      return true;
  }
  return false;
}

std::optional<Fact> FactBuilder::make(Polynomial value, unsigned bits,
                                      bool isSigned, bool isUnsigned) {
  if (!value.isValid() || value.getTerms().size() > 40)
    return unknown();
  if (bits >= 64) {
    // Either some view of it is the exact number, or none is.
    isSigned = isSigned || isUnsigned || !mayWrap(value);
    return Fact{std::move(value), isSigned, isSigned};
  }
  IntegerRange range = rangeOf(value);
  return Fact{std::move(value),
              isSigned || range.isWithin(rangeOfType(bits, true)),
              isUnsigned || range.isWithin(rangeOfType(bits, false))};
}

std::optional<Polynomial> FactBuilder::number(const std::optional<Fact> &fact,
                                              unsigned bits, bool isSigned) {
  if (!fact)
    return std::nullopt;
  if (isSigned ? fact->isSigned : fact->isUnsigned)
    return fact->value;
  if (bits >= 64)
    return unknown();
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

/// True for products, sums and multiples of arbitrary numbers. One symbol for
/// an arbitrary number is as exact, and shorter.
static bool isVague(const Fact &fact) {
  auto isAny = [](const Symbol &symbol) {
    return symbol.derivation && symbol.derivation->code == anyNumberCode;
  };
  unsigned count = 0;
  for (const auto &[monomial, factor] : fact.value.getTerms())
    if (any_of(monomial, isAny))
      count += factor == 1 ? monomial.size() : 2;
  return count > 1;
}

std::optional<Fact> FactBuilder::of(Value *value) {
  auto *type = dyn_cast<IntegerType>(value->getType());
  if (!type || type->getBitWidth() > 64 || type->getBitWidth() == 63)
    return unknown(*value);
  LeafValues::Key key = {value, loop};
  auto &known = values.known[static_cast<unsigned>(follow)];
  auto found = known.find(key);
  if (found == known.end()) {
    // Long chains of computations are not followed to their end.
    if (depth > 60)
      return unknown();
    std::string outer = std::exchange(reason, "");
    ++depth;
    std::optional<Fact> fact = build(value, type->getBitWidth());
    fact = unlessVague(fact, value, type->getBitWidth());
    --depth;
    found = known.insert({key, {fact, reason}}).first;
    reason = outer;
  }
  if (!found->second.fact && reason.empty())
    reason = found->second.reason;
  return found->second.fact;
}

std::optional<Fact> FactBuilder::build(Value *value, unsigned bits) {
  if (auto *constant = dyn_cast<ConstantInt>(value)) {
    int64_t number = constant->getSExtValue();
    return Fact{Polynomial(number), true, number >= 0 || bits >= 64};
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
  if (auto *load = dyn_cast<LoadInst>(value))
    return loaded(*load, bits);
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(value))
    return call(*intrinsic, bits);
  return unknown(*value);
}

std::optional<Fact> FactBuilder::unlessVague(std::optional<Fact> fact,
                                             const void *value, unsigned bits) {
  if (follow != Follow::AnyNumber || (fact && !isVague(*fact)))
    return fact;
  constexpr unsigned firstNumber = 1 << 16; // No loop has it.
  Symbol number;
  number.kind = Symbol::Kind::Turn;
  number.index = firstNumber +
                 values.anyNumbers.try_emplace(value, values.anyNumbers.size())
                     .first->second;
  return make(opaque(anyNumberCode, bits, {Polynomial::of(number)},
                     rangeOfType(bits, /*isSigned=*/true)),
              bits, /*isSigned=*/true);
}

/// A loaded value as a function of its address.
std::optional<Fact> FactBuilder::loaded(LoadInst &load, unsigned bits) {
  const Value *base =
      getUnderlyingObject(load.getPointerOperand(), /*MaxLookup=*/0);
  std::optional<Symbol> memory = symbolOfMemory(*base);
  if (follow != Follow::Loads || !load.isSimple() || !memory)
    return unknown(load);
  std::optional<Polynomial> place = offset(load.getPointerOperand(), base);
  if (!place)
    return std::nullopt;
  return make(opaque(loadCode, bits, {Polynomial::of(*memory), *place},
                     rangeOfType(bits, /*isSigned=*/true)),
              bits, /*isSigned=*/true);
}
