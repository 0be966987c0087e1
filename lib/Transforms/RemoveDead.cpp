//===- RemoveDead.cpp - Removing unused nodes and ports -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs contain nodes and ports that no result depends on, often as a result
// of other transforms. Each would take time in every run.
//
//===----------------------------------------------------------------------===//

#include "ComposeLeaves.h"
#include "GraphStreams.h"
#include "LeafFacts.h"
#include "NodeOrder.h"
#include "Tokens.h"
#include "TransformFunctions.h"
#include "UnusedSymbols.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "sluice/DFG/Folds.h"

using namespace mlir;
using namespace sluice;
using namespace sluice::transforms;
using dfg::GraphOp;
using dfg::KernelOp;
using dfg::NodeOp;

namespace {
/// Removes, until nothing changes:
///
/// 1. nodes whose outputs no other node takes and whose leaves do nothing else:
///    they write no memory, call nothing unknown and terminate. The successors
///    of such a node then wait for its predecessors;
/// 2. outputs of internal nodes and of leaves that no node's user takes;
/// 3. inputs that no child and no leaf reads. A token replaces the edge of the
///    input and keeps its order. A pointer of a leaf stays, with its size,
///    since checks at run time need both. One-to-one edges stay as well, since
///    no token can express their order.
///
/// Roots keep their ports, and nodes that take items from a stream stay, since
/// the host relies on both.
class DeadRemover {
public:
  DeadRemover(ModuleOp graphs, llvm::Module &leaves)
      : graphs(graphs), leaves(leaves), streaming(findStreamingGraphs(graphs)) {
  }

  void run();

private:
  bool runOnce();
  bool removeNodes(GraphOp graph);
  bool isDead(NodeOp node);
  bool hasNoEffect(Operation *callee);
  void removeNode(NodeOp node);
  template <typename OpT> bool removePorts(OpT callee);
  template <typename OpT>
  llvm::BitVector findUnusedOutputs(OpT callee, ArrayRef<NodeOp> nodes);
  template <typename OpT>
  llvm::BitVector findUnusedInputs(OpT callee, ArrayRef<NodeOp> nodes);
  bool isUnusedInput(KernelOp kernel, unsigned index);
  bool isUnusedInput(GraphOp graph, unsigned index);
  void rewriteBody(KernelOp kernel, const llvm::BitVector &inputs,
                   const llvm::BitVector &outputs);
  void rewriteBody(GraphOp graph, const llvm::BitVector &inputs,
                   const llvm::BitVector &outputs);
  llvm::Function *leafOf(KernelOp kernel) {
    llvm::Function *leaf = leaves.getFunction(kernel.getCodeName());
    return leaf && !leaf->isDeclaration() ? leaf : nullptr;
  }

  ModuleOp graphs;
  llvm::Module &leaves;
  SymbolTableCollection tables;
  llvm::DenseSet<Operation *> streaming;
  /// Results of `hasNoEffect` by the name of the kernel or graph.
  llvm::StringMap<bool> effects;
  /// The nodes of each kernel and graph.
  llvm::DenseMap<Operation *, SmallVector<NodeOp>> nodesOf;
};
} // namespace

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

bool DeadRemover::hasNoEffect(Operation *callee) {
  StringRef name = SymbolTable::getSymbolName(callee).getValue();
  if (auto known = effects.find(name); known != effects.end())
    return known->second;
  bool result;
  if (auto kernel = dyn_cast<KernelOp>(callee)) {
    llvm::Function *leaf = leafOf(kernel);
    result = leaf && transforms::hasNoEffect(*leaf);
  } else {
    auto nodes = cast<GraphOp>(callee).getBody().front().getOps<NodeOp>();
    result = llvm::all_of(nodes, [&](NodeOp node) {
      return hasNoEffect(node.resolveCallee(tables));
    });
  }
  effects[name] = result;
  return result;
}

bool DeadRemover::isDead(NodeOp node) {
  for (unsigned i = 0, e = node.getNumPorts(); i != e; ++i)
    if (!node.getResult(i).use_empty())
      return false;
  if (streaming.contains(node->getParentOp()))
    for (auto [index, value] : llvm::enumerate(node.getInputs()))
      if (node.isStream(index) && isa<BlockArgument>(value))
        return false;
  return hasNoEffect(node.resolveCallee(tables));
}

