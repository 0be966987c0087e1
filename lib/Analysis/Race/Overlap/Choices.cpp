//===- Choices.cpp - Addresses that depend on a comparison ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A neighbour that is clamped to the array, `y > 0 ? y - 1 : y`, is one of two
// rows. With an unknown pitch, the address is no longer linear, but it is
// linear in each of the two cases.
//
//===----------------------------------------------------------------------===//

#include "Overlap.h"

#include <algorithm>

using namespace sluice::races;

namespace {
/// The value of a derived symbol under a condition.
struct Case {
  Condition condition;
  Polynomial value;
};
} // namespace

static Condition notPositive(Polynomial value) {
  return {Condition::Kind::NotPositive, std::move(value)};
}

/// The range of a symbol; numbers of instances fit an `int`.
static IntegerRange rangeIn(const OverlapQuery &query, const Symbol &symbol) {
  IntegerRange range = naturalRange(symbol);
  for (const auto &[id, extent] : query.bounds)
    if (extent == Polynomial::of(symbol))
      range = {std::max<int64_t>(range.least, 0),
               std::min<int64_t>(range.most, INT32_MAX)};
  return range;
}

/// The cases of a value that is one of two; none for others. A value that is 1
/// if a comparison holds, and 0 otherwise, is minus the quotient by a power of
/// two that exceeds the difference of the compared values: no address exceeds
/// two to the 61.
static std::vector<Case> casesOf(const OverlapQuery &query,
                                 const Symbol &symbol) {
  const Derivation &derivation = *symbol.derivation;
  if (derivation.op == Derivation::Op::Maximum) {
    const Polynomial &a = derivation.operands[0], &b = derivation.operands[1];
    return {{notPositive(b - a), a}, {notPositive(a - b + 1), b}};
  }
  if (derivation.op != Derivation::Op::Divide)
    return {};
  const Polynomial &value = derivation.operands[0];
  const int64_t divisor = derivation.divisor;
  IntegerRange range =
      rangeOf(value, [&](const Symbol &base) { return rangeIn(query, base); });
  if (!range.isWithin({-divisor, divisor - 1}) && divisor < int64_t(1) << 61)
    return {};
  return {{notPositive(value + 1), Polynomial(-1)},
          {notPositive(value * Polynomial(-1)), Polynomial(0)}};
}

Polynomial sluice::races::replaceDerived(const Polynomial &in,
                                         const Symbol &symbol,
                                         const Polynomial &value) {
  return rebuildDerived(
      in,
      [&](const Derivation &derivation,
          llvm::ArrayRef<Polynomial> operands) -> Polynomial {
        bool isIt = (derivation <=> *symbol.derivation) == 0;
        return isIt ? value : derivation.rebuild(operands, naturalRange);
      });
}

static OverlapQuery inCase(OverlapQuery query, const Symbol &symbol,
                           const Case &chosen) {
  auto change = [&](Polynomial &value) {
    value = replaceDerived(value, symbol, chosen.value);
  };
  change(query.firstOffset);
  change(query.secondOffset);
  for (Condition &condition : query.conditions)
    change(condition.value);
  query.conditions.push_back(chosen.condition);
  return query;
}

bool sluice::races::holdsInAllCases(
    const OverlapQuery &query,
    llvm::function_ref<bool(const OverlapQuery &)> holds, unsigned depth) {
  if (depth != 0)
    for (const Polynomial *offset : {&query.firstOffset, &query.secondOffset})
      for (const Symbol &symbol : offset->symbols()) {
        if (!symbol.derivation)
          continue;
        std::vector<Case> cases = casesOf(query, symbol);
        if (cases.empty())
          continue;
        return std::all_of(cases.begin(), cases.end(), [&](const Case &one) {
          return holdsInAllCases(inCase(query, symbol, one), holds, depth - 1);
        });
      }
  return holds(query);
}

/// Whether a condition grows by `factor` with a variable, and has no other term
/// with it.
static bool growsBy(const Condition &condition, const Symbol &variable,
                    int64_t factor) {
  std::optional<Polynomial> found = condition.value.coefficientOf(variable);
  return condition.kind == Condition::Kind::NotPositive && found &&
         found->asConstant() == factor;
}

/// True if `value` does not contain the variable.
static bool isFreeOf(const Polynomial &value, const Symbol &variable) {
  std::optional<Polynomial> factor = value.coefficientOf(variable);
  return factor && factor->isZero();
}

/// `min(y + 1, h - 1) * w` is the address of the last row for all y from h - 2
/// on. If x is at least two less than such a y, which is less than h, then x is
/// less than h - 2.
OverlapQuery sluice::races::withImplied(const OverlapQuery &query) {
  constexpr size_t maxConditions = 24;
  OverlapQuery result = query;
  std::set<Symbol> variables;
  for (const Condition &condition : query.conditions)
    for (const Symbol &symbol : condition.value.symbols())
      if (isFree(symbol) && isFreeOf(query.firstOffset, symbol) &&
          isFreeOf(query.secondOffset, symbol))
        variables.insert(symbol);
  for (const Symbol &variable : variables) {
    std::vector<Condition> known = result.conditions;
    known.push_back(notPositive(Polynomial::of(variable) * Polynomial(-1)));
    if (auto bound = query.bounds.find(variable); bound != query.bounds.end())
      known.push_back(
          notPositive(Polynomial::of(variable) - bound->second + 1));
    for (const Condition &a : known)
      for (const Condition &b : known)
        if (result.conditions.size() < maxConditions &&
            growsBy(a, variable, 1) && growsBy(b, variable, -1))
          result.conditions.push_back(notPositive(a.value + b.value));
  }
  return result;
}
