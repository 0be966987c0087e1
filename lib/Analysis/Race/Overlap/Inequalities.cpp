//===- Inequalities.cpp - What follows from what is not negative ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quotients, remainders and maxima are symbols about which further inequalities
// are known: a quotient times the divisor is at most the dividend.
//
//===----------------------------------------------------------------------===//

#include "Inequalities.h"
#include "../Terms/Work.h"

#include <algorithm>
#include <numeric>

using namespace sluice::races;

/// Numbers beyond which a bound says nothing: those of an `int` from below.
static constexpr int64_t largestBound = int64_t(1) << 40,
                         leastBound = INT32_MIN;

Inequalities::Inequalities(const OverlapQuery &query) {
  QueryRanges ranges(query);
  auto learn = [&](const Polynomial &value) {
    for (const Symbol &symbol : value.baseSymbols()) {
      int64_t bound = isVariable(symbol) ? 0 : ranges.of(symbol).least;
      if (auto found = query.least.find(symbol); found != query.least.end())
        bound = std::max(bound, found->second);
      if (bound > leastBound)
        least.try_emplace(symbol, bound);
    }
    addDerived(value, query, ranges, 0);
  };
  learn(query.firstOffset);
  learn(query.secondOffset);
  for (const Condition &condition : query.conditions)
    learn(condition.value);
  for (const auto &[variable, bound] : query.bounds) {
    learn(Polynomial::of(variable));
    learn(bound);
  }
  for (const auto &[variable, bound] : query.bounds)
    addFact(bound - Polynomial::of(variable) - 1);
  for (const Condition &condition : query.conditions) {
    if (condition.kind == Condition::Kind::NotZero)
      continue;
    addFact(condition.value * Polynomial(-1));
    if (condition.kind == Condition::Kind::Zero)
      addFact(condition.value);
  }
}

/// Only after all symbols of `value` are known.
void Inequalities::addFact(const Polynomial &value) {
  Polynomial shifted = shift(value);
  if (shifted.isValid() && facts.size() < maxFacts)
    facts.push_back(std::move(shifted));
}

/// True if `value` is a multiple of `divisor` whatever its symbols are, as
/// y * (y + 1) is one of 2: it is for all that they may leave as remainders.
static bool isMultiple(const Polynomial &value, int64_t divisor) {
  constexpr int64_t mostTried = 1024;
  std::vector<Symbol> symbols = value.symbols();
  int64_t count = 1;
  for (const Symbol &symbol : symbols) {
    count *= divisor;
    if (symbol.derivation || divisor > mostTried || count > mostTried)
      return false;
  }
  for (int64_t number = 0; number != count; ++number) {
    std::optional<int64_t> result = value.evaluate([&](const Symbol &wanted) {
      int64_t rest = number;
      for (const Symbol &symbol : symbols) {
        if (symbol == wanted)
          break;
        rest /= divisor;
      }
      return rest % divisor;
    });
    if (!result || *result % divisor != 0)
      return false;
  }
  return true;
}

/// What is known of the derived symbols in `value`.
void Inequalities::addDerived(const Polynomial &value,
                              const OverlapQuery &query,
                              const QueryRanges &ranges, unsigned depth) {
  constexpr unsigned maxNested = 4;
  if (!value.isValid() || depth == maxNested)
    return;
  for (const Symbol &symbol : value.symbols()) {
    if (!symbol.derivation || !known.insert(symbol).second)
      continue;
    const Derivation &derivation = *symbol.derivation;
    Range range =
        rangeOf(symbol, [&](const Symbol &base) { return ranges.of(base); });
    if (auto found = query.least.find(symbol); found != query.least.end())
      range.least = std::max(range.least, found->second);
    if (range.least > leastBound)
      least.try_emplace(symbol, range.least);
    for (const Polynomial &operand : derivation.operands)
      addDerived(operand, query, ranges, depth + 1);
    const Polynomial own = Polynomial::of(symbol);
    if (derivation.op == Derivation::Op::Divide &&
        isMultiple(derivation.operands[0], derivation.divisor)) {
      exact.insert(symbol);
      continue;
    }
    if (range.most < largestBound)
      addFact(Polynomial(range.most) - own);
    if (derivation.op == Derivation::Op::Divide &&
        derivation.divisor < largestBound) {
      Polynomial rest =
          derivation.operands[0] - own * Polynomial(derivation.divisor);
      addFact(rest);
      addFact(Polynomial(derivation.divisor - 1) - rest);
    }
    if (derivation.op == Derivation::Op::Maximum)
      for (const Polynomial &operand : derivation.operands)
        addFact(own - operand);
  }
}

/// A positive multiple of `value` in which the dividend is in the place of
/// `symbol`, a quotient without a rest.
static Polynomial withDividend(const Polynomial &value, const Symbol &symbol) {
  const Derivation &derivation = *symbol.derivation;
  long most = 0;
  for (const auto &[monomial, coefficient] : value.getTerms())
    most = std::max(most,
                    long(std::count(monomial.begin(), monomial.end(), symbol)));
  Polynomial result;
  for (const auto &[monomial, coefficient] : value.getTerms()) {
    Polynomial term(coefficient);
    long missing = most;
    for (const Symbol &part : monomial)
      if (part == symbol) {
        term = term * derivation.operands[0];
        --missing;
      } else {
        term = term * Polynomial::of(part);
      }
    for (; missing > 0; --missing)
      term = term * Polynomial(derivation.divisor);
    result += term;
  }
  return result;
}

