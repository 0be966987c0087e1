//===- Races.cpp - Nodes and instances that may meet in memory ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For every root:
//   1. build the tree of its nodes                              (Tree.cpp)
//   2. summarise what the leaves touch       (CollectEffects.cpp, Accesses.cpp)
//   3. translate both to tasks over regions             (GraphRegions.cpp)
//   4. have RDIR find the uses that nothing orders         (../Regions)
//   5. answer for those: prove them disjoint (Disjoint.cpp), or find two
//      instances that meet (Collision.cpp), or say why neither works
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/Races.h"
#include "Compare.h"
#include "Graph/ArgumentPairs.h"
#include "Graph/StreamItems.h"
#include "Terms/Work.h"

#include "sluice/Analysis/LeafOrder.h"
#include "sluice/DFG/AssumedExtents.h"
#include "sluice/DFG/OrderedDims.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace sluice;
using namespace sluice::races;

bool sluice::operator==(const TableCondition &a, const TableCondition &b) {
  auto numbers = [](const TableCondition &one) {
    return std::tie(one.rule, one.argument, one.entryBytes, one.numVariables,
                    one.numSums, one.numIds, one.numEnds, one.numNonZeros);
  };
  return numbers(a) == numbers(b) &&
         llvm::equal(a.steps, b.steps,
                     [](const auto &x, const auto &y) {
                       return x.kind == y.kind && x.value == y.value;
                     }) &&
         llvm::equal(a.loads, b.loads, [](const auto &x, const auto &y) {
           return x.argument == y.argument && x.entryBytes == y.entryBytes &&
                  x.isUnsigned == y.isUnsigned;
         });
}

std::set<unsigned> TableCondition::tables() const {
  if (rule == SLUICE_TABLE_DIFFERENT)
    return {argument};
  std::set<unsigned> all;
  for (const SluicePlanLoad &load : loads)
    all.insert(load.argument);
  return all;
}

bool RaceReport::isRacy() const {
  return llvm::any_of(findings, [](const RaceFinding &finding) {
    return finding.verdict == RaceVerdict::Racy;
  });
}

namespace {
/// Accesses of one leaf whose places are numbers of bytes apart, as one access
/// from the first of their bytes to the last one.
struct AccessBlock {
  const TreeNode *leaf = nullptr;
  LeafAccess access;
  PlacedAccess placed;
  /// Bytes from the address without its number.
  int64_t least = INT64_MAX, end = INT64_MIN;
  std::vector<unsigned> members;
};

class RootCheck {
public:
  RootCheck(dfg::GraphOp root, LeafCode &code, unsigned parts, int64_t work,
            bool testsTables)
      : tree(root, code), accesses(tree), explorer(tree, code, parts, work),
        regions(tree, accesses) {
    explorer.testsTables = testsTables && !isStreaming(root);
    for (const TreeNode *leaf : tree.leaves())
      numbers[leaf] = numbers.size();
  }

  void run(RaceReport &report);
  /// After `run`; see Explorer.
  unsigned spentParts() const { return explorer.spentParts(); }
  int64_t spentWork() const { return explorer.spentWork(); }
  std::string printRegions() const {
    return regions::printRegions(regions.system(), check, regions.operators());
  }

private:
  /// Two leaves, and the memory in which they meet: one finding.
  using Key = std::tuple<unsigned, unsigned, MemoryObject>;

  Relation relationOf(const regions::Meeting &meeting) const;
  regions::Answer prove(const regions::Meeting &meeting);
  regions::Answer compare(LeafUse first, LeafUse second,
                          const Relation &relation);
  regions::Answer compareWithin(LeafUse first, LeafUse second,
                                const Relation &relation);
  bool areApart(const AccessBlock &first, const AccessBlock &second,
                const Relation &relation);
  regions::Answer add(const Key &key, const LeafUse &first,
                      const LeafUse &second, const Relation &relation);
  void addFollowed(std::vector<RaceReport::FollowedPointers> &followed) const;
  void addUnknown(const LeafUse &use);
  bool isOpen(const LeafUse &first, const LeafUse &second,
              const Relation &relation);
  void addIfStated(const LeafUse &first, const LeafUse &second);
  void addOpen(OpenOrder::Kind kind, const std::string &reason,
               const LeafUse &first, const LeafUse &second);
  void checkItems(RaceReport &report);
  const PlacedAccess &accessOf(const LeafUse &use) const {
    return accesses.of(*use.leaf)[use.access];
  }

