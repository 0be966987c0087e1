//===- Compare.cpp - Whether two accesses of two instances meet -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compare.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace sluice;
using namespace sluice::races;

/// "instances (0, 1) of 'blur' and (0, 0) of 'sharpen'".
static std::string spellIds(const TreeNode &leaf, Symbol::Side side,
                            unsigned equalLevels,
                            const std::map<Symbol, int64_t> &values) {
  std::string text;
  for (unsigned level = 0; level != leaf.depth; ++level) {
    unsigned dimensions = leaf.ancestorAt(level)->extents.size();
    for (unsigned dimension = 0; dimension != dimensions; ++dimension) {
      Symbol id;
      id.side = level < equalLevels ? Symbol::Side::Both : side;
      id.index = level;
      id.dimension = dimension;
      auto found = values.find(id);
      text += text.empty() ? "" : ", ";
      text += std::to_string(found == values.end() ? 0 : found->second);
    }
  }
  return text.empty() ? "" : "(" + text + ")";
}

static std::string spellMeeting(const TreeNode &first, const TreeNode &second,
                                unsigned equalLevels,
                                const std::map<Symbol, int64_t> &values) {
  std::string a = spellIds(first, Symbol::Side::First, equalLevels, values);
  std::string b = spellIds(second, Symbol::Side::Second, equalLevels, values);
  if (&first == &second)
    return "instances " + a + " and " + b;
  auto spell = [](const TreeNode &leaf, const std::string &ids) {
    return ids.empty() ? "'" + leaf.name() + "'"
                       : "instance " + ids + " of '" + leaf.name() + "'";
  };
  return spell(first, a) + " and " + spell(second, b);
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

namespace {
/// Builds the question about two addresses.
class QueryBuilder {
public:
  QueryBuilder(const Relation &relation) : relation(relation) {}

  OverlapQuery build(const TreeNode &first, const PlacedAccess &a,
                     const TreeNode &second, const PlacedAccess &b);

private:
  Polynomial tag(const Polynomial &value, Symbol::Side side) const;
  Symbol tag(Symbol symbol, Symbol::Side side) const;
  void addLeast(const Polynomial &extent);
  void addLevels(const TreeNode &leaf, Symbol::Side side);
  void addConditions(const PlacedAccess &access, Symbol::Side side);

  /// Extents with larger constants say nothing of their arguments.
  static constexpr int64_t largestConstant = int64_t(1) << 40;

  const Relation &relation;
  OverlapQuery query;
};
} // namespace

/// Says to which instance a value belongs, unless it is the same for both.
Symbol QueryBuilder::tag(Symbol symbol, Symbol::Side side) const {
  bool isShared = symbol.kind == Symbol::Kind::Id
                      ? symbol.index < relation.equalLevels
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
  if (factor <= 0 || monomial.size() != 1 ||
      std::abs(constant) > largestConstant)
    return;
  int64_t least = llvm::divideCeilSigned(1 - constant, factor);
  auto [known, isNew] = query.least.try_emplace(monomial.front(), least);
  known->second = std::max(known->second, least);
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
      Polynomial extent = tag(*node->extents[dimension], side);
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

OverlapQuery QueryBuilder::build(const TreeNode &first, const PlacedAccess &a,
                                 const TreeNode &second,
                                 const PlacedAccess &b) {
  query.firstOffset = tag(*a.offset, Symbol::Side::First);
  query.secondOffset = tag(*b.offset, Symbol::Side::Second);
  query.firstSize = a.access->size;
  query.secondSize = b.access->size;
  query.mustDiffer = relation.mustDiffer;
  addLevels(first, Symbol::Side::First);
  addLevels(second, Symbol::Side::Second);
  addConditions(a, Symbol::Side::First);
  addConditions(b, Symbol::Side::Second);
  if (relation.mustDiffer) {
    unsigned level = relation.equalLevels;
    unsigned dimensions = first.ancestorAt(level)->extents.size();
    for (unsigned dimension = 0; dimension != dimensions; ++dimension) {
      Symbol id;
      id.index = level;
      id.dimension = dimension;
      query.differences.push_back(
          {tag(id, Symbol::Side::First), tag(id, Symbol::Side::Second)});
    }
  }
  return std::move(query);
}

static Symbol turn(unsigned loop, Symbol::Side side) {
  Symbol symbol;
  symbol.kind = Symbol::Kind::Turn;
  symbol.index = loop;
  symbol.side = side;
  return symbol;
}

static bool share(const std::vector<unsigned> &x,
                  const std::vector<unsigned> &y) {
  return llvm::any_of(x, [&](unsigned n) { return llvm::is_contained(y, n); });
}

/// How the turns of loops with barriers relate where no barrier stands between
/// `a` and `b`; false if that is not certain.
static bool relateTurns(const LeafAccess &a, const LeafAccess &b,
                        std::vector<TurnRelation> &turns) {
  int64_t distance = 0;
  if (!share(a.forward, b.forward)) {
    if (share(a.forward, b.next))
      distance = 1;
    else if (share(a.next, b.forward))
      distance = -1;
    else
      return false;
  }
  for (unsigned loop : a.barrierLoops)
    if (llvm::is_contained(b.barrierLoops, loop))
      turns.push_back({turn(loop, Symbol::Side::First),
                       turn(loop, Symbol::Side::Second), distance});
  return distance == 0 || turns.size() == 1;
}

/// Why nothing is known about two accesses whose addresses are known.
static const char *const undecided =
    "whether two instances reach the same address depends on values that are "
    "known at run time only";

namespace {
/// Two accesses whose addresses are known.
struct Decision {
  RaceVerdict verdict;
  std::string reason;
};
} // namespace

/// Nothing if the two never meet. `isWorkGroup`: barriers order instances.
static std::optional<Decision>
decide(const TreeNode &first, const PlacedAccess &a, const TreeNode &second,
       const PlacedAccess &b, const Relation &relation, bool isWorkGroup) {
  OverlapQuery query = QueryBuilder(relation).build(first, a, second, b);
  if (areDisjoint(query))
    return std::nullopt;
  bool isProvable = a.isCertain || b.isCertain;
  std::set<Symbol> unmoved;
  std::vector<TurnRelation> turns;
  for (unsigned loop : a.access->firstTurns)
    unmoved.insert(turn(loop, Symbol::Side::First));
  for (unsigned loop : b.access->firstTurns)
    unmoved.insert(turn(loop, Symbol::Side::Second));
  if (isWorkGroup)
    isProvable &= relateTurns(*a.access, *b.access, turns);
  if (!isProvable)
    return Decision{RaceVerdict::Unknown,
                    "whether both run depends on values in memory"};
  if (auto meeting = findCollision(query, unmoved, turns))
    return Decision{
        RaceVerdict::Racy,
        spellMeeting(first, second, relation.equalLevels, *meeting)};
  return Decision{RaceVerdict::Unknown, undecided};
}

std::optional<RaceFinding>
races::compare(const PlacedAccesses &accesses, const TreeNode &first,
               const PlacedAccess &a, const TreeNode &second,
               const PlacedAccess &b, const Relation &relation) {
  unsigned equal = relation.equalLevels;
  // Every instance has its own.
  if (relation.mustDiffer && a.target.levels > equal && b.target.levels > equal)
    return std::nullopt;
  if (&first == &second && areAssumedDisjoint(*a.access, *b.access))
    return std::nullopt;
  bool isWorkGroup = relation.kind == RaceKind::Instances &&
                     equal + 1 == first.depth && first.effects->hasBarrier;
  if (isWorkGroup && !share(a.access->intervals, b.access->intervals))
    return std::nullopt;
  std::optional<Decision> decision;
  if (a.offset && b.offset) {
    decision = decide(first, a, second, b, relation, isWorkGroup);
    if (!decision)
      return std::nullopt;
  } else {
    const std::string &reason = (a.offset ? b : a).access->reason;
    decision = {RaceVerdict::Unknown, reason.empty() ? undecided : reason};
  }
  RaceFinding finding = accesses.describe(first, a, second, b);
  finding.verdict = decision->verdict;
  finding.reason = std::move(decision->reason);
  finding.kind = relation.kind == RaceKind::Instances && &a != &b
                     ? RaceKind::NoBarrier
                     : relation.kind;
  finding.source = relation.source->name();
  if (relation.sink)
    finding.sink = relation.sink->name();
  return finding;
}
