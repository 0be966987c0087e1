//===- FuseNodes.cpp - One node for a chain of nodes ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusing keeps values between the nodes in registers, and memory that one
// writes and the other reads in the cache; and there is one node less to start.
//
//===----------------------------------------------------------------------===//

#include "ComposeLeaves.h"
#include "GraphStreams.h"
#include "LeafFacts.h"
#include "NodeOrder.h"
#include "Passes.h"
#include "UnusedSymbols.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/LeafLength.h"

using namespace mlir;
using namespace sluice;
using namespace sluice::transforms;
using dfg::GraphOp;
using dfg::KernelOp;
using dfg::NodeOp;

/// Maximum number of instructions of a fused leaf. In larger ones helper
/// functions would no longer be inlined, and compiling takes long.
static constexpr unsigned maxInstructions = 2000;

/// Number of instructions up to which a leaf runs in less time than it takes to
/// pass an item to another worker.
static constexpr unsigned shortLeaf = 150;

namespace {
/// Fuses a *first* node and a *second* node of one graph, again and again
/// until no pair is left.
///
/// 1. Both are leaves for the same target, without barriers.
/// 2. Replicated nodes have provably equal grids, and every edge from the
///    first to the second is one-to-one. A one-to-one edge orders instances of
///    equal index, and so does the fused node.
///    Single nodes: nobody but the second waits for the first, so nothing that
///    could run beside the second has to wait for it.
/// 3. Whatever else the second waits for, the first waits for already.
/// 4. Whoever waits for all of the first waits for the second already; it
///    would wait longer otherwise. (Who waits for it instance by instance may
///    be fused too.)
/// 5. Below a streaming root neither writes memory that items share: two
///    stages that run items one by one overlap, one such stage cannot. Or both
///    are so short that to overlap them would cost more than to run them.
class NodeFuser {
public:
  NodeFuser(ModuleOp graphs, llvm::Module &leaves)
      : graphs(graphs), leaves(leaves), streaming(findStreamingGraphs(graphs)) {
  }

  void run();

private:
  void runOnGraph(GraphOp graph);
  NodeOp findFirst(NodeOp second);
  bool canFuse(NodeOp first, NodeOp second);
  bool edgesAllow(NodeOp first, NodeOp second);
  bool leavesAllow(NodeOp first, NodeOp second);
  bool writesSharedMemory(NodeOp node);
  void fuse(NodeOp first, NodeOp second);
  llvm::Function *leafOf(NodeOp node);
  KernelOp kernelOf(NodeOp node) {
    return dyn_cast_or_null<KernelOp>(node.resolveCallee(tables));
  }

  ModuleOp graphs;
  llvm::Module &leaves;
  SymbolTableCollection tables;
  llvm::DenseSet<Operation *> streaming;
};

/// Collects the ports of the fused node.
struct FusedPorts {
  SmallVector<Value> inputs;
  SmallVector<bool> oneToOne, stream;
  SmallVector<int32_t> access;
  SmallVector<Attribute> inputNames, outputNames;
  SmallVector<Type> inputTypes, outputTypes;
  /// The nodes' results that become the fused node's.
  SmallVector<Value> results;

  unsigned addInput(NodeOp node, unsigned index, KernelOp kernel);
  StringAttr uniqueName(ArrayRef<Attribute> taken, StringRef name,
                        MLIRContext *context);
};
} // namespace

StringAttr FusedPorts::uniqueName(ArrayRef<Attribute> taken, StringRef name,
                                  MLIRContext *context) {
  std::string text = name.str();
  for (unsigned number = 2;
       llvm::is_contained(taken, StringAttr::get(context, text)); ++number)
    text = (name + "_" + Twine(number)).str();
  return StringAttr::get(context, text);
}

/// A value that both nodes take becomes one port. With two ports, code
/// generation would have to assume that two pointers may point to the same
/// object.
unsigned FusedPorts::addInput(NodeOp node, unsigned index, KernelOp kernel) {
  Value value = node.getInputs()[index];
  int32_t use = static_cast<int32_t>(kernel.getInputAccess(index));
  for (unsigned i = 0; i != inputs.size(); ++i)
    if (inputs[i] == value && oneToOne[i] == node.isOneToOne(index) &&
        stream[i] == node.isStream(index)) {
      access[i] |= use;
      return i;
    }
  inputs.push_back(value);
  oneToOne.push_back(node.isOneToOne(index));
  stream.push_back(node.isStream(index));
  access.push_back(use);
  inputNames.push_back(
      uniqueName(inputNames, kernel.getInputName(index), value.getContext()));
  inputTypes.push_back(value.getType());
  return inputs.size() - 1;
}

