//===- Disjoint.cpp - Proofs that accesses never meet ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most programs are free of races for simple reasons: strides are larger than
// the memory that one instance touches. These proofs are fast and hold for all
// extents, so they are tried before anything is executed.
//
//===----------------------------------------------------------------------===//

#include "Overlap.h"

#include <numeric>

using namespace sluice::races;

namespace {
/// A term of the difference of two addresses: `stride` times a number with an
/// absolute value less than `bound`. The number is `sign` times a variable, or
/// times the difference of two corresponding variables, plus `shift`.
struct Digit {
  Polynomial stride;
  std::optional<Polynomial> bound;
  /// Exclusive limits of the variable that adds to the number, and of the one
  /// that is taken from it; 1 without such a variable.
  std::optional<Polynomial> above = Polynomial(1), below = Polynomial(1);
  std::optional<Symbol> first, second;
  int sign = 1;
  int64_t shift = 0;
};

class Prover {
public:
  explicit Prover(const OverlapQuery &asked)
      : query(asked), least(asked.least) {
    // What is invalid lacks terms, and says nothing.
    std::erase_if(query.conditions, [](const Condition &condition) {
      return !condition.value.isValid();
    });
    std::erase_if(query.bounds,
                  [](const auto &bound) { return !bound.second.isValid(); });
    learnLeast();
    learnPositive();
    learnDifference();
  }

  bool prove() {
    return contradict(query.conditions) || !canDiffer() ||
           (difference().isValid() &&
            (proveRadix() || lieApart() || proveDivisor()));
  }

private:
  void learnLeast();
  void learnPositive();
  void learnDifference();
  bool isOnlyOne(const Symbol &id) const;
  bool isNotNegative(const Polynomial &value) const;
  bool contradict(const std::vector<Condition> &conditions) const;
  bool canDiffer() const;
  std::optional<Polynomial> fixedValue(const Symbol &id) const;
  std::optional<Polynomial> boundOf(const Symbol &variable) const;
  std::optional<Polynomial> larger(const std::optional<Polynomial> &a,
                                   const std::optional<Polynomial> &b) const;
  std::optional<std::vector<Digit>> digits(Polynomial &rest) const;
  void shiftDigits(std::vector<Digit> &digits, Polynomial &rest) const;
  bool proveRadix() const;
  bool isRadix(std::vector<Digit> digits, const Polynomial &window) const;
  std::vector<Polynomial> limitsOf(const std::vector<Digit> &used) const;
  std::optional<Polynomial> sideLimit(const Polynomial &sum) const;
  bool equalIdsContradict(const std::vector<Digit> &digits) const;
  bool lieApart() const;
  bool proveDivisor() const;
  Polynomial difference() const {
    return query.firstOffset - query.secondOffset;
  }

  OverlapQuery query;
  std::map<Symbol, int64_t> least;
};
} // namespace

/// Learns lower bounds of parameters from their ranges.
void Prover::learnLeast() {
  QueryRanges ranges(query);
  auto learn = [&](const Polynomial &value) {
    for (const Symbol &symbol : value.symbols()) {
      if (isVariable(symbol) || symbol.derivation)
        continue;
      int64_t bound = ranges.of(symbol).least;
      if (bound < INT32_MIN)
        continue;
      int64_t &known = least.try_emplace(symbol, bound).first->second;
      known = std::max(known, bound);
    }
  };
  learn(query.firstOffset);
  learn(query.secondOffset);
  for (const Condition &condition : query.conditions)
    learn(condition.value);
  for (const auto &[variable, bound] : query.bounds)
    learn(bound);
}

/// `x < p` with non-negative x implies that p is positive.
void Prover::learnPositive() {
  for (const Condition &condition : query.conditions) {
    if (condition.kind != Condition::Kind::NotPositive ||
        condition.value.constantTerm() < 1)
      continue;
    std::optional<Symbol> parameter;
    bool isUsable = true;
    for (const auto &[monomial, coefficient] : condition.value.getTerms()) {
      bool isNatural =
          std::all_of(monomial.begin(), monomial.end(),
                      [](const Symbol &symbol) { return isVariable(symbol); });
      if (isNatural && coefficient >= 0)
        continue;
      isUsable &= monomial.size() == 1 && coefficient < 0 && !parameter;
      if (isUsable)
        parameter = monomial.front();
    }
    if (isUsable && parameter) {
      int64_t &known = least.try_emplace(*parameter, 1).first->second;
      known = std::max<int64_t>(known, 1);
    }
  }
}