  Tree tree;
  PlacedAccesses accesses;
  Explorer explorer;
  GraphRegions regions;
  llvm::DenseMap<const TreeNode *, unsigned> numbers;
  struct Known {
    std::pair<unsigned, unsigned> accesses;
    RaceFinding finding;
    /// Pairs of accesses of which nothing is known.
    unsigned numUnknown = 0;
    /// Explorer::isOfTables.
    bool isOfTables = false;
    /// The tests that show all that is unknown; none if no tests do.
    std::optional<std::vector<TableCondition>> tests = std::nullopt;

    /// The rank of a finding: higher ones say more about two accesses. Unknown
    /// findings rank higher if tests do not settle them.
    int rank() const {
      return finding.verdict == RaceVerdict::Unknown ? !isOfTables
             : finding.dependsOnArguments            ? 2
                                                     : sure;
    }
    static constexpr int sure = 3;
    /// Takes back a reason that is not the only one.
    void addReason() {
      if (std::exchange(isOfTables, false))
        finding.reason = "it depends on values that are loaded from memory";
    }
  };
  void addTables(RaceReport &report);
  void addTablePairs(const RaceReport &report, ArgumentPairs &pairs) const;
  /// If so many pairs are unknown, the others count as unknown, too.
  static constexpr unsigned maxUnknown = 4000;
  regions::RegionCheck check;
  std::map<Key, Known> findings;
  using OpenKey = std::tuple<unsigned, unsigned, MemoryObject, OpenOrder::Kind,
                             std::string>;
  std::map<OpenKey, OpenOrder> openOrders;
  /// By leaf: the first access to unknown memory that may meet another one.
  std::map<unsigned, LeafUse> unknown;
};
} // namespace

Relation RootCheck::relationOf(const regions::Meeting &meeting) const {
  const TreeNode &first = regions.node(meeting.graph, meeting.first);
  const TreeNode &second = regions.node(meeting.graph, meeting.second);
  Relation relation;
  relation.equalLevels = first.depth - 1;
  relation.mustDiffer = meeting.isPointwise;
  relation.source = &first;
  if (&first == &second) {
    if (first.op && relation.mustDiffer)
      relation.orderedDims = dfg::orderedDims(first.op);
    // Less than all of an instance waits.
    if (relation.mustDiffer && first.effects && first.effects->order) {
      relation.orderedDims = 0;
      relation.order = &*first.effects->order;
    }
    relation.kind = first.graph ? RaceKind::Parents : RaceKind::Instances;
    return relation;
  }
  relation.kind =
      meeting.isPointwise ? RaceKind::OneToOneEdge : RaceKind::NoEdge;
  relation.sink = &second;
  return relation;
}

/// Pointers need not be followed if nothing is written.
void RootCheck::addFollowed(
    std::vector<RaceReport::FollowedPointers> &followed) const {
  std::map<MemoryObject, unsigned> depths;
  bool isWritten = false;
  for (const TreeNode *leaf : tree.leaves())
    for (const PlacedAccess &access : accesses.of(*leaf)) {
      isWritten |= access.access->isWrite;
      MemoryObject object = access.target.object;
      const unsigned depth = std::exchange(object.depth, 0);
      if (depth != 0)
        depths[object] = std::max(depths[object], depth);
    }
  for (const auto &[object, depth] : depths) {
    bool isArgument = object.kind == MemoryObject::Kind::Argument;
    if (isWritten)
      followed.push_back(
          {isArgument ? std::optional(object.index) : std::nullopt,
           accesses.describeMemory(object), depth});
  }
}