//===----------------------------------------------------------------------===//
// What may be fused
//===----------------------------------------------------------------------===//

llvm::Function *NodeFuser::leafOf(NodeOp node) {
  KernelOp kernel = kernelOf(node);
  llvm::Function *leaf =
      kernel ? leaves.getFunction(kernel.getCodeName()) : nullptr;
  return leaf && !leaf->isDeclaration() ? leaf : nullptr;
}

/// True if an item of a stream may read what `node` wrote for another item:
/// through a pointer that is the same for every item, or one that no port
/// shows.
bool NodeFuser::writesSharedMemory(NodeOp node) {
  KernelOp kernel = kernelOf(node);
  for (auto [index, value] : llvm::enumerate(node.getInputs())) {
    if (!isa<LLVM::LLVMPointerType>(value.getType()) || node.isStream(index) ||
        value.getDefiningOp<NodeOp>())
      continue;
    if (kernel.getInputAccess(index) != dfg::Access::In)
      return true;
  }
  return !writesThroughParametersOnly(*leafOf(node));
}

static bool isShort(const llvm::Function &leaf) {
  std::optional<unsigned> length = straightLineLength(leaf);
  return length && *length <= shortLeaf;
}

bool NodeFuser::leavesAllow(NodeOp first, NodeOp second) {
  llvm::Function *one = leafOf(first), *two = leafOf(second);
  if (!one || !two || !canCompose(*one, *two) || mayExecuteBarrier(*one) ||
      mayExecuteBarrier(*two))
    return false;
  if (kernelOf(first).getTarget() != kernelOf(second).getTarget())
    return false;
  if (one->getInstructionCount() + two->getInstructionCount() > maxInstructions)
    return false;
  if (!streaming.contains(first->getParentOp()))
    return true;
  if (first.getExtents().empty() && isShort(*one) && isShort(*two))
    return true;
  return !writesSharedMemory(first) && !writesSharedMemory(second);
}

bool NodeFuser::edgesAllow(NodeOp first, NodeOp second) {
  bool isReplicated = !first.getExtents().empty();
  for (NodeSource source : sourcesOf(second)) {
    if (source.node == first) {
      if (isReplicated && !source.isOneToOne)
        return false;
      continue;
    }
    NodeOrder order = orderBetween(source.node, first);
    if (order == NodeOrder::None ||
        (order == NodeOrder::Partial && !source.isOneToOne))
      return false;
  }
  for (Operation *user : first->getUsers()) {
    auto node = dyn_cast<NodeOp>(user);
    if (!node || node == second)
      continue;
    if (!isReplicated)
      return false;
    for (NodeSource source : sourcesOf(node))
      if (source.node == first && !source.isOneToOne &&
          orderBetween(second, node) != NodeOrder::Full)
        return false;
  }
  return true;
}

bool NodeFuser::canFuse(NodeOp first, NodeOp second) {
  return haveEqualGrids(first, second) && leavesAllow(first, second) &&
         edgesAllow(first, second);
}

//===----------------------------------------------------------------------===//
// Fusing
//===----------------------------------------------------------------------===//

/// The instructions that give the datasets' addresses have no operands, so
/// they can stand before every node.
static void hoistDatasets(NodeOp node, Block &block) {
  for (Value value : node.getInputs())
    if (auto use = value.getDefiningOp<dfg::UseDatasetOp>())
      use->moveBefore(&block, block.begin());
}

/// True if anything but `second` uses the value of `first`.
static bool isUsedElsewhere(Value value, NodeOp second) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return user != second.getOperation();
  });
}

/// "blur+edges", or "filter/blur+edges" for children of one internal node.
static std::string joinNames(StringRef first, StringRef second) {
  size_t end = first.rfind('/');
  if (end != StringRef::npos && second.rfind('/') == end &&
      first.take_front(end) == second.take_front(end))
    second = second.drop_front(end + 1);
  return (first + "+" + second).str();
}

