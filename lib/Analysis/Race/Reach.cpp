//===- Reach.cpp - Maximum distance of instances that meet ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks the race check for proofs about instances that are a number of rows
// apart, for increasing numbers. Sweeps of one leaf are many nodes, so nodes
// that no query can distinguish are queried once.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/Reach.h"
#include "Compare.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace sluice;
using namespace sluice::races;

/// Rows that are tried.
static constexpr unsigned maxReach = 8;

class Reaches::Root {
public:
  Root(dfg::GraphOp root, LeafCode &code)
      : tree(root, code), accesses(tree), explorer(tree, code) {
    explorer.furtherSearchesLeft = 512;
  }

  bool isKnown(dfg::NodeOp op);
  std::optional<Reach> between(dfg::NodeOp first, dfg::NodeOp second);

private:
  using Leaves = llvm::SmallVector<const TreeNode *, 2>;

  const TreeNode &nodeOf(dfg::NodeOp op) const {
    return *tree.root().childOf.lookup(op);
  }
  bool isKnown(const TreeNode &leaf, const TreeNode &node) const;
  unsigned kindOf(const TreeNode &node);
  std::optional<Reach> prove(const TreeNode &first, const TreeNode &second);
  bool widen(Reach &reach, const TreeNode &first, const PlacedAccess &a,
             const TreeNode &second, const PlacedAccess &b);
  std::optional<unsigned> farthest(const TreeNode &first, const PlacedAccess &a,
                                   const TreeNode &second,
                                   const PlacedAccess &b, bool isFirst,
                                   unsigned from, bool isUsual);

  Tree tree;
  PlacedAccesses accesses;
  Explorer explorer;
  /// One node of each kind, and the kind of each queried node.
  std::vector<const TreeNode *> examples;
  llvm::DenseMap<const TreeNode *, unsigned> kinds;
  std::map<std::pair<unsigned, unsigned>, std::optional<Reach>> known;
};

struct Reaches::Parts {
  Parts(ModuleOp graphs, const llvm::Module &code)
      : code(code, leavesOf(graphs)) {}

  LeafCode code;
  llvm::DenseMap<Operation *, std::unique_ptr<Root>> roots;
};

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

static void collectLeaves(const TreeNode &node,
                          llvm::SmallVectorImpl<const TreeNode *> &leaves) {
  if (node.kernel)
    leaves.push_back(&node);
  for (const auto &child : node.children)
    collectLeaves(*child, leaves);
}

/// True if argument `index` of the root is an operand of `node`.
static bool takesArgument(const TreeNode &node, unsigned index) {
  return llvm::any_of(dfg::NodeOp(node.op).getInputs(), [&](Value input) {
    auto argument = dyn_cast<BlockArgument>(input);
    return argument && argument.getArgNumber() == index;
  });
}

bool Reaches::Root::isKnown(const TreeNode &leaf, const TreeNode &node) const {
  if (!leaf.effects || !leaf.effects->isComplete)
    return false;
  for (const LeafAccess &access : leaf.effects->accesses)
    if (access.isAtomic || access.isUnknownCode || !access.guards.empty() ||
        !access.vouches.empty() ||
        (access.memory.kind == LeafMemory::Kind::Parameter &&
         leaf.inputs[access.memory.index].targets.empty()))
      return false;
  return llvm::all_of(accesses.of(leaf), [&](const PlacedAccess &access) {
    const PointerTarget &target = access.target;
    if (target.object.depth != 0)
      return false;
    switch (target.object.kind) {
    case MemoryObject::Kind::Argument:
      return target.levels == 0 && takesArgument(node, target.object.index);
    case MemoryObject::Kind::Malloc:
      return target.object.owner == &leaf && target.levels == leaf.depth;
    default:
      return false;
    }
  });
}

bool Reaches::Root::isKnown(dfg::NodeOp op) {
  const TreeNode &node = nodeOf(op);
  Leaves leaves;
  collectLeaves(node, leaves);
  return !node.extents.empty() && !leaves.empty() &&
         llvm::all_of(leaves, [&](const TreeNode *leaf) {
           return isKnown(*leaf, node);
         });
}

