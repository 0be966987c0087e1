//===- MeetingQuery.cpp - The question about two accesses -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says of each value to which of the two instances it belongs, so that equal
// symbols are equal numbers.
//
//===----------------------------------------------------------------------===//

#include "MeetingQuery.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace sluice;
using namespace sluice::races;

/// Says to which instance a value belongs, unless it is the same for both.
Symbol QueryBuilder::tag(Symbol symbol, Symbol::Side side) const {
  bool isShared = symbol.kind == Symbol::Kind::Id
                      ? symbol.index < relation.equalLevels ||
                            isEqualDimension(symbol.index, symbol.dimension)
                  : symbol.kind == Symbol::Kind::Turn
                      ? false
                      : symbol.levels <= relation.equalLevels;
  symbol.side = isShared ? Symbol::Side::Both : side;
  return symbol;
}

Polynomial QueryBuilder::tag(const Polynomial &value, Symbol::Side side) const {
  return value.substitute([&](const Symbol &symbol) {
    return std::optional(Polynomial::of(tag(symbol, side)));
  });
}

/// There are instances, so an extent `2 * n + 4` is at least 1, and `n` is at
/// least -1.
void QueryBuilder::addLeast(const Polynomial &extent) {
  int64_t constant = extent.constantTerm();
  Polynomial rest = extent - constant;
  if (!rest.isValid() || rest.getTerms().size() != 1)
    return;
  const auto &[monomial, factor] = *rest.getTerms().begin();
  if (factor <= 0 || monomial.size() != 1 || std::abs(constant) > maxConstant)
    return;
  int64_t least = llvm::divideCeilSigned(1 - constant, factor);
  auto [known, isNew] = query.least.try_emplace(monomial.front(), least);
  known->second = std::max(known->second, least);
}

/// An extent `n > 0 ? n : 0` is n where there is an instance.
static Polynomial unlessEmpty(const Polynomial &extent) {
  std::vector<Symbol> symbols = extent.symbols();
  if (symbols.size() != 1 || !symbols.front().derivation ||
      !(extent == Polynomial::of(symbols.front())))
    return extent;
  const Derivation &derivation = *symbols.front().derivation;
  if (derivation.op != Derivation::Op::Maximum)
    return extent;
  const Polynomial &a = derivation.operands[0], &b = derivation.operands[1];
  return a.asConstant().value_or(1) <= 0   ? b
         : b.asConstant().value_or(1) <= 0 ? a
                                           : extent;
}

void QueryBuilder::addLevels(const TreeNode &leaf, Symbol::Side side) {
  for (unsigned level = 0; level != leaf.depth; ++level) {
    const TreeNode *node = leaf.ancestorAt(level);
    for (unsigned dimension = 0; dimension != node->extents.size();
         ++dimension) {
      Symbol id;
      id.index = level;
      id.dimension = dimension;
      if (!node->extents[dimension])
        continue;
      Polynomial extent = tag(unlessEmpty(*node->extents[dimension]), side);
      query.bounds[tag(id, side)] = extent;
      addLeast(extent);
    }
  }
}

void QueryBuilder::addConditions(const PlacedAccess &access,
                                 Symbol::Side side) {
  for (Condition condition : access.conditions) {
    condition.value = tag(condition.value, side);
    query.conditions.push_back(std::move(condition));
  }
}

/// Memory of which each instance of some levels has its own is the same one
/// only where the ids of those levels are equal.
void QueryBuilder::addSameMemory(const TreeNode &first, const PlacedAccess &a,
                                 const TreeNode &second,
                                 const PlacedAccess &b) {
  unsigned levels = std::min(a.target.levels, b.target.levels);
  for (unsigned level = relation.equalLevels; level < levels; ++level) {
    unsigned dimensions = std::max(first.ancestorAt(level)->extents.size(),
                                   second.ancestorAt(level)->extents.size());
    for (unsigned dimension = 0; dimension != dimensions; ++dimension) {
      Symbol id;
      id.index = level;
      id.dimension = dimension;
      query.conditions.push_back(
          {Condition::Kind::Zero,
           Polynomial::of(tag(id, Symbol::Side::First)) -
               Polynomial::of(tag(id, Symbol::Side::Second))});
    }
  }
}