void NodeFuser::fuse(NodeOp first, NodeOp second) {
  KernelOp kernels[] = {kernelOf(first), kernelOf(second)};
  hoistDatasets(second, *first->getBlock());
  FusedPorts ports;
  LeafPart parts[2];
  SmallVector<LeafOutput> outputs;
  NodeOp nodes[] = {first, second};
  for (auto [part, node] : llvm::enumerate(nodes)) {
    parts[part].leaf = leafOf(node);
    for (auto [index, value] : llvm::enumerate(node.getInputs()))
      if (value.getDefiningOp() == first)
        parts[part].inputs.push_back(
            {0, cast<OpResult>(value).getResultNumber()});
      else
        parts[part].inputs.push_back(
            {-1, ports.addInput(node, index, kernels[part])});
    for (unsigned i = 0, e = node.getNumPorts(); i != e; ++i) {
      Value value = node.getResult(i);
      if (node == first && !isUsedElsewhere(value, second))
        continue;
      outputs.push_back({static_cast<unsigned>(part), i});
      ports.outputTypes.push_back(value.getType());
      ports.outputNames.push_back(
          ports.uniqueName(ports.outputNames, kernels[part].getOutputName(i),
                           graphs.getContext()));
      ports.results.push_back(value);
    }
  }

  std::string name = joinNames(dfg::displayName(first.getDisplayName()),
                               dfg::displayName(second.getDisplayName()));
  std::string symbol = freeSymbol(graphs, leaves, name);
  llvm::Function *leaf = composeLeaves(
      parts, outputs, freeSymbol(graphs, leaves, symbol + ".leaf"));
  OpBuilder builder(kernels[1]);
  builder.setInsertionPointAfter(kernels[1]);
  auto kernel = KernelOp::create(
      builder, builder.getFusedLoc({kernels[0].getLoc(), kernels[1].getLoc()}),
      symbol,
      /*sym_visibility=*/nullptr,
      builder.getFunctionType(ports.inputTypes, ports.outputTypes),
      ports.access, builder.getArrayAttr(ports.inputNames),
      builder.getArrayAttr(ports.outputNames), kernels[0].getTarget(),
      builder.getStringAttr(leaf->getName()));
  tables.getSymbolTable(graphs).insert(kernel);

  bool hasToken = false;
  SmallVector<Value> dependencies(first.getDependencies());
  for (NodeOp node : nodes)
    if (node.getNumPorts() != node.getNumResults())
      hasToken |= isUsedElsewhere(node.getResult(node.getNumPorts()), second);
  for (Value value : second.getDependencies())
    if (value.getDefiningOp() != first &&
        !llvm::is_contained(dependencies, value))
      dependencies.push_back(value);
  SmallVector<Type> types(ports.outputTypes);
  if (hasToken)
    types.push_back(dfg::TokenType::get(graphs.getContext()));

  builder.setInsertionPoint(first);
  auto fused = NodeOp::create(
      builder, builder.getFusedLoc({first.getLoc(), second.getLoc()}), types,
      FlatSymbolRefAttr::get(kernel), first.getExtents(), ports.inputs,
      dependencies, builder.getDenseBoolArrayAttr(ports.oneToOne),
      builder.getDenseBoolArrayAttr(ports.stream), builder.getStringAttr(name));
  for (auto [index, value] : llvm::enumerate(ports.results))
    value.replaceAllUsesWith(fused.getResult(index));
  for (NodeOp node : nodes)
    if (node.getNumPorts() != node.getNumResults() && hasToken)
      node.getResult(node.getNumPorts())
          .replaceAllUsesWith(fused.getResult(fused.getNumPorts()));
  second.erase();
  first.erase();
}

NodeOp NodeFuser::findFirst(NodeOp second) {
  llvm::SmallPtrSet<Operation *, 8> seen;
  for (NodeSource source : sourcesOf(second))
    if (seen.insert(source.node).second && canFuse(source.node, second))
      return source.node;
  return {};
}

void NodeFuser::runOnGraph(GraphOp graph) {
  // A pair that could not be fused before may be possible after another fusion.
  for (bool hasChanged = true; hasChanged;) {
    hasChanged = false;
    SmallVector<NodeOp> nodes(graph.getBody().front().getOps<NodeOp>());
    for (NodeOp second : nodes)
      if (NodeOp first = findFirst(second)) {
        fuse(first, second);
        hasChanged = true;
      }
  }
}

void NodeFuser::run() {
  for (GraphOp graph : graphs.getOps<GraphOp>())
    runOnGraph(graph);
}

void transforms::fuseNodes(ModuleOp graphs, llvm::Module &leaves) {
  UnusedSymbols unused(graphs, leaves);
  NodeFuser(graphs, leaves).run();
  unused.erase();
}
