//===- Remainders.cpp - Quotients and remainders by unknown numbers -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With a divisor that is an argument, i / n and i % n are no linear functions,
// but they are two digits of i: a question about i is one about these. Of sums
// such as (i + k) % n, two are equal only if the sums are, or are n apart.
//
//===----------------------------------------------------------------------===//

#include "Inequalities.h"

#include "llvm/IR/Instruction.h"

#include <algorithm>
#include <cassert>
#include <optional>

using namespace sluice::races;

namespace {
/// A quotient or a remainder by a number that is the same for both instances.
struct Ratio {
  Symbol symbol;
  Polynomial value, divisor;
  bool isRest = false, isSigned = false;
  /// Of the type in which it is computed.
  unsigned bits = 0;
};
} // namespace

static std::optional<Ratio> ratioOf(const Symbol &symbol) {
  const Derivation *derivation = symbol.derivation.get();
  if (!derivation || derivation->op != Derivation::Op::Opaque ||
      derivation->operands.size() != 2 ||
      derivation->operands[1].containsAny(isFree))
    return std::nullopt;
  Ratio ratio = {symbol, derivation->operands[0], derivation->operands[1]};
  ratio.bits = derivation->bits;
  switch (int(derivation->code) - int(llvm::Value::InstructionVal)) {
  case llvm::Instruction::SRem:
    ratio.isRest = ratio.isSigned = true;
    return ratio;
  case llvm::Instruction::URem:
    ratio.isRest = true;
    return ratio;
  case llvm::Instruction::SDiv:
    ratio.isSigned = true;
    return ratio;
  case llvm::Instruction::UDiv:
    return ratio;
  default:
    return std::nullopt;
  }
}

/// Adds all ratios in `value`, also those within others.
static void findRatios(const Polynomial &value, std::map<Symbol, Ratio> &found,
                       unsigned depth = 0) {
  constexpr unsigned maxDepth = 6;
  if (!value.isValid() || depth == maxDepth)
    return;
  for (const Symbol &symbol : value.symbols()) {
    if (!symbol.derivation)
      continue;
    if (std::optional<Ratio> ratio = ratioOf(symbol))
      found.try_emplace(symbol, std::move(*ratio));
    for (const Polynomial &operand : symbol.derivation->operands)
      findRatios(operand, found, depth + 1);
  }
}

static std::map<Symbol, Ratio> ratiosOf(const OverlapQuery &query) {
  std::map<Symbol, Ratio> found;
  findRatios(query.firstOffset, found);
  findRatios(query.secondOffset, found);
  for (const Condition &condition : query.conditions)
    findRatios(condition.value, found);
  return found;
}

/// Changes all facts of `query`, and drops those that become invalid.
static void
changeAll(OverlapQuery &query,
          llvm::function_ref<Polynomial(const Polynomial &)> change) {
  query.firstOffset = change(query.firstOffset);
  query.secondOffset = change(query.secondOffset);
  for (Condition &condition : query.conditions)
    condition.value = change(condition.value);
  std::erase_if(query.conditions, [](const Condition &condition) {
    return !condition.value.isValid();
  });
  for (auto &[variable, bound] : query.bounds)
    bound = change(bound);
  std::erase_if(query.bounds,
                [](const auto &bound) { return !bound.second.isValid(); });
}

/// The id that `value` is.
static std::optional<Symbol> idIn(const Polynomial &value) {
  std::vector<Symbol> symbols = value.symbols();
  if (symbols.size() != 1 || symbols.front().kind != Symbol::Kind::Id ||
      !(value == Polynomial::of(symbols.front())))
    return std::nullopt;
  return symbols.front();
}

/// `value` by `divisor`, if each term has all its symbols.
static std::optional<Polynomial> exactQuotient(const Polynomial &value,
                                               const Polynomial &divisor) {
  if (!value.isValid() || !divisor.isValid() || divisor.getTerms().size() != 1)
    return std::nullopt;
  const auto &[parts, factor] = *divisor.getTerms().begin();
  if (factor < 0)
    return std::nullopt;
  Polynomial result;
  for (const auto &[monomial, coefficient] : value.getTerms()) {
    if (coefficient % factor != 0)
      return std::nullopt;
    Polynomial term(coefficient / factor);
    Monomial rest = monomial;
    for (const Symbol &part : parts) {
      auto found = std::find(rest.begin(), rest.end(), part);
      if (found == rest.end())
        return std::nullopt;
      rest.erase(found);
    }
    for (const Symbol &symbol : rest)
      term = term * Polynomial::of(symbol);
    result += term;
  }
  return result;
}

