//===- JointTerms.cpp - Numbers that a condition bounds together ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Column `7 * x + t` of a tile is less than the length of a row; this does not
// follow from the bounds of x and t alone. So the sum replaces both variables:
// equal addresses have equal columns, if this can be proven, and it remains to
// prove that different instances have different columns.
//
//===----------------------------------------------------------------------===//

#include "Overlap.h"

#include <algorithm>
#include <numeric>

using namespace sluice::races;

namespace {
/// `value`, a sum of variables of one instance, is less than `bound`, and the
/// address contains `factor` times the sum.
struct Joint {
  Polynomial value, bound, factor;
};
} // namespace

static bool isOfSide(const Symbol &symbol, Symbol::Side side) {
  return isVariable(symbol) && !symbol.derivation && symbol.side == side;
}

/// True if the address is `factor` times the sum, with no other part in the
/// sum's variables.
static bool hasPart(const Polynomial &offset, const Polynomial &value,
                    const Polynomial &factor) {
  Polynomial rest = offset - value * factor;
  return rest.isValid() && !rest.containsAny([&](const Symbol &symbol) {
    return value.contains(symbol);
  });
}

/// The bound that a condition implies for a sum of variables of `side`.
static std::optional<Joint> jointOf(const Condition &condition,
                                    const Polynomial &offset,
                                    Symbol::Side side) {
  if (condition.kind != Condition::Kind::NotPositive ||
      !condition.value.isValid() || !offset.isValid())
    return std::nullopt;
  Joint joint;
  std::optional<Symbol> first;
  int64_t common = 0;
  unsigned count = 0;
  for (const Symbol &symbol : condition.value.symbols()) {
    if (!isOfSide(symbol, side))
      continue;
    auto factor = condition.value.coefficientOf(symbol);
    auto number = factor ? factor->asConstant() : std::nullopt;
    if (!number || *number <= 0)
      return std::nullopt;
    joint.value += Polynomial::of(symbol) * Polynomial(*number);
    common = std::gcd(common, *number);
    first = first.value_or(symbol);
    ++count;
  }
  // The remainder is the same for both.
  Polynomial rest = condition.value - joint.value;
  if (count < 2 || !rest.isValid() || rest.containsAny(isFree))
    return std::nullopt;
  joint.bound = Polynomial(1) - rest;
  auto inOffset = offset.coefficientOf(*first);
  auto inValue = joint.value.coefficientOf(*first);
  const std::optional<int64_t> divisor =
      inValue ? inValue->asConstant() : std::nullopt;
  if (!divisor || !inOffset || !inOffset->isValid() || inOffset->isZero() ||
      inOffset->containsAny(isVariable))
    return std::nullopt;
  // The factor of the address divided by that of the sum.
  Polynomial factor;
  for (const auto &[monomial, number] : inOffset->getTerms()) {
    if (number % *divisor != 0)
      return std::nullopt;
    Polynomial term(number / *divisor);
    for (const Symbol &symbol : monomial)
      term = term * Polynomial::of(symbol);
    factor += term;
  }
  joint.factor = factor;
  return hasPart(offset, joint.value, factor) ? std::optional(joint)
                                              : std::nullopt;
}

/// Replaces the variables of `joint` by one variable.
static Symbol replaceJoint(OverlapQuery &query, const Joint &joint,
                           Symbol::Side side) {
  Symbol variable;
  variable.kind = Symbol::Kind::Turn;
  variable.side = side;
  variable.index = 5000;
  Polynomial &offset =
      side == Symbol::Side::First ? query.firstOffset : query.secondOffset;
  offset = offset - joint.value * joint.factor +
           Polynomial::of(variable) * joint.factor;
  auto isPart = [&](const Symbol &symbol) {
    return joint.value.contains(symbol);
  };
  std::erase_if(query.conditions, [&](const Condition &condition) {
    return condition.value.containsAny(isPart);
  });
  std::erase_if(query.bounds, [&](const auto &bound) {
    return isPart(bound.first) || bound.second.containsAny(isPart);
  });
  query.bounds[variable] = joint.bound;
  return variable;
}

bool sluice::races::areDisjointJointly(
    const OverlapQuery &query,
    llvm::function_ref<bool(const OverlapQuery &)> prove) {
  using Side = Symbol::Side;
  for (const Condition &a : query.conditions) {
    std::optional<Joint> first = jointOf(a, query.firstOffset, Side::First);
    if (!first)
      continue;
    for (const Condition &b : query.conditions) {
      std::optional<Joint> second =
          jointOf(b, query.secondOffset, Side::Second);
      if (!second || !(second->factor == first->factor))
        continue;
      OverlapQuery different = query;
      Symbol x = replaceJoint(different, *first, Side::First);
      Symbol y = replaceJoint(different, *second, Side::Second);
      different.differences = {{x, y}};
      different.mustDiffer = true;
      OverlapQuery equal = query;
      equal.firstOffset = first->value;
      equal.secondOffset = second->value;
      equal.firstSize = equal.secondSize = 1;
      if (different.firstOffset.isValid() && different.secondOffset.isValid() &&
          prove(different) && prove(equal))
        return true;
    }
  }
  return false;
}