/// True if the dimension of `id` has one instance.
bool Prover::isOnlyOne(const Symbol &id) const {
  auto bound = query.bounds.find(id);
  return bound != query.bounds.end() && bound->second.asConstant() == 1;
}

/// If the only id of one instance is known, the other instance has a different
/// id.
void Prover::learnDifference() {
  std::optional<DifferingIds> only;
  for (const DifferingIds &difference : query.differences) {
    if (isOnlyOne(difference.first))
      continue;
    if (only)
      return;
    only = difference;
  }
  if (!query.mustDiffer || !only)
    return;
  for (auto [known, other] : {std::pair(only->first, only->second),
                              std::pair(only->second, only->first)})
    if (std::optional<Polynomial> value = fixedValue(known))
      query.conditions.push_back(
          {Condition::Kind::NotZero, Polynomial::of(other) - *value});
}

/// True if `value` is at least 0 for all values of its symbols. With p = l + q
/// for each parameter p of at least l, this holds if no coefficient is negative
/// and no other parameter occurs.
bool Prover::isNotNegative(const Polynomial &value) const {
  if (!value.isValid())
    return false;
  Polynomial shifted = value.substitute([&](const Symbol &symbol) {
    auto found = least.find(symbol);
    return std::optional(found == least.end()
                             ? Polynomial::of(symbol)
                             : Polynomial::of(symbol) + found->second);
  });
  if (!shifted.isValid())
    return false;
  for (const auto &[monomial, coefficient] : shifted.getTerms()) {
    bool isNatural = std::all_of(
        monomial.begin(), monomial.end(), [&](const Symbol &symbol) {
          return isVariable(symbol) || least.count(symbol);
        });
    if (coefficient < 0 || !isNatural)
      return false;
  }
  return true;
}

bool Prover::contradict(const std::vector<Condition> &conditions) const {
  using Kind = Condition::Kind;
  for (const Condition &a : conditions) {
    std::optional<int64_t> constant = a.value.asConstant();
    if (constant && ((a.kind == Kind::NotPositive && *constant > 0) ||
                     (a.kind == Kind::Zero && *constant != 0) ||
                     (a.kind == Kind::NotZero && *constant == 0)))
      return true;
    if (a.kind == Kind::NotPositive && isNotNegative(a.value - 1))
      return true;
    for (const Condition &b : conditions) {
      Polynomial sum = a.value + b.value, difference = a.value - b.value;
      if (a.kind == Kind::NotPositive && b.kind == Kind::NotPositive &&
          isNotNegative(sum - 1))
        return true;
      if (a.kind != Kind::Zero)
        continue;
      if (b.kind == Kind::NotZero && (sum.isZero() || difference.isZero()))
        return true;
      for (const Polynomial &value : {sum, difference})
        if (std::optional<int64_t> known = value.asConstant();
            known && *known != 0 && b.kind == Kind::Zero)
          return true;
      // b is not positive, and a is zero.
      if (b.kind == Kind::NotPositive &&
          (isNotNegative(sum - 1) || isNotNegative(b.value - a.value - 1)))
        return true;
    }
  }
  return false;
}

/// The value that a condition `id == value`, or `id < 1`, gives an id.
std::optional<Polynomial> Prover::fixedValue(const Symbol &id) const {
  for (const Condition &condition : query.conditions) {
    if (condition.kind != Condition::Kind::Zero)
      continue;
    std::optional<Polynomial> factor = condition.value.coefficientOf(id);
    std::optional<int64_t> sign = factor ? factor->asConstant() : std::nullopt;
    Polynomial rest = condition.value.without(
        [&](const Symbol &symbol) { return symbol == id; });
    rest = rest * Polynomial(sign ? -*sign : 0);
    if (sign && (*sign == 1 || *sign == -1) && rest.isValid() &&
        !rest.containsAny(isFree))
      return rest;
  }
  if (std::optional<Polynomial> bound = boundOf(id))
    if (bound->asConstant() == 1)
      return Polynomial(0);
  return std::nullopt;
}

