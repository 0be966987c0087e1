//===- Derivation.cpp - Values that are no polynomials --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses may contain quotients, remainders and the like, which are no
// polynomials. A derivation keeps such a value as a function of others, so that
// equal computations are known to give equal values.
//
//===----------------------------------------------------------------------===//

#include "Polynomial.h"
#include "Work.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using namespace sluice::races;

/// Derivations in one beyond which nothing is derived from it.
static constexpr unsigned maxSize = 60;

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

static int64_t saturate(__int128 value) {
  return value <= INT64_MIN   ? INT64_MIN
         : value >= INT64_MAX ? INT64_MAX
                              : int64_t(value);
}

static bool isLimit(int64_t value) {
  return value > INT64_MIN && value < INT64_MAX;
}

static IntegerRange sum(const IntegerRange &a, const IntegerRange &b) {
  return {isLimit(a.least) && isLimit(b.least)
              ? saturate(__int128(a.least) + b.least)
              : INT64_MIN,
          isLimit(a.most) && isLimit(b.most)
              ? saturate(__int128(a.most) + b.most)
              : INT64_MAX};
}

static IntegerRange product(const IntegerRange &a, const IntegerRange &b) {
  auto times = [](int64_t x, int64_t y) {
    if (x == 0 || y == 0)
      return int64_t(0);
    if (!isLimit(x) || !isLimit(y))
      return (x < 0) == (y < 0) ? INT64_MAX : INT64_MIN;
    return saturate(__int128(x) * y);
  };
  std::initializer_list<int64_t> corners = {
      times(a.least, b.least), times(a.least, b.most), times(a.most, b.least),
      times(a.most, b.most)};
  return {std::min(corners), std::max(corners)};
}

static int64_t floorDivide(int64_t value, int64_t divisor) {
  return isLimit(value) ? llvm::divideFloorSigned(value, divisor) : value;
}

IntegerRange sluice::races::rangeOfType(unsigned bits, bool isSigned) {
  if (bits == 0 || bits >= 64)
    return {isSigned ? INT64_MIN : 0, INT64_MAX};
  if (!isSigned)
    return {0, bits == 63 ? INT64_MAX : (int64_t(1) << bits) - 1};
  return {-(int64_t(1) << (bits - 1)), (int64_t(1) << (bits - 1)) - 1};
}

IntegerRange sluice::races::naturalRange(const Symbol &symbol) {
  switch (symbol.kind) {
  case Symbol::Kind::Id:
    return {0, INT32_MAX - 1};
  case Symbol::Kind::Count:
    return {1, INT32_MAX - 1};
  case Symbol::Kind::Turn:
    return {0, INT64_MAX};
  case Symbol::Kind::Argument:
  case Symbol::Kind::Output:
  case Symbol::Kind::Value:
    return rangeOfType(symbol.bits, /*isSigned=*/true);
  case Symbol::Kind::Derived:
    break;
  }
  return {};
}

IntegerRange sluice::races::rangeOf(const Symbol &symbol, Ranges ranges) {
  if (!symbol.derivation)
    return ranges(symbol);
  const Derivation &derivation = *symbol.derivation;
  switch (derivation.op) {
  case Derivation::Op::Wrap:
    return rangeOfType(derivation.bits, derivation.isSigned);
  case Derivation::Op::Divide: {
    IntegerRange operand = rangeOf(derivation.operands[0], ranges);
    return {floorDivide(operand.least, derivation.divisor),
            floorDivide(operand.most, derivation.divisor)};
  }
  case Derivation::Op::Maximum: {
    IntegerRange a = rangeOf(derivation.operands[0], ranges);
    IntegerRange b = rangeOf(derivation.operands[1], ranges);
    return {std::max(a.least, b.least), std::max(a.most, b.most)};
  }
  case Derivation::Op::Opaque:
    return derivation.range;
  }
  return {};
}