/// The value without a factor that all its terms have.
static Polynomial withoutFactor(const Polynomial &value) {
  uint64_t common = 0;
  for (const auto &[monomial, factor] : value.getTerms())
    common = std::gcd(common, uint64_t(std::abs(factor)));
  Polynomial result;
  for (const auto &[monomial, factor] : value.getTerms()) {
    Polynomial term(factor / int64_t(common));
    for (const Symbol &symbol : monomial)
      term = term * Polynomial::of(symbol);
    result += term;
  }
  return result;
}

/// Memory behind pointers is the same one only where the pointers are.
void QueryBuilder::addSamePointers(const PlacedAccess &a,
                                   const PlacedAccess &b) {
  for (const auto &[x, y] : llvm::zip(a.pointers, b.pointers)) {
    Polynomial distance =
        tag(x, Symbol::Side::First) - tag(y, Symbol::Side::Second);
    if (distance.isValid())
      query.conditions.push_back(
          {Condition::Kind::Zero, withoutFactor(distance)});
  }
}

/// Whether pointers are the same members of records in a row: their places
/// differ by a multiple of what the places of each move by. Two members of one
/// record, such as the begin and the end of a range, may lead to one memory.
static bool areSameMember(const Polynomial &x, const Polynomial &y) {
  uint64_t step = 0;
  for (const Polynomial *place : {&x, &y})
    for (const auto &[monomial, factor] : place->getTerms())
      if (!monomial.empty())
        step = std::gcd(step, uint64_t(std::abs(factor)));
  const int64_t distance = x.constantTerm() - y.constantTerm();
  return step == 0 ? distance == 0 : distance % int64_t(step) == 0;
}

bool races::leadToComparable(const PlacedAccess &a, const PlacedAccess &b) {
  return a.pointers.size() == b.pointers.size() &&
         llvm::all_of(llvm::zip(a.pointers, b.pointers), [](const auto &pair) {
           return areSameMember(std::get<0>(pair), std::get<1>(pair));
         });
}

/// The ids of the level in which the instances part.
void QueryBuilder::addDifferences(unsigned dimensions) {
  for (unsigned dimension = 0; dimension != dimensions; ++dimension) {
    Symbol id;
    id.index = relation.equalLevels;
    id.dimension = dimension;
    if (isEqualDimension(id.index, dimension))
      continue;
    Symbol first = tag(id, Symbol::Side::First);
    Symbol second = tag(id, Symbol::Side::Second);
    query.differences.push_back({first, second});
    Polynomial distance = Polynomial::of(first) - Polynomial::of(second);
    const Relation::Apart &apart = relation.apart;
    if (relation.orderedDims == 0 || apart.areEqual)
      continue;
    if (dimension == apart.less)
      query.conditions.push_back({Condition::Kind::NotPositive, distance + 1});
    else if (dimension == apart.greater)
      query.conditions.push_back(
          {Condition::Kind::NotPositive, Polynomial(1) - distance});
  }
}

void QueryBuilder::addLimits(const TreeNode &node) {
  auto distance = [&](unsigned dimension) {
    Symbol id;
    id.index = relation.equalLevels;
    id.dimension = dimension;
    return Polynomial::of(tag(id, Symbol::Side::Second)) -
           Polynomial::of(tag(id, Symbol::Side::First));
  };
  const unsigned outer = relation.order->dimensions - 1;
  for (const OrderLimit &limit : relation.limits) {
    Polynomial sum = distance(outer) * Polynomial(limit.outer) + limit.constant;
    if (limit.inner != 0)
      sum += distance(0) * Polynomial(limit.inner);
    if (limit.innerExtent != 0) {
      if (!node.extents[0])
        continue;
      sum += tag(*node.extents[0], Symbol::Side::First) *
             Polynomial(limit.innerExtent);
    }
    query.conditions.push_back({limit.isNotZero ? Condition::Kind::NotZero
                                                : Condition::Kind::NotPositive,
                                sum});
  }
}