Polynomial Inequalities::shift(Polynomial value) const {
  if (value.isValid())
    for (const Symbol &symbol : value.symbols())
      if (exact.count(symbol))
        value = withDividend(value, symbol);
  if (!value.isValid())
    return value;
  Polynomial result;
  for (const auto &[monomial, coefficient] : value.getTerms()) {
    Polynomial term(coefficient);
    for (const Symbol &symbol : monomial) {
      auto found = least.find(symbol);
      term = term * (found == least.end()
                         ? Polynomial::of(symbol)
                         : Polynomial::of(symbol) + found->second);
    }
    result += term;
  }
  return result;
}

bool Inequalities::isNatural(const Monomial &monomial) const {
  return std::all_of(monomial.begin(), monomial.end(),
                     [&](const Symbol &symbol) { return least.count(symbol); });
}

/// `whole` without the symbols of `part`, if it has all of these.
static std::optional<Monomial> without(const Monomial &whole,
                                       const Monomial &part) {
  if (!std::includes(whole.begin(), whole.end(), part.begin(), part.end()))
    return std::nullopt;
  Monomial rest;
  std::set_difference(whole.begin(), whole.end(), part.begin(), part.end(),
                      std::back_inserter(rest));
  return rest;
}

static Polynomial productOf(const Monomial &monomial, int64_t factor) {
  Polynomial result(factor);
  for (const Symbol &symbol : monomial)
    result = result * Polynomial::of(symbol);
  return result;
}

/// True if each term of `value`, whose symbols are whole numbers of at least 0,
/// with a negative factor is no more than one with a positive factor, such as
/// x in x * x - x.
static bool isCovered(const Polynomial &value) {
  std::map<Monomial, int64_t> left;
  for (const auto &[monomial, coefficient] : value.getTerms())
    if (coefficient > 0)
      left[monomial] = coefficient;
  auto hasAll = [](const Monomial &of, const Monomial &in) {
    return std::all_of(of.begin(), of.end(), [&](const Symbol &symbol) {
      return std::binary_search(in.begin(), in.end(), symbol);
    });
  };
  for (const auto &[monomial, coefficient] : value.getTerms()) {
    if (coefficient > 0)
      continue;
    int64_t missing = -coefficient;
    if (monomial.empty() || missing < 0)
      return false;
    for (auto &[larger, factor] : left)
      if (without(larger, monomial) && hasAll(larger, monomial)) {
        const int64_t used = std::min(missing, factor);
        missing -= used;
        factor -= used;
      }
    if (missing > 0)
      return false;
  }
  return true;
}

/// The same sign with factors that have no common divisor.
static Polynomial reduced(const Polynomial &value) {
  int64_t common = 0;
  for (const auto &[monomial, coefficient] : value.getTerms())
    common = std::gcd(common, coefficient);
  if (common <= 1)
    return value;
  Polynomial result;
  for (const auto &[monomial, coefficient] : value.getTerms())
    result += productOf(monomial, coefficient / common);
  return result;
}

bool Inequalities::isShown(const Polynomial &value, unsigned depth,
                           unsigned &steps) const {
  constexpr size_t maxTerms = 40;
  if (!value.isValid() || value.getTerms().size() > maxTerms)
    return false;
  const Monomial *worst = nullptr;
  std::pair<bool, size_t> worstRank;
  int64_t factor = 0;
  bool isNaturalOnly = true;
  for (const auto &[monomial, coefficient] : value.getTerms()) {
    const bool isOpen = !isNatural(monomial);
    isNaturalOnly &= !isOpen;
    // Quotients first, for what they are quotients of.
    const std::pair<bool, size_t> rank = {
        std::any_of(monomial.begin(), monomial.end(),
                    [](const Symbol &symbol) { return symbol.derivation; }),
        monomial.size()};
    if ((coefficient < 0 || isOpen) && (!worst || worstRank < rank)) {
      worst = &monomial;
      worstRank = rank;
      factor = coefficient;
    }
  }
  if (!worst || (isNaturalOnly && isCovered(value)))
    return true;
  if (depth == 0)
    return false;
  for (const Polynomial &fact : facts)
    for (const auto &[monomial, coefficient] : fact.getTerms()) {
      if ((coefficient < 0) != (factor < 0) ||
          (monomial.empty() && !worst->empty()))
        continue;
      std::optional<Monomial> rest = without(*worst, monomial);
      if (!rest || !isNatural(*rest))
        continue;
      if (steps == 0 || !takeWork(4))
        return false;
      --steps;
      const int64_t common = std::gcd(factor, coefficient);
      Polynomial less = value * Polynomial(std::abs(coefficient / common)) -
                        fact * productOf(*rest, std::abs(factor / common));
      if (less.isValid() && isShown(reduced(less), depth - 1, steps))
        return true;
    }
  return false;
}

bool Inequalities::imply(const Polynomial &value) const {
  unsigned steps = maxSteps;
  return isShown(reduced(shift(value)), maxDepth, steps);
}
