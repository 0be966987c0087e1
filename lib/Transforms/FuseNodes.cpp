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
#include "TransformFunctions.h"
#include "UnusedSymbols.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/LeafLength.h"
#include "sluice/Analysis/LeafReductions.h"
#include "sluice/DFG/AssumedExtents.h"
#include "sluice/DFG/OrderedDims.h"

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
/// The code of a node: one leaf, or those of the nodes that it was fused from.
/// They become one leaf when no more nodes are fused, so that the code of a
/// long chain is copied once and not again for each of its nodes.
struct FusedCode {
  /// An input of a part that is negative is an input of the node.
  SmallVector<LeafPart> parts;
  /// One per port of the node.
  SmallVector<LeafOutput> outputs;
  unsigned numInstructions = 0;

  bool isFused() const { return parts.size() > 1; }
};

/// Fuses a *first* node and a *second* node of one graph, again and again
/// until no pair is left.
///
/// 1. Both are leaves for the same target, without barriers and reductions,
///    whose instances may run in any order.
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
  FusedCode join(NodeOp first, NodeOp second, ArrayRef<unsigned> firstInputs,
                 ArrayRef<unsigned> secondInputs);
  void composeFused(GraphOp graph);
  FusedCode codeOf(NodeOp node);
  std::string freeName(const std::string &name);
  llvm::Function *leafOf(NodeOp node);
  KernelOp kernelOf(NodeOp node) {
    return dyn_cast_or_null<KernelOp>(node.resolveCallee(tables));
  }

  ModuleOp graphs;
  llvm::Module &leaves;
  SymbolTableCollection tables;
  llvm::DenseSet<Operation *> streaming;
  /// The code of fused nodes; the other nodes have their leaves.
  llvm::DenseMap<Operation *, FusedCode> fused;
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

/// Nothing if the node is no leaf whose code is known.
FusedCode NodeFuser::codeOf(NodeOp node) {
  if (auto found = fused.find(node); found != fused.end())
    return found->second;
  FusedCode code;
  llvm::Function *leaf = leafOf(node);
  if (!leaf)
    return code;
  LeafPart part = {leaf, {}};
  for (unsigned i = 0, e = node.getInputs().size(); i != e; ++i)
    part.inputs.push_back({-1, i});
  code.parts.push_back(std::move(part));
  for (unsigned i = 0, e = node.getNumPorts(); i != e; ++i)
    code.outputs.push_back({0, i});
  code.numInstructions = leaf->getInstructionCount();
  return code;
}

/// A symbol that neither a graph nor a leaf has.
std::string NodeFuser::freeName(const std::string &name) {
  std::string symbol = name;
  for (unsigned number = 2; tables.getSymbolTable(graphs).lookup(symbol) ||
                            leaves.getNamedValue(symbol);
       ++number)
    symbol = name + "." + std::to_string(number);
  return symbol;
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
  return !llvm::all_of(codeOf(node).parts, [](const LeafPart &part) {
    return writesThroughParametersOnly(*part.leaf);
  });
}

static bool isShort(const FusedCode &code) {
  uint64_t sum = 0;
  for (const LeafPart &part : code.parts) {
    std::optional<unsigned> length = straightLineLength(*part.leaf);
    if (!length)
      return false;
    sum += *length;
  }
  return sum <= shortLeaf;
}

/// Whether the leaves of two nodes compose. The parts of a fused node do
/// already, so only the first part of `first` is checked.
static bool canCompose(const FusedCode &first, const FusedCode &second) {
  llvm::Function &front = *first.parts.front().leaf;
  return !mayExecuteBarrier(front) && !hasReductions(front) &&
         llvm::all_of(second.parts, [&](const LeafPart &two) {
           return !mayExecuteBarrier(*two.leaf) && !hasReductions(*two.leaf) &&
                  canCompose(front, *two.leaf) &&
                  llvm::all_of(first.parts, [&](const LeafPart &one) {
                    return handleExceptionsAlike(*one.leaf, *two.leaf);
                  });
         });
}

