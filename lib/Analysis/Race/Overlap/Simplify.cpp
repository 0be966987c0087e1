//===- Simplify.cpp - Questions with fewer derived values -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents and conditions bound the values of ids, counters and arguments. Most
// conversions and masks have no effect within these bounds: in a grid of 100
// instances, an `unsigned char` holds the id.
//
//===----------------------------------------------------------------------===//

#include "../Terms/Polynomial.h"
#include "Overlap.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace sluice::races;

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

IntegerRange QueryRanges::of(const Symbol &symbol) const {
  IntegerRange range = naturalRange(symbol);
  auto found = known.find(symbol);
  if (found == known.end())
    return range;
  return {std::max(range.least, found->second.least),
          std::min(range.most, found->second.most)};
}

/// `value` is not positive.
void QueryRanges::learn(const Polynomial &value) {
  if (!value.isValid())
    return;
  for (const Symbol &symbol : value.symbols()) {
    if (symbol.derivation)
      continue;
    std::optional<Polynomial> factor = value.coefficientOf(symbol);
    std::optional<int64_t> sign = factor ? factor->asConstant() : std::nullopt;
    if (!sign || (*sign != 1 && *sign != -1))
      continue;
    Polynomial rest = value - Polynomial::of(symbol) * Polynomial(*sign);
    int64_t least =
        rangeOf(rest, [this](const Symbol &other) { return of(other); }).least;
    if (least == INT64_MIN)
      continue;
    IntegerRange &range = known[symbol];
    if (*sign > 0)
      range.most = std::min(range.most, -least);
    else
      range.least = std::max(range.least, least);
  }
}