/// False if conditions force equal ids on both instances where they must
/// differ.
bool Prover::canDiffer() const {
  if (!query.mustDiffer)
    return true;
  for (const DifferingIds &difference : query.differences) {
    if (isOnlyOne(difference.first))
      continue;
    std::optional<Polynomial> first = fixedValue(difference.first);
    std::optional<Polynomial> second = fixedValue(difference.second);
    if (!first || !second || !(*first == *second))
      return true;
  }
  return false;
}

std::optional<Polynomial> Prover::boundOf(const Symbol &variable) const {
  std::optional<Polynomial> best;
  for (const Condition &condition : query.conditions) {
    if (condition.kind != Condition::Kind::NotPositive)
      continue;
    std::optional<Polynomial> factor = condition.value.coefficientOf(variable);
    Polynomial rest = condition.value.without(
        [&](const Symbol &symbol) { return symbol == variable; });
    if (!factor || factor->asConstant() != 1 || rest.containsAny(isFree))
      continue;
    Polynomial bound = Polynomial(1) - rest;
    if (bound.isValid() && (!best || isNotNegative(*best - bound)))
      best = bound;
  }
  auto found = query.bounds.find(variable);
  if (found != query.bounds.end() &&
      (!best || isNotNegative(*best - found->second)))
    best = found->second;
  return best;
}

/// None if that is not known.
std::optional<Polynomial>
Prover::larger(const std::optional<Polynomial> &a,
               const std::optional<Polynomial> &b) const {
  if (!a || !b)
    return std::nullopt;
  return isNotNegative(*a - *b) ? a : isNotNegative(*b - *a) ? b : std::nullopt;
}

/// Splits the difference of the addresses into digits; `rest` is the remainder.
std::optional<std::vector<Digit>> Prover::digits(Polynomial &rest) const {
  Polynomial difference = this->difference();
  std::map<Symbol, Polynomial> strides;
  for (const Symbol &symbol : difference.symbols()) {
    if (!isFree(symbol))
      continue;
    std::optional<Polynomial> stride = difference.coefficientOf(symbol);
    if (!stride || !stride->isValid() || stride->containsAny(isFree))
      return std::nullopt;
    strides[symbol] = *stride;
  }
  rest = difference.without(isFree);

  std::vector<Digit> result;
  auto addPair = [&](const Symbol &first, const Symbol &second) {
    Digit digit;
    digit.stride = strides[first];
    digit.first = first;
    digit.second = second;
    digit.above = boundOf(first);
    digit.below = boundOf(second);
    digit.bound = larger(digit.above, digit.below);
    result.push_back(std::move(digit));
    strides.erase(first);
    strides.erase(second);
  };
  auto canPair = [&](const Symbol &first, const Symbol &second) {
    return first.side == Symbol::Side::First &&
           second.side == Symbol::Side::Second &&
           (strides[first] + strides[second]).isZero();
  };
  // First the same id or loop of both instances, then any variable of the same
  // width.
  for (bool isStrict : {true, false}) {
    std::vector<Symbol> symbols;
    for (const auto &[symbol, stride] : strides)
      symbols.push_back(symbol);
    for (const Symbol &first : symbols)
      for (const Symbol &second : symbols) {
        Symbol partner = first;
        partner.side = Symbol::Side::Second;
        partner.owner = second.owner;
        if (strides.count(first) && strides.count(second) &&
            canPair(first, second) && (!isStrict || partner == second))
          addPair(first, second);
      }
  }
  for (const auto &[symbol, stride] : strides) {
    Digit digit;
    digit.stride = stride;
    digit.first = symbol;
    digit.above = digit.bound = boundOf(symbol);
    if (symbol.side == Symbol::Side::Second)
      std::swap(digit.first, digit.second);
    result.push_back(std::move(digit));
  }
  for (Digit &digit : result)
    if (isNotNegative(Polynomial(0) - digit.stride)) {
      digit.stride = Polynomial(0) - digit.stride;
      digit.sign = -1;
      std::swap(digit.above, digit.below);
    }
  return result;
}