OverlapQuery QueryBuilder::build(const TreeNode &first, const PlacedAccess &a,
                                 const Polynomial &firstOffset,
                                 const TreeNode &second, const PlacedAccess &b,
                                 const Polynomial &secondOffset) {
  query.firstOffset = tag(firstOffset, Symbol::Side::First);
  query.secondOffset = tag(secondOffset, Symbol::Side::Second);
  query.firstSize = a.access->size;
  query.secondSize = b.access->size;
  query.mustDiffer = relation.mustDiffer;
  addLevels(first, Symbol::Side::First);
  addLevels(second, Symbol::Side::Second);
  addConditions(a, Symbol::Side::First);
  addConditions(b, Symbol::Side::Second);
  addSameMemory(first, a, second, b);
  addSamePointers(a, b);
  if (relation.mustDiffer)
    addDifferences(first.ancestorAt(relation.equalLevels)->extents.size());
  if (!relation.limits.empty())
    addLimits(*first.ancestorAt(relation.equalLevels));
  return std::move(query);
}

/// Where parts of instances wait for parts of others.
static std::vector<Relation> waysWithoutWait(const PlacedAccess &a,
                                             const PlacedAccess &b,
                                             const Relation &relation) {
  std::vector<Relation> ways;
  for (bool isFirstEarlier : {true, false}) {
    const LeafAccess &earlier = isFirstEarlier ? *a.access : *b.access;
    const LeafAccess &later = isFirstEarlier ? *b.access : *a.access;
    for (std::vector<OrderLimit> &limits : races::waysWithoutWait(
             *relation.order,
             LeafOrder::aside(earlier.isAwaited, later.awaits))) {
      if (!isFirstEarlier)
        for (OrderLimit &limit : limits) {
          limit.outer = -limit.outer;
          limit.inner = -limit.inner;
        }
      ways.push_back(relation);
      ways.back().limits = std::move(limits);
    }
  }
  return ways;
}

std::vector<Relation> races::waysApart(const TreeNode &first,
                                       const PlacedAccess &a,
                                       const PlacedAccess &b,
                                       const Relation &relation) {
  if (relation.mustDiffer && relation.order)
    return ::waysWithoutWait(a, b, relation);
  if (!relation.mustDiffer || relation.orderedDims == 0)
    return {relation};
  const unsigned numDimensions =
      first.ancestorAt(relation.equalLevels)->extents.size();
  auto isOrdered = [&](unsigned dimension) {
    return relation.orderedDims >> dimension & 1;
  };
  std::vector<Relation> ways;
  auto add = [&](Relation::Apart apart) {
    ways.push_back(relation);
    ways.back().apart = apart;
  };
  if (relation.orderedDims + 1 != 1u << numDimensions)
    add({/*areEqual=*/true, 0, 0});
  for (unsigned less = 0; less != numDimensions; ++less)
    for (unsigned greater = 0; greater != numDimensions; ++greater)
      if (less != greater && isOrdered(less) && isOrdered(greater))
        add({/*areEqual=*/false, less, greater});
  return ways;
}

std::optional<OverlapQuery> races::followedQuery(QueryBuilder builder,
                                                 const TreeNode &first,
                                                 const PlacedAccess &a,
                                                 const TreeNode &second,
                                                 const PlacedAccess &b) {
  const std::optional<Polynomial> &x = a.offset ? a.offset : a.followed;
  const std::optional<Polynomial> &y = b.offset ? b.offset : b.followed;
  if (!x || !y || !leadToComparable(a, b))
    return std::nullopt;
  return builder.build(first, a, *x, second, b, *y);
}