QueryRanges::QueryRanges(const OverlapQuery &query) {
  for (const auto &[parameter, least] : query.least)
    if (!parameter.derivation)
      known[parameter].least = least;
  for (unsigned round = 0; round != 2; ++round) {
    for (const auto &[variable, bound] : query.bounds) {
      learn(Polynomial::of(variable) + 1 - bound);
      // Numbers of instances fit an `int`.
      if (variable.kind == Symbol::Kind::Id)
        learn(bound - INT32_MAX);
    }
    for (const Condition &condition : query.conditions) {
      if (condition.kind == Condition::Kind::NotZero)
        continue;
      learn(condition.value);
      if (condition.kind == Condition::Kind::Zero)
        learn(condition.value * Polynomial(-1));
    }
  }
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

static void rewrite(OverlapQuery &query,
                    llvm::function_ref<Polynomial(const Polynomial &)> change) {
  query.firstOffset = change(query.firstOffset);
  query.secondOffset = change(query.secondOffset);
  for (Condition &condition : query.conditions)
    condition.value = change(condition.value);
  for (auto &[variable, bound] : query.bounds)
    bound = change(bound);
  // Conditions and bounds that have overflowed contain no information.
  llvm::erase_if(query.conditions, [](const Condition &condition) {
    return !condition.value.isValid();
  });
  std::erase_if(query.bounds,
                [](const auto &bound) { return !bound.second.isValid(); });
}

static bool isValid(const OverlapQuery &query) {
  return query.firstOffset.isValid() && query.secondOffset.isValid();
}

bool sluice::races::hasDerived(const OverlapQuery &query) {
  bool found = false;
  OverlapQuery copy = query;
  rewrite(copy, [&](const Polynomial &value) {
    for (const Symbol &symbol : value.symbols())
      found |= symbol.derivation != nullptr;
    return value;
  });
  return found;
}

OverlapQuery sluice::races::simplify(const OverlapQuery &query) {
  if (!hasDerived(query))
    return query;
  OverlapQuery result = query;
  QueryRanges ranges(query);
  rewrite(result, [&](const Polynomial &value) {
    return simplify(value,
                    [&](const Symbol &symbol) { return ranges.of(symbol); });
  });
  return isValid(result) ? result : query;
}

/// Removes conversions to types of at least 32 bits that hold the value in
/// grids of a usual size; calls `need` with their operands if the assumption
/// matters.
static Polynomial
assumeFits(const Polynomial &value, Ranges usual, Ranges ranges,
           llvm::function_ref<void(const Polynomial &)> need) {
  return rebuildDerived(value, [&](const Derivation &derivation,
                                   llvm::ArrayRef<Polynomial> operands) {
    if (derivation.op == Derivation::Op::Wrap && derivation.bits >= 32) {
      IntegerRange type = rangeOfType(derivation.bits, derivation.isSigned);
      if (rangeOf(operands[0], usual).isWithin(type)) {
        if (!rangeOf(operands[0], ranges).isWithin(type))
          need(operands[0]);
        return operands[0];
      }
    }
    return derivation.rebuild(operands, ranges);
  });
}

/// Levels that a launch can be asked about: plans have some more of nodes that
/// fold.
static constexpr unsigned maxUsualLevels = 6;

/// `factor` times a product of symbols, and a number.
static bool isOneTerm(const Polynomial &value, Monomial &monomial,
                      int64_t &factor) {
  Polynomial rest = value - value.constantTerm();
  if (!rest.isValid() || rest.getTerms().size() != 1)
    return false;
  monomial = rest.getTerms().begin()->first;
  factor = rest.getTerms().begin()->second;
  return factor > 0;
}

/// Adds limits of the symbols of `value` that follow from its being within
/// `within`. Adds nothing if none follow, or if the range is empty.
static void limitSymbols(const Polynomial &value, IntegerRange within,
                         std::map<Symbol, IntegerRange> &limits) {
  Monomial monomial;
  int64_t factor;
  if (!isOneTerm(value, monomial, factor))
    return;
  const int64_t constant = value.constantTerm();
  if (std::abs(constant) > INT32_MAX || within.most > INT64_MAX / 4 ||
      within.least < INT64_MIN / 4)
    return;
  const IntegerRange limit = {
      llvm::divideCeilSigned(within.least - constant, factor),
      llvm::divideFloorSigned(within.most - constant, factor)};
  if (limit.most < limit.least)
    return;
  if (monomial.size() == 1 && monomial.front().derivation) {
    const Derivation &derivation = *monomial.front().derivation;
    if (derivation.op != Derivation::Op::Divide || limit.most <= 0 ||
        derivation.divisor >= INT32_MAX || limit.most >= INT32_MAX ||
        limit.least <= INT32_MIN)
      return;
    // Below 1, for quotients that are rounded down and towards 0.
    const int64_t divisor = derivation.divisor;
    const int64_t least = limit.least > 0 ? limit.least * divisor
                                          : (limit.least - 1) * divisor + 1;
    limitSymbols(derivation.operands[0],
                 {least, (limit.most + 1) * divisor - 1}, limits);
    return;
  }
  // A product that may be 0 does not limit its factors.
  if (monomial.size() > 1 && limit.least <= 0)
    return;
  for (const Symbol &symbol : monomial)
    if (!symbol.derivation) {
      const IntegerRange own =
          monomial.size() == 1 ? limit : IntegerRange{-limit.most, limit.most};
      IntegerRange &known = limits.try_emplace(symbol, own).first->second;
      known = {std::max(known.least, own.least),
               std::min(known.most, own.most)};
    }
}

OverlapQuery
sluice::races::assumeUsualExtents(const OverlapQuery &query, unsigned exponent,
                                  UsualExtents *needed,
                                  const std::set<IdDimension> &without) {
  const int64_t most = (int64_t(1) << exponent) - 1;
  QueryRanges known(query);
  auto ranges = [&](const Symbol &symbol) { return known.of(symbol); };
  auto isOpen = [&](const Symbol &symbol) {
    auto bound = query.bounds.find(symbol);
    return symbol.kind == Symbol::Kind::Id && symbol.index < maxUsualLevels &&
           !without.contains({symbol.index, symbol.dimension}) &&
           (bound == query.bounds.end() || !bound->second.asConstant());
  };
  std::map<Symbol, IntegerRange> limits;
  std::map<Symbol, std::set<Symbol>> idsOf;
  for (const auto &[variable, bound] : query.bounds)
    if (isOpen(variable)) {
      std::map<Symbol, IntegerRange> own;
      // There is an instance.
      limitSymbols(bound, {1, most}, own);
      for (auto [symbol, limit] : own) {
        IntegerRange &all = limits.try_emplace(symbol, limit).first->second;
        all = {std::max(all.least, limit.least),
               std::min(all.most, limit.most)};
        idsOf[symbol].insert(variable);
      }
    }
  auto usualRanges = [&](const Symbol &symbol) {
    IntegerRange range = known.of(symbol);
    auto limit = limits.find(symbol);
    if (isOpen(symbol))
      range.most = std::min(range.most, most - 1);
    else if (symbol.kind == Symbol::Kind::Turn && !range.isBounded())
      range.most = most / 4;
    else if (limit != limits.end())
      if (IntegerRange both = {std::max(range.least, limit->second.least),
                               std::min(range.most, limit->second.most)};
          both.least <= both.most)
        range = both;
    return range;
  };
  OverlapQuery result = query;
  UsualExtents found;
  auto need = [&](const Polynomial &operand) {
    for (const Symbol &symbol : operand.baseSymbols())
      if (isOpen(symbol))
        found.ids.insert(symbol);
      else if (symbol.kind == Symbol::Kind::Turn)
        found.hasTurns |= !known.of(symbol).isBounded();
      else if (auto ids = idsOf.find(symbol); ids != idsOf.end())
        found.ids.insert(ids->second.begin(), ids->second.end());
  };
  rewrite(result, [&](const Polynomial &value) {
    return assumeFits(value, usualRanges, ranges, need);
  });
  if (!isValid(result))
    return query;
  if (needed) {
    needed->ids.insert(found.ids.begin(), found.ids.end());
    needed->hasTurns |= found.hasTurns;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Queries without derived variables
//===----------------------------------------------------------------------===//

static bool isBaseVariable(const Symbol &symbol) {
  return symbol.kind == Symbol::Kind::Id || symbol.kind == Symbol::Kind::Turn;
}

static bool varies(const Symbol &symbol) {
  return symbol.derivation &&
         Polynomial::of(symbol).containsAny(isBaseVariable);
}

namespace {
/// Writes an id `i` of which `i / c` or `i % c` is used as `c * q + r`, with
/// two ids of their own: so strides that are arguments meet plain digits.
class DigitSplitter {
public:
  explicit DigitSplitter(OverlapQuery &query) : query(query) {}
  void run();

private:
  void look(const Polynomial &value);
  static Symbol digit(const Symbol &id, bool isRest);
  std::optional<int64_t> divisorOf(Symbol id) const;

  OverlapQuery &query;
  /// By id, of no side.
  std::map<Symbol, std::set<int64_t>> divisors;
};
} // namespace

void DigitSplitter::look(const Polynomial &value) {
  for (const Symbol &symbol : value.symbols()) {
    if (!symbol.derivation)
      continue;
    const Derivation &derivation = *symbol.derivation;
    for (const Polynomial &operand : derivation.operands)
      look(operand);
    bool isWrap = derivation.op == Derivation::Op::Wrap &&
                  !derivation.isSigned && derivation.bits < 31;
    if (!isWrap && derivation.op != Derivation::Op::Divide)
      continue;
    const Polynomial &operand = derivation.operands[0];
    if (!operand.isValid() || operand.getTerms().size() != 1)
      continue;
    const auto &[monomial, coefficient] = *operand.getTerms().begin();
    if (coefficient != 1 || monomial.size() != 1 ||
        monomial.front().kind != Symbol::Kind::Id)
      continue;
    Symbol id = monomial.front();
    id.side = Symbol::Side::Both;
    divisors[id].insert(isWrap ? int64_t(1) << derivation.bits
                               : derivation.divisor);
  }
}

Symbol DigitSplitter::digit(const Symbol &id, bool isRest) {
  Symbol result = id;
  result.index = 1000 + 2 * (4 * id.index + id.dimension) + isRest;
  result.dimension = 0;
  return result;
}

std::optional<int64_t> DigitSplitter::divisorOf(Symbol id) const {
  id.side = Symbol::Side::Both;
  auto found = divisors.find(id);
  if (found == divisors.end() || found->second.size() != 1)
    return std::nullopt;
  return *found->second.begin();
}

void DigitSplitter::run() {
  rewrite(query, [&](const Polynomial &value) {
    look(value);
    return value;
  });
  if (divisors.empty())
    return;
  QueryRanges ranges(query);
  auto rangeOfDigit = [&](const Symbol &symbol) {
    IntegerRange range = ranges.of(symbol);
    if (symbol.kind == Symbol::Kind::Id && symbol.index >= 1000) {
      for (const auto &[id, numbers] : divisors)
        for (bool isRest : {false, true})
          if (digit(id, isRest).index == symbol.index)
            range = {0, isRest ? *numbers.begin() - 1 : INT32_MAX - 1};
    }
    return range;
  };
  auto change = [&](const Polynomial &value) {
    Polynomial changed = value.substitute(
        [&](const Symbol &symbol) -> std::optional<Polynomial> {
          std::optional<int64_t> divisor = symbol.kind == Symbol::Kind::Id
                                               ? divisorOf(symbol)
                                               : std::nullopt;
          if (!divisor)
            return Polynomial::of(symbol);
          return Polynomial::of(digit(symbol, false)) * Polynomial(*divisor) +
                 Polynomial::of(digit(symbol, true));
        });
    return simplify(changed, rangeOfDigit);
  };
  rewrite(query, change);
  std::map<Symbol, Polynomial> bounds;
  for (const auto &[variable, bound] : query.bounds) {
    std::optional<int64_t> divisor = divisorOf(variable);
    if (!divisor) {
      bounds[variable] = bound;
      continue;
    }
    bounds[digit(variable, true)] = Polynomial(*divisor);
    query.conditions.push_back({Condition::Kind::NotPositive,
                                change(Polynomial::of(variable)) - bound + 1});
    if (std::optional<int64_t> extent = bound.asConstant())
      bounds[digit(variable, false)] =
          Polynomial((*extent + *divisor - 1) / *divisor);
    else if (Polynomial quotient = divide(bound, *divisor);
             (quotient * Polynomial(*divisor) - bound).isZero())
      bounds[digit(variable, false)] = quotient;
  }
  query.bounds = std::move(bounds);
  std::vector<DifferingIds> differences;
  for (const DifferingIds &difference : query.differences) {
    if (!divisorOf(difference.first)) {
      differences.push_back(difference);
      continue;
    }
    for (bool isRest : {false, true})
      differences.push_back(
          {digit(difference.first, isRest), digit(difference.second, isRest)});
  }
  query.differences = std::move(differences);
}

std::optional<OverlapQuery>
sluice::races::withoutDerived(const OverlapQuery &query) {
  OverlapQuery result = query;
  if (!hasDerived(query))
    return result;
  DigitSplitter(result).run();
  QueryRanges known(result);
  auto ranges = [&](const Symbol &symbol) { return known.of(symbol); };
  // Values of the two instances that follow alike get the same number.
  std::map<Symbol, unsigned> numbers;
  std::map<Symbol, Polynomial> bounds;
  std::map<Symbol, int64_t> least;
  // The symbols that replace values that follow from arguments alone.
  std::map<Symbol, Symbol> parameters;
  std::vector<Symbol> newParameters;
  auto variableFor = [&](const Symbol &symbol) -> std::optional<Polynomial> {
    IntegerRange range = rangeOf(symbol, ranges);
    bool isLow = range.least < INT64_MIN / 2;
    if (isLow && varies(symbol))
      return std::nullopt;
    std::set<Symbol::Side> sides;
    for (const Symbol &base : Polynomial::of(symbol).baseSymbols())
      if (base.side != Symbol::Side::Both)
        sides.insert(base.side);
    if (sides.size() > 1)
      return std::nullopt;
    Polynomial both = Polynomial::of(symbol).substitute([](const Symbol &base) {
      Symbol neutral = base;
      neutral.side = Symbol::Side::Both;
      return std::optional(Polynomial::of(neutral));
    });
    if (!both.isValid() || both.symbols().size() != 1 ||
        !(both == Polynomial::of(both.symbols().front())))
      return std::nullopt;
    Symbol variable;
    variable.kind = varies(symbol) ? Symbol::Kind::Turn : Symbol::Kind::Value;
    variable.side = sides.empty() ? Symbol::Side::Both : *sides.begin();
    variable.index =
        2000 + numbers.try_emplace(both.symbols().front(), numbers.size())
                   .first->second;
    if (!varies(symbol)) {
      if (!isLow)
        least[variable] = range.least;
      if (parameters.insert({variable, symbol}).second)
        newParameters.push_back(variable);
      return Polynomial::of(variable);
    }
    if (range.most < INT64_MAX / 2)
      bounds[variable] = Polynomial(range.most - range.least + 1);
    return Polynomial::of(variable) + Polynomial(range.least);
  };
  auto change = [&](const Polynomial &value) -> std::optional<Polynomial> {
    // It lacks terms.
    if (!value.isValid())
      return std::nullopt;
    Polynomial sum;
    for (const auto &[monomial, coefficient] : value.getTerms()) {
      Polynomial term(coefficient);
      for (const Symbol &symbol : monomial) {
        std::optional<Polynomial> variable =
            symbol.derivation ? variableFor(symbol) : Polynomial::of(symbol);
        if (!variable)
          return std::nullopt;
        term = term * *variable;
      }
      sum += term;
    }
    return sum;
  };
  std::optional<Polynomial> first = change(result.firstOffset);
  std::optional<Polynomial> second = change(result.secondOffset);
  if (!first || !second)
    return std::nullopt;
  result.firstOffset = *first;
  result.secondOffset = *second;
  std::vector<Condition> conditions;
  for (Condition condition : result.conditions)
    if (std::optional<Polynomial> value = change(condition.value)) {
      condition.value = *value;
      conditions.push_back(std::move(condition));
    }
  result.conditions = std::move(conditions);
  for (auto &[variable, bound] : result.bounds) {
    std::optional<Polynomial> changed = change(bound);
    if (!changed)
      return std::nullopt;
    bound = *changed;
  }
  result.bounds.insert(bounds.begin(), bounds.end());
  // Adds relations between symbols: a quotient times the divisor is at most the
  // dividend, and more than the dividend minus the divisor.
  auto require = [&](const Polynomial &value) {
    if (std::optional<Polynomial> changed = change(value);
        changed && changed->isValid())
      result.conditions.push_back({Condition::Kind::NotPositive, *changed});
  };
  for (unsigned i = 0; i < newParameters.size() && i != 8; ++i) {
    Symbol symbol = parameters.at(newParameters[i]);
    const Derivation &derivation = *symbol.derivation;
    Polynomial value = Polynomial::of(symbol);
    if (IntegerRange range = rangeOf(symbol, ranges); range.most < INT32_MAX)
      require(value - range.most);
    if (derivation.op == Derivation::Op::Divide) {
      Polynomial rest =
          derivation.operands[0] - value * Polynomial(derivation.divisor);
      require(rest * Polynomial(-1));
      require(rest - (derivation.divisor - 1));
    } else if (derivation.op == Derivation::Op::Maximum) {
      for (const Polynomial &operand : derivation.operands)
        require(operand - value);
    }
  }
  for (const auto &[symbol, value] : least) {
    int64_t &known = result.least.try_emplace(symbol, value).first->second;
    known = std::max(known, value);
  }
  return result;
}
