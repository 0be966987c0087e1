//===- InOrder.cpp - Accesses in the order of an id -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row y of a packed triangle starts at y * (y + 1) / 2 and has y + 1 elements:
// there is no stride, but all of a row comes before all of the next one. That
// is shown for any two instances of which one has the larger id, and it remains
// to look at instances with the same one. Halves of rows, which are an unknown
// number apart, are compared in the same way.
//
//===----------------------------------------------------------------------===//

#include "../Terms/Work.h"
#include "Inequalities.h"

using namespace sluice::races;

OverlapQuery sluice::races::withDistance(OverlapQuery query, const Symbol &more,
                                         const Symbol &less, int64_t least) {
  Symbol rest;
  rest.kind = Symbol::Kind::Turn;
  rest.side = more.side;
  rest.index = ~0u;
  Polynomial value = Polynomial::of(less) + Polynomial::of(rest) + least;
  auto replace = [&](Polynomial &in) {
    in = in.substitute([&](const Symbol &symbol) {
      return std::optional(symbol == more ? value : Polynomial::of(symbol));
    });
  };
  replace(query.firstOffset);
  replace(query.secondOffset);
  for (Condition &condition : query.conditions)
    replace(condition.value);
  auto bound = query.bounds.find(more);
  if (bound != query.bounds.end()) {
    query.conditions.push_back(
        {Condition::Kind::NotPositive, value + 1 - bound->second});
    query.bounds.erase(bound);
  }
  for (auto &[variable, limit] : query.bounds)
    replace(limit);
  return query;
}

/// True if an offset is no sum of variables with strides.
static bool isCurved(const Polynomial &offset) {
  for (const auto &[monomial, coefficient] : offset.getTerms()) {
    unsigned numFree = 0;
    for (const Symbol &symbol : monomial)
      numFree += symbol.derivation ? Polynomial::of(symbol).containsAny(isFree)
                                   : isFree(symbol);
    const bool isQuotient =
        std::any_of(monomial.begin(), monomial.end(), [](const Symbol &symbol) {
          return symbol.derivation &&
                 symbol.derivation->op == Derivation::Op::Divide &&
                 isCurved(symbol.derivation->operands[0]);
        });
    if (numFree > 1 || isQuotient)
      return true;
  }
  return false;
}

/// True if addresses of equal variables may be apart by more than a number, as
/// the two halves of a row.
static bool haveOpenGap(const OverlapQuery &query) {
  const Polynomial gap =
      (query.firstOffset - query.secondOffset).without(isFree);
  return gap.isValid() && !gap.asConstant();
}

/// The same question for instances whose `first` and `second` are one number.
static OverlapQuery withEqual(OverlapQuery query, const Symbol &first,
                              const Symbol &second) {
  Symbol both = first;
  both.side = Symbol::Side::Both;
  auto replace = [&](Polynomial &in) {
    in = in.substitute([&](const Symbol &symbol) {
      return std::optional(
          Polynomial::of(symbol == first || symbol == second ? both : symbol));
    });
  };
  replace(query.firstOffset);
  replace(query.secondOffset);
  for (Condition &condition : query.conditions)
    replace(condition.value);
  std::map<Symbol, Polynomial> bounds;
  for (auto [variable, limit] : query.bounds) {
    replace(limit);
    if (variable != first && variable != second) {
      bounds[variable] = limit;
      continue;
    }
    if (!bounds.try_emplace(both, limit).second)
      query.conditions.push_back(
          {Condition::Kind::NotPositive, Polynomial::of(both) + 1 - limit});
  }
  query.bounds = std::move(bounds);
  std::erase_if(query.differences, [&](const DifferingIds &difference) {
    return difference.first == first && difference.second == second;
  });
  return query;
}

/// True if one range ends before the other begins, whatever the numbers are.
static bool isOneBefore(const OverlapQuery &query) {
  Inequalities known(query);
  Polynomial distance = query.firstOffset - query.secondOffset;
  return distance.isValid() &&
         (known.imply(distance - query.secondSize) ||
          known.imply(distance * Polynomial(-1) - query.firstSize));
}

/// Adds the values in `value` of which it is asked whether they are negative:
/// C rounds quotients towards 0.
static void findSigns(const Polynomial &value, std::set<Symbol> &found,
                      unsigned depth = 0) {
  constexpr unsigned maxDepth = 4;
  for (const Symbol &symbol : value.symbols()) {
    if (!symbol.derivation || depth == maxDepth)
      continue;
    const Derivation &derivation = *symbol.derivation;
    if (derivation.op == Derivation::Op::Divide &&
        derivation.divisor >= int64_t(1) << 61)
      found.insert(symbol);
    for (const Polynomial &operand : derivation.operands)
      findSigns(operand, found, depth + 1);
  }
}

/// The same question without comparisons whose outcome is known.
static OverlapQuery withKnownSigns(OverlapQuery query) {
  std::set<Symbol> signs;
  findSigns(query.firstOffset, signs);
  findSigns(query.secondOffset, signs);
  if (signs.empty())
    return query;
  Inequalities known(query);
  for (const Symbol &sign : signs)
    if (known.imply(sign.derivation->operands[0])) {
      query.firstOffset =
          replaceDerived(query.firstOffset, sign, Polynomial(0));
      query.secondOffset =
          replaceDerived(query.secondOffset, sign, Polynomial(0));
    }
  return query;
}

bool sluice::races::areDisjointInOrder(
    const OverlapQuery &asked,
    llvm::function_ref<bool(const OverlapQuery &)> prove) {
  constexpr int64_t mostWork = 2'000'000;
  if (!asked.firstOffset.isValid() || !asked.secondOffset.isValid() ||
      (!isCurved(asked.firstOffset) && !isCurved(asked.secondOffset) &&
       !haveOpenGap(asked)))
    return false;
  WorkLimit limit(mostWork);
  const OverlapQuery query = withKnownSigns(asked);
  for (const Symbol &first : query.firstOffset.baseSymbols()) {
    Symbol second = first;
    second.side = Symbol::Side::Second;
    if (!isVariable(first) || first.side != Symbol::Side::First ||
        !query.secondOffset.containsAny(
            [&](const Symbol &symbol) { return symbol == second; }))
      continue;
    if (!isOneBefore(withDistance(query, first, second, 1)) ||
        !isOneBefore(withDistance(query, second, first, 1)))
      continue;
    OverlapQuery equal = withEqual(query, first, second);
    const bool isSame = equal.mustDiffer && equal.differences.empty();
    if ((isSame || isOneBefore(equal) || prove(equal)) &&
        !WorkLimit::isReached())
      return true;
  }
  return false;
}
