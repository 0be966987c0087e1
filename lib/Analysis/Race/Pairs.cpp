//===- Pairs.cpp - Two accesses of two instances --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pairs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace sluice;
using namespace sluice::races;

//===----------------------------------------------------------------------===//
// Accesses in terms of the root
//===----------------------------------------------------------------------===//

/// What a symbol of the leaf's effects is at `leaf`; none if not known.
static std::optional<Polynomial> placeSymbol(const TreeNode &leaf,
                                             const Symbol &symbol) {
  switch (symbol.kind) {
  case Symbol::Kind::Id:
  case Symbol::Kind::Count: {
    if (symbol.index >= leaf.depth)
      return std::nullopt;
    unsigned level = leaf.depth - 1 - symbol.index;
    const TreeNode *node = leaf.ancestorAt(level);
    std::optional<Polynomial> extent = node->extent(symbol.dimension);
    if (symbol.kind == Symbol::Kind::Count)
      return extent;
    if (extent && extent->asConstant() == 1)
      return Polynomial(0);
    Symbol placed = symbol;
    placed.index = level;
    return Polynomial::of(placed);
  }
  case Symbol::Kind::Argument: {
    if (const auto &value = leaf.inputs[symbol.index].value)
      return value;
    Symbol unknown;
    unknown.kind = Symbol::Kind::Value;
    unknown.owner = &leaf;
    unknown.index = symbol.index;
    unknown.levels = leaf.depth;
    return Polynomial::of(unknown);
  }
  default:
    return Polynomial::of(symbol);
  }
}

static MemoryObject objectOf(const TreeNode &leaf, const LeafMemory &memory) {
  switch (memory.kind) {
  case LeafMemory::Kind::Global:
    return {MemoryObject::Kind::Global, 0, nullptr, memory.name};
  case LeafMemory::Kind::Malloc:
    return {MemoryObject::Kind::Malloc, memory.index, &leaf, ""};
  default:
    return {};
  }
}

/// Two accesses that no comparison tells apart.
static bool areAlike(const PlacedAccess &a, const PlacedAccess &b) {
  return a.target.object == b.target.object &&
         a.target.levels == b.target.levels && a.offset == b.offset &&
         a.conditions == b.conditions && a.isCertain == b.isCertain &&
         a.access->size == b.access->size &&
         a.access->isWrite == b.access->isWrite &&
         a.access->isAtomic == b.access->isAtomic &&
         a.access->firstTurns == b.access->firstTurns &&
         a.access->intervals == b.access->intervals &&
         a.access->sides == b.access->sides &&
         a.access->next == b.access->next &&
         a.access->forward == b.access->forward;
}

void Comparer::place(const TreeNode &leaf) {
  std::vector<PlacedAccess> &placed = accesses[&leaf];
  auto substitute = [&](const Polynomial &value) {
    return value.substitute(
        [&](const Symbol &symbol) { return placeSymbol(leaf, symbol); });
  };
  for (const LeafAccess &access : leaf.effects->accesses) {
    PlacedAccess result;
    result.access = &access;
    result.isCertain = access.isCertain;
    if (access.offset && access.size > 0)
      if (Polynomial offset = substitute(*access.offset); offset.isValid())
        result.offset = offset;
    for (Condition condition : access.conditions) {
      condition.value = substitute(condition.value);
      result.isCertain &= condition.value.isValid();
      if (condition.value.isValid())
        result.conditions.push_back(condition);
    }
    auto add = [&](Target target) {
      result.target = std::move(target);
      if (llvm::none_of(placed, [&](const PlacedAccess &other) {
            return areAlike(other, result);
          }))
        placed.push_back(result);
    };
    if (access.memory.kind == LeafMemory::Kind::Parameter)
      llvm::for_each(leaf.inputs[access.memory.index].targets, add);
    else if (access.memory.kind == LeafMemory::Kind::Malloc)
      add({objectOf(leaf, access.memory), leaf.depth});
    else
      add({objectOf(leaf, access.memory), 0});
  }
}

Comparer::Comparer(const Tree &tree) : tree(tree) {
  for (const TreeNode *leaf : tree.leaves())
    place(*leaf);
}

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

std::string Comparer::describeMemory(const MemoryObject &object) const {
  dfg::GraphOp root = tree.root().graph;
  switch (object.kind) {
  case MemoryObject::Kind::Argument:
    return "argument '" + root.getInputName(object.index) + "' of '" +
           tree.root().name() + "'";
  case MemoryObject::Kind::Dataset:
    return "dataset '" + object.name + "'";
  case MemoryObject::Kind::Global:
    return "global variable '" + dfg::displayName(object.name) + "'";
  case MemoryObject::Kind::Malloc:
    return "the memory that '" + object.owner->name() + "' allocates";
  case MemoryObject::Kind::Unknown:
    return "unknown memory";
  }
  return "";
}

static RaceAccess describeAccess(const TreeNode &leaf,
                                 const PlacedAccess &access) {
  return {leaf.name(),
          leaf.path(),
          access.access->isWrite,
          access.access->isAtomic,
          access.access->place,
          dfg::NodeOp(leaf.op).getLoc()};
}

RaceFinding Comparer::describe(const TreeNode &first, const PlacedAccess &a,
                               const TreeNode &second,
                               const PlacedAccess &b) const {
  RaceFinding finding{.first = describeAccess(first, a),
                      .second = describeAccess(second, b),
                      .memory = describeMemory(a.target.object)};
  if (!finding.first.isWrite)
    std::swap(finding.first, finding.second);
  return finding;
}

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

bool races::areAssumedDisjoint(const LeafAccess &a, const LeafAccess &b) {
  return llvm::any_of(a.sides, [&](unsigned side) {
    return llvm::is_contained(b.sides, side ^ 1);
  });
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

std::optional<RaceFinding> Comparer::compare(const TreeNode &first,
                                             const PlacedAccess &a,
                                             const TreeNode &second,
                                             const PlacedAccess &b,
                                             const Relation &relation) const {
  unsigned equal = relation.equalLevels;
  if (a.target.object.kind == MemoryObject::Kind::Unknown)
    return std::nullopt;
  // Every instance has its own.
  if (relation.mustDiffer && a.target.levels > equal && b.target.levels > equal)
    return std::nullopt;
  if (&first == &second && areAssumedDisjoint(*a.access, *b.access))
    return std::nullopt;
  bool isWorkGroup = relation.kind == RaceKind::Instances &&
                     equal + 1 == first.depth && first.effects->hasBarrier;
  if (isWorkGroup && !share(a.access->intervals, b.access->intervals))
    return std::nullopt;

  RaceFinding finding = describe(first, a, second, b);
  finding.kind = relation.kind == RaceKind::Instances && &a != &b
                     ? RaceKind::NoBarrier
                     : relation.kind;
  finding.source = relation.source->name();
  if (relation.sink)
    finding.sink = relation.sink->name();
  if (!a.offset || !b.offset) {
    const LeafAccess &access = *(a.offset ? b : a).access;
    finding.reason = access.reason.empty() ? undecided : access.reason;
    return finding;
  }
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
  std::optional<std::map<Symbol, int64_t>> meeting;
  if (isProvable)
    meeting = findCollision(query, unmoved, turns);
  if (!meeting) {
    finding.reason = isProvable ? undecided
                                : "whether both run depends on values in "
                                  "memory";
    return finding;
  }
  finding.verdict = RaceVerdict::Racy;
  finding.reason = spellMeeting(first, second, equal, *meeting);
  return finding;
}
