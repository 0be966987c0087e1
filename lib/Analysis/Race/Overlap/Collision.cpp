//===- Collision.cpp - Instances that provably meet -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A depth-first search over small values of ids and loop iterations. The
// variables that decide where the accesses go come first, so that the others
// are only tried where the accesses meet.
//
//===----------------------------------------------------------------------===//

#include "../Terms/Work.h"
#include "Overlap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <random>

using namespace sluice::races;

namespace {
using Values = std::map<Symbol, int64_t>;

class CollisionSearch {
public:
  using Accept = llvm::function_ref<bool(const Values &)>;
  CollisionSearch(const OverlapQuery &query, const std::set<Symbol> &unmoved,
                  const std::vector<TurnRelation> &turns, Accept accept)
      : query(query), unmoved(unmoved), turns(turns), accept(accept),
        difference(query.firstOffset - query.secondOffset) {}

  std::optional<Values> run();

private:
  /// The search gives up after this number of assignments.
  static constexpr unsigned limit = 20000;
  /// The search gives up after offering this number of solutions.
  static constexpr unsigned maxOffers = 12;

  void addVariables(const Polynomial &value);
  std::vector<int64_t> candidatesFor(const Symbol &variable) const;
  bool assign(unsigned number);
  bool meet();
  bool isSolution();
  bool haveParameters();
  bool holds(const Condition &condition,
             llvm::function_ref<int64_t(const Symbol &)> value) const;
  bool allHold(llvm::function_ref<int64_t(const Symbol &)> value) const;

  const OverlapQuery &query;
  const std::set<Symbol> &unmoved;
  const std::vector<TurnRelation> &turns;
  Accept accept;
  Polynomial difference;
  /// The number of bytes between the accesses follows from variables alone.
  bool isOfVariables = false;
  std::vector<Symbol> variables;
  /// How many of them decide whether the accesses meet.
  size_t numDeciding = 0;
  std::set<Symbol> parameters;
  std::vector<std::vector<int64_t>> candidates;
  Values values;
  /// Values of parameters that satisfy all conditions.
  Values found;
  /// A solution that was accepted.
  Values solution;
  unsigned tried = 0, offered = 0;
};
} // namespace

void CollisionSearch::addVariables(const Polynomial &value) {
  for (const Symbol &symbol : value.baseSymbols()) {
    if (!isVariable(symbol))
      parameters.insert(symbol);
    else if (std::find(variables.begin(), variables.end(), symbol) ==
             variables.end())
      variables.push_back(symbol);
  }
}

/// Small numbers, and numbers next to where a condition changes.
std::vector<int64_t>
CollisionSearch::candidatesFor(const Symbol &variable) const {
  std::set<int64_t> numbers = {0, 1, 2};
  auto addRoot = [&](const Polynomial &value) {
    std::optional<Polynomial> factor = value.coefficientOf(variable);
    std::optional<int64_t> step = factor ? factor->asConstant() : std::nullopt;
    if (!step || *step == 0)
      return;
    for (int64_t near : {-1, 0, 1})
      if (int64_t number = -value.constantTerm() / *step + near; number >= 0)
        numbers.insert(number);
  };
  addRoot(difference);
  for (const Condition &condition : query.conditions)
    addRoot(condition.value);
  // As many of these strides as make up one stride of another variable.
  std::optional<Polynomial> own = difference.coefficientOf(variable);
  for (const Symbol &other : difference.symbols())
    if (own && isVariable(other))
      if (auto stride = difference.coefficientOf(other))
        if (auto multiple = stride->dividedBy(*own))
          numbers.insert(std::abs(*multiple));
  auto bound = query.bounds.find(variable);
  std::optional<int64_t> most =
      bound == query.bounds.end() ? std::nullopt : bound->second.asConstant();
  std::vector<int64_t> result;
  for (int64_t number : numbers)
    if (!most || number < *most)
      result.push_back(number);
  if (unmoved.count(variable))
    return {0};
  if (result.size() > 8)
    result.resize(8);
  return result;
}

bool CollisionSearch::holds(
    const Condition &condition,
    llvm::function_ref<int64_t(const Symbol &)> value) const {
  auto check = [&](llvm::function_ref<int64_t(const Symbol &)> at) {
    constexpr size_t termsPerWork = 4;
    takeWork(1 + condition.value.getTerms().size() / termsPerWork);
    std::optional<int64_t> number = condition.value.evaluate(at);
    if (!number)
      return false;
    switch (condition.kind) {
    case Condition::Kind::NotPositive:
      return *number <= 0;
    case Condition::Kind::Zero:
      return *number == 0;
    case Condition::Kind::NotZero:
      return *number != 0;
    }
    return false;
  };
  if (!check(value))
    return false;
  if (condition.loop < 0)
    return true;
  // Linear in the iteration: if it holds in the first iteration and in this
  // one, it holds in all between.
  return check([&](const Symbol &symbol) {
    return symbol.kind == Symbol::Kind::Turn &&
                   symbol.index == static_cast<unsigned>(condition.loop)
               ? 0
               : value(symbol);
  });
}

