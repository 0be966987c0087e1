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
#include "Graph/Items.h"
#include "Terms/Work.h"

#include "sluice/DFG/OrderedDims.h"
#include "sluice/DFG/UsualExtents.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace sluice;
using namespace sluice::races;

bool RaceReport::isRacy() const {
  return llvm::any_of(findings, [](const RaceFinding &finding) {
    return finding.verdict == RaceVerdict::Racy;
  });
}

namespace {
class RootCheck {
public:
  RootCheck(dfg::GraphOp root, LeafCode &code)
      : tree(root, code), accesses(tree), explorer(tree, code),
        regions(tree, accesses) {
    for (const TreeNode *leaf : tree.leaves())
      numbers[leaf] = numbers.size();
  }

  void run(RaceReport &report);
  /// After `run`.
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
  regions::Answer add(const Key &key, const LeafUse &first,
                      const LeafUse &second, const Relation &relation);
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
  };
  /// Where as many are unknown, so are the others.
  static constexpr unsigned maxUnknown = 4000;
  regions::RegionCheck check;
  std::map<Key, Known> findings;
  using OpenKey = std::tuple<unsigned, unsigned, MemoryObject, OpenOrder::Kind,
                             std::string>;
  std::map<OpenKey, OpenOrder> openOrders;
  /// By leaf: the first access to memory nobody knows that may meet another.
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
    relation.kind = first.graph ? RaceKind::Parents : RaceKind::Instances;
    return relation;
  }
  relation.kind =
      meeting.isPointwise ? RaceKind::OneToOneEdge : RaceKind::NoEdge;
  relation.sink = &second;
  return relation;
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
  if (guard)
    addOpen(guard->kind == LeafGuard::Kind::Held ? OpenOrder::Kind::Lock
                                                 : OpenOrder::Kind::Static,
            accesses.describeGuard(*first.leaf, *guard), first, second);
  else
    addOpen(OpenOrder::Kind::Vouched,
            first.leaf->effects->vouches[a.access->vouches.front()].reason,
            first, second);
  return true;
}

/// Two accesses that the program says to be apart, if it does.
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

/// Two accesses that nothing orders; what is not proven becomes a finding.
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

/// Keeps a race rather than what is unknown, and what comes first in the code.
regions::Answer RootCheck::add(const Key &key, const LeafUse &first,
                               const LeafUse &second,
                               const Relation &relation) {
  auto known = findings.find(key);
  std::pair position = {first.access, second.access};
  bool isRacy = known != findings.end() &&
                known->second.finding.verdict == RaceVerdict::Racy;
  if (isRacy && known->second.accesses < position)
    return regions::Answer::Meet;
  if (known != findings.end() && known->second.numUnknown == maxUnknown)
    return regions::Answer::Unknown;
  std::optional<RaceFinding> finding =
      races::compare(accesses, explorer, *first.leaf, accessOf(first),
                     *second.leaf, accessOf(second), relation);
  if (!finding)
    return regions::Answer::Disjoint;
  RaceVerdict verdict = finding->verdict;
  const unsigned numUnknown =
      (known == findings.end() ? 0 : known->second.numUnknown) +
      (verdict == RaceVerdict::Unknown);
  if (known == findings.end())
    findings.insert({key, {position, std::move(*finding), numUnknown}});
  else if (known->second.numUnknown = numUnknown;
           isRacy == (verdict == RaceVerdict::Racy)
               ? position < known->second.accesses
               : !isRacy)
    known->second = {position, std::move(*finding), numUnknown};
  return verdict == RaceVerdict::Racy ? regions::Answer::Meet
                                      : regions::Answer::Unknown;
}

/// Answers the RDIR analysis.
regions::Answer RootCheck::prove(const regions::Meeting &meeting) {
  const regions::TaskGraph &graph = regions.system().graphs[meeting.graph];
  uint32_t a = graph.tasks[meeting.first].uses[meeting.firstUse].range;
  uint32_t b = graph.tasks[meeting.second].uses[meeting.secondUse].range;
  Relation relation = relationOf(meeting);
  bool mayMeet = false, meet = false;
  for (const auto &[i, first] : llvm::enumerate(regions.accessesOf(a)))
    for (const LeafUse &second :
         llvm::ArrayRef(regions.accessesOf(b)).drop_front(a == b ? i : 0)) {
      regions::Answer answer = compare(first, second, relation);
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
    finding.reason = access.access->reason.empty()
                         ? "through a pointer of another node, which may point "
                           "into one of several objects"
                         : access.access->reason;
    report.findings.push_back(std::move(finding));
  }
  for (auto &[key, known] : findings)
    report.findings.push_back(std::move(known.finding));
  for (auto &[key, open] : openOrders)
    report.openOrders.push_back(std::move(open));
  report.assumesUsualExtents |= !explorer.usualExtents.empty();
  report.assumesUsualTurns |= explorer.assumesUsualTurns;
  for (auto [node, dims] : explorer.usualExtents)
    dfg::addUsualDims(node->op, dims);
  ArgumentPairs pairs = findArgumentPairs(regions, isStream);
  report.disjointArguments[root.getSymName().str()] = {pairs.arguments.begin(),
                                                       pairs.arguments.end()};
  for (auto [argument, object] : pairs.globals)
    report.disjointGlobals[root.getSymName().str()].push_back(
        {argument, accesses.describeMemory(regions.object(object))});
}

RaceReport sluice::checkRaces(ModuleOp graphs, const llvm::Module &code,
                              std::string *regions) {
  LeafCode leafCode(code, leavesOf(graphs));
  RaceReport report;
  for (dfg::GraphOp root : rootsOf(graphs)) {
    RootCheck check(root, leafCode);
    check.run(report);
    if (regions)
      *regions += check.printRegions();
  }
  return report;
}