/// Moves multiples of strides from the constant part to the digits, so that
/// only a number remains.
void Prover::shiftDigits(std::vector<Digit> &digits, Polynomial &rest) const {
  for (Digit &digit : digits) {
    // Too much work has left nothing of it.
    if (!digit.stride.isValid() || digit.stride.getTerms().empty())
      continue;
    // The last monomial is the longest one, or the only one.
    const auto &[monomial, factor] = *digit.stride.getTerms().rbegin();
    auto found = rest.getTerms().find(monomial);
    if (found == rest.getTerms().end())
      continue;
    int64_t multiple = found->second / factor;
    if (multiple == 0)
      continue;
    digit.shift = multiple;
    rest -= digit.stride * Polynomial(multiple);
    if (digit.bound)
      *digit.bound += std::abs(multiple);
    if (digit.above && digit.below)
      if (auto bound = larger(*digit.above + multiple, *digit.below - multiple))
        digit.bound = bound;
  }
}

/// The limit of a sum of variables that a condition on the sum implies.
std::optional<Polynomial> Prover::sideLimit(const Polynomial &sum) const {
  for (const Condition &condition : query.conditions) {
    if (condition.kind != Condition::Kind::NotPositive)
      continue;
    Polynomial rest = condition.value.without(isFree);
    std::optional<int64_t> factor = sum.dividedBy(condition.value - rest);
    if (factor && *factor > 0)
      return rest * Polynomial(-*factor);
  }
  return std::nullopt;
}

/// Limits of the sum of the digits in `used`.
std::vector<Polynomial> Prover::limitsOf(const std::vector<Digit> &used) const {
  std::vector<Polynomial> limits;
  Polynomial sum, first, second;
  bool isBounded = true, isShifted = false;
  // A positive digit of the first instance adds to a negative one of the
  // second.
  bool isMore = false, isLess = false;
  for (const Digit &digit : used) {
    isShifted |= digit.shift != 0;
    (digit.first.has_value() == (digit.sign > 0) ? isMore : isLess) = true;
    if (digit.bound)
      sum += digit.stride * (*digit.bound - 1);
    isBounded &= digit.bound.has_value();
    if (digit.first)
      first += digit.stride * Polynomial::of(*digit.first);
    if (digit.second)
      second += digit.stride * Polynomial::of(*digit.second);
  }
  if (isBounded)
    limits.push_back(sum);
  std::optional<Polynomial> a =
      first.isZero() ? Polynomial(0) : sideLimit(first);
  std::optional<Polynomial> b =
      second.isZero() ? Polynomial(0) : sideLimit(second);
  if (a && b && !isShifted && !(isMore && isLess)) {
    if (isNotNegative(*a - *b))
      limits.push_back(*a);
    else if (isNotNegative(*b - *a))
      limits.push_back(*b);
  }
  return limits;
}

/// True if the sum of the digits is within `window` of 0 only if all digits are
/// 0.
bool Prover::isRadix(std::vector<Digit> digits,
                     const Polynomial &window) const {
  std::vector<Digit> used;
  std::vector<Polynomial> limits = {Polynomial(0)};
  while (!digits.empty()) {
    auto isNext = [&](const Digit &digit) {
      bool isSmallest =
          std::all_of(digits.begin(), digits.end(), [&](const Digit &other) {
            return &other == &digit ||
                   isNotNegative(other.stride - digit.stride);
          });
      return isSmallest &&
             std::any_of(
                 limits.begin(), limits.end(), [&](const Polynomial &limit) {
                   return isNotNegative(digit.stride - limit - window - 1);
                 });
    };
    auto next = std::find_if(digits.begin(), digits.end(), isNext);
    if (next == digits.end())
      return false;
    used.push_back(*next);
    digits.erase(next);
    limits = limitsOf(used);
  }
  return true;
}

