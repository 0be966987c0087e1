//===- TableTests.cpp - What launches test of tables ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test must not refuse a correct launch. So it covers exactly the entries
// that instances use: for all ids and turns of loops that the conditions of the
// access allow, if these conditions decide alone whether it is executed.
//
//===----------------------------------------------------------------------===//

#include "TableTests.h"
#include "EqualStores.h"
#include "ProofAttempts.h"
#include "TableFormulas.h"

#include "sluice/DFG/AssumedExtents.h"
#include "sluice/DFG/OrderedDims.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace sluice;
using namespace sluice::races;

namespace {
class TestBuilder {
public:
  explicit TestBuilder(const TreeNode &leaf) : leaf(leaf) {}

  /// None if not all of it follows from the arguments of the root.
  std::optional<TableCondition> build(const Polynomial &place,
                                      const std::vector<Polynomial> &limits);

private:
  bool findVariables();
  bool addOthers();
  bool isLimited(const Symbol &turn, llvm::ArrayRef<Symbol> before) const;

  const TreeNode &leaf;
  TableCondition test;
  FormulaWriter formulas;
  /// The place, and the limits.
  std::vector<Polynomial> sums;
  std::vector<Symbol> variables;
};
} // namespace

/// Whether the turns have a limit for each value of `before`.
bool TestBuilder::isLimited(const Symbol &turn,
                            llvm::ArrayRef<Symbol> before) const {
  return llvm::any_of(llvm::drop_begin(sums), [&](const Polynomial &limit) {
    std::optional<Polynomial> factor = limit.coefficientOf(turn);
    return factor && factor->asConstant().value_or(0) > 0 &&
           !limit.containsAny([&](const Symbol &symbol) {
             return isVariable(symbol) && symbol != turn &&
                    !llvm::is_contained(before, symbol);
           });
  });
}

/// Those that no place depends on come last, if the limits allow it: one value
/// of them is enough.
bool TestBuilder::findVariables() {
  for (const Polynomial &sum : sums)
    for (const Symbol &symbol : sum.baseSymbols())
      if (isVariable(symbol) && !llvm::is_contained(variables, symbol))
        variables.push_back(symbol);
  if (variables.size() > SLUICE_TABLE_VARIABLES)
    return false;
  auto isSorted = [&](bool isPlaceFirst) {
    llvm::sort(variables, [&](const Symbol &a, const Symbol &b) {
      const bool isOfPlace = sums.front().contains(a);
      return isOfPlace == sums.front().contains(b) ? a < b
                                                   : isOfPlace == isPlaceFirst;
    });
    for (size_t i = 0; i != variables.size(); ++i)
      if (variables[i].kind == Symbol::Kind::Turn &&
          !isLimited(variables[i], llvm::ArrayRef(variables).take_front(i)))
        return false;
    return true;
  };
  return isSorted(true) || isSorted(false);
}

/// Adds the ids that nothing depends on, as there may be no instance at all.
/// They come first, where they keep no places from being a row.
bool TestBuilder::addOthers() {
  std::vector<Symbol> others;
  for (unsigned level = 0; level != leaf.depth; ++level)
    for (const auto &[dimension, extent] :
         llvm::enumerate(leaf.ancestorAt(level)->extents)) {
      Symbol id;
      id.index = level;
      id.dimension = dimension;
      if (!llvm::is_contained(variables, id) &&
          !(extent && extent->asConstant().value_or(0) > 0))
        others.push_back(id);
    }
  variables.insert(variables.begin(), others.begin(), others.end());
  return variables.size() <= SLUICE_TABLE_VARIABLES;
}

std::optional<TableCondition>
TestBuilder::build(const Polynomial &place,
                   const std::vector<Polynomial> &limits) {
  constexpr size_t maxSums = 64, maxSteps = 2000;
  sums = {place};
  sums.insert(sums.end(), limits.begin(), limits.end());
  if (sums.size() > maxSums || !findVariables() || !addOthers())
    return std::nullopt;
  test.numVariables = variables.size();
  test.numSums = sums.size();
  for (const Symbol &variable : variables) {
    if (variable.kind == Symbol::Kind::Turn) {
      formulas.addUnlimited();
      continue;
    }
    const TreeNode *node = leaf.ancestorAt(variable.index);
    std::optional<Polynomial> extent = node->extent(variable.dimension);
    if (!extent || !formulas.add(*extent) ||
        (node->op && dfg::orderedDims(node->op) != 0) ||
        (leaf.effects && leaf.effects->order))
      return std::nullopt;
  }
  for (const Polynomial &sum : sums)
    if (!formulas.addSum(sum, variables))
      return std::nullopt;
  if (formulas.steps.size() > maxSteps)
    return std::nullopt;
  test.steps = std::move(formulas.steps);
  return std::move(test);
}