/// An access of unknown memory stands for its leaf.
void RootCheck::addUnknown(const LeafUse &use) {
  if (accessOf(use).target.object.kind != MemoryObject::Kind::Unknown)
    return;
  auto [found, isNew] = unknown.try_emplace(numbers.at(use.leaf), use);
  if (use.access < found->second.access)
    found->second = use;
}

/// Two accesses that nothing orders, but that are no race.
bool RootCheck::isOpen(const LeafUse &first, const LeafUse &second,
                       const Relation &relation) {
  const PlacedAccess &a = accessOf(first), &b = accessOf(second);
  const LeafGuard *guard =
      commonGuard(explorer, *first.leaf, a, *second.leaf, b, relation);
  if (!guard && (a.access->vouches.empty() || b.access->vouches.empty()))
    return false;
  if (neverMeet(explorer, *first.leaf, a, *second.leaf, b, relation)) {
    addIfStated(first, second);
    return true;
  }
  if (guard) {
    std::optional<MemoryObject> lock = objectOfGuard(*first.leaf, *guard);
    if (!lock || lock->kind != MemoryObject::Kind::Global ||
        !StringRef(lock->name).starts_with(orderlessLock))
      addOpen(guard->kind == LeafGuard::Kind::Held ? OpenOrder::Kind::Lock
                                                   : OpenOrder::Kind::Static,
              accesses.describeGuard(*first.leaf, *guard), first, second);
  } else {
    addOpen(OpenOrder::Kind::Vouched,
            first.leaf->effects->vouches[a.access->vouches.front()].reason,
            first, second);
  }
  return true;
}

/// Notes two accesses if the program states that they are apart.
void RootCheck::addIfStated(const LeafUse &first, const LeafUse &second) {
  if (first.leaf == second.leaf &&
      areAssumedDisjoint(*accessOf(first).access, *accessOf(second).access,
                         first.leaf->effects->numDisjointCalls))
    addOpen(OpenOrder::Kind::Apart, "", first, second);
}

void RootCheck::addOpen(OpenOrder::Kind kind, const std::string &reason,
                        const LeafUse &first, const LeafUse &second) {
  const PlacedAccess &a = accessOf(first), &b = accessOf(second);
  RaceFinding finding = accesses.describe(*first.leaf, a, *second.leaf, b);
  OpenOrder open{kind, finding.first, finding.second, finding.memory, reason};
  openOrders.try_emplace({numbers.at(first.leaf), numbers.at(second.leaf),
                          a.target.object, kind, reason},
                         open);
}

/// Compares two accesses without an order. A pair that is not proven becomes a
/// finding.
regions::Answer RootCheck::compare(LeafUse first, LeafUse second,
                                   const Relation &relation) {
  // Of each question that two accesses lead to.
  WorkLimit limit(4 * explorer.maxWork());
  regions::Answer answer = compareWithin(first, second, relation);
  explorer.workLeft -= std::min(explorer.workLeft, limit.spent());
  return answer;
}

regions::Answer RootCheck::compareWithin(LeafUse first, LeafUse second,
                                         const Relation &relation) {
  auto position = [&](const LeafUse &use) {
    return std::pair(numbers.at(use.leaf), use.access);
  };
  if (position(second) < position(first))
    std::swap(first, second);
  const PlacedAccess &a = accessOf(first), &b = accessOf(second);
  if (!conflict(*a.access, *b.access) || isOpen(first, second, relation))
    return regions::Answer::Disjoint;
  if (first.leaf == second.leaf && areAssumedDisjoint(*a.access, *b.access)) {
    addIfStated(first, second);
    return regions::Answer::Disjoint;
  }
  const MemoryObject &object = a.target.object;
  if (object.kind == MemoryObject::Kind::Unknown || object != b.target.object) {
    addUnknown(first);
    addUnknown(second);
    return regions::Answer::Unknown;
  }
  return add({numbers.at(first.leaf), numbers.at(second.leaf), object}, first,
             second, relation);
}