static Symbol neutralId(Symbol id) {
  id.side = Symbol::Side::Both;
  return id;
}

/// The digits of an id, in the order of their numbers.
static Symbol ratioDigit(const Symbol &id, bool isRest) {
  assert(id.dimension < 4 && "two ids would have one number");
  Symbol result = id;
  result.index = 100000 + 2 * (4 * id.index + id.dimension) + isRest;
  result.dimension = 0;
  return result;
}

/// Writes `id`, of each side, as |divisor| * quotient + rest. The divisor is at
/// least 1, or, with `isNegative`, less than 0.
static OverlapQuery withDigits(OverlapQuery query, const Symbol &id,
                               const Polynomial &divisor, bool isNegative) {
  const Polynomial size = divisor * Polynomial(isNegative ? -1 : 1);
  auto isIt = [&](const Symbol &symbol) {
    return symbol.kind == Symbol::Kind::Id && neutralId(symbol) == id;
  };
  auto digits = [&](const Symbol &symbol) {
    return Polynomial::of(ratioDigit(symbol, false)) * size +
           Polynomial::of(ratioDigit(symbol, true));
  };
  // As a number of 64 bits without a sign, a negative one exceeds all ids.
  auto valueOf = [&](const Ratio &ratio, const Symbol &symbol) {
    if (isNegative && !ratio.isSigned)
      return ratio.isRest ? digits(symbol) : Polynomial(0);
    return Polynomial::of(ratioDigit(symbol, ratio.isRest)) *
           Polynomial(isNegative && !ratio.isRest ? -1 : 1);
  };
  for (const auto &[symbol, ratio] : ratiosOf(query)) {
    std::optional<Symbol> of = idIn(ratio.value);
    if (of && isIt(*of) && ratio.divisor == divisor &&
        (!isNegative || ratio.isSigned || ratio.bits == 64))
      changeAll(query, [&](const Polynomial &value) {
        return replaceDerived(value, symbol, valueOf(ratio, *of));
      });
  }
  changeAll(query, [&](const Polynomial &value) {
    return value.substitute([&](const Symbol &symbol) {
      return std::optional(isIt(symbol) ? digits(symbol)
                                        : Polynomial::of(symbol));
    });
  });
  std::map<Symbol, Polynomial> bounds;
  for (const auto &[variable, bound] : query.bounds) {
    if (!isIt(variable)) {
      bounds[variable] = bound;
      continue;
    }
    bounds[ratioDigit(variable, true)] = size;
    query.conditions.push_back(
        {Condition::Kind::NotPositive, digits(variable) - bound + 1});
    if (std::optional<Polynomial> rows = exactQuotient(bound, size))
      bounds[ratioDigit(variable, false)] = *rows;
  }
  query.bounds = std::move(bounds);
  std::vector<DifferingIds> differences;
  for (const DifferingIds &difference : query.differences)
    if (!isIt(difference.first))
      differences.push_back(difference);
    else
      for (bool isRest : {false, true})
        differences.push_back({ratioDigit(difference.first, isRest),
                               ratioDigit(difference.second, isRest)});
  query.differences = std::move(differences);
  return query;
}

/// Splits ids that the question divides; true if there are some. `negative`: a
/// divisor that is less than 0; others must be known to be at least 1.
static bool splitIds(OverlapQuery &query,
                     const Polynomial *negative = nullptr) {
  constexpr unsigned maxSplit = 3;
  bool isSplit = false;
  for (unsigned round = 0; round != maxSplit; ++round) {
    bool isFound = false;
    for (const auto &[symbol, ratio] : ratiosOf(query)) {
      std::optional<Symbol> id = idIn(ratio.value);
      const bool isNegative = negative && ratio.divisor == *negative;
      if (!id || (!isNegative && !Inequalities(query).imply(ratio.divisor - 1)))
        continue;
      OverlapQuery split =
          withDigits(query, neutralId(*id), ratio.divisor, isNegative);
      if (!split.firstOffset.isValid() || !split.secondOffset.isValid())
        continue;
      query = std::move(split);
      isFound = isSplit = true;
      break;
    }
    if (!isFound)
      break;
  }
  return isSplit;
}

