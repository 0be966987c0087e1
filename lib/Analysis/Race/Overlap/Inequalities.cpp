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

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

using namespace sluice::races;

/// Numbers beyond which a bound says nothing. Products of what symbols are
/// shifted by are to fit 64 bits.
static constexpr int64_t largestBound = int64_t(1) << 40,
                         largestShift = int64_t(1) << 20;

Inequalities::Inequalities(const OverlapQuery &query) {
  QueryRanges ranges(query);
  // Facts are told last: all of them, and all that is asked, are to shift a
  // symbol by the same number.
  std::vector<Polynomial> derived;
  auto learn = [&](const Polynomial &value) {
    for (const Symbol &symbol : value.baseSymbols()) {
      int64_t bound = isVariable(symbol) ? 0 : ranges.of(symbol).least;
      if (auto found = query.least.find(symbol); found != query.least.end())
        bound = std::max(bound, found->second);
      learnLeast(symbol, bound);
    }
    learnDerived(value, query, ranges, derived, 0);
  };
  learn(query.firstOffset);
  learn(query.secondOffset);
  for (const Condition &condition : query.conditions)
    learn(condition.value);
  for (const auto &[variable, bound] : query.bounds) {
    learn(Polynomial::of(variable));
    learn(bound);
  }
  for (const Polynomial &fact : derived)
    addFact(fact);
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

/// A symbol of at least `bound` is at least any lesser number.
void Inequalities::learnLeast(const Symbol &symbol, int64_t bound) {
  if (bound > -largestShift)
    least.try_emplace(symbol, std::min(bound, largestShift));
}

/// Only after all symbols of the question are known.
void Inequalities::addFact(const Polynomial &value) {
  Polynomial shifted = shift(value);
  if (shifted.isValid() && facts.size() < maxFacts &&
      llvm::none_of(shifted.getTerms(),
                    [](const auto &term) { return term.second == INT64_MIN; }))
    facts.push_back(std::move(shifted));
}

/// True if `value` is a multiple of `divisor` for all values of its symbols, as
/// y * (y + 1) is a multiple of 2. Tests all remainders of the symbols.
static bool isMultiple(const Polynomial &value, int64_t divisor) {
  constexpr int64_t mostTried = 1024;
  std::vector<Symbol> symbols = value.symbols();
  int64_t count = 1;
  for (const Symbol &symbol : symbols) {
    if (symbol.derivation || divisor > mostTried)
      return false;
    count *= divisor;
    if (count > mostTried)
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

/// Finds derived symbols in `value`, and adds known facts about them to `told`.
void Inequalities::learnDerived(const Polynomial &value,
                                const OverlapQuery &query,
                                const QueryRanges &ranges,
                                std::vector<Polynomial> &told, unsigned depth) {
  constexpr unsigned maxNested = 4;
  if (!value.isValid() || depth == maxNested)
    return;
  for (const Symbol &symbol : value.symbols()) {
    if (!symbol.derivation || !known.insert(symbol).second)
      continue;
    const Derivation &derivation = *symbol.derivation;
    IntegerRange range =
        rangeOf(symbol, [&](const Symbol &base) { return ranges.of(base); });
    if (auto found = query.least.find(symbol); found != query.least.end())
      range.least = std::max(range.least, found->second);
    learnLeast(symbol, range.least);
    for (const Polynomial &operand : derivation.operands)
      learnDerived(operand, query, ranges, told, depth + 1);
    const Polynomial own = Polynomial::of(symbol);
    if (derivation.op == Derivation::Op::Divide &&
        isMultiple(derivation.operands[0], derivation.divisor)) {
      exact.insert(symbol);
      continue;
    }
    if (range.most < largestBound)
      told.push_back(Polynomial(range.most) - own);
    if (derivation.op == Derivation::Op::Divide &&
        derivation.divisor < largestBound) {
      Polynomial rest =
          derivation.operands[0] - own * Polynomial(derivation.divisor);
      told.push_back(rest);
      told.push_back(Polynomial(derivation.divisor - 1) - rest);
    }
    if (derivation.op == Derivation::Op::Maximum)
      for (const Polynomial &operand : derivation.operands)
        told.push_back(own - operand);
  }
}

/// A positive multiple of `value` in which the dividend is in the place of
/// `symbol`, a quotient without a rest.
static Polynomial withDividend(const Polynomial &value, const Symbol &symbol) {
  if (!value.isValid())
    return value;
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
    // A coefficient has overflowed.
    if (!result.isValid())
      break;
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

/// The same sign with factors that have no common divisor; an invalid value
/// lacks terms, and stays invalid.
static Polynomial reduced(const Polynomial &value) {
  if (!value.isValid())
    return value;
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
    // It has no counterpart.
    if (coefficient == INT64_MIN)
      return false;
    const bool isOpen = !isNatural(monomial);
    isNaturalOnly &= !isOpen;
    // Quotients come before their dividends.
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
  const Polynomial shifted = shift(value);
  return shifted.isValid() && isShown(reduced(shifted), maxDepth, steps);
}