/// If all digits are 0: are the instances then the same, or do the conditions
/// contradict each other?
bool Prover::equalIdsContradict(const std::vector<Digit> &digits) const {
  if (query.mustDiffer) {
    bool areEqual = true;
    for (const DifferingIds &difference : query.differences) {
      areEqual &=
          isOnlyOne(difference.first) ||
          std::any_of(digits.begin(), digits.end(), [&](const Digit &digit) {
            return digit.shift == 0 && digit.first == difference.first &&
                   digit.second == difference.second;
          });
    }
    if (areEqual)
      return true;
  }
  std::map<Symbol, Polynomial> values;
  for (const Digit &digit : digits) {
    int64_t shift = digit.sign * digit.shift;
    if (digit.first && digit.second)
      values[*digit.second] = Polynomial::of(*digit.first) + shift;
    else if (shift > 0)
      return true; // The variable would be negative.
    else
      values[digit.first ? *digit.first : *digit.second] = Polynomial(-shift);
  }
  std::vector<Condition> conditions = query.conditions;
  for (Condition &condition : conditions)
    condition.value = condition.value.substitute([&](const Symbol &symbol) {
      auto found = values.find(symbol);
      return std::optional(found == values.end() ? Polynomial::of(symbol)
                                                 : found->second);
    });
  return contradict(conditions);
}

bool Prover::proveRadix() const {
  Polynomial rest;
  std::optional<std::vector<Digit>> found = digits(rest);
  if (!found)
    return false;
  std::sort(found->begin(), found->end(),
            [](const Digit &a, const Digit &b) { return b.stride < a.stride; });
  shiftDigits(*found, rest);
  std::optional<int64_t> gap = rest.asConstant();
  if (!gap)
    return false;
  int64_t window =
      std::max(query.firstSize + *gap, query.secondSize - *gap) - 1;
  bool isApart = *gap >= query.secondSize || *gap <= -query.firstSize;
  return isRadix(*found, Polynomial(window)) &&
         (isApart || equalIdsContradict(*found));
}

/// One range ends before the other begins.
bool Prover::lieApart() const {
  Polynomial difference = this->difference();
  for (int sign : {1, -1}) {
    // The least value of `sign` times the difference.
    Polynomial least = (difference * Polynomial(sign)).without(isFree);
    bool isKnown = true;
    for (const Symbol &symbol : difference.symbols()) {
      if (!isFree(symbol))
        continue;
      std::optional<Polynomial> stride = difference.coefficientOf(symbol);
      if (!stride || !stride->isValid() || stride->containsAny(isFree))
        return false;
      Polynomial factor = *stride * Polynomial(sign);
      if (isNotNegative(factor))
        continue;
      std::optional<Polynomial> bound = boundOf(symbol);
      isKnown &= bound && isNotNegative(Polynomial(0) - factor);
      if (isKnown)
        least += factor * (*bound - 1);
    }
    int64_t size = sign > 0 ? query.secondSize : query.firstSize;
    if (isKnown && isNotNegative(least - size))
      return true;
  }
  return false;
}

bool Prover::proveDivisor() const {
  Polynomial difference = this->difference();
  if (!difference.isValid())
    return false;
  int64_t divisor = 0, gap = difference.constantTerm();
  for (const auto &[monomial, coefficient] : difference.getTerms())
    if (!monomial.empty())
      divisor = std::gcd(divisor, coefficient);
  if (divisor == 0)
    return gap >= query.secondSize || gap <= -query.firstSize;
  int64_t least = ((gap % divisor) + divisor) % divisor;
  return least >= query.secondSize && least - divisor <= -query.firstSize;
}

static bool areDisjointDirectly(const OverlapQuery &query) {
  if (Prover(query).prove())
    return true;
  OverlapQuery varied = query;
  bool isVaried = makeVariables(varied);
  if (isVaried && Prover(varied).prove())
    return true;
  for (ParameterAs as :
       {ParameterAs::MoreThanOthers, ParameterAs::LessThanOthers,
        ParameterAs::LessThanNumber})
    for (const OverlapQuery *asked :
         std::initializer_list<const OverlapQuery *>{&varied, &query}) {
      OverlapQuery replaced = *asked;
      if (replaceParameters(replaced, as) && Prover(replaced).prove())
        return true;
      if (!isVaried)
        break;
    }
  return false;
}

bool sluice::races::areDisjoint(const OverlapQuery &query) {
  if (areDisjointDirectly(query) ||
      areDisjointJointly(query, areDisjointDirectly))
    return true;
  OverlapQuery upward = query;
  return countUpward(upward) && areDisjoint(upward);
}