/// True if all queries about `a` and `b` have the same answers.
static bool areAlike(const TreeNode &a, const TreeNode &b) {
  auto areSame = [](const Input &x, const Input &y) {
    return x.value == y.value &&
           llvm::equal(x.targets, y.targets,
                       [](const PointerTarget &s, const PointerTarget &t) {
                         return s.object == t.object && s.levels == t.levels;
                       });
  };
  return dfg::NodeOp(a.op).getCalleeAttr() ==
             dfg::NodeOp(b.op).getCalleeAttr() &&
         a.extents == b.extents && llvm::equal(a.inputs, b.inputs, areSame);
}

unsigned Reaches::Root::kindOf(const TreeNode &node) {
  auto [kind, isNew] = kinds.try_emplace(&node, 0);
  if (!isNew)
    return kind->second;
  auto found = llvm::find_if(examples, [&](const TreeNode *example) {
    return areAlike(*example, node);
  });
  kind->second = found - examples.begin();
  if (found == examples.end())
    examples.push_back(&node);
  return kind->second;
}

//===----------------------------------------------------------------------===//
// Proofs
//===----------------------------------------------------------------------===//

/// The least number of rows, at least `from`, beyond which `a` and `b` never
/// meet. `isFirst`: the rows by which the instance of `a` is the larger one.
std::optional<unsigned>
Reaches::Root::farthest(const TreeNode &first, const PlacedAccess &a,
                        const TreeNode &second, const PlacedAccess &b,
                        bool isFirst, unsigned from, bool isUsual) {
  auto isBeyond = [&](unsigned rows) {
    return neverMeetAt(explorer, first, a, second, b,
                       {isFirst, int64_t(rows) + 1}, isUsual);
  };
  if (from > maxReach || !isBeyond(maxReach))
    return std::nullopt;
  for (unsigned rows = from; rows != maxReach; ++rows)
    if (isBeyond(rows))
      return rows;
  return maxReach;
}

/// Enlarges `reach` so that it holds for `a` and `b`, too.
bool Reaches::Root::widen(Reach &reach, const TreeNode &first,
                          const PlacedAccess &a, const TreeNode &second,
                          const PlacedAccess &b) {
  for (bool isFirst : {true, false}) {
    unsigned &rows = isFirst ? reach.ahead : reach.behind;
    auto found = farthest(first, a, second, b, isFirst, rows, false);
    if (!found) {
      found = farthest(first, a, second, b, isFirst, rows, true);
      reach.isUsual = true;
    }
    if (!found)
      return false;
    rows = *found;
  }
  return true;
}

std::optional<Reach> Reaches::Root::prove(const TreeNode &first,
                                          const TreeNode &second) {
  Leaves before, after;
  collectLeaves(first, before);
  collectLeaves(second, after);
  Reach reach;
  for (const TreeNode *x : before)
    for (const TreeNode *y : after)
      for (const PlacedAccess &a : accesses.of(*x))
        for (const PlacedAccess &b : accesses.of(*y))
          if (conflict(*a.access, *b.access) &&
              a.target.object == b.target.object && !widen(reach, *x, a, *y, b))
            return std::nullopt;
  return reach;
}

std::optional<Reach> Reaches::Root::between(dfg::NodeOp first,
                                            dfg::NodeOp second) {
  const TreeNode &before = nodeOf(first), &after = nodeOf(second);
  auto [answer, isNew] = known.try_emplace({kindOf(before), kindOf(after)});
  if (isNew)
    answer->second = prove(before, after);
  return answer->second;
}

//===----------------------------------------------------------------------===//
// All roots
//===----------------------------------------------------------------------===//

Reaches::Reaches(ModuleOp graphs, const llvm::Module &code)
    : parts(std::make_unique<Parts>(graphs, code)) {}
Reaches::~Reaches() = default;

Reaches::Root *Reaches::rootOf(dfg::NodeOp node) {
  auto graph = node->getParentOfType<dfg::GraphOp>();
  std::unique_ptr<Root> &root = parts->roots[graph];
  if (!root)
    root = std::make_unique<Root>(graph, parts->code);
  return root.get();
}

bool Reaches::isKnown(dfg::NodeOp node) { return rootOf(node)->isKnown(node); }

std::optional<Reach> Reaches::between(dfg::NodeOp first, dfg::NodeOp second) {
  return rootOf(first)->between(first, second);
}
