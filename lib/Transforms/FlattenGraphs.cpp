//===- FlattenGraphs.cpp - Replacing internal nodes by their children -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans have no internal nodes with a single instance. Removing them in the
// graph already lets the next transforms see nodes of different levels as
// siblings.
//
//===----------------------------------------------------------------------===//

#include "LeafFacts.h"
#include "NodeOrder.h"
#include "Tokens.h"
#include "TransformFunctions.h"
#include "UnusedSymbols.h"

#include "sluice/DFG/Inputs.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace sluice;
using namespace sluice::transforms;
using dfg::GraphOp;
using dfg::KernelOp;
using dfg::NodeOp;

namespace {
/// Replaces internal nodes with a single instance by copies of their children,
/// innermost first.
///
/// 1. The children take the values that the internal node took, and their
///    results replace its results. A child is named by its path: "filter/blur".
/// 2. All children wait for everything that the internal node waited for, and
///    nodes that waited for the internal node wait for all children. Where no
///    edge states such an order, a token does: into the children that wait for
///    no sibling, and out of those that no sibling waits for.
/// 3. An internal node stays if a leaf below asks about it or about a node
///    above it, since the leaf would get another node afterwards; and if the
///    streaming binds of its children do not agree with its own.
class GraphFlattener {
public:
  GraphFlattener(ModuleOp graphs, llvm::Module &leaves)
      : graphs(graphs), leaves(leaves) {}

  void run();

private:
  void runOnGraph(GraphOp graph);
  bool canFlatten(NodeOp node, GraphOp callee);
  bool asksAbove(GraphOp graph, unsigned depth);
  bool streamsAgree(NodeOp node, GraphOp callee);
  void flatten(NodeOp node, GraphOp callee);

  ModuleOp graphs;
  llvm::Module &leaves;
  SymbolTableCollection tables;
  llvm::DenseSet<Operation *> done;
};
} // namespace

//===----------------------------------------------------------------------===//
// What may be flattened
//===----------------------------------------------------------------------===//

/// True if a leaf below `graph` asks, or may ask, about an ancestor `depth` or
/// more levels above the graph's nodes.
bool GraphFlattener::asksAbove(GraphOp graph, unsigned depth) {
  for (NodeOp node : graph.getBody().front().getOps<NodeOp>()) {
    Operation *callee = node.resolveCallee(tables);
    if (auto inner = dyn_cast<GraphOp>(callee)) {
      if (asksAbove(inner, depth + 1))
        return true;
      continue;
    }
    const llvm::Function *leaf =
        leaves.getFunction(cast<KernelOp>(callee).getCodeName());
    if (!leaf || leaf->isDeclaration() || highestQuery(*leaf) >= depth)
      return true;
  }
  return false;
}

/// A root argument changes with each item of a stream if some node takes it as
/// a stream input. Flattening must not change that.
bool GraphFlattener::streamsAgree(NodeOp node, GraphOp callee) {
  for (unsigned index = 0; index != node.getInputs().size(); ++index) {
    Value argument = callee.getInput(index);
    if (node.isStream(index) && argument.use_empty())
      return false;
    for (OpOperand &use : argument.getUses()) {
      std::optional<unsigned> input = dfg::inputNumber(use);
      bool isStream = input && cast<NodeOp>(use.getOwner()).isStream(*input);
      if (isStream != node.isStream(index))
        return false;
    }
  }
  return true;
}

bool GraphFlattener::canFlatten(NodeOp node, GraphOp callee) {
  auto children = callee.getBody().front().getOps<NodeOp>();
  return node.getExtents().empty() && !children.empty() &&
         streamsAgree(node, callee) && !asksAbove(callee, 1);
}

//===----------------------------------------------------------------------===//
// Flattening
//===----------------------------------------------------------------------===//

/// Between nodes with one instance "one-to-one" means nothing, but a child may
/// be replicated; so the mark is removed.
static void clearOneToOne(NodeOp node, ArrayRef<NodeOp> sources) {
  SmallVector<bool> oneToOne(node.getOneToOne());
  for (auto [index, value] : llvm::enumerate(node.getInputs()))
    if (auto source = value.getDefiningOp<NodeOp>();
        source && llvm::is_contained(sources, source))
      oneToOne[index] = false;
  node.setOneToOne(oneToOne);
}

void GraphFlattener::flatten(NodeOp node, GraphOp callee) {
  OpBuilder builder(node);
  IRMapping mapping;
  for (auto [index, value] : llvm::enumerate(node.getInputs()))
    mapping.map(callee.getInput(index), value);
  SmallVector<NodeOp> children;
  for (Operation &op : callee.getBody().front().without_terminator()) {
    Operation *copy = builder.clone(op, mapping);
    if (auto child = dyn_cast<NodeOp>(copy)) {
      child.setNodeNameAttr(builder.getStringAttr(node.getDisplayName() + "/" +
                                                  child.getDisplayName()));
      children.push_back(child);
    }
  }

  // The first and the last children have no siblings before or after them.
  llvm::SmallPtrSet<Operation *, 16> siblings, hasSource, hasSink;
  siblings.insert(children.begin(), children.end());
  for (NodeOp child : children)
    for (NodeSource source : sourcesOf(child))
      if (siblings.contains(source.node)) {
        hasSource.insert(child);
        hasSink.insert(source.node);
      }
  for (NodeOp child : children)
    if (!hasSource.contains(child))
      for (NodeSource source : sourcesOf(node))
        addOrder(child, source.node);

  llvm::SetVector<Operation *> sinks;
  for (Operation *user : node->getUsers())
    if (auto sink = dyn_cast<NodeOp>(user);
        sink && llvm::any_of(sourcesOf(sink), [&](NodeSource source) {
          return source.node == node;
        }))
      sinks.insert(sink);
  for (auto [index, value] : llvm::enumerate(callee.getOutputOp().getValues()))
    node.getResult(index).replaceAllUsesWith(mapping.lookup(value));
  for (Operation *sink : sinks) {
    clearOneToOne(cast<NodeOp>(sink), children);
    MutableOperandRange dependencies =
        cast<NodeOp>(sink).getDependenciesMutable();
    for (unsigned i = dependencies.size(); i-- != 0;)
      if (OperandRange(dependencies)[i] == tokenOf(node))
        dependencies.erase(i);
    for (NodeOp child : children)
      if (!hasSink.contains(child))
        addOrder(cast<NodeOp>(sink), child);
  }
  node.erase();
}

void GraphFlattener::runOnGraph(GraphOp graph) {
  if (!done.insert(graph).second)
    return;
  SmallVector<NodeOp> nodes(graph.getBody().front().getOps<NodeOp>());
  for (NodeOp node : nodes) {
    auto callee = dyn_cast<GraphOp>(node.resolveCallee(tables));
    if (!callee)
      continue;
    runOnGraph(callee);
    if (canFlatten(node, callee))
      flatten(node, callee);
  }
}

void GraphFlattener::run() {
  SmallVector<GraphOp> all(graphs.getOps<GraphOp>());
  for (GraphOp graph : all)
    addTokens(graph);
  for (GraphOp graph : all)
    runOnGraph(graph);
  for (GraphOp graph : all)
    dropUnusedTokens(graph);
}

void transforms::flattenGraphs(ModuleOp graphs, llvm::Module &leaves) {
  UnusedSymbols unused(graphs, leaves);
  GraphFlattener(graphs, leaves).run();
  unused.erase();
}
