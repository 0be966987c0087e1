//===- Emptiness.cpp - Proofs over integers -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If everything is linear, MLIR's Presburger library decides exactly whether
// two accesses meet. Quotients by constants, and truncations to a type, are
// linear with one more variable each. A product becomes an arbitrary number in
// its range, so a proof may be missed, but no answer is wrong.
//
//===----------------------------------------------------------------------===//

#include "../Terms/Polynomial.h"
#include "../Terms/Work.h"
#include "Overlap.h"

#include "mlir/Analysis/Presburger/IntegerRelation.h"
#include "llvm/Support/MathExtras.h"

using namespace sluice::races;
using llvm::DynamicAPInt;
using mlir::presburger::IntegerPolyhedron;
using mlir::presburger::PresburgerSpace;

namespace {
/// A sum of columns with factors, plus a constant.
struct Linear {
  std::map<unsigned, int64_t> factors;
  int64_t constant = 0;
};

/// Sums that are not negative, of which variables are eliminated one by one.
/// Each step may multiply their number, so what it does is counted as work.
class Elimination : public IntegerPolyhedron {
public:
  explicit Elimination(const IntegerPolyhedron &set) : IntegerPolyhedron(set) {}

  /// False if that is not shown, or takes too long.
  bool showsEmpty();

private:
  /// The sums that a step leaves, and those that are not about the variable.
  int64_t sumsWithout(unsigned column) const;
  unsigned cheapest() const;
};

class System {
public:
  System(const OverlapQuery &query, Ranges ranges)
      : query(query), ranges(ranges) {}

  bool isEmpty(unsigned &searchesLeft);

private:
  /// Sums that are not negative.
  using Sums = std::vector<Linear>;

  unsigned addColumn() { return numColumns++; }
  static Linear column(unsigned number) { return {{{number, 1}}, 0}; }
  void add(Linear &sum, const Linear &other, int64_t factor);
  void addRange(const Linear &value, const IntegerRange &range);
  Linear linear(const Polynomial &value);
  Linear linear(const Symbol &symbol);
  Linear derived(const Symbol &symbol);
  Linear productOf(const Monomial &monomial);
  void require(const Condition &condition);
  void requireMeeting();
  bool isEmptyFrom(const IntegerPolyhedron &known, unsigned choice);
  void constrain(IntegerPolyhedron &set, const Linear &sum) const;

  /// Limits for quick elimination, and for the search for a solution, whose
  /// time grows fast with the number of variables.
  static constexpr unsigned maxColumns = 40, maxSearched = 12;
  static constexpr unsigned maxChoices = 8, maxLeaves = 64;

  const OverlapQuery &query;
  Ranges ranges;
  unsigned numColumns = 0, leaves = 0;
  unsigned *searchesLeft = nullptr;
  bool isValid = true;
  std::map<Symbol, Linear> symbols;
  std::map<Monomial, Linear> products;
  Sums notNegative;
  /// One of each holds.
  std::vector<std::vector<Sums>> choices;
};
} // namespace

int64_t Elimination::sumsWithout(unsigned column) const {
  int64_t numAbove = 0, numBelow = 0, numOthers = 0;
  for (unsigned row = 0; row != getNumInequalities(); ++row) {
    const DynamicAPInt factor = atIneq(row, column);
    ++(factor > 0 ? numAbove : factor < 0 ? numBelow : numOthers);
  }
  return numAbove * numBelow + numOthers;
}

unsigned Elimination::cheapest() const {
  unsigned best = 0;
  int64_t least = INT64_MAX;
  for (unsigned column = 0; column != getNumVars(); ++column)
    if (int64_t number = sumsWithout(column); number < least) {
      best = column;
      least = number;
    }
  return best;
}

