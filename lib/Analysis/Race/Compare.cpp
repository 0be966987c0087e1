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
#include "MeetingText.h"
#include "ProofAttempts.h"
#include "ReductionHints.h"
#include "RowTests.h"
#include "TableTests.h"
#include "Terms/Work.h"

#include "sluice/Analysis/LeafMemory.h"
#include "sluice/DFG/AssumedExtents.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace sluice;
using namespace sluice::races;

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

/// Relates the turns of loops with barriers for which no barrier stands between
/// `a` and `b`; false if the relation is not certain.
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
  bool dependsOnArguments = false;
};
} // namespace

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

/// Whether the places of pointers depend on arguments. A condition that two are
/// the same would be met for some arguments, but not for those that hosts pass.
static bool dependOnArguments(const std::vector<Polynomial> &pointers) {
  return llvm::any_of(pointers, [](const Polynomial &pointer) {
    return pointer.containsAny(
        [](const Symbol &symbol) { return !isVariable(symbol); });
  });
}

/// Two instances that meet by what conditions and addresses say, and that do so
/// when they are executed.
static std::optional<Explorer::Values>
findMeeting(Explorer &explorer, const Pair &pair, const OverlapQuery &query) {
  if (dependOnArguments(pair.a.pointers) || dependOnArguments(pair.b.pointers))
    return std::nullopt;
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

/// The slowest id of the outermost level.
static Symbol slowestId(const TreeNode &leaf, Symbol::Side side) {
  Symbol id;
  id.dimension = leaf.ancestorAt(0)->extents.size() - 1;
  id.side = side;
  return id;
}

/// Two instances that are not ordered and meet, if only the first chunk of
/// consecutive instances is ordered.
static std::optional<Explorer::Values>
findBeyondChunk(Explorer &explorer, const Pair &pair,
                const OverlapQuery &query) {
  const int64_t chunk = std::abs(chunkOf(pair.a));
  if (chunk <= 1 || pair.equalLevels != 0 || pair.first.depth == 0)
    return std::nullopt;
  for (bool isFirst : {true, false}) {
    Symbol inside =
        slowestId(isFirst ? pair.first : pair.second,
                  isFirst ? Symbol::Side::First : Symbol::Side::Second);
    Symbol beyond =
        slowestId(isFirst ? pair.second : pair.first,
                  isFirst ? Symbol::Side::Second : Symbol::Side::First);
    OverlapQuery asked = query;
    asked.conditions.push_back(
        {Condition::Kind::NotPositive, Polynomial::of(inside) + (1 - chunk)});
    asked.conditions.push_back({Condition::Kind::NotPositive,
                                Polynomial(chunk) - Polynomial::of(beyond)});
    WorkLimit limit(explorer.maxWork());
    if (auto meeting = findMeeting(explorer, pair, asked))
      return meeting;
  }
  return std::nullopt;
}

/// The range of a value with remainders: k * (v - c * (v / c)) and a rest.
static IntegerRange rangeWithRests(const Polynomial &value) {
  Polynomial other = value;
  int64_t most = 0;
  for (const Symbol &symbol : value.symbols()) {
    auto found = value.getTerms().find({symbol});
    if (!symbol.derivation || found == value.getTerms().end() ||
        symbol.derivation->op != Derivation::Op::Divide)
      continue;
    const int64_t divisor = symbol.derivation->divisor;
    const int64_t factor = -found->second / divisor;
    if (factor <= 0 || factor * divisor != -found->second ||
        divisor > INT32_MAX || factor > INT32_MAX)
      continue;
    other -= (symbol.derivation->operands[0] -
              Polynomial::of(symbol) * Polynomial(divisor)) *
             Polynomial(factor);
    most += factor * (divisor - 1);
  }
  IntegerRange range = rangeOf(other);
  if (range.isBounded() && range.most < INT64_MAX / 2)
    range.most += most;
  return range;
}

/// True if an access reaches few places, as `b[a[x] & 15]`, and a launch may
/// have more instances than these are.
static bool hasFewPlaces(const TreeNode &leaf, const PlacedAccess &access,
                         unsigned level) {
  constexpr int64_t few = 4096;
  if (!access.followed)
    return false;
  IntegerRange range = rangeWithRests(*access.followed);
  const int64_t numPlaces =
      (range.most / 2 - range.least / 2) / access.access->size * 2 + 2;
  int64_t numInstances = 1;
  for (const std::optional<Polynomial> &extent :
       leaf.ancestorAt(level)->extents) {
    const int64_t most = extent ? rangeOf(*extent).most : few;
    if (numInstances <= few)
      numInstances *= std::clamp<int64_t>(most, 1, few);
  }
  for (const llvm::Instruction *origin : access.origins)
    if (origin)
      numInstances = std::min<int64_t>(
          numInstances,
          std::min<uint64_t>(
              origin->getFunction()->getFnAttributeAsParsedInteger(
                  mostInstancesAttribute, INT64_MAX),
              INT64_MAX));
  return range.isBounded() && numPlaces < few && numPlaces < numInstances;
}

/// Nothing if the two never meet.
static std::optional<Decision> decide(Explorer &explorer, const Pair &pair,
                                      const OverlapQuery *query) {
  if (!leadToComparable(pair.a, pair.b))
    return Decision{RaceVerdict::Unknown,
                    "two pointers of one record may lead to the same memory"};
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
  auto racy = [&](Explorer::Values meeting) {
    if (query)
      if (auto beyond = findBeyondChunk(explorer, pair, *query))
        meeting = std::move(*beyond);
    return Decision{
        RaceVerdict::Racy,
        (pair.isAccumulation ? "for some contents of memory, " : "") +
            spellMeeting(pair.first, pair.second, pair.equalLevels, meeting),
        explorer.dependsOnArguments(pair, meeting)};
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
  if (pair.isAccumulation && !query &&
      hasFewPlaces(pair.first, pair.a, pair.equalLevels) &&
      hasFewPlaces(pair.second, pair.b, pair.equalLevels))
    if (auto meeting = explorer.meetWithContents(pair))
      return racy(*meeting);
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

/// True if `a` and `b` never meet for a reason other than their addresses.
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

bool races::neverMeet(Explorer &explorer, const TreeNode &first,
                      const PlacedAccess &a, const TreeNode &second,
                      const PlacedAccess &b, const Relation &relation) {
  if (a.target.object.kind == MemoryObject::Kind::Unknown ||
      a.target.object != b.target.object)
    return false;
  if (areApart(first, a, second, b, relation))
    return true;
  return llvm::all_of(
      waysApart(first, a, b, relation), [&](const Relation &way) {
        auto query = followedQuery(QueryBuilder(way), first, a, second, b);
        return query && isProven(*query, explorer, first, second);
      });
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

static RaceFinding findingOf(const PlacedAccesses &accesses, Explorer &explorer,
                             const TreeNode &first, const PlacedAccess &a,
                             const TreeNode &second, const PlacedAccess &b,
                             const Relation &relation, Decision decision) {
  RaceFinding finding = accesses.describe(first, a, second, b);
  finding.verdict = decision.verdict;
  finding.reason = std::move(decision.reason);
  finding.dependsOnArguments = decision.dependsOnArguments;
  finding.kind = relation.kind == RaceKind::Instances && &a != &b
                     ? RaceKind::NoBarrier
                     : relation.kind;
  finding.source = relation.source->name();
  if (relation.sink)
    finding.sink = relation.sink->name();
  if (&first == &second && finding.verdict == RaceVerdict::Racy)
    finding.declaration = declarationOf(explorer, a);
  return finding;
}

/// "'table'" of "argument 'table' of 'root'": other roots have it as well.
static std::string nameIn(const std::string &memory) {
  const size_t begin = memory.find('\''), end = memory.find('\'', begin + 1);
  return memory.substr(begin, end - begin + 1);
}

/// The reason of a pair whose instances meet only if a table that only the host
/// fills names a place twice. Empty if they may also meet for other reasons.
static std::string whereTablesMeet(const PlacedAccesses &accesses,
                                   Explorer &explorer, const Pair &pair,
                                   const OverlapQuery &query,
                                   std::vector<TableCondition> &tests) {
  if (&pair.first != &pair.second ||
      pair.a.access->memory != pair.b.access->memory)
    return "";
  std::vector<TableUse> used;
  const bool isShown = areDisjointByTables(
      query,
      [&](const Symbol &memory) {
        return accesses.unwritten(pair.first, memory).has_value();
      },
      used,
      [&](const OverlapQuery &asked) {
        return isProven(asked, explorer, pair.first, pair.second);
      });
  if (!isShown)
    return "";
  if (explorer.testsTables)
    tests = testsOfTables(accesses, explorer, pair.first, pair.a, pair.b, query,
                          used);
  std::set<Symbol> memories;
  for (const TableUse &use : used)
    memories.insert(use.memory);
  std::string tables;
  for (const Symbol &memory : memories) {
    tables += (tables.empty() ? "" : ", or in ") +
              nameIn(accesses.describeMemory(
                  *accesses.unwritten(pair.first, memory)));
  }
  return "they do only if two of the entries that they read in " + tables +
         " are equal";
}

/// The same where a launch can tell which rows of an array instances use.
static void addRowTest(const PlacedAccesses &accesses, Explorer &explorer,
                       const Pair &pair, const Relation &relation,
                       Decision &decision, std::vector<TableCondition> &tests) {
  if (!explorer.testsTables || &pair.first != &pair.second)
    return;
  std::optional<TableCondition> test =
      testOfRows(accesses, explorer, pair.first, pair.a, pair.b, relation);
  if (!test)
    return;
  std::string tables;
  for (unsigned table : test->tables()) {
    MemoryObject object = {MemoryObject::Kind::Argument, table};
    tables += (tables.empty() ? "" : " and in ") +
              nameIn(accesses.describeMemory(object));
  }
  decision.reason = "they do only if the entries that they read in " + tables +
                    " send two of them to the same memory";
  explorer.isOfTables = true;
  tests = {std::move(*test)};
}

/// For one way in which instances are not ordered.
static std::optional<RaceFinding>
compareIn(const PlacedAccesses &accesses, Explorer &explorer,
          const TreeNode &first, const PlacedAccess &a, const TreeNode &second,
          const PlacedAccess &b, const Relation &relation) {
  Pair pair = {
      first,
      a,
      second,
      b,
      relation.equalLevels,
      relation.mustDiffer,
      relation.orderedDims,
      relation.order,
      isWorkGroup(first, relation),
      isAccumulation(accesses, explorer, first, a, second, b, relation)};
  std::optional<OverlapQuery> query =
      followedQuery(QueryBuilder(relation), first, a, second, b);
  std::optional<OverlapQuery> followed;
  if (query && !(a.offset && b.offset)) {
    if (isProven(*query, explorer, first, second))
      return std::nullopt;
    followed.swap(query);
  }
  if (query)
    query = simplify(*query);
  std::optional<Decision> decision =
      decide(explorer, pair, query ? &*query : nullptr);
  if (!decision)
    return std::nullopt;
  explorer.isOfTables = false;
  std::vector<TableCondition> tests;
  if (followed && decision->verdict == RaceVerdict::Unknown)
    if (std::string where = whereTablesMeet(accesses, explorer, pair,
                                            simplify(*followed), tests);
        !where.empty()) {
      decision->reason = std::move(where);
      explorer.isOfTables = true;
    }
  if (decision->verdict == RaceVerdict::Unknown && tests.empty())
    addRowTest(accesses, explorer, pair, relation, *decision, tests);
  RaceFinding finding = findingOf(accesses, explorer, first, a, second, b,
                                  relation, std::move(*decision));
  finding.tables = std::move(tests);
  return finding;
}

/// True if the places alone show that the accesses never meet, whatever their
/// conditions are. Used for leaves with many accesses, which often have few
/// places and long conditions.
static bool areOtherPlaces(Explorer &explorer, const TreeNode &first,
                           const PlacedAccess &a, const TreeNode &second,
                           const PlacedAccess &b, const Relation &relation) {
  constexpr unsigned fewPairs = 256;
  if (++explorer.numPairs <= fewPairs || relation.order || !a.offset ||
      !b.offset || (a.conditions.empty() && b.conditions.empty()))
    return false;
  // The object and its levels are part of the place, because memory that
  // belongs to one instance is apart from that of others.
  auto placeOf = [](const PlacedAccess &access) {
    return Explorer::Place(access.target.object, access.target.levels,
                           access.pointers, *access.offset,
                           access.access->size);
  };
  auto [known, isNew] = explorer.otherPlaces.try_emplace(
      {&first, &second, relation.equalLevels, relation.mustDiffer,
       relation.orderedDims, placeOf(a), placeOf(b)});
  if (!isNew)
    return known->second;
  auto withoutConditions = [](const PlacedAccess &access) {
    PlacedAccess result = {access.access, access.target, access.offset};
    result.pointers = access.pointers;
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
    return findingOf(accesses, explorer, first, a, second, b, relation,
                     {RaceVerdict::Unknown,
                      "the graph has too many accesses to compare all"});
  --explorer.pairsLeft;
  std::optional<RaceFinding> finding;
  bool isOfTables = true;
  for (const Relation &way : waysApart(first, a, b, relation))
    if (auto found = compareIn(accesses, explorer, first, a, second, b, way)) {
      isOfTables &= explorer.isOfTables;
      // Tests of one way do not hold for others.
      if (finding)
        finding->tables.clear();
      if (!finding || !explorer.isOfTables)
        finding = std::move(found);
      if (finding->verdict == RaceVerdict::Racy)
        break;
    }
  explorer.isOfTables = finding && isOfTables;
  return finding;
}
