//===- Tree.h - A root graph as a tree of uses ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function may occur at several places of a graph. The race check analyses
// every place separately, with its inputs in terms of the root's arguments.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_GRAPH_TREE_H
#define SLUICE_LIB_ANALYSIS_RACE_GRAPH_TREE_H

#include "../Effects/LeafEffects.h"
#include "sluice/DFG/DFG.h"

#include "llvm/ADT/DenseMap.h"

namespace sluice::races {

struct TreeNode;

/// Memory that nodes touch.
struct MemoryObject {
  enum class Kind { Argument, Dataset, Global, Malloc, Unknown };
  Kind kind = Kind::Unknown;
  /// Argument of the root, or call of malloc in `owner`.
  unsigned index = 0;
  /// For Malloc: the leaf that allocates.
  const TreeNode *owner = nullptr;
  /// Dataset and Global.
  std::string name = {};
  /// LeafMemory::depth. Different pointers are taken to lead to different
  /// memory, which is no other object either.
  unsigned depth = 0;

  friend auto operator<=>(const MemoryObject &, const MemoryObject &) = default;
  friend bool operator==(const MemoryObject &, const MemoryObject &) = default;
};

/// The target of a pointer: one object for each value of the ids of the
/// outermost `levels` levels.
struct PointerTarget {
  MemoryObject object;
  unsigned levels = 0;
};

/// An input of a node.
struct Input {
  /// For integers: the value, if it follows from the root's arguments and
  /// nodes' outputs.
  std::optional<Polynomial> value;
  std::vector<PointerTarget> targets;
};

/// A node at one place of the graph. The root is a node without `op`.
struct TreeNode {
  dfg::NodeOp op;
  TreeNode *parent = nullptr;
  unsigned number = 0;
  /// The number of levels from the root to this node, including its own.
  unsigned depth = 0;
  dfg::GraphOp graph;
  dfg::KernelOp kernel;
  const LeafEffects *effects = nullptr;
  std::vector<std::optional<Polynomial>> extents;
  std::vector<Input> inputs;
  std::vector<std::unique_ptr<TreeNode>> children;
  /// By node of its graph.
  llvm::DenseMap<mlir::Operation *, TreeNode *> childOf;

  /// The name of the node for messages; the path of it below the root.
  std::string name() const;
  std::string path() const;
  /// The ancestor, or the node itself, with the level `level`.
  const TreeNode *ancestorAt(unsigned level) const;
  /// True if it has more than one instance, or may have.
  bool isReplicated() const;
  /// Its number of instances in one dimension; none if unknown, and 1 for
  /// dimensions that it does not have.
  std::optional<Polynomial> extent(unsigned dimension) const;
};

/// One root, as a tree.
class Tree {
public:
  Tree(dfg::GraphOp root, LeafCode &code);

  const TreeNode &root() const { return *top; }
  /// In the order of the program.
  const std::vector<const TreeNode *> &leaves() const { return allLeaves; }

private:
  void addChildren(TreeNode &scope);
  void addInputs(TreeNode &node);
  Input resolve(mlir::Value value, const TreeNode &scope, bool isOneToOne);
  Input resolveOutput(const TreeNode &child, unsigned output, unsigned levels);
  std::optional<Polynomial> resolveNumber(mlir::Value value,
                                          const TreeNode &scope);
  std::optional<Polynomial> resolveQuotient(mlir::Operation *op,
                                            const TreeNode &scope);
  std::optional<Polynomial> resolveMaximum(mlir::Operation *op,
                                           const TreeNode &scope);
  const LeafEffects *declaredEffects(dfg::KernelOp kernel);

  LeafCode &code;
  std::unique_ptr<TreeNode> top;
  std::vector<const TreeNode *> allLeaves;
  std::vector<std::unique_ptr<LeafEffects>> declared;
};

/// The graphs that no node runs.
std::vector<dfg::GraphOp> rootsOf(mlir::ModuleOp graphs);

/// The leaves, with the inputs that differ between instances.
LeafCode::Leaves leavesOf(mlir::ModuleOp graphs);

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_GRAPH_TREE_H