bool Elimination::showsEmpty() {
  // Of a number of a sum; what looks at symbols of terms is as much quicker.
  constexpr int64_t price = 4;
  constexpr int64_t maxSums = 2048;
  gcdTightenInequalities();
  removeTrivialRedundancy();
  if (hasInvalidConstraint())
    return true;
  while (getNumVars() != 0 && getNumInequalities() != 0) {
    const unsigned column = cheapest();
    const int64_t numSums = sumsWithout(column);
    if (numSums > maxSums ||
        !takeWork(price * (numSums + getNumInequalities()) * getNumCols()))
      return false;
    fourierMotzkinEliminate(column);
    if (hasInvalidConstraint())
      return true;
  }
  return false;
}

void System::add(Linear &sum, const Linear &other, int64_t factor) {
  auto addTo = [&](int64_t &to, int64_t value) {
    int64_t term;
    isValid &= !llvm::MulOverflow(value, factor, term) &&
               !llvm::AddOverflow(to, term, to);
  };
  for (const auto &[number, value] : other.factors)
    addTo(sum.factors[number], value);
  addTo(sum.constant, other.constant);
}

void System::addRange(const Linear &value, const IntegerRange &range) {
  if (range.least != INT64_MIN) {
    Linear above;
    add(above, value, 1);
    above.constant -= range.least;
    notNegative.push_back(above);
  }
  if (range.most != INT64_MAX) {
    Linear below;
    add(below, value, -1);
    below.constant += range.most;
    notNegative.push_back(below);
  }
}

Linear System::derived(const Symbol &symbol) {
  const Derivation &derivation = *symbol.derivation;
  switch (derivation.op) {
  case Derivation::Op::Wrap: {
    Linear value = linear(derivation.operands[0]);
    add(value, column(addColumn()), -(int64_t(1) << derivation.bits));
    addRange(value, rangeOfType(derivation.bits, derivation.isSigned));
    return value;
  }
  case Derivation::Op::Divide: {
    Linear result = column(addColumn());
    Linear rest = linear(derivation.operands[0]);
    add(rest, result, -derivation.divisor);
    addRange(rest, {0, derivation.divisor - 1});
    addRange(result, rangeOf(symbol, ranges));
    return result;
  }
  case Derivation::Op::Maximum: {
    Linear result = column(addColumn());
    std::vector<Sums> either;
    for (const Polynomial &operand : derivation.operands) {
      Linear above = result, below;
      add(above, linear(operand), -1);
      add(below, above, -1);
      notNegative.push_back(above);
      either.push_back({below});
    }
    choices.push_back(std::move(either));
    return result;
  }
  case Derivation::Op::Opaque: {
    Linear result = column(addColumn());
    addRange(result, derivation.range);
    return result;
  }
  }
  return {};
}

Linear System::linear(const Symbol &symbol) {
  auto found = symbols.find(symbol);
  if (found != symbols.end())
    return found->second;
  Linear result;
  if (symbol.derivation) {
    result = derived(symbol);
  } else {
    result = column(addColumn());
    addRange(result, ranges(symbol));
  }
  return symbols[symbol] = result;
}

Linear System::productOf(const Monomial &monomial) {
  auto found = products.find(monomial);
  if (found != products.end())
    return found->second;
  Linear result = column(addColumn());
  Polynomial value(1);
  for (const Symbol &symbol : monomial)
    value = value * Polynomial::of(symbol);
  addRange(result, rangeOf(value, ranges));
  // A factor that is one of two numbers determines the product.
  for (unsigned i = 0; i != monomial.size(); ++i) {
    IntegerRange range = rangeOf(monomial[i], ranges);
    if (!range.isBounded() || range.most - range.least != 1)
      continue;
    Monomial others = monomial;
    others.erase(others.begin() + i);
    Linear factor = linear(monomial[i]);
    Linear rest =
        others.size() == 1 ? linear(others.front()) : productOf(others);
    std::vector<Sums> either;
    for (int64_t number : {range.least, range.most}) {
      Linear more = result, less, isMore = factor, isLess;
      add(more, rest, -number);
      add(less, more, -1);
      isMore.constant -= number;
      add(isLess, isMore, -1);
      either.push_back({more, less, isMore, isLess});
    }
    choices.push_back(std::move(either));
    break;
  }
  return products[monomial] = result;
}

