//===- CommonGuard.cpp - Locks that two instances hold --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two accesses under one lock are no race. Where the address of the lock
// follows from that of the element, equal elements have equal locks.
//
//===----------------------------------------------------------------------===//

#include "Compare.h"
#include "ProofAttempts.h"
#include "Terms/Work.h"

using namespace sluice;
using namespace sluice::races;

/// The same value without saying of which instance it is.
static Polynomial neutral(const Polynomial &value) {
  return value.substitute([](const Symbol &symbol) {
    Symbol both = symbol;
    both.side = Symbol::Side::Both;
    return std::optional(Polynomial::of(both));
  });
}

/// True if `value` is a function of `element` and of what both instances share.
static bool followsFrom(const Polynomial &value, const Symbol &element) {
  return llvm::all_of(value.symbols(), [&](const Symbol &symbol) {
    if (symbol == element)
      return true;
    if (!symbol.derivation)
      return symbol.side == Symbol::Side::Both;
    return llvm::all_of(symbol.derivation->operands,
                        [&](const Polynomial &operand) {
                          return followsFrom(operand, element);
                        });
  });
}

/// The number of an element in `offset`, and the size of one.
static std::optional<std::pair<Symbol, int64_t>>
elementIn(const Polynomial &offset) {
  Polynomial rest = offset - Polynomial(offset.constantTerm());
  if (!rest.isValid() || rest.getTerms().size() != 1)
    return std::nullopt;
  const auto &[monomial, stride] = *rest.getTerms().begin();
  if (monomial.size() != 1 || stride <= 0)
    return std::nullopt;
  return std::pair(monomial.front(), stride);
}

/// The symbol that has the same value: the operand of a conversion that loses
/// nothing.
static Symbol withoutConversion(Symbol symbol) {
  while (symbol.derivation && symbol.derivation->op == Derivation::Op::Wrap) {
    const Polynomial &operand = symbol.derivation->operands.front();
    IntegerRange range = rangeOf(operand);
    unsigned bits = symbol.derivation->bits;
    std::vector<Symbol> inner = operand.symbols();
    if (inner.size() != 1 || !(operand == Polynomial::of(inner.front())) ||
        (!range.isWithin(rangeOfType(bits, true)) &&
         !range.isWithin(rangeOfType(bits, false))))
      break;
    symbol = inner.front();
  }
  return symbol;
}

/// True if accesses that meet are to the same element, and `x` and `y` are one
/// function of its number.
static bool followFromElement(const OverlapQuery &query, const Polynomial &x,
                              const Polynomial &y) {
  auto first = elementIn(query.firstOffset);
  auto second = elementIn(query.secondOffset);
  if (!first || !second || first->second != second->second)
    return false;
  int64_t gap =
      query.firstOffset.constantTerm() - query.secondOffset.constantTerm();
  // Neighbours do not meet.
  if (std::abs(gap) > first->second || query.firstSize + gap > first->second ||
      query.secondSize - gap > first->second)
    return false;
  return x.isValid() && y.isValid() && neutral(x) == neutral(y) &&
         neutral(Polynomial::of(first->first)) ==
             neutral(Polynomial::of(second->first)) &&
         followsFrom(x, withoutConversion(first->first)) &&
         followsFrom(y, withoutConversion(second->first));
}

/// True if two instances that meet hold locks at the same place: of different
/// places, the accesses never meet.
static bool areSameLock(Explorer &explorer, const TreeNode &first,
                        const PlacedAccess &a, const Polynomial &x,
                        const TreeNode &second, const PlacedAccess &b,
                        const Polynomial &y, const Relation &relation) {
  if (x.asConstant() && y.asConstant())
    return x == y;
  if (a.target.object.kind == MemoryObject::Kind::Unknown ||
      a.target.object != b.target.object)
    return false;
  QueryBuilder builder(relation);
  auto query = followedQuery(builder, first, a, second, b);
  if (!query)
    return false;
  Polynomial firstLock = builder.tag(x, Symbol::Side::First);
  Polynomial secondLock = builder.tag(y, Symbol::Side::Second);
  if (followFromElement(*query, firstLock, secondLock))
    return !WorkLimit::isReached();
  query->conditions.push_back(
      {Condition::Kind::NotZero, firstLock - secondLock});
  return isProven(*query, explorer, first, second);
}

const LeafGuard *races::commonGuard(Explorer &explorer, const TreeNode &first,
                                    const PlacedAccess &a,
                                    const TreeNode &second,
                                    const PlacedAccess &b,
                                    const Relation &orderedRelation) {
  // Ordered instances may have the same lock, too, so unknown ids do no harm.
  Relation relation = orderedRelation;
  relation.orderedDims = 0;
  relation.order = nullptr;
  for (auto [x, xOffset] : llvm::zip(a.access->guards, a.guards))
    for (auto [y, yOffset] : llvm::zip(b.access->guards, b.guards)) {
      if (!excludeEachOther(x, y) || !xOffset || !yOffset)
        continue;
      std::optional<MemoryObject> object = objectOfGuard(first, x);
      if (object && object == objectOfGuard(second, y) &&
          areSameLock(explorer, first, a, *xOffset, second, b, *yOffset,
                      relation))
        return x.kind == LeafGuard::Kind::Done ? &y : &x;
    }
  return nullptr;
}