bool NodeFuser::leavesAllow(NodeOp first, NodeOp second) {
  FusedCode one = codeOf(first), two = codeOf(second);
  if (one.parts.empty() || two.parts.empty() ||
      one.numInstructions + two.numInstructions > maxInstructions)
    return false;
  if (kernelOf(first).getTarget() != kernelOf(second).getTarget())
    return false;
  if (!canCompose(one, two))
    return false;
  if (!streaming.contains(first->getParentOp()))
    return true;
  if (first.getExtents().empty() && isShort(one) && isShort(two))
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
  return !dfg::orderedDims(first) && !dfg::orderedDims(second) &&
         haveEqualGrids(first, second) && leavesAllow(first, second) &&
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

/// The code of the fused node; its inputs are those of both, by number.
FusedCode NodeFuser::join(NodeOp first, NodeOp second,
                          ArrayRef<unsigned> firstInputs,
                          ArrayRef<unsigned> secondInputs) {
  FusedCode code = codeOf(first), more = codeOf(second);
  for (LeafPart &part : code.parts)
    for (LeafInput &input : part.inputs)
      if (input.part < 0)
        input.index = firstInputs[input.index];
  unsigned numParts = code.parts.size();
  for (LeafPart &part : more.parts) {
    for (LeafInput &input : part.inputs) {
      if (input.part >= 0) {
        input.part += numParts;
        continue;
      }
      auto result = dyn_cast<OpResult>(second.getInputs()[input.index]);
      if (result && result.getOwner() == first) {
        LeafOutput output = code.outputs[result.getResultNumber()];
        input = {static_cast<int>(output.part), output.index};
      } else {
        input.index = secondInputs[input.index];
      }
    }
    code.parts.push_back(std::move(part));
  }
  SmallVector<LeafOutput> outputs;
  for (auto [index, output] : llvm::enumerate(code.outputs))
    if (isUsedElsewhere(first.getResult(index), second))
      outputs.push_back(output);
  for (LeafOutput output : more.outputs)
    outputs.push_back({output.part + numParts, output.index});
  code.outputs = std::move(outputs);
  code.numInstructions += more.numInstructions;
  return code;
}

void NodeFuser::fuse(NodeOp first, NodeOp second) {
  KernelOp kernels[] = {kernelOf(first), kernelOf(second)};
  hoistDatasets(second, *first->getBlock());
  FusedPorts ports;
  SmallVector<unsigned> inputs[2];
  NodeOp nodes[] = {first, second};
  for (auto [part, node] : llvm::enumerate(nodes)) {
    for (auto [index, value] : llvm::enumerate(node.getInputs()))
      inputs[part].push_back(value.getDefiningOp() == first
                                 ? LeafInput::noIndex
                                 : ports.addInput(node, index, kernels[part]));
    for (unsigned i = 0, e = node.getNumPorts(); i != e; ++i) {
      Value value = node.getResult(i);
      if (node == first && !isUsedElsewhere(value, second))
        continue;
      ports.outputTypes.push_back(value.getType());
      ports.outputNames.push_back(
          ports.uniqueName(ports.outputNames, kernels[part].getOutputName(i),
                           graphs.getContext()));
      ports.results.push_back(value);
    }
  }

  std::string name = joinNames(dfg::displayName(first.getDisplayName()),
                               dfg::displayName(second.getDisplayName()));
  FusedCode code = join(first, second, inputs[0], inputs[1]);
  std::string symbol = freeName(name);
  OpBuilder builder(kernels[1]);
  builder.setInsertionPointAfter(kernels[1]);
  auto kernel = KernelOp::create(
      builder, builder.getFusedLoc({kernels[0].getLoc(), kernels[1].getLoc()}),
      symbol,
      /*sym_visibility=*/nullptr,
      builder.getFunctionType(ports.inputTypes, ports.outputTypes),
      ports.access, builder.getArrayAttr(ports.inputNames),
      builder.getArrayAttr(ports.outputNames), kernels[0].getTarget(),
      builder.getStringAttr(freeName(symbol + ".leaf")));
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
  auto node = NodeOp::create(
      builder, builder.getFusedLoc({first.getLoc(), second.getLoc()}), types,
      FlatSymbolRefAttr::get(kernel), first.getExtents(), ports.inputs,
      dependencies, builder.getDenseBoolArrayAttr(ports.oneToOne),
      builder.getDenseBoolArrayAttr(ports.stream), builder.getStringAttr(name));
  for (NodeOp old : nodes)
    for (unsigned i = 0, e = node.getExtents().size(); i != e; ++i)
      dfg::addUsualExponent(node, i, dfg::usualExponent(old, i));
  for (auto [index, value] : llvm::enumerate(ports.results))
    value.replaceAllUsesWith(node.getResult(index));
  for (NodeOp old : nodes)
    if (old.getNumPorts() != old.getNumResults() && hasToken)
      old.getResult(old.getNumPorts())
          .replaceAllUsesWith(node.getResult(node.getNumPorts()));
  fused[node] = std::move(code);
  for (auto [old, oldKernel] :
       llvm::zip(llvm::reverse(nodes), llvm::reverse(kernels))) {
    // The kernel of a node that was fused before is nobody else's.
    if (fused.erase(old))
      tables.getSymbolTable(graphs).erase(oldKernel);
    old.erase();
  }
}

/// Makes the leaves of the nodes that were fused.
void NodeFuser::composeFused(GraphOp graph) {
  for (NodeOp node : graph.getBody().front().getOps<NodeOp>())
    if (auto found = fused.find(node); found != fused.end())
      composeLeaves(found->second.parts, found->second.outputs,
                    kernelOf(node).getCodeName());
  fused.clear();
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
  composeFused(graph);
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