Linear System::linear(const Polynomial &value) {
  Linear result;
  isValid &= value.isValid();
  for (const auto &[monomial, coefficient] : value.getTerms()) {
    if (monomial.empty())
      result.constant = coefficient;
    else
      add(result,
          monomial.size() == 1 ? linear(monomial.front()) : productOf(monomial),
          coefficient);
  }
  return result;
}

void System::require(const Condition &condition) {
  Linear value = linear(condition.value), less;
  add(less, value, -1);
  switch (condition.kind) {
  case Condition::Kind::NotPositive:
    notNegative.push_back(less);
    return;
  case Condition::Kind::Zero:
    notNegative.push_back(less);
    notNegative.push_back(value);
    return;
  case Condition::Kind::NotZero:
    --less.constant;
    --value.constant;
    choices.push_back({{less}, {value}});
    return;
  }
}

void System::requireMeeting() {
  // Each begins before the other ends.
  for (int sign : {1, -1}) {
    Linear gap =
        linear((query.secondOffset - query.firstOffset) * Polynomial(sign));
    gap.constant += (sign > 0 ? query.secondSize : query.firstSize) - 1;
    notNegative.push_back(gap);
  }
  if (!query.mustDiffer)
    return;
  std::vector<Sums> either;
  for (const DifferingIds &difference : query.differences) {
    Linear more = linear(difference.first), less;
    add(more, linear(difference.second), -1);
    add(less, more, -1);
    --more.constant;
    --less.constant;
    either.push_back({more});
    either.push_back({less});
  }
  choices.insert(choices.begin(), std::move(either));
}

void System::constrain(IntegerPolyhedron &set, const Linear &sum) const {
  llvm::SmallVector<int64_t> row(numColumns + 1, 0);
  for (const auto &[number, factor] : sum.factors)
    row[number] = factor;
  row.back() = sum.constant;
  set.addInequality(row);
}

bool System::isEmptyFrom(const IntegerPolyhedron &known, unsigned choice) {
  if (++leaves > maxLeaves)
    return false;
  if (choice == choices.size() || choice == maxChoices) {
    if (numColumns > maxSearched || *searchesLeft == 0)
      return false;
    // The library does not say how much it does: on average, less than this.
    constexpr int64_t price = 16;
    --*searchesLeft;
    return takeWork(price * known.getNumInequalities() * numColumns *
                    numColumns) &&
           known.isIntegerEmpty();
  }
  for (const Sums &sums : choices[choice]) {
    IntegerPolyhedron narrowed = known;
    for (const Linear &sum : sums)
      constrain(narrowed, sum);
    if (!Elimination(narrowed).showsEmpty() &&
        !isEmptyFrom(narrowed, choice + 1))
      return false;
  }
  return true;
}

bool System::isEmpty(unsigned &searches) {
  searchesLeft = &searches;
  requireMeeting();
  for (const Condition &condition : query.conditions)
    require(condition);
  for (const auto &[variable, bound] : query.bounds) {
    Linear room = linear(bound);
    add(room, linear(variable), -1);
    --room.constant;
    notNegative.push_back(room);
  }
  if (!isValid || numColumns > maxColumns)
    return false;
  IntegerPolyhedron set(PresburgerSpace::getSetSpace(numColumns));
  for (const Linear &sum : notNegative)
    constrain(set, sum);
  return Elimination(set).showsEmpty() || isEmptyFrom(set, 0);
}

bool sluice::races::areDisjointNumbers(const OverlapQuery &query,
                                       unsigned &searchesLeft) {
  QueryRanges ranges(query);
  return System(query, [&](const Symbol &symbol) { return ranges.of(symbol); })
      .isEmpty(searchesLeft);
}
