//===- Races.cpp - Nodes and instances that may meet in memory ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For every root:
//   1. build the tree of its nodes                              (Tree.cpp)
//   2. summarise what the leaves touch                   (LeafEffects.cpp)
//   3. find how two leaves, or two instances of one, may run at the same time
//   4. compare their accesses: prove them disjoint (Disjoint.cpp), or find two
//      instances that meet (Collision.cpp), or say why neither works
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/Races.h"
#include "Pairs.h"

using namespace mlir;
using namespace sluice;
using namespace sluice::races;

bool RaceReport::isRacy() const {
  return llvm::any_of(findings, [](const RaceFinding &finding) {
    return finding.verdict == RaceVerdict::Racy;
  });
}

std::vector<dfg::GraphOp> races::rootsOf(ModuleOp graphs) {
  llvm::SmallPtrSet<Operation *, 8> used;
  graphs.walk([&](dfg::NodeOp node) { used.insert(node.resolveCallee()); });
  std::vector<dfg::GraphOp> roots;
  for (dfg::GraphOp graph : graphs.getOps<dfg::GraphOp>())
    if (!used.contains(graph))
      roots.push_back(graph);
  return roots;
}

//===----------------------------------------------------------------------===//
// Step 3
//===----------------------------------------------------------------------===//

/// The ways in which instances of `first` and `second` run at the same time.
static std::vector<Relation> relate(const TreeNode &first,
                                    const TreeNode &second) {
  std::vector<Relation> relations;
  // From the root to the last node that both have in common.
  const TreeNode *a = &first, *b = &second;
  const TreeNode *siblingA = nullptr, *siblingB = nullptr;
  while (a != b) {
    bool isDeeper = a->depth >= b->depth;
    bool both = a->depth == b->depth;
    if (isDeeper) {
      siblingA = a;
      a = a->parent;
    }
    if (!isDeeper || both) {
      siblingB = b;
      b = b->parent;
    }
  }
  for (const TreeNode *node = a; node->parent; node = node->parent)
    if (node->isReplicated()) {
      Relation relation;
      relation.equalLevels = node->depth - 1;
      relation.mustDiffer = true;
      relation.kind = node == &first && node == &second ? RaceKind::Instances
                                                        : RaceKind::Parents;
      relation.source = node;
      relations.push_back(relation);
    }
  if (!siblingA)
    return relations;
  Order order = a->order[siblingA->number][siblingB->number];
  Order reverse = a->order[siblingB->number][siblingA->number];
  bool isForward =
      order != Order::None ||
      (reverse == Order::None && siblingA->number < siblingB->number);
  order = std::max(order, reverse);
  if (order == Order::AllToAll)
    return relations;
  Relation relation;
  relation.equalLevels = a->depth;
  relation.mustDiffer = order == Order::OneToOne;
  relation.kind =
      relation.mustDiffer ? RaceKind::OneToOneEdge : RaceKind::NoEdge;
  relation.source = isForward ? siblingA : siblingB;
  relation.sink = isForward ? siblingB : siblingA;
  if (!relation.mustDiffer || siblingA->isReplicated())
    relations.push_back(relation);
  return relations;
}

//===----------------------------------------------------------------------===//
// Step 4
//===----------------------------------------------------------------------===//

/// One of the two writes, and not both are atomic.
static bool conflict(const PlacedAccess &a, const PlacedAccess &b) {
  return (a.access->isWrite || b.access->isWrite) &&
         !(a.access->isAtomic && b.access->isAtomic);
}

namespace {
class RootCheck {
public:
  RootCheck(dfg::GraphOp root, LeafCode &code, RaceReport &report)
      : tree(root, code), comparer(tree), report(report),
        pairs(report.disjointArguments[root.getSymName().str()]) {}

  void run();

private:
  /// Findings with the same key are reported once, the racy one first.
  using Key = std::tuple<const TreeNode *, const TreeNode *, MemoryObject>;

  void compareLeaves(const TreeNode &first, const TreeNode &second);
  void compare(const TreeNode &first, const TreeNode &second, unsigned x,
               unsigned y, const std::vector<Relation> &relations);
  void assumeDisjoint(const MemoryObject &a, const MemoryObject &b);
  void assumeForItems();
  void reportUnknownMemory(const TreeNode &leaf);
  bool mayMeet(const TreeNode &leaf, const PlacedAccess &access);
  void add(const Key &key, RaceFinding finding);

  Tree tree;
  Comparer comparer;
  RaceReport &report;
  std::vector<std::pair<unsigned, unsigned>> &pairs;
  std::map<Key, size_t> known;
};
} // namespace

void RootCheck::add(const Key &key, RaceFinding finding) {
  auto [found, isNew] = known.try_emplace(key, report.findings.size());
  if (isNew)
    report.findings.push_back(std::move(finding));
  else if (finding.verdict == RaceVerdict::Racy &&
           report.findings[found->second].verdict != RaceVerdict::Racy)
    report.findings[found->second] = std::move(finding);
}