IntegerRange sluice::races::rangeOf(const Polynomial &value, Ranges ranges) {
  if (!value.isValid())
    return {};
  IntegerRange all = {0, 0};
  for (const auto &[monomial, coefficient] : value.getTerms()) {
    IntegerRange term = {coefficient, coefficient};
    for (const Symbol &symbol : monomial)
      term = product(term, rangeOf(symbol, ranges));
    all = sum(all, term);
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Derivations
//===----------------------------------------------------------------------===//

std::strong_ordering sluice::races::operator<=>(const Derivation &a,
                                                const Derivation &b) {
  auto key = [](const Derivation &d) {
    return std::tie(d.op, d.size, d.isSigned, d.bits, d.code, d.divisor,
                    d.range);
  };
  if (auto order = key(a) <=> key(b); order != 0)
    return order;
  return a.operands <=> b.operands;
}

static Polynomial invalid() { return Polynomial(INT64_MAX) + Polynomial(1); }

static Polynomial derived(Derivation derivation) {
  for (const Polynomial &operand : derivation.operands) {
    if (!operand.isValid())
      return invalid();
    for (const Symbol &symbol : operand.symbols())
      if (symbol.derivation)
        derivation.size += symbol.derivation->size;
  }
  if (derivation.size > maxSize)
    return invalid();
  Symbol symbol;
  symbol.kind = Symbol::Kind::Derived;
  symbol.derivation = std::make_shared<const Derivation>(std::move(derivation));
  return Polynomial::of(symbol);
}

/// `value`, or a number that differs from it by a multiple of 2 to the `bits`.
static int64_t reduce(int64_t value, unsigned bits) {
  return llvm::SignExtend64(uint64_t(value), bits);
}

/// A polynomial that differs from `value` by a multiple of 2 to the `bits`.
static Polynomial reduce(const Polynomial &value, unsigned bits) {
  Polynomial result;
  for (const auto &[monomial, coefficient] : value.getTerms()) {
    Polynomial term(reduce(coefficient, bits));
    if (term.isZero())
      continue;
    for (const Symbol &symbol : monomial) {
      const Derivation *inner = symbol.derivation.get();
      unsigned zeros = llvm::countr_zero(uint64_t(coefficient));
      bool isRedundant = inner && inner->op == Derivation::Op::Wrap &&
                         inner->bits + zeros >= bits;
      term = term * (isRedundant ? inner->operands[0] : Polynomial::of(symbol));
    }
    result += term;
  }
  return result;
}

Polynomial sluice::races::wrap(const Polynomial &value, unsigned bits,
                               bool isSigned, Ranges ranges) {
  IntegerRange all = rangeOfType(bits, isSigned);
  if (!value.isValid() || bits >= 63 || rangeOf(value, ranges).isWithin(all))
    return value;
  Polynomial reduced = reduce(value, bits);
  // The result of removing a conversion may need the same conversion again.
  if (Polynomial again = reduce(reduced, bits); again.isValid())
    reduced = again;
  if (!reduced.isValid())
    reduced = value;
  if (rangeOf(reduced, ranges).isWithin(all))
    return reduced;
  if (std::optional<int64_t> constant = reduced.asConstant())
    return Polynomial(isSigned
                          ? llvm::SignExtend64(*constant, bits)
                          : int64_t(uint64_t(*constant) &
                                    llvm::maskTrailingOnes<uint64_t>(bits)));
  Derivation derivation;
  derivation.op = Derivation::Op::Wrap;
  derivation.isSigned = isSigned;
  derivation.bits = bits;
  derivation.operands = {reduced};
  return derived(std::move(derivation));
}

Polynomial sluice::races::isNegative(const Polynomial &value) {
  // Of numbers below two to the `bits`, the quotient is 0 or -1.
  IntegerRange range = rangeOf(value);
  unsigned bits = 1;
  while (bits < 62 && (range.least < -(int64_t(1) << bits) ||
                       range.most >= (int64_t(1) << bits)))
    ++bits;
  return divide(value, int64_t(1) << bits) * Polynomial(-1);
}

Polynomial sluice::races::truncatedQuotient(const Polynomial &value,
                                            int64_t divisor) {
  if (rangeOf(value).least >= 0)
    return divide(value, divisor);
  return divide(value + isNegative(value) * Polynomial(divisor - 1), divisor);
}

Polynomial sluice::races::divide(const Polynomial &value, int64_t divisor,
                                 Ranges ranges) {
  if (!value.isValid() || divisor <= 0)
    return invalid();
  // Multiples of the divisor leave the division.
  Polynomial outside, inside;
  int64_t common = divisor;
  for (const auto &[monomial, coefficient] : value.getTerms()) {
    int64_t quotient = llvm::divideFloorSigned(coefficient, divisor);
    int64_t rest = coefficient - quotient * divisor;
    // Small negative factors stay as they are.
    if (!monomial.empty() && rest != 0 && coefficient < 0) {
      ++quotient;
      rest -= divisor;
    }
    Polynomial term(1);
    for (const Symbol &symbol : monomial)
      term = term * Polynomial::of(symbol);
    outside += term * Polynomial(quotient);
    inside += term * Polynomial(rest);
    if (!monomial.empty() && rest != 0)
      common = std::gcd(common, std::abs(rest));
  }
  if (!inside.isValid() || !outside.isValid())
    return invalid();
  if (common > 1) {
    Polynomial less;
    for (const auto &[monomial, coefficient] : inside.getTerms()) {
      Polynomial term(llvm::divideFloorSigned(coefficient, common));
      for (const Symbol &symbol : monomial)
        term = term * Polynomial::of(symbol);
      less += term;
    }
    inside = less;
    divisor /= common;
  }
  if (divisor == 1)
    return outside + inside;
  IntegerRange range = rangeOf(inside, ranges);
  if (range.isBounded() &&
      floorDivide(range.least, divisor) == floorDivide(range.most, divisor))
    return outside + Polynomial(floorDivide(range.least, divisor));
  // A quotient of a quotient is one quotient.
  Polynomial rest = inside - Polynomial(inside.constantTerm());
  if (rest.getTerms().size() == 1) {
    const auto &[monomial, coefficient] = *rest.getTerms().begin();
    const Derivation *inner =
        monomial.size() == 1 ? monomial.front().derivation.get() : nullptr;
    int64_t both;
    if (inner && coefficient == 1 && inner->op == Derivation::Op::Divide &&
        !llvm::MulOverflow(inner->divisor, divisor, both))
      return outside +
             divide(inner->operands[0] + Polynomial(inside.constantTerm()) *
                                             Polynomial(inner->divisor),
                    both, ranges);
  }
  Derivation derivation;
  derivation.op = Derivation::Op::Divide;
  derivation.divisor = divisor;
  derivation.operands = {inside};
  return outside + derived(std::move(derivation));
}

Polynomial sluice::races::maximum(const Polynomial &a, const Polynomial &b,
                                  Ranges ranges) {
  IntegerRange difference = rangeOf(a - b, ranges);
  if (!a.isValid() || !b.isValid())
    return invalid();
  if (difference.least >= 0)
    return a;
  if (difference.most <= 0)
    return b;
  Derivation derivation;
  derivation.op = Derivation::Op::Maximum;
  derivation.operands = {std::min(a, b), std::max(a, b)};
  return derived(std::move(derivation));
}

Polynomial sluice::races::opaque(unsigned code, unsigned bits,
                                 llvm::ArrayRef<Polynomial> operands,
                                 IntegerRange range) {
  Derivation derivation;
  derivation.op = Derivation::Op::Opaque;
  derivation.code = code;
  derivation.bits = bits;
  derivation.range = range;
  derivation.operands = operands.vec();
  return derived(std::move(derivation));
}

Polynomial Derivation::rebuild(llvm::ArrayRef<Polynomial> changed,
                               Ranges ranges) const {
  switch (op) {
  case Op::Wrap:
    return wrap(changed[0], bits, isSigned, ranges);
  case Op::Divide:
    return divide(changed[0], divisor, ranges);
  case Op::Maximum:
    return maximum(changed[0], changed[1], ranges);
  case Op::Opaque:
    return opaque(code, bits, changed, range);
  }
  return invalid();
}

Polynomial Derivation::substitute(
    llvm::function_ref<std::optional<Polynomial>(const Symbol &)> by) const {
  std::vector<Polynomial> changed;
  for (const Polynomial &operand : operands)
    changed.push_back(operand.substitute(by));
  return rebuild(changed, naturalRange);
}

std::optional<int64_t>
Derivation::evaluate(llvm::function_ref<int64_t(const Symbol &)> value) const {
  std::vector<int64_t> numbers;
  for (const Polynomial &operand : operands) {
    std::optional<int64_t> number = operand.evaluate(value);
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  switch (op) {
  case Op::Wrap:
    return isSigned ? llvm::SignExtend64(uint64_t(numbers[0]), bits)
                    : int64_t(uint64_t(numbers[0]) &
                              llvm::maskTrailingOnes<uint64_t>(bits));
  case Op::Divide:
    return llvm::divideFloorSigned(numbers[0], divisor);
  case Op::Maximum:
    return std::max(numbers[0], numbers[1]);
  case Op::Opaque:
    return std::nullopt;
  }
  return std::nullopt;
}

Polynomial sluice::races::rebuildDerived(
    const Polynomial &value,
    llvm::function_ref<Polynomial(const Derivation &,
                                  llvm::ArrayRef<Polynomial>)>
        rebuild) {
  Polynomial result;
  if (!value.isValid())
    return value;
  if (!takeWork(1))
    return invalid();
  for (const auto &[monomial, coefficient] : value.getTerms()) {
    Polynomial term(coefficient);
    for (const Symbol &symbol : monomial) {
      if (!symbol.derivation) {
        term = term * Polynomial::of(symbol);
        continue;
      }
      std::vector<Polynomial> operands;
      for (const Polynomial &operand : symbol.derivation->operands)
        operands.push_back(rebuildDerived(operand, rebuild));
      term = term * rebuild(*symbol.derivation, operands);
    }
    result += term;
  }
  return result;
}

Polynomial sluice::races::simplify(const Polynomial &value, Ranges ranges) {
  return rebuildDerived(value, [&](const Derivation &derivation,
                                   llvm::ArrayRef<Polynomial> operands) {
    return derivation.rebuild(operands, ranges);
  });
}
