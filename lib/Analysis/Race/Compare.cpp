//===- Compare.cpp - Whether two accesses of two instances meet -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The core of the race check: takes two accesses, each by some instance, and
// asks whether the instances can be different and the addresses the same.
// Builds the equations that Overlap/ solves, and the text of the message.
//
//===----------------------------------------------------------------------===//

#include "Compare.h"
#include "Terms/Work.h"

#include "sluice/Analysis/ReductionUses.h"
#include "sluice/DFG/UsualExtents.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
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

  /// With these offsets.
  OverlapQuery build(const TreeNode &first, const PlacedAccess &a,
                     const Polynomial &firstOffset, const TreeNode &second,
                     const PlacedAccess &b, const Polynomial &secondOffset);
  Polynomial tag(const Polynomial &value, Symbol::Side side) const;

private:
  Symbol tag(Symbol symbol, Symbol::Side side) const;
  /// Whether the instances have the same id there although they differ.
  bool isEqualDimension(unsigned level, unsigned dimension) const {
    return level == relation.equalLevels && relation.apart.areEqual &&
           relation.orderedDims >> dimension & 1;
  }
  void addLeast(const Polynomial &extent);
  void addLevels(const TreeNode &leaf, Symbol::Side side);
  void addConditions(const PlacedAccess &access, Symbol::Side side);
  void addSameMemory(const TreeNode &first, const PlacedAccess &a,
                     const TreeNode &second, const PlacedAccess &b);
  void addDifferences(unsigned dimensions);

  /// Extents with larger constants say nothing of their arguments.
  static constexpr int64_t maxConstant = int64_t(1) << 40;

  const Relation &relation;
  OverlapQuery query;
};
} // namespace

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
  if (relation.mustDiffer)
    addDifferences(first.ancestorAt(relation.equalLevels)->extents.size());
  return std::move(query);
}