/// The conditions of the first access as sums that are not positive; none if a
/// condition is of another form.
static std::optional<std::vector<Polynomial>>
limitsIn(const OverlapQuery &query) {
  std::vector<Polynomial> limits;
  for (const Condition &condition : query.conditions) {
    if (condition.isResult || condition.value.containsAny(isOfSecond))
      continue;
    const Polynomial value = withoutSide(condition.value);
    if (condition.kind == Condition::Kind::NotZero || !value.isValid())
      return std::nullopt;
    limits.push_back(value);
    if (condition.kind == Condition::Kind::Zero)
      limits.push_back(Polynomial(0) - value);
  }
  return limits;
}

bool races::isUnprotected(const PlacedAccess &access) {
  return access.pointers.empty() && access.target.levels == 0 &&
         access.access->guards.empty() && access.access->vouches.empty() &&
         access.access->sides.empty();
}

bool races::haveSameDeciders(llvm::ArrayRef<Condition> a,
                             llvm::ArrayRef<Condition> b) {
  auto decides = [](const Condition &condition) { return !condition.isResult; };
  return llvm::equal(llvm::make_filter_range(a, decides),
                     llvm::make_filter_range(b, decides));
}

bool races::isEntrySize(unsigned bits) {
  return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

/// Whether conditions on ids and turns decide alone which instances execute an
/// access.
static bool isPlain(const PlacedAccess &access) {
  return access.isCertain && access.access->firstTurns.empty() &&
         isUnprotected(access);
}

/// Whether instances with equal entries of `use` meet, whatever these are.
static bool meetIfEqual(const TableUse &use,
                        const std::vector<Polynomial> &limits) {
  // An instance may find an entry twice.
  auto isTurn = [](const Symbol &symbol) {
    return symbol.kind == Symbol::Kind::Turn;
  };
  if (!use.hasFreeRest || use.first.containsAny(isTurn))
    return false;
  // Both go to all places that the rest allows, or at least to the first.
  const Polynomial rest = withoutSide(use.rest);
  auto isOfRest = [&](const Symbol &symbol) {
    return isVariable(symbol) && rest.contains(symbol);
  };
  auto isOther = [&](const Symbol &symbol) {
    return isVariable(symbol) && !rest.contains(symbol);
  };
  auto isMost = [&](const Polynomial &limit) {
    return llvm::all_of(limit.baseSymbols(), [&](const Symbol &symbol) {
      if (!isOfRest(symbol))
        return true;
      std::optional<Polynomial> factor = limit.coefficientOf(symbol);
      return factor && factor->asConstant().value_or(-1) >= 0;
    });
  };
  return llvm::none_of(limits,
                       [&](const Polynomial &limit) {
                         return limit.containsAny(isOfRest) &&
                                limit.containsAny(isOther);
                       }) ||
         llvm::all_of(limits, isMost);
}

std::vector<TableCondition>
races::testsOfTables(const PlacedAccesses &accesses, Explorer &explorer,
                     const TreeNode &leaf, const PlacedAccess &a,
                     const PlacedAccess &b, const OverlapQuery &query,
                     const std::vector<TableUse> &used) {
  if (!isPlain(a) || !isPlain(b) ||
      !haveSameDeciders(a.conditions, b.conditions) || chunkOf(a) != 1 ||
      leaf.effects->hasBarrier || storeTheSame(a, b))
    return {};
  UsualExtents assumed;
  const OverlapQuery usual =
      assumeUsualExtents(query, dfg::leastUsualExponent, &assumed);
  std::optional<std::vector<Polynomial>> limits = limitsIn(usual);
  if (!limits)
    return {};
  std::vector<TableCondition> tests;
  for (const TableUse &use : used) {
    std::optional<MemoryObject> table = accesses.unwritten(leaf, use.memory);
    const Polynomial place = withoutSide(use.first);
    if (!meetIfEqual(use, *limits) || !isEntrySize(use.bits) || !table ||
        table->kind != MemoryObject::Kind::Argument || table->depth != 0 ||
        place != withoutSide(use.second))
      return {};
    std::optional<TableCondition> test =
        TestBuilder(leaf).build(place, *limits);
    if (!test)
      return {};
    test->argument = table->index;
    test->entryBytes = use.bits / 8;
    tests.push_back(std::move(*test));
  }
  noteLimits(
      explorer, query, assumed, leaf, leaf,
      [&](const OverlapQuery &asked) { return limitsIn(asked) == limits; });
  return tests;
}