/// Both run at the same time, and one of them writes.
void RootCheck::assumeDisjoint(const MemoryObject &a, const MemoryObject &b) {
  if (a.kind != MemoryObject::Kind::Argument ||
      b.kind != MemoryObject::Kind::Argument || a.index == b.index)
    return;
  std::pair<unsigned, unsigned> pair = std::minmax(a.index, b.index);
  if (!llvm::is_contained(pairs, pair))
    pairs.push_back(pair);
}

/// Items of a stream run at the same time, each in another stage.
void RootCheck::assumeForItems() {
  std::map<MemoryObject, bool> isWritten;
  for (const TreeNode *leaf : tree.leaves())
    for (const PlacedAccess &access : comparer.accessesOf(*leaf))
      isWritten[access.target.object] |= access.access->isWrite;
  for (const auto &[a, isFirstWritten] : isWritten)
    for (const auto &[b, isSecondWritten] : isWritten)
      if (isFirstWritten || isSecondWritten)
        assumeDisjoint(a, b);
}

void RootCheck::compare(const TreeNode &first, const TreeNode &second,
                        unsigned x, unsigned y,
                        const std::vector<Relation> &relations) {
  const PlacedAccess &a = comparer.accessesOf(first)[x];
  const PlacedAccess &b = comparer.accessesOf(second)[y];
  if (!conflict(a, b))
    return;
  if (a.target.object != b.target.object)
    return assumeDisjoint(a.target.object, b.target.object);
  Key key = {&first, &second, a.target.object};
  if (auto found = known.find(key);
      found != known.end() &&
      report.findings[found->second].verdict == RaceVerdict::Racy)
    return;
  for (const Relation &relation : relations)
    if (std::optional<RaceFinding> finding =
            comparer.compare(first, a, second, b, relation))
      add(key, std::move(*finding));
}

void RootCheck::compareLeaves(const TreeNode &first, const TreeNode &second) {
  std::vector<Relation> relations = relate(first, second);
  if (relations.empty())
    return;
  const auto &a = comparer.accessesOf(first);
  const auto &b = comparer.accessesOf(second);
  for (unsigned x = 0; x != a.size(); ++x)
    for (unsigned y = &first == &second ? x : 0; y != b.size(); ++y)
      compare(first, second, x, y, relations);
}

/// True if `access`, to memory nobody knows, may meet an access at the same
/// time; what sluice_assume_disjoint says holds for instances of one node only.
bool RootCheck::mayMeet(const TreeNode &leaf, const PlacedAccess &access) {
  for (const TreeNode *other : tree.leaves()) {
    if (relate(leaf, *other).empty())
      continue;
    // No pointer: a call that may touch anything.
    if (access.access->sides.empty())
      return true;
    for (const PlacedAccess &met : comparer.accessesOf(*other))
      if (conflict(access, met) &&
          (other != &leaf || !areAssumedDisjoint(*access.access, *met.access)))
        return true;
  }
  return false;
}

/// One remark for a leaf that touches what nobody knows.
void RootCheck::reportUnknownMemory(const TreeNode &leaf) {
  for (const PlacedAccess &access : comparer.accessesOf(leaf))
    if (access.target.object.kind == MemoryObject::Kind::Unknown &&
        mayMeet(leaf, access)) {
      RaceFinding finding = comparer.describe(leaf, access, leaf, access);
      finding.kind = RaceKind::UnknownMemory;
      finding.reason = access.access->reason;
      return add({&leaf, &leaf, access.target.object}, std::move(finding));
    }
}

void RootCheck::run() {
  const std::vector<const TreeNode *> &leaves = tree.leaves();
  for (const TreeNode *leaf : leaves)
    reportUnknownMemory(*leaf);
  for (unsigned i = 0; i != leaves.size(); ++i)
    for (unsigned j = i; j != leaves.size(); ++j)
      compareLeaves(*leaves[i], *leaves[j]);
  if (!isStreaming(tree.root().graph))
    return;
  assumeForItems();
  findSerialStages(tree, comparer, report);
}

RaceReport sluice::checkRaces(ModuleOp graphs, const llvm::Module &code) {
  LeafCode::Leaves leaves;
  for (dfg::KernelOp kernel : graphs.getOps<dfg::KernelOp>())
    leaves[kernel.getCodeName().str()];
  graphs.walk([&](dfg::NodeOp node) {
    if (auto kernel = dyn_cast_or_null<dfg::KernelOp>(node.resolveCallee()))
      for (unsigned i = 0, e = node.getInputs().size(); i != e; ++i)
        if (node.isOneToOne(i))
          leaves[kernel.getCodeName().str()].push_back(i);
  });
  LeafCode leafCode(code, std::move(leaves));
  RaceReport report;
  for (dfg::GraphOp root : rootsOf(graphs))
    RootCheck(root, leafCode, report).run();
  return report;
}