/// A divisor of an id that may be negative, but is not 0. A choice may contain
/// a quotient that is not computed, whose divisor may be 0.
static std::optional<Polynomial> openDivisor(const OverlapQuery &query) {
  Inequalities known(query);
  for (const auto &[symbol, ratio] : ratiosOf(query))
    if (idIn(ratio.value) && !known.imply(ratio.divisor - 1) &&
        std::any_of(query.conditions.begin(), query.conditions.end(),
                    [&](const Condition &condition) {
                      return condition.kind == Condition::Kind::NotZero &&
                             condition.value == ratio.divisor;
                    }))
      return ratio.divisor;
  return std::nullopt;
}

/// Where the two values are equal: solved for an id of the second instance if
/// they differ by ids alone. False if that makes the two one instance.
static bool makeEqual(OverlapQuery &query, const Polynomial &difference) {
  if (difference.isZero())
    return true;
  for (const DifferingIds &pair : query.differences) {
    Polynomial distance =
        Polynomial::of(pair.first) - Polynomial::of(pair.second);
    if (!difference.dividedBy(distance))
      continue;
    Symbol second = pair.second;
    Polynomial first = Polynomial::of(pair.first);
    auto bound = query.bounds.find(second);
    if (bound != query.bounds.end()) {
      query.conditions.push_back(
          {Condition::Kind::NotPositive, first + 1 - bound->second});
      query.bounds.erase(bound);
    }
    std::erase_if(query.differences, [&](const DifferingIds &other) {
      return other.second == second;
    });
    changeAll(query, [&](const Polynomial &value) {
      return value.substitute([&](const Symbol &symbol) {
        return std::optional(symbol == second ? first : Polynomial::of(symbol));
      });
    });
    return !query.mustDiffer || !query.differences.empty();
  }
  query.conditions.push_back({Condition::Kind::Zero, difference});
  return true;
}

/// A remainder as a number below its divisor; of a value that may be negative,
/// it is above minus the divisor. Returns the number.
static Polynomial replaceRest(OverlapQuery &query, const Ratio &ratio,
                              Symbol::Side side, unsigned number,
                              bool isNatural) {
  Symbol rest;
  rest.kind = Symbol::Kind::Turn;
  rest.side = side;
  rest.index = 6000 + number;
  const Polynomial most = ratio.divisor - 1;
  query.bounds[rest] = isNatural ? ratio.divisor : most + ratio.divisor;
  Polynomial value =
      isNatural ? Polynomial::of(rest) : Polynomial::of(rest) - most;
  changeAll(query, [&](const Polynomial &in) {
    return replaceDerived(in, ratio.symbol, value);
  });
  return value;
}

/// Two remainders by one divisor, of values that differ by less than it, are
/// equal only where the values are.
static bool
proveRotation(const OverlapQuery &query, const Ratio &first,
              const Ratio &second, unsigned number,
              llvm::function_ref<bool(const OverlapQuery &)> prove) {
  Inequalities known(query);
  const Polynomial difference = first.value - second.value;
  const Polynomial most = first.divisor - 1;
  if (!known.imply(most) || !known.imply(most - difference) ||
      !known.imply(most + difference))
    return false;
  const bool isNatural = known.imply(first.value) && known.imply(second.value);
  // Of negative values, unsigned remainders are of other numbers.
  if (!isNatural && !(first.isSigned && second.isSigned))
    return false;
  OverlapQuery equal = query, other = query;
  for (const Ratio *ratio : {&first, &second})
    replaceRest(equal, *ratio, Symbol::Side::Both, number, isNatural);
  if (makeEqual(equal, difference) && !prove(equal))
    return false;
  Polynomial x =
      replaceRest(other, first, Symbol::Side::First, number, isNatural);
  Polynomial y =
      replaceRest(other, second, Symbol::Side::Second, number, isNatural);
  other.conditions.push_back({Condition::Kind::NotZero, x - y});
  other.conditions.push_back({Condition::Kind::NotZero, difference});
  return prove(other);
}

