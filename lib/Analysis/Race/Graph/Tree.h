//===- Tree.h - A root graph with every use of a function apart -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function may stand at several places of a graph. The race check looks at
// every place by itself: what its inputs are in terms of the root's arguments.
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
  /// Malloc: the leaf that allocates.
  const TreeNode *owner = nullptr;
  /// Dataset and Global.
  std::string name;

  friend auto operator<=>(const MemoryObject &, const MemoryObject &) = default;
  friend bool operator==(const MemoryObject &, const MemoryObject &) = default;
};

/// What a pointer points to: one object for each value of the ids of the
/// outermost `levels` levels.
struct Target {
  MemoryObject object;
  unsigned levels = 0;
};

/// What an input of a node is.
struct Input {
  /// Integers that follow from the root's arguments and nodes' outputs.
  std::optional<Polynomial> value;
  std::vector<Target> targets;
};

/// A node at one place of the graph. The root is a node without `op`.
struct TreeNode {
  dfg::NodeOp op;
  TreeNode *parent = nullptr;
  unsigned number = 0;
  /// Levels from the root to this node, its own included.
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
  /// The ancestor, or the node itself, whose own level is `level`.
  const TreeNode *ancestorAt(unsigned level) const;
  /// More than one instance, or not known to be one.
  bool isReplicated() const;
  /// Its number of instances in one dimension; none if not known. 1 for
  /// dimensions it does not have.
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

/// The graphs of which no node is made.
std::vector<dfg::GraphOp> rootsOf(mlir::ModuleOp graphs);

/// The leaves, with the inputs that differ between instances.
LeafCode::Leaves leavesOf(mlir::ModuleOp graphs);

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_GRAPH_TREE_H
