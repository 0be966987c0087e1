//===- ProofAttempts.cpp - Attempts to show that accesses never meet ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order is by price: what most programs need comes first, and what few need
// is only tried where a question has the form for it.
//
//===----------------------------------------------------------------------===//

#include "ProofAttempts.h"
#include "Terms/Work.h"

#include "sluice/DFG/AssumedExtents.h"

using namespace sluice;
using namespace sluice::races;

/// The same question with the limits that follow from conditions such as `j <=
/// i` if `i` has a limit; none if there are no such limits.
static std::optional<OverlapQuery> withLimits(const OverlapQuery &query) {
  OverlapQuery result = query;
  for (const Condition &condition : query.conditions)
    if (condition.kind == Condition::Kind::NotPositive)
      for (const Symbol &symbol : condition.value.symbols()) {
        auto bound = query.bounds.find(symbol);
        if (!isVariable(symbol) || bound == query.bounds.end())
          continue;
        auto factor = condition.value.coefficientOf(symbol);
        if (factor && factor->asConstant() == -1)
          result.conditions.push_back(
              {Condition::Kind::NotPositive,
               condition.value + Polynomial::of(symbol) - bound->second + 1});
      }
  return result.conditions.size() == query.conditions.size()
             ? std::nullopt
             : std::optional(std::move(result));
}

static bool isProvenByStrides(const OverlapQuery &usual) {
  std::optional<OverlapQuery> plain = withoutDerived(usual);
  if (!plain)
    return false;
  bool areApart = areDisjoint(*plain);
  if (!areApart)
    if (std::optional<OverlapQuery> limited = withLimits(*plain))
      areApart = areDisjoint(*limited);
  return areApart && !WorkLimit::isReached();
}

/// True if arithmetic over products, quotients and remainders shows it.
static bool isProvenByOrder(const OverlapQuery &usual) {
  // This costs almost nothing for questions without such a form.
  auto prove = [](const OverlapQuery &asked) {
    return isProvenByStrides(asked) ||
           areDisjointInOrder(asked, isProvenByStrides);
  };
  return (areDisjointInOrder(usual, isProvenByStrides) ||
          areDisjointByRemainders(usual, prove)) &&
         !WorkLimit::isReached();
}

bool races::isProven(const OverlapQuery &usual) {
  return isProvenByStrides(usual) || isProvenByOrder(usual);
}

bool races::isProvenByNumbers(const OverlapQuery &usual,
                              unsigned &searchesLeft) {
  return areDisjointNumbers(usual, searchesLeft) && !WorkLimit::isReached();
}

/// Keeps the assumptions of a proof about instances of the two.
static void note(Explorer &explorer, const UsualExtents &needed,
                 unsigned exponent, const TreeNode &first,
                 const TreeNode &second) {
  auto lower = [&](unsigned &known) {
    known = known == 0 ? exponent : std::min(known, exponent);
  };
  if (needed.hasTurns)
    lower(explorer.usualTurns);
  for (const Symbol &id : needed.ids) {
    if (id.side != Symbol::Side::Second)
      lower(explorer.usualExtents[{first.ancestorAt(id.index), id.dimension}]);
    if (id.side != Symbol::Side::First)
      lower(explorer.usualExtents[{second.ancestorAt(id.index), id.dimension}]);
  }
}

void races::noteLimits(Explorer &explorer, const OverlapQuery &exact,
                       UsualExtents needed, const TreeNode &first,
                       const TreeNode &second,
                       llvm::function_ref<bool(const OverlapQuery &)> prove) {
  if (needed.isEmpty())
    return;
  WorkLimit limit(explorer.maxWork());
  if (prove(exact))
    return;
  unsigned exponent = dfg::leastUsualExponent;
  for (unsigned larger : dfg::usualExponents) {
    if (larger == exponent)
      break;
    UsualExtents assumed;
    if (prove(assumeUsualExtents(exact, larger, &assumed))) {
      exponent = larger;
      needed = std::move(assumed);
      break;
    }
  }
  std::set<IdDimension> dimensions, without;
  for (const Symbol &id : needed.ids)
    dimensions.insert({id.index, id.dimension});
  for (const IdDimension &one : dimensions) {
    if (dimensions.size() == 1)
      break;
    without.insert(one);
    UsualExtents assumed;
    if (prove(assumeUsualExtents(exact, exponent, &assumed, without)))
      needed = std::move(assumed);
    else
      without.erase(one);
  }
  note(explorer, needed, exponent, first, second);
}

bool races::isProven(const OverlapQuery &query, Explorer &explorer,
                     const TreeNode &first, const TreeNode &second) {
  OverlapQuery exact;
  UsualExtents assumed;
  {
    WorkLimit limit(explorer.maxWork());
    exact = simplify(query);
    OverlapQuery usual =
        assumeUsualExtents(exact, dfg::leastUsualExponent, &assumed);
    if (!isProven(usual) &&
        !isProvenByNumbers(usual, explorer.furtherSearchesLeft))
      return false;
  }
  unsigned searchesLeft = searchesForLimits;
  noteLimits(explorer, exact, assumed, first, second,
             [&](const OverlapQuery &asked) {
               return isProven(asked) || isProvenByNumbers(asked, searchesLeft);
             });
  return true;
}