/// Distinguishes the cases of at most `depth` remainders, one after another.
static bool proveRests(const OverlapQuery &query, unsigned depth,
                       llvm::function_ref<bool(const OverlapQuery &)> prove) {
  std::map<Symbol, Ratio> firsts, seconds;
  findRatios(query.firstOffset, firsts);
  findRatios(query.secondOffset, seconds);
  auto proveFurther = [&](const OverlapQuery &asked) {
    return prove(asked) || (depth > 1 && proveRests(asked, depth - 1, prove));
  };
  constexpr unsigned maxTried = 4;
  unsigned numTried = 0;
  for (const auto &[x, first] : firsts)
    for (const auto &[y, second] : seconds)
      if (first.isRest && second.isRest && first.divisor == second.divisor &&
          !(x == y) && numTried++ < maxTried &&
          proveRotation(query, first, second, depth, proveFurther))
        return true;
  return false;
}

/// In instances in which an id differs, remainders may be any numbers, as in
/// the rows of `y * n + (x + y) % n`.
static bool
proveWithoutRests(const OverlapQuery &query, const Polynomial &distance,
                  llvm::function_ref<bool(const OverlapQuery &)> prove) {
  Inequalities known(query);
  OverlapQuery other = query;
  for (Symbol::Side side : {Symbol::Side::First, Symbol::Side::Second}) {
    std::map<Symbol, Ratio> ratios;
    findRatios(side == Symbol::Side::First ? other.firstOffset
                                           : other.secondOffset,
               ratios);
    unsigned number = 100;
    for (const auto &[symbol, ratio] : ratios)
      if (ratio.isRest) {
        if (!known.imply(ratio.divisor - 1) || !known.imply(ratio.value))
          return false;
        replaceRest(other, ratio, side, number++, /*isNatural=*/true);
      }
  }
  other.conditions.push_back({Condition::Kind::NotZero, distance});
  return prove(other);
}

static bool proveSplit(const OverlapQuery &query,
                       llvm::function_ref<bool(const OverlapQuery &)> prove) {
  constexpr unsigned maxRests = 3;
  OverlapQuery split = query;
  if (splitIds(split) && prove(split))
    return true;
  if (proveRests(split, maxRests, prove))
    return true;
  for (const DifferingIds &pair : split.differences) {
    const Polynomial distance =
        Polynomial::of(pair.first) - Polynomial::of(pair.second);
    OverlapQuery equal = split;
    if (proveWithoutRests(split, distance, prove) &&
        (!makeEqual(equal, distance) || prove(equal) ||
         proveRests(equal, maxRests, prove)))
      return true;
  }
  return false;
}

/// The question for a divisor that is less than 0. Of an argument, it is asked
/// with what is above 0 instead.
static std::optional<OverlapQuery> withNegative(OverlapQuery query,
                                                Polynomial divisor) {
  const std::vector<Symbol> symbols = divisor.symbols();
  if (symbols.size() == 1 && !symbols.front().derivation &&
      divisor == Polynomial::of(symbols.front())) {
    const Symbol argument = symbols.front();
    Symbol size;
    size.kind = Symbol::Kind::Value;
    size.index = 7000;
    query.least.erase(argument);
    query.least[size] = 1;
    divisor = Polynomial::of(size) * Polynomial(-1);
    changeAll(query, [&](const Polynomial &value) {
      return value.substitute([&](const Symbol &symbol) {
        return std::optional(symbol == argument ? divisor
                                                : Polynomial::of(symbol));
      });
    });
  }
  query.conditions.push_back({Condition::Kind::NotPositive, divisor + 1});
  if (!query.firstOffset.isValid() || !query.secondOffset.isValid() ||
      !splitIds(query, &divisor))
    return std::nullopt;
  return query;
}

bool sluice::races::areDisjointByRemainders(
    const OverlapQuery &query,
    llvm::function_ref<bool(const OverlapQuery &)> prove) {
  if (ratiosOf(query).empty())
    return false;
  if (proveSplit(query, prove))
    return true;
  std::optional<Polynomial> divisor = openDivisor(query);
  if (!divisor)
    return false;
  OverlapQuery positive = query;
  positive.conditions.push_back(
      {Condition::Kind::NotPositive, Polynomial(1) - *divisor});
  if (!proveSplit(positive, prove))
    return false;
  std::optional<OverlapQuery> negative = withNegative(query, *divisor);
  return negative && prove(*negative);
}