/// All ways in which instances are not ordered: their ids are equal in the
/// ordered dimensions, or one is less in one of them and greater in another.
static std::vector<Relation> waysApart(const TreeNode &first,
                                       const Relation &relation) {
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

/// Barriers order the instances.
static bool isWorkGroup(const TreeNode &leaf, const Relation &relation) {
  return relation.kind == RaceKind::Instances &&
         relation.equalLevels + 1 == leaf.depth && leaf.effects->hasBarrier;
}

namespace {
/// Two accesses whose addresses are known.
struct Decision {
  RaceVerdict verdict;
  std::string reason;
};
} // namespace

/// The same question with what `j <= i` says of `j` where `i` has a limit; none
/// if nothing does.
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

/// True if arithmetic over polynomials shows that the accesses never meet.
static bool isProven(const OverlapQuery &usual) {
  std::optional<OverlapQuery> plain = withoutDerived(usual);
  if (!plain)
    return false;
  bool areApart = areDisjoint(*plain);
  if (!areApart)
    if (std::optional<OverlapQuery> limited = withLimits(*plain))
      areApart = areDisjoint(*limited);
  return areApart && !WorkLimit::isReached();
}

/// True if no whole numbers are where the accesses meet.
static bool isProvenByNumbers(const OverlapQuery &usual,
                              unsigned &searchesLeft) {
  return areDisjointNumbers(usual, searchesLeft) && !WorkLimit::isReached();
}

/// Keeps what a proof about instances of the two took for granted.
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

/// Of a question that is proven for the least of the usual limits, which needs
/// `needed`: keeps the largest limit for which it is, of as few dimensions as
/// that takes.
static void noteLimits(Explorer &explorer, const OverlapQuery &exact,
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

/// Searches for numbers that a question may take to find its limits.
static constexpr unsigned searchesForLimits = 8;

/// An id that is the same for both although others of its level differ is one
/// of each.
static Explorer::Values idsOfBoth(Explorer::Values values, const Pair &pair) {
  Explorer::Values all = values;
  for (auto [symbol, value] : values)
    if (symbol.kind == Symbol::Kind::Id && symbol.index == pair.equalLevels &&
        symbol.side == Symbol::Side::Both)
      for (Symbol::Side side : {Symbol::Side::First, Symbol::Side::Second}) {
        Symbol own = symbol;
        own.side = side;
        all[own] = value;
      }
  return all;
}

/// Two instances that meet by what conditions and addresses say, and that do so
/// when they are executed.
static std::optional<Explorer::Values>
findMeeting(Explorer &explorer, const Pair &pair, const OverlapQuery &query) {
  std::set<Symbol> unmoved;
  std::vector<TurnRelation> turns;
  for (unsigned loop : pair.a.access->firstTurns)
    unmoved.insert(turn(loop, Symbol::Side::First));
  for (unsigned loop : pair.b.access->firstTurns)
    unmoved.insert(turn(loop, Symbol::Side::Second));
  if (pair.isWorkGroup && !relateTurns(*pair.a.access, *pair.b.access, turns))
    return std::nullopt;
  auto found =
      findCollision(query, unmoved, turns, [&](const Explorer::Values &values) {
        return explorer.meet(pair, idsOfBoth(values, pair)) ==
               Explorer::Answer::Yes;
      });
  if (found)
    found = idsOfBoth(std::move(*found), pair);
  return found;
}

/// True if what is compared with elements of `memory` is stored there where it
/// is greater: `if (value > *memory) *memory = value`.
static bool isMaximum(const llvm::Argument &memory) {
  for (const llvm::Instruction &instruction :
       llvm::instructions(*memory.getParent())) {
    const auto *compare = llvm::dyn_cast<llvm::CmpInst>(&instruction);
    if (!compare)
      continue;
    auto isElement = [&](const llvm::Value *value) {
      const auto *load = llvm::dyn_cast<llvm::LoadInst>(value);
      return load &&
             llvm::getUnderlyingObject(load->getPointerOperand()) == &memory;
    };
    bool isLeft = isElement(compare->getOperand(0));
    if (!isLeft && !isElement(compare->getOperand(1)))
      continue;
    llvm::CmpInst::Predicate predicate =
        isLeft ? compare->getSwappedPredicate() : compare->getPredicate();
    bool isGreater =
        llvm::is_contained({llvm::CmpInst::FCMP_OGT, llvm::CmpInst::FCMP_OGE,
                            llvm::CmpInst::FCMP_UGT, llvm::CmpInst::FCMP_UGE,
                            llvm::CmpInst::ICMP_SGT, llvm::CmpInst::ICMP_SGE,
                            llvm::CmpInst::ICMP_UGT, llvm::CmpInst::ICMP_UGE},
                           predicate);
    // Stored, or chosen, where the comparison holds, or where it does not.
    for (const llvm::User *user : compare->users()) {
      if (const auto *select = llvm::dyn_cast<llvm::SelectInst>(user))
        return isGreater != isElement(select->getTrueValue());
      const auto *branch = llvm::dyn_cast<llvm::BranchInst>(user);
      if (!branch || !branch->isConditional())
        continue;
      bool storesIfTrue = llvm::any_of(
          *branch->getSuccessor(0), [&](const llvm::Instruction &next) {
            const auto *store = llvm::dyn_cast<llvm::StoreInst>(&next);
            return store && llvm::getUnderlyingObject(
                                store->getPointerOperand()) == &memory;
          });
      return isGreater == storesIfTrue;
    }
  }
  return false;
}

/// RaceFinding::declaration of accesses of one leaf.
static std::string declarationFor(const PlacedAccess &access) {
  using Op = LeafReduction::Op;
  if (access.access->memory.kind != LeafMemory::Kind::Parameter ||
      access.origins.empty())
    return "";
  const llvm::Function &leaf = *access.origins.front()->getFunction();
  unsigned number = access.access->memory.index;
  if (number >= leaf.arg_size() || hasReductions(leaf))
    return "";
  auto nameOf = [&](unsigned number, llvm::StringRef other) {
    return number < leaf.arg_size() && leaf.getArg(number)->hasName()
               ? leaf.getArg(number)->getName()
               : other;
  };
  for (Op op :
       {Op::Sum, Op::Product, Op::Min, Op::Max, Op::And, Op::Or, Op::Xor}) {
    LeafReduction reduction;
    reduction.memory = leaf.getArg(number);
    reduction.op = op;
    if (findReductionMisuses(reduction).empty() &&
        (op != Op::Min || !isMaximum(*reduction.memory)))
      return ("sluice_reduce(" + nameOf(number, "memory") + ", " +
              nameOf(number + 1, "bytes") + ", SLUICE_" +
              spellReduction(op).upper() + ")")
          .str();
  }
  return "";
}

/// Nothing if the two never meet.
static std::optional<Decision> decide(Explorer &explorer, const Pair &pair,
                                      const OverlapQuery *query) {
  bool hasDerivedValues = query && hasDerived(*query);
  std::optional<OverlapQuery> usual;
  UsualExtents assumed;
  bool isShown = false, takesLong = false;
  if (query) {
    WorkLimit limit(explorer.maxWork());
    usual = hasDerivedValues
                ? assumeUsualExtents(*query, dfg::leastUsualExponent, &assumed)
                : *query;
    isShown = isProven(*usual);
    takesLong = !isShown && WorkLimit::isReached();
  }
  if (isShown) {
    noteLimits(explorer, *query, assumed, pair.first, pair.second,
               [](const OverlapQuery &asked) { return isProven(asked); });
    return std::nullopt;
  }
  Explorer::Values values;
  explorer.far.reset();
  auto racy = [&](const Explorer::Values &meeting) {
    return Decision{RaceVerdict::Racy, spellMeeting(pair.first, pair.second,
                                                    pair.equalLevels, meeting)};
  };
  if (query) {
    WorkLimit limit(explorer.maxWork());
    if (auto meeting = findMeeting(explorer, pair, *query))
      return racy(*meeting);
  }
  // An argument may be what no host passes, which only its use tells.
  bool isUncertain = !pair.a.isCertain && !pair.b.isCertain;
  switch (explorer.explore(pair, query, values)) {
  case Explorer::Answer::Yes:
    return racy(values);
  case Explorer::Answer::No:
    return std::nullopt;
  case Explorer::Answer::Unknown:
    break;
  }
  if (usual && !takesLong) {
    WorkLimit limit(explorer.maxWork());
    isShown = isProvenByNumbers(*usual, explorer.searchesLeft);
  }
  if (isShown) {
    unsigned searchesLeft = searchesForLimits;
    noteLimits(explorer, *query, assumed, pair.first, pair.second,
               [&](const OverlapQuery &asked) {
                 return isProvenByNumbers(asked, searchesLeft);
               });
    return std::nullopt;
  }
  auto unknown = [](std::string reason) {
    return Decision{RaceVerdict::Unknown, std::move(reason)};
  };
  if (explorer.far)
    return unknown(
        spellMeeting(pair.first, pair.second, pair.equalLevels, *explorer.far) +
        " do in a launch that has both, which nothing rules out");
  if (!query) {
    const std::string &reason =
        (pair.a.offset ? pair.b : pair.a).access->reason;
    return unknown(reason.empty() ? undecided : reason);
  }
  if (takesLong)
    return unknown("their addresses and conditions are too long to compare");
  for (const PlacedAccess *access : {&pair.a, &pair.b})
    if (!access->isCertain && !access->access->reason.empty())
      return unknown(access->access->reason);
  return unknown(isUncertain ? "whether both run depends on values in memory"
                             : undecided);
}

/// Between two nodes that a one-to-one edge joins, barriers order all
/// instances: when one has ended, all of its work-group have reached their last
/// barrier, and when one has passed the first, all have begun.
static bool areOrderedByBarrier(const TreeNode &first, const PlacedAccess &a,
                                const TreeNode &second, const PlacedAccess &b,
                                const Relation &relation) {
  if (relation.kind != RaceKind::OneToOneEdge)
    return false;
  const bool isFirst =
      first.ancestorAt(relation.equalLevels) == relation.source;
  const PlacedAccess &before = isFirst ? a : b, &after = isFirst ? b : a;
  // A work-group is what one instance of the graph around the edge has.
  auto isJoined = [&](const TreeNode &leaf) {
    return leaf.depth == relation.equalLevels + 1;
  };
  return (isJoined(isFirst ? first : second) &&
          before.access->isBeforeBarrier) ||
         (isJoined(isFirst ? second : first) && after.access->isBehindBarrier);
}

/// What shows, without looking at addresses, that `a` and `b` never meet.
static bool areApart(const TreeNode &first, const PlacedAccess &a,
                     const TreeNode &second, const PlacedAccess &b,
                     const Relation &relation) {
  unsigned equal = relation.equalLevels;
  // Every instance has its own.
  if (relation.mustDiffer && a.target.levels > equal && b.target.levels > equal)
    return true;
  if (&first == &second && areAssumedDisjoint(*a.access, *b.access))
    return true;
  if (areOrderedByBarrier(first, a, second, b, relation))
    return true;
  return isWorkGroup(first, relation) &&
         !share(a.access->intervals, b.access->intervals);
}

/// The question about two accesses, with what is loaded from memory as a value
/// where the address depends on it.
static std::optional<OverlapQuery> followedQuery(QueryBuilder builder,
                                                 const TreeNode &first,
                                                 const PlacedAccess &a,
                                                 const TreeNode &second,
                                                 const PlacedAccess &b) {
  const std::optional<Polynomial> &x = a.offset ? a.offset : a.followed;
  const std::optional<Polynomial> &y = b.offset ? b.offset : b.followed;
  if (!x || !y)
    return std::nullopt;
  return builder.build(first, a, *x, second, b, *y);
}

/// True if the accesses of `query`, of instances of these, never meet.
static bool isProven(const OverlapQuery &query, Explorer &explorer,
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

bool races::neverMeet(Explorer &explorer, const TreeNode &first,
                      const PlacedAccess &a, const TreeNode &second,
                      const PlacedAccess &b, const Relation &relation) {
  if (a.target.object.kind == MemoryObject::Kind::Unknown ||
      a.target.object != b.target.object)
    return false;
  if (areApart(first, a, second, b, relation))
    return true;
  return llvm::all_of(waysApart(first, relation), [&](const Relation &way) {
    auto query = followedQuery(QueryBuilder(way), first, a, second, b);
    return query && isProven(*query, explorer, first, second);
  });
}

/// The question for instances whose ids `more` and `less` are at least `least`
/// apart: the one is the other, the distance, and what is not negative.
static OverlapQuery withDistance(OverlapQuery query, const Symbol &more,
                                 const Symbol &less, int64_t least) {
  Symbol rest;
  rest.kind = Symbol::Kind::Turn;
  rest.side = more.side;
  rest.index = ~0u;
  Polynomial value = Polynomial::of(less) + Polynomial::of(rest) + least;
  auto replace = [&](Polynomial &in) {
    in = in.substitute([&](const Symbol &symbol) {
      return std::optional(symbol == more ? value : Polynomial::of(symbol));
    });
  };
  replace(query.firstOffset);
  replace(query.secondOffset);
  for (Condition &condition : query.conditions)
    replace(condition.value);
  auto bound = query.bounds.find(more);
  if (bound != query.bounds.end()) {
    query.conditions.push_back(
        {Condition::Kind::NotPositive, value + 1 - bound->second});
    query.bounds.erase(bound);
  }
  for (auto &[variable, limit] : query.bounds)
    replace(limit);
  return query;
}

/// The slowest id of the outermost level.
static Symbol slowestId(const TreeNode &leaf, Symbol::Side side) {
  Symbol id;
  id.dimension = leaf.ancestorAt(0)->extents.size() - 1;
  id.side = side;
  return id;
}

bool races::neverMeetAt(Explorer &explorer, const TreeNode &first,
                        const PlacedAccess &a, const TreeNode &second,
                        const PlacedAccess &b, const Distance &distance,
                        bool isUsual) {
  if (!a.offset || !b.offset || a.target.object != b.target.object)
    return false;
  if (explorer.workLeft <= 0)
    return false;
  WorkLimit limit(explorer.maxWork());
  Relation relation;
  OverlapQuery query = simplify(
      QueryBuilder(relation).build(first, a, *a.offset, second, b, *b.offset));
  if (isUsual) {
    // While ids are ids: nothing limits their distance. Launches look at
    // extents, but cannot at trip counts.
    UsualExtents needed;
    query = assumeUsualExtents(query, dfg::leastUsualExponent, &needed);
    if (needed.hasTurns)
      return false;
  }
  Symbol x = slowestId(first, Symbol::Side::First);
  Symbol y = slowestId(second, Symbol::Side::Second);
  auto isApart = [&](const OverlapQuery &one) {
    OverlapQuery asked =
        simplify(withDistance(one, distance.isFirst ? x : y,
                              distance.isFirst ? y : x, distance.least));
    return isProven(asked) || isProven(withImplied(asked)) ||
           isProvenByNumbers(asked, explorer.furtherSearchesLeft);
  };
  const bool isShown = holdsInAllCases(query, isApart);
  // Each question has a price, which programs with many sweeps notice.
  constexpr int64_t leastWork = 1000;
  explorer.workLeft -=
      std::min(explorer.workLeft, std::max(limit.spent(), leastWork));
  return isShown;
}

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

/// What `symbol` says all of: of a conversion that loses nothing, the operand.
static Symbol withoutConversion(Symbol symbol) {
  while (symbol.derivation && symbol.derivation->op == Derivation::Op::Wrap) {
    const Polynomial &operand = symbol.derivation->operands.front();
    Range range = rangeOf(operand);
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
  // The same lock for instances that are ordered, too: what is not known of the
  // ids does no harm.
  Relation relation = orderedRelation;
  relation.orderedDims = 0;
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

static RaceFinding findingOf(const PlacedAccesses &accesses,
                             const TreeNode &first, const PlacedAccess &a,
                             const TreeNode &second, const PlacedAccess &b,
                             const Relation &relation, Decision decision) {
  RaceFinding finding = accesses.describe(first, a, second, b);
  finding.verdict = decision.verdict;
  finding.reason = std::move(decision.reason);
  finding.kind = relation.kind == RaceKind::Instances && &a != &b
                     ? RaceKind::NoBarrier
                     : relation.kind;
  finding.source = relation.source->name();
  if (relation.sink)
    finding.sink = relation.sink->name();
  if (&first == &second && finding.verdict == RaceVerdict::Racy)
    finding.declaration = declarationFor(a);
  return finding;
}

/// For one way in which instances are not ordered.
static std::optional<RaceFinding>
compareIn(const PlacedAccesses &accesses, Explorer &explorer,
          const TreeNode &first, const PlacedAccess &a, const TreeNode &second,
          const PlacedAccess &b, const Relation &relation) {
  Pair pair = {first,
               a,
               second,
               b,
               relation.equalLevels,
               relation.mustDiffer,
               relation.orderedDims,
               isWorkGroup(first, relation)};
  std::optional<OverlapQuery> query =
      followedQuery(QueryBuilder(relation), first, a, second, b);
  if (query && !(a.offset && b.offset)) {
    if (isProven(*query, explorer, first, second))
      return std::nullopt;
    query.reset();
  }
  if (query)
    query = simplify(*query);
  std::optional<Decision> decision =
      decide(explorer, pair, query ? &*query : nullptr);
  if (!decision)
    return std::nullopt;
  return findingOf(accesses, first, a, second, b, relation,
                   std::move(*decision));
}

/// True if the places alone show that the accesses never meet, whatever their
/// conditions are. Asked where a leaf has many accesses: these often have few
/// places, and long conditions.
static bool areOtherPlaces(Explorer &explorer, const TreeNode &first,
                           const PlacedAccess &a, const TreeNode &second,
                           const PlacedAccess &b, const Relation &relation) {
  constexpr unsigned fewPairs = 256;
  if (++explorer.numPairs <= fewPairs || !a.offset || !b.offset ||
      (a.conditions.empty() && b.conditions.empty()))
    return false;
  // Of memory that each instance has for itself, other instances touch none,
  // which says nothing of other memory.
  auto placeOf = [](const PlacedAccess &access) {
    return Explorer::Place(access.target.object, access.target.levels,
                           *access.offset, access.access->size);
  };
  auto [known, isNew] = explorer.otherPlaces.try_emplace(
      {&first, &second, relation.equalLevels, relation.mustDiffer,
       relation.orderedDims, placeOf(a), placeOf(b)});
  if (!isNew)
    return known->second;
  auto withoutConditions = [](const PlacedAccess &access) {
    PlacedAccess result = {access.access, access.target, access.offset};
    return result;
  };
  known->second = neverMeet(explorer, first, withoutConditions(a), second,
                            withoutConditions(b), relation);
  return known->second;
}

std::optional<RaceFinding>
races::compare(const PlacedAccesses &accesses, Explorer &explorer,
               const TreeNode &first, const PlacedAccess &a,
               const TreeNode &second, const PlacedAccess &b,
               const Relation &relation) {
  if (areApart(first, a, second, b, relation) ||
      areOtherPlaces(explorer, first, a, second, b, relation))
    return std::nullopt;
  if (explorer.pairsLeft == 0)
    return findingOf(accesses, first, a, second, b, relation,
                     {RaceVerdict::Unknown,
                      "the graph has too many accesses to compare all"});
  --explorer.pairsLeft;
  std::optional<RaceFinding> finding;
  for (const Relation &way : waysApart(first, relation))
    if (auto found = compareIn(accesses, explorer, first, a, second, b, way)) {
      finding = std::move(found);
      if (finding->verdict == RaceVerdict::Racy)
        break;
    }
  return finding;
}