void DeadRemover::removeNode(NodeOp node) {
  SmallVector<NodeSource> sources = sourcesOf(node);
  SmallVector<Operation *> users(node->getUsers());
  for (Operation *user : users) {
    auto sink = cast<NodeOp>(user);
    MutableOperandRange dependencies = sink.getDependenciesMutable();
    for (unsigned i = dependencies.size(); i-- != 0;)
      if (OperandRange(dependencies)[i] == tokenOf(node))
        dependencies.erase(i);
    for (NodeSource source : sources)
      addOrder(sink, source.node);
  }
  node.erase();
}

bool DeadRemover::removeNodes(GraphOp graph) {
  bool hasChanged = false;
  SmallVector<Operation *> ops;
  for (Operation &op : graph.getBody().front().without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops)) {
    auto node = dyn_cast<NodeOp>(op);
    if (node ? !isDead(node) : !op->use_empty())
      continue;
    if (node)
      removeNode(node);
    else
      op->erase(); // Arithmetic for extents, or the address of a dataset.
    hasChanged = true;
  }
  return hasChanged;
}

//===----------------------------------------------------------------------===//
// Ports
//===----------------------------------------------------------------------===//

template <typename OpT>
llvm::BitVector DeadRemover::findUnusedOutputs(OpT callee,
                                               ArrayRef<NodeOp> nodes) {
  llvm::BitVector unused(callee.getOutputTypes().size());
  for (unsigned i = 0; i != unused.size(); ++i)
    unused[i] = llvm::all_of(
        nodes, [&](NodeOp node) { return node.getResult(i).use_empty(); });
  return unused;
}

bool DeadRemover::isUnusedInput(KernelOp kernel, unsigned index) {
  auto isPointer = [&](unsigned i) {
    return isa<LLVM::LLVMPointerType>(kernel.getInputTypes()[i]);
  };
  bool isSize = index != 0 && isPointer(index - 1) &&
                kernel.getInputTypes()[index].isInteger(64);
  return !isPointer(index) && !isSize &&
         leafOf(kernel)->getArg(index)->use_empty();
}

bool DeadRemover::isUnusedInput(GraphOp graph, unsigned index) {
  return graph.getInput(index).use_empty();
}

template <typename OpT>
llvm::BitVector DeadRemover::findUnusedInputs(OpT callee,
                                              ArrayRef<NodeOp> nodes) {
  llvm::BitVector unused(callee.getInputTypes().size());
  for (unsigned i = 0; i != unused.size(); ++i)
    unused[i] = isUnusedInput(callee, i) && llvm::none_of(nodes, [&](NodeOp n) {
                  bool isEdge = n.getInputs()[i].getDefiningOp<NodeOp>();
                  return n.isStream(i) ||
                         (isEdge && n.isOneToOne(i) && !n.getExtents().empty());
                });
  return unused;
}

template <typename T>
static SmallVector<T> without(ArrayRef<T> all, const llvm::BitVector &dropped) {
  SmallVector<T> rest;
  for (auto [index, element] : llvm::enumerate(all))
    if (!dropped[index])
      rest.push_back(element);
  return rest;
}

/// Reductions and scans keep their ports, including the ports of their sizes,
/// since the leaf uses them.
static void renumberFolds(KernelOp kernel, const llvm::BitVector &dropped) {
  SmallVector<dfg::Fold> folds = dfg::foldsOf(kernel);
  auto numberOf = [&](unsigned input) {
    return input - llvm::count_if(dropped.set_bits(), [&](unsigned before) {
             return before < input;
           });
  };
  for (dfg::Fold &fold : folds) {
    fold.input = numberOf(fold.input);
    if (fold.sizePort)
      fold.sizePort = numberOf(*fold.sizePort);
  }
  dfg::setFolds(kernel, folds);
}

/// Removes ports of a kernel or graph.
template <typename OpT>
static void rewriteSignature(OpT op, const llvm::BitVector &inputs,
                             const llvm::BitVector &outputs) {
  Builder builder(op.getContext());
  SmallVector<Attribute> inputNames =
      without(op.getInputNames().getValue(), inputs);
  SmallVector<Attribute> outputNames =
      without(op.getOutputNames().getValue(), outputs);
  SmallVector<int32_t> access = without(op.getAccess(), inputs);
  op.setFunctionType(
      builder.getFunctionType(without(op.getInputTypes(), inputs),
                              without(op.getOutputTypes(), outputs)));
  op.setAccess(access);
  op.setInputNamesAttr(builder.getArrayAttr(inputNames));
  op.setOutputNamesAttr(builder.getArrayAttr(outputNames));
  if constexpr (std::is_same_v<OpT, KernelOp>)
    renumberFolds(op, inputs);
}