/// Prefers races to unknown findings, and earlier places in the code to later
/// ones.
regions::Answer RootCheck::add(const Key &key, const LeafUse &first,
                               const LeafUse &second,
                               const Relation &relation) {
  auto known = findings.find(key);
  std::pair position = {first.access, second.access};
  const int knownRank = known == findings.end() ? -1 : known->second.rank();
  if (knownRank == Known::sure && known->second.accesses < position)
    return regions::Answer::Meet;
  if (known != findings.end() && known->second.numUnknown == maxUnknown) {
    known->second.tests.reset();
    known->second.addReason();
    return regions::Answer::Unknown;
  }
  explorer.isOfTables = false;
  std::optional<RaceFinding> finding =
      races::compare(accesses, explorer, *first.leaf, accessOf(first),
                     *second.leaf, accessOf(second), relation);
  if (!finding)
    return regions::Answer::Disjoint;
  const RaceVerdict verdict = finding->verdict;
  Known added = {position, std::move(*finding),
                 (known == findings.end() ? 0 : known->second.numUnknown) +
                     (verdict == RaceVerdict::Unknown),
                 explorer.isOfTables && verdict == RaceVerdict::Unknown};
  if (added.isOfTables && !added.finding.tables.empty())
    added.tests = std::move(added.finding.tables);
  if (known == findings.end()) {
    findings.insert({key, std::move(added)});
  } else {
    Known &kept = known->second;
    if (kept.isOfTables && added.isOfTables &&
        kept.finding.reason != added.finding.reason)
      kept.addReason();
    kept.numUnknown = added.numUnknown;
    std::optional<std::vector<TableCondition>> tests;
    if (kept.tests && added.tests) {
      tests = std::move(kept.tests);
      tests->insert(tests->end(), added.tests->begin(), added.tests->end());
    }
    const int rank = added.rank();
    if (rank == kept.rank() ? position < kept.accesses : rank > kept.rank())
      kept = std::move(added);
    kept.tests = std::move(tests);
  }
  return verdict == RaceVerdict::Racy ? regions::Answer::Meet
                                      : regions::Answer::Unknown;
}

/// The blocks of at least `least` accesses that nothing but their addresses
/// keeps apart.
static std::vector<AccessBlock> blocksOf(const PlacedAccesses &accesses,
                                         const std::vector<LeafUse> &uses,
                                         size_t least) {
  constexpr int64_t maxNumber = int64_t(1) << 40;
  std::map<std::tuple<const TreeNode *, MemoryObject, unsigned,
                      std::vector<Polynomial>, Polynomial>,
           AccessBlock>
      blocks;
  for (const auto &[i, use] : llvm::enumerate(uses)) {
    const PlacedAccess &access = accesses.of(*use.leaf)[use.access];
    const LeafAccess &own = *access.access;
    if (!access.offset ||
        access.target.object.kind == MemoryObject::Kind::Unknown ||
        use.leaf->effects->hasBarrier || !own.guards.empty() ||
        !own.vouches.empty() || !own.sides.empty())
      continue;
    const int64_t number = access.offset->constantTerm();
    Polynomial rest = *access.offset - number;
    if (!rest.isValid() || std::abs(number) > maxNumber || own.size > maxNumber)
      continue;
    AccessBlock &block = blocks[{use.leaf, access.target.object,
                                 access.target.levels, access.pointers, rest}];
    block.leaf = use.leaf;
    block.placed.target = access.target;
    block.placed.offset = rest;
    block.placed.pointers = access.pointers;
    block.least = std::min(block.least, number);
    block.end = std::max(block.end, number + own.size);
    block.access.isWrite |= own.isWrite;
    block.members.push_back(i);
  }
  std::vector<AccessBlock> found;
  for (auto &[key, block] : blocks)
    if (block.members.size() >= least) {
      block.access.size = block.end - block.least;
      *block.placed.offset += block.least;
      found.push_back(std::move(block));
    }
  return found;
}