bool CollisionSearch::allHold(
    llvm::function_ref<int64_t(const Symbol &)> value) const {
  for (const Condition &condition : query.conditions)
    if (!holds(condition, value))
      return false;
  for (const auto &[variable, bound] : query.bounds) {
    std::optional<int64_t> most = bound.evaluate(value);
    if (!most || value(variable) >= *most)
      return false;
  }
  for (const auto &[parameter, least] : query.least)
    if (value(parameter) < least)
      return false;
  return true;
}

/// True if some parameters satisfy all conditions.
bool CollisionSearch::haveParameters() {
  std::set<int64_t> numbers = {8, 1000, 1, 0, 1 << 20, 2, 16};
  for (const Condition &condition : query.conditions)
    for (int64_t near : {-1, 0, 1}) {
      numbers.insert(condition.value.constantTerm() + near);
      numbers.insert(-condition.value.constantTerm() + near);
    }
  std::vector<int64_t> choices(numbers.begin(), numbers.end());
  std::map<Symbol, int64_t> chosen;
  auto isOpaque = [](const Symbol &symbol) {
    return symbol.kind == Symbol::Kind::Output ||
           symbol.kind == Symbol::Kind::Value;
  };
  for (const Condition &condition : query.conditions)
    if (condition.value.containsAny(isOpaque))
      return false;
  // The host may pass any arguments, but values that nodes compute are unknown.
  // Of an extent it is only known that there is an instance.
  auto value = [&](const Symbol &symbol) -> int64_t {
    if (isOpaque(symbol))
      return 1;
    if (isVariable(symbol)) {
      auto found = values.find(symbol);
      return found == values.end() ? 0 : found->second;
    }
    auto found = chosen.find(symbol);
    return found == chosen.end() ? 8 : found->second;
  };
  for (int64_t number : choices) {
    for (const Symbol &parameter : parameters)
      chosen[parameter] = number;
    if (allHold(value)) {
      found = chosen;
      return true;
    }
  }
  if (parameters.empty())
    return false;
  std::minstd_rand random(1);
  for (unsigned i = 0; i != 300 && !WorkLimit::isReached(); ++i) {
    for (const Symbol &parameter : parameters)
      chosen[parameter] = choices[random() % choices.size()];
    if (allHold(value)) {
      found = chosen;
      return true;
    }
  }
  return false;
}

/// Whether two instances that differ touch the same byte.
bool CollisionSearch::meet() {
  if (query.mustDiffer &&
      std::all_of(query.differences.begin(), query.differences.end(),
                  [&](const DifferingIds &difference) {
                    return values[difference.first] ==
                           values[difference.second];
                  }))
    return false;
  std::optional<int64_t> bytes;
  if (isOfVariables) {
    takeWork(difference.getTerms().size());
    bytes = difference.evaluate(
        [&](const Symbol &symbol) { return values[symbol]; });
  } else {
    bytes = difference
                .substitute([&](const Symbol &symbol) {
                  return std::optional(isVariable(symbol)
                                           ? Polynomial(values[symbol])
                                           : Polynomial::of(symbol));
                })
                .asConstant();
  }
  return bytes && *bytes<query.secondSize && * bytes> - query.firstSize;
}

bool CollisionSearch::isSolution() {
  for (const TurnRelation &turn : turns)
    if (values[turn.first] + turn.distance != values[turn.second])
      return false;
  if (!haveParameters())
    return false;
  solution = values;
  solution.insert(found.begin(), found.end());
  ++offered;
  return accept(solution);
}

bool CollisionSearch::assign(unsigned number) {
  if (number == numDeciding && (++tried > limit || !meet()))
    return false;
  if (number == variables.size())
    return ++tried <= limit && isSolution();
  for (int64_t candidate : candidates[number]) {
    values[variables[number]] = candidate;
    if (assign(number + 1))
      return true;
    // Beyond the limit of work, nothing is equal.
    if (tried > limit || offered == maxOffers || WorkLimit::isReached())
      return false;
  }
  return false;
}

/// Whether numbers for variables give a number for `value`.
static bool followsFromVariables(const Polynomial &value) {
  return value.isValid() &&
         llvm::all_of(value.symbols(), [](const Symbol &symbol) {
           if (!symbol.derivation)
             return isVariable(symbol);
           return symbol.derivation->op != Derivation::Op::Opaque &&
                  llvm::all_of(symbol.derivation->operands,
                               followsFromVariables);
         });
}

std::optional<Values> CollisionSearch::run() {
  for (const DifferingIds &difference : query.differences) {
    addVariables(Polynomial::of(difference.first));
    addVariables(Polynomial::of(difference.second));
  }
  addVariables(difference);
  numDeciding = variables.size();
  isOfVariables = followsFromVariables(difference);
  for (const Condition &condition : query.conditions)
    addVariables(condition.value);
  for (const TurnRelation &turn : turns) {
    addVariables(Polynomial::of(turn.first));
    addVariables(Polynomial::of(turn.second));
  }
  for (const auto &[variable, bound] : query.bounds)
    addVariables(bound);
  for (const Symbol &variable : variables)
    candidates.push_back(candidatesFor(variable));
  if (!assign(0))
    return std::nullopt;
  return solution;
}

std::optional<Values>
sluice::races::findCollision(const OverlapQuery &query,
                             const std::set<Symbol> &unmoved,
                             const std::vector<TurnRelation> &turns,
                             llvm::function_ref<bool(const Values &)> accept) {
  return CollisionSearch(query, unmoved, turns, accept).run();
}