void DeadRemover::rewriteBody(KernelOp kernel, const llvm::BitVector &inputs,
                              const llvm::BitVector &outputs) {
  LeafPart part;
  part.leaf = leafOf(kernel);
  unsigned number = 0;
  for (unsigned i = 0; i != inputs.size(); ++i)
    part.inputs.push_back({-1, inputs[i] ? LeafInput::noIndex : number++});
  SmallVector<LeafOutput> kept;
  for (unsigned i = 0; i != outputs.size(); ++i)
    if (!outputs[i])
      kept.push_back({0, i});
  std::string name = (kernel.getSymName() + ".needed").str();
  llvm::Function *leaf =
      composeLeaves(part, kept, freeSymbol(graphs, leaves, name));
  kernel.setSymbol(leaf->getName());
}

void DeadRemover::rewriteBody(GraphOp graph, const llvm::BitVector &inputs,
                              const llvm::BitVector &outputs) {
  dfg::OutputOp output = graph.getOutputOp();
  SmallVector<bool> stream = without(output.getStream(), outputs);
  for (unsigned i = outputs.size(); i-- != 0;)
    if (outputs[i])
      output->eraseOperand(i);
  output.setStream(stream);
  graph.getBody().front().eraseArguments(inputs);
}

/// Removes inputs and outputs of a node. A token keeps the order of each
/// removed edge.
static void rewriteNode(NodeOp node, const llvm::BitVector &inputs,
                        const llvm::BitVector &outputs) {
  SmallVector<NodeOp> sources;
  SmallVector<bool> oneToOne = without(node.getOneToOne(), inputs);
  SmallVector<bool> stream = without(node.getStream(), inputs);
  for (unsigned i = inputs.size(); i-- != 0;) {
    if (!inputs[i])
      continue;
    if (auto source = node.getInputs()[i].getDefiningOp<NodeOp>())
      sources.push_back(source);
    node.getInputsMutable().erase(i);
  }
  node.setOneToOne(oneToOne);
  node.setStream(stream);
  for (NodeOp source : sources)
    addOrder(node, source);
  SmallVector<unsigned> kept;
  for (unsigned i = 0; i != outputs.size(); ++i)
    if (!outputs[i])
      kept.push_back(i);
  if (kept.size() != outputs.size())
    replaceResults(node, kept, /*hasToken=*/true);
}

template <typename OpT> bool DeadRemover::removePorts(OpT callee) {
  ArrayRef<NodeOp> nodes = nodesOf[callee];
  if (nodes.empty())
    return false;
  if constexpr (std::is_same_v<OpT, KernelOp>)
    if (llvm::Function *leaf = leafOf(callee); !leaf || !canCompose(*leaf))
      return false;
  llvm::BitVector outputs = findUnusedOutputs(callee, nodes);
  llvm::BitVector inputs = findUnusedInputs(callee, nodes);
  if (outputs.none() && inputs.none())
    return false;
  rewriteBody(callee, inputs, outputs);
  rewriteSignature(callee, inputs, outputs);
  for (NodeOp node : nodes)
    rewriteNode(node, inputs, outputs);
  return true;
}

//===----------------------------------------------------------------------===//
// One round
//===----------------------------------------------------------------------===//

bool DeadRemover::runOnce() {
  bool hasChanged = false;
  for (GraphOp graph : graphs.getOps<GraphOp>())
    hasChanged |= removeNodes(graph);
  // Removing a callee's ports replaces its nodes, so they are collected again
  // for each callee.
  for (Operation &op : *graphs.getBody()) {
    if (!isa<GraphOp, KernelOp>(op))
      continue;
    nodesOf.clear();
    StringRef name = SymbolTable::getSymbolName(&op).getValue();
    graphs.walk([&](NodeOp node) {
      if (node.getCallee() == name)
        nodesOf[&op].push_back(node);
    });
    hasChanged |= isa<GraphOp>(op) ? removePorts(cast<GraphOp>(op))
                                   : removePorts(cast<KernelOp>(op));
  }
  return hasChanged;
}

void DeadRemover::run() {
  SmallVector<GraphOp> all(graphs.getOps<GraphOp>());
  for (GraphOp graph : all)
    addTokens(graph);
  while (runOnce())
    continue;
  for (GraphOp graph : all)
    dropUnusedTokens(graph);
}

void transforms::removeDead(ModuleOp graphs, llvm::Module &leaves) {
  UnusedSymbols unused(graphs, leaves);
  DeadRemover(graphs, leaves).run();
  unused.erase();
}