/// True if no two instances meet in any byte of the two blocks.
bool RootCheck::areApart(const AccessBlock &first, const AccessBlock &second,
                         const Relation &relation) {
  PlacedAccess a = first.placed, b = second.placed;
  a.access = &first.access;
  b.access = &second.access;
  WorkLimit limit(4 * explorer.maxWork());
  const bool isShown =
      neverMeet(explorer, *first.leaf, a, *second.leaf, b, relation);
  explorer.workLeft -= std::min(explorer.workLeft, limit.spent());
  return isShown;
}

/// Answers the RDIR analysis.
regions::Answer RootCheck::prove(const regions::Meeting &meeting) {
  const regions::TaskGraph &graph = regions.system().graphs[meeting.graph];
  uint32_t a = graph.tasks[meeting.first].uses[meeting.firstUse].range;
  uint32_t b = graph.tasks[meeting.second].uses[meeting.secondUse].range;
  Relation relation = relationOf(meeting);
  const std::vector<LeafUse> &firsts = regions.accessesOf(a);
  const std::vector<LeafUse> &seconds = regions.accessesOf(b);
  // One proof for all pairs of two blocks, where there are many.
  constexpr size_t fewPairs = 1024, fewMembers = 4;
  std::vector<llvm::BitVector> apart(firsts.size());
  if (firsts.size() * seconds.size() > fewPairs) {
    std::vector<AccessBlock> x = blocksOf(accesses, firsts, fewMembers);
    std::vector<AccessBlock> y = blocksOf(accesses, seconds, fewMembers);
    unsigned failuresLeft = 64;
    for (AccessBlock &one : x)
      for (AccessBlock &other : y) {
        if (failuresLeft == 0 || (!one.access.isWrite && !other.access.isWrite))
          continue;
        if (!areApart(one, other, relation)) {
          --failuresLeft;
          continue;
        }
        for (unsigned i : one.members) {
          apart[i].resize(seconds.size());
          for (unsigned k : other.members)
            apart[i].set(k);
        }
      }
  }
  bool mayMeet = false, meet = false;
  for (const auto &[i, first] : llvm::enumerate(firsts))
    for (size_t k = a == b ? i : 0; k != seconds.size(); ++k) {
      if (!apart[i].empty() && apart[i].test(k))
        continue;
      regions::Answer answer = compare(first, seconds[k], relation);
      mayMeet |= answer != regions::Answer::Disjoint;
      meet |= answer == regions::Answer::Meet;
    }
  return meet      ? regions::Answer::Meet
         : mayMeet ? regions::Answer::Unknown
                   : regions::Answer::Disjoint;
}

/// Items k and k + 1 of a stream.
void RootCheck::checkItems(RaceReport &report) {
  regions::RepeatCheck items = races::checkItems(regions);
  for (uint32_t object : items.orderedObjects)
    report.serialStages.push_back(describeStages(regions, accesses, object));
  const regions::TaskGraph &graph = regions.system().graphs.front();
  for (const regions::Meeting &meeting : items.meetings) {
    uint32_t a = graph.tasks[meeting.first].uses[meeting.firstUse].range;
    uint32_t b = graph.tasks[meeting.second].uses[meeting.secondUse].range;
    llvm::for_each(regions.accessesOf(a), [&](auto &use) { addUnknown(use); });
    llvm::for_each(regions.accessesOf(b), [&](auto &use) { addUnknown(use); });
  }
}

/// If tests of tables show all that is unknown, launches run these tests.
void RootCheck::addTables(RaceReport &report) {
  constexpr size_t maxTests = 16;
  std::vector<TableCondition> tests;
  for (const auto &[key, known] : findings) {
    if (!known.tests)
      return;
    for (const TableCondition &test : *known.tests)
      if (!llvm::is_contained(tests, test))
        tests.push_back(test);
  }
  if (tests.empty() || tests.size() > maxTests)
    return;
  dfg::GraphOp root = tree.root().graph;
  for (TableCondition &test : tests)
    for (unsigned table : test.tables())
      test.names.insert(root.getInputName(table));
  report.tables[root.getSymName().str()] = std::move(tests);
  findings.clear();
}

