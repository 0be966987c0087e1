//===- ParameterConditions.cpp - Conditions on parameters -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pitch is at least as large as the width, and the step of an algorithm is
// the number of a row. Conditions state such facts. This file substitutes them
// into the query itself, where the proofs about strides see them.
//
//===----------------------------------------------------------------------===//

#include "Overlap.h"

#include <algorithm>

using namespace sluice::races;

/// Replaces `parameter` by `value`. Returns false, without changes, if a number
/// becomes too large.
static bool replace(OverlapQuery &query, const Symbol &parameter,
                    const Polynomial &value) {
  OverlapQuery changed = query;
  bool isValid = true;
  auto change = [&](Polynomial &where) {
    where = where.substitute([&](const Symbol &symbol) {
      return std::optional(symbol == parameter ? value
                                               : Polynomial::of(symbol));
    });
    isValid &= where.isValid();
  };
  change(changed.firstOffset);
  change(changed.secondOffset);
  for (Condition &condition : changed.conditions)
    change(condition.value);
  for (auto &[variable, bound] : changed.bounds)
    change(bound);
  if (isValid)
    query = std::move(changed);
  return isValid;
}

//===----------------------------------------------------------------------===//
// Parameters as variables
//===----------------------------------------------------------------------===//

/// True if a condition bounds `parameter` from above by an expression without
/// variables.
static bool hasUpperBound(const OverlapQuery &query, const Symbol &parameter) {
  return std::any_of(query.conditions.begin(), query.conditions.end(),
                     [&](const Condition &condition) {
                       if (condition.kind != Condition::Kind::NotPositive ||
                           condition.value.containsAny(isFree))
                         return false;
                       std::optional<Polynomial> factor =
                           condition.value.coefficientOf(parameter);
                       return factor && factor->asConstant() == 1;
                     });
}

bool sluice::races::makeVariables(OverlapQuery &query) {
  QueryRanges ranges(query);
  bool isChanged = false;
  unsigned number = 4000;
  Polynomial difference = query.firstOffset - query.secondOffset;
  for (const Symbol &parameter : difference.symbols()) {
    std::optional<Polynomial> stride = difference.coefficientOf(parameter);
    bool limits = std::any_of(
        query.bounds.begin(), query.bounds.end(),
        [&](const auto &bound) { return bound.second.contains(parameter); });
    if (isVariable(parameter) || parameter.derivation || !stride ||
        !stride->isValid() || stride->isZero() || stride->containsAny(isFree) ||
        limits || ranges.of(parameter).least < 0 ||
        !hasUpperBound(query, parameter))
      continue;
    // A term that grows the difference belongs to the first address, others to
    // the second one.
    Symbol variable;
    variable.kind = Symbol::Kind::Turn;
    variable.side = stride->getTerms().begin()->second > 0
                        ? Symbol::Side::First
                        : Symbol::Side::Second;
    variable.index = number++;
    if (replace(query, parameter, Polynomial::of(variable))) {
      query.least.erase(parameter);
      isChanged = true;
    }
  }
  return isChanged;
}

//===----------------------------------------------------------------------===//
// Loops that count down
//===----------------------------------------------------------------------===//

/// The greatest value of `turn` under `condition`; none if there is no limit.
static std::optional<Polynomial> mostOf(const Symbol &turn,
                                        const Condition &condition) {
  std::optional<Polynomial> factor = condition.value.coefficientOf(turn);
  if (condition.kind != Condition::Kind::NotPositive || !factor ||
      factor->asConstant() != 1)
    return std::nullopt;
  Polynomial most = Polynomial::of(turn) - condition.value;
  return most.isValid() && !most.containsAny(isFree) ? std::optional(most)
                                                     : std::nullopt;
}

/// `turn` of an address, if its replacement makes that shorter.
static bool countUpward(OverlapQuery &query, const Polynomial &offset,
                        const Symbol &turn) {
  Symbol left = turn;
  left.index += 1 << 20;
  for (const Condition &condition : query.conditions) {
    std::optional<Polynomial> most = mostOf(turn, condition);
    if (!most)
      continue;
    Polynomial upward = *most - Polynomial::of(left);
    Polynomial changed = offset.substitute([&](const Symbol &symbol) {
      return std::optional(symbol == turn ? upward : Polynomial::of(symbol));
    });
    if (!changed.isValid() ||
        changed.getTerms().size() >= offset.getTerms().size() ||
        !replace(query, turn, upward))
      continue;
    query.bounds.erase(turn);
    query.conditions.push_back(
        {Condition::Kind::NotPositive, Polynomial::of(left) - *most});
    return true;
  }
  return false;
}

bool sluice::races::countUpward(OverlapQuery &query) {
  for (const Polynomial &offset : {query.firstOffset, query.secondOffset})
    for (const Symbol &symbol : offset.symbols())
      if (symbol.kind == Symbol::Kind::Turn &&
          ::countUpward(query, offset, symbol))
        return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Parameters by others
//===----------------------------------------------------------------------===//

/// The parameter that occurs in `value` as a single term with the factor that
/// `as` gives.
static std::optional<Symbol> parameterOf(const Polynomial &value,
                                         ParameterAs as) {
  int sign = as == ParameterAs::MoreThanOthers ? -1 : 1;
  if (value.containsAny(isVariable))
    return std::nullopt;
  for (const Symbol &symbol : value.symbols()) {
    std::optional<Polynomial> factor = value.coefficientOf(symbol);
    if (symbol.derivation || !factor || factor->asConstant() != sign)
      continue;
    Polynomial rest = value - Polynomial::of(symbol) * Polynomial(sign);
    if (rest.asConstant().has_value() == (as == ParameterAs::LessThanNumber))
      return symbol;
  }
  return std::nullopt;
}

bool sluice::races::replaceParameters(OverlapQuery &query, ParameterAs as) {
  int sign = as == ParameterAs::MoreThanOthers ? -1 : 1;
  constexpr unsigned maxReplaced = 4;
  unsigned replaced = 0;
  // Conditions added here only repeat known facts about a parameter.
  for (unsigned i = 0, e = query.conditions.size();
       i != e && replaced != maxReplaced; ++i) {
    Condition condition = query.conditions[i];
    if (condition.kind != Condition::Kind::NotPositive)
      continue;
    std::optional<Symbol> parameter = parameterOf(condition.value, as);
    if (!parameter)
      continue;
    // With p >= r for sign -1, p is r + slack; with p <= r, it is r - slack.
    Polynomial rest =
        condition.value - Polynomial::of(*parameter) * Polynomial(sign);
    Symbol slack;
    slack.kind = Symbol::Kind::Value;
    slack.index = 3000 + replaced;
    int64_t least = QueryRanges(query).of(*parameter).least;
    if (!replace(query, *parameter,
                 (rest + Polynomial::of(slack)) * Polynomial(-sign)))
      continue;
    if (least > INT32_MIN)
      query.conditions.push_back(
          {Condition::Kind::NotPositive,
           Polynomial(least) -
               (rest + Polynomial::of(slack)) * Polynomial(-sign)});
    query.least.erase(*parameter);
    query.least[slack] = 0;
    ++replaced;
  }
  return replaced != 0;
}