/// A table is what its test found until the graph ends: nothing writes it under
/// another name, not even in order.
void RootCheck::addTablePairs(const RaceReport &report,
                              ArgumentPairs &pairs) const {
  dfg::GraphOp root = tree.root().graph;
  auto tables = report.tables.find(root.getSymName().str());
  if (tables == report.tables.end())
    return;
  for (const TreeNode *leaf : tree.leaves())
    for (const PlacedAccess &access : accesses.of(*leaf)) {
      const MemoryObject &object = access.target.object;
      if (!access.access->isWrite || object.depth != 0 ||
          object.kind != MemoryObject::Kind::Argument)
        continue;
      for (const TableCondition &test : tables->second)
        for (unsigned table : test.tables())
          pairs.arguments.insert(std::minmax(table, object.index));
    }
}

void RootCheck::run(RaceReport &report) {
  check = regions::checkTasks(
      regions.system(),
      [&](const regions::Meeting &meeting) { return prove(meeting); });
  dfg::GraphOp root = tree.root().graph;
  bool isStream = isStreaming(root);
  if (isStream)
    checkItems(report);
  for (const auto &[number, use] : unknown) {
    const PlacedAccess &access = accessOf(use);
    RaceFinding finding =
        accesses.describe(*use.leaf, access, *use.leaf, access);
    finding.kind = RaceKind::UnknownMemory;
    finding.reason = access.access->memory.depth != 0
                         ? "through a pointer that is loaded from memory which "
                           "is written at the same time"
                     : access.access->reason.empty()
                         ? "through a pointer of another node, which may point "
                           "into one of several objects"
                         : access.access->reason;
    report.findings.push_back(std::move(finding));
  }
  if (unknown.empty())
    addTables(report);
  for (auto &[key, known] : findings)
    report.findings.push_back(std::move(known.finding));
  for (auto &[key, open] : openOrders)
    report.openOrders.push_back(std::move(open));
  auto lower = [](int64_t &known, int64_t limit) {
    known = known == 0 ? limit : std::min(known, limit);
  };
  for (auto [place, exponent] : explorer.usualExtents) {
    lower(report.extentLimit, int64_t(1) << exponent);
    dfg::addUsualExponent(place.first->op, place.second, exponent);
  }
  if (explorer.usualTurns != 0)
    lower(report.turnLimit, (int64_t(1) << explorer.usualTurns) / 4);
  ArgumentPairs pairs = findArgumentPairs(regions, isStream);
  addTablePairs(report, pairs);
  report.disjointArguments[root.getSymName().str()] = {pairs.arguments.begin(),
                                                       pairs.arguments.end()};
  addFollowed(report.followedPointers[root.getSymName().str()]);
  for (auto [argument, object] : pairs.globals)
    report.disjointGlobals[root.getSymName().str()].push_back(
        {argument, accesses.describeMemory(regions.object(object))});
}

RaceReport sluice::checkRaces(ModuleOp graphs, const llvm::Module &code,
                              std::string *regions, bool testsTables) {
  LeafCode leafCode(code, leavesOf(graphs));
  RaceReport report;
  unsigned partsLeft = Explorer::allParts;
  int64_t workLeft = Explorer::allWork;
  // Late graphs of a large program also get some work.
  constexpr int64_t leastWork = Explorer::allWork / Explorer::allParts;
  for (dfg::GraphOp root : rootsOf(graphs)) {
    RootCheck check(root, leafCode, std::max(1u, partsLeft),
                    std::max(leastWork, workLeft), testsTables);
    check.run(report);
    partsLeft -= std::min(partsLeft, check.spentParts());
    workLeft -= std::min(workLeft, check.spentWork());
    if (regions)
      *regions += check.printRegions();
  }
  return report;
}
