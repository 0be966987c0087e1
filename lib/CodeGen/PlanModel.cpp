//===- PlanModel.cpp - Flattening graphs to scheduled nodes ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/CodeGen/PlanModel.h"
#include "PlanMemory.h"
#include "ReductionNodes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/TypeToLLVM.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/LeafReductions.h"
#include "sluice/DFG/OrderedDims.h"
#include "sluice/DFG/RootNames.h"
#include "sluice/DFG/TemporaryMemory.h"
#include "sluice/DFG/Tiling.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace mlir;
using namespace sluice;
using namespace sluice::codegen;
using sluice::dfg::GraphOp;
using sluice::dfg::KernelOp;
using sluice::dfg::NodeOp;

KernelOp FlatNode::getKernel() const {
  return dyn_cast<KernelOp>(NodeOp(body).resolveCallee());
}

namespace {
/// The scheduled nodes that must have ended before the successors of a node
/// start.
using NodeSet = llvm::SmallVector<unsigned>;

class Flattener {
public:
  Flattener(GraphOp root, const llvm::Module &leaves,
            const ArgumentPairs *disjoint)
      : leaves(leaves), layout(leaves.getDataLayout()),
        types(leaves.getContext()), memory(leaves), disjoint(disjoint) {
    model.root = root;
  }

  FailureOr<PlanModel> run();

private:
  void addArguments(Scope &scope);
  void addResults(const Scope &scope);
  void addDisjointPairs();
  LogicalResult addGraph(Scope &scope, const NodeSet &entry, NodeSet &exits);
  LogicalResult inlineNode(NodeOp node, GraphOp graph, Scope &scope,
                           const NodeSet &entry, NodeSet &exits);
  LogicalResult scheduleNode(NodeOp node, Scope &scope, const NodeSet &entry,
                             NodeSet &exits);
  void followChain(FlatNode &flat, Scope &scope);
  LogicalResult findOrder(FlatNode &flat);
  void addOperands(FlatNode &flat, Scope &scope);
  void addOutputs(FlatNode &flat, Scope &scope);
  void addCopies(FlatNode &flat);
  void addPredecessors(FlatNode &flat, const NodeSet &entry);
  Scope &makeScope(GraphOp graph, NodeOp node, const Scope &parent);
  Source sourceOf(Value value, const Scope &scope);
  uint64_t allocate(uint64_t size, llvm::Align alignment);
  std::string uniqueName(const std::string &name);
  llvm::Type *translate(Type type) { return types.translateType(type); }

  const llvm::Module &leaves;
  const llvm::DataLayout &layout;
  LLVM::TypeToLLVMIRTranslator types;
  PlanMemory memory;
  const ArgumentPairs *disjoint;
  PlanModel model;
  llvm::StringMap<unsigned> timesNamed;
  /// Outputs that equal inputs of their node, the same for all its instances.
  llvm::DenseSet<std::pair<const Scope *, Value>> passedOn;
  /// Scheduled nodes that must have ended before a node counts as ended.
  llvm::DenseMap<std::pair<const Scope *, Operation *>, NodeSet> exitsOf;
};
} // namespace

/// Names identify nodes in messages, traces and requests for variants.
std::string Flattener::uniqueName(const std::string &name) {
  unsigned number = ++timesNamed[name];
  return number == 1 ? name : name + "#" + std::to_string(number);
}

uint64_t Flattener::allocate(uint64_t size, llvm::Align alignment) {
  uint64_t offset = llvm::alignTo(model.frameSize, alignment);
  model.frameSize = offset + size;
  return offset;
}

bool codegen::isStreamInput(GraphOp graph, unsigned index) {
  for (NodeOp node : graph.getBody().front().getOps<NodeOp>())
    for (auto [number, value] : llvm::enumerate(node.getInputs()))
      if (value == graph.getInput(index) && node.isStream(number))
        return true;
  return false;
}

bool codegen::hasOneToOneUse(Value value) {
  for (Operation *user : value.getUsers())
    if (auto node = dyn_cast<NodeOp>(user))
      for (auto [number, input] : llvm::enumerate(node.getInputs()))
        if (input == value && node.isOneToOne(number) &&
            !node.getExtents().empty())
          return true;
  return false;
}

void Flattener::addArguments(Scope &scope) {
  GraphOp root = model.root;
  ArrayRef<Type> inputs = root.getInputTypes();
  for (auto [index, type] : llvm::enumerate(inputs)) {
    FlatArgument argument;
    argument.name = root.getInputName(index);
    argument.type = translate(type);
    argument.size = layout.getTypeAllocSize(argument.type);
    argument.packedOffset = model.packedSize;
    model.packedSize += argument.size;
    argument.frameOffset = allocate(layout.getTypeAllocSize(argument.type),
                                    layout.getABITypeAlign(argument.type));
    argument.isPointer = isa<LLVM::LLVMPointerType>(type);
    argument.access = root.getInputAccess(index);
    argument.isStream = isStreamInput(root, index);
    argument.isTemporary = dfg::isTemporary(root, index);
    if (argument.isPointer && index + 1 < inputs.size() &&
        inputs[index + 1].isInteger(64))
      argument.sizeArgument = index + 1;
    model.isStreaming |= argument.isStream;
    model.arguments.push_back(std::move(argument));

    Source source;
    source.index = index;
    scope.values[root.getInput(index)] = source;
  }
}

void Flattener::addResults(const Scope &scope) {
  GraphOp root = model.root;
  dfg::OutputOp output = root.getOutputOp();
  for (auto [index, value] : llvm::enumerate(output.getValues())) {
    FlatResult result;
    result.name = root.getOutputName(index);
    result.type = translate(value.getType());
    result.size = layout.getTypeAllocSize(result.type);
    result.packedOffset = model.packedSize;
    model.packedSize += result.size;
    result.source = sourceOf(value, scope);
    result.isStream = output.getStream()[index];
    model.isStreaming |= result.isStream;
    model.results.push_back(std::move(result));
  }
}

/// Adds the pairs of pointer arguments that the runtime checks: those that the
/// race check assumed to be disjoint or, without a race check, all pairs with a
/// written argument.
void Flattener::addDisjointPairs() {
  for (unsigned i = 0; i != model.arguments.size(); ++i)
    for (unsigned j = i + 1; j != model.arguments.size(); ++j) {
      const FlatArgument &a = model.arguments[i], &b = model.arguments[j];
      bool isAssumed = disjoint
                           ? llvm::is_contained(*disjoint, std::pair(i, j))
                           : dfg::writes(a.access) || dfg::writes(b.access);
      if (a.isPointer && b.isPointer && isAssumed &&
          a.sizeArgument != SLUICE_NO_INDEX &&
          b.sizeArgument != SLUICE_NO_INDEX)
        model.disjointPairs.push_back({i, j});
    }
}

Source Flattener::sourceOf(Value value, const Scope &scope) {
  if (auto use = value.getDefiningOp<dfg::UseDatasetOp>()) {
    Source source;
    source.kind = value == use.getAddress() ? Source::Kind::DatasetAddress
                                            : Source::Kind::DatasetSize;
    source.dataset = SymbolTable::lookupNearestSymbolFrom<dfg::DatasetOp>(
        model.root->getParentOp(), use.getDatasetAttr());
    return source;
  }
  return scope.values.lookup(value);
}

Scope &Flattener::makeScope(GraphOp graph, NodeOp node, const Scope &parent) {
  auto scope = std::make_unique<Scope>();
  scope->graph = graph;
  scope->parent = &parent;
  scope->path = parent.path + "/" + node.getDisplayName().str();
  scope->levels = parent.levels;
  scope->levels.push_back({node, &parent});
  bool isReplicated = !node.getExtents().empty();
  for (auto [index, value] : llvm::enumerate(node.getInputs())) {
    Source source = sourceOf(value, parent);
    if (node.isOneToOne(index) && isReplicated &&
        !passedOn.contains({&parent, value}))
      source.instanceLevel = parent.levels.size();
    scope->values[graph.getInput(index)] = source;
  }
  model.scopes.push_back(std::move(scope));
  return *model.scopes.back();
}

/// Adds the nodes of one graph. `entry`: the nodes that must have ended before
/// any of them starts. `exits`: receives the nodes that must end before the
/// graph has ended.
LogicalResult Flattener::addGraph(Scope &scope, const NodeSet &entry,
                                  NodeSet &exits) {
  llvm::SetVector<unsigned> all;
  for (NodeOp node : scope.graph.getBody().front().getOps<NodeOp>()) {
    NodeSet nodeExits;
    auto graph = dyn_cast<GraphOp>(node.resolveCallee());
    LogicalResult added = graph && node.getExtents().empty()
                              ? inlineNode(node, graph, scope, entry, nodeExits)
                              : scheduleNode(node, scope, entry, nodeExits);
    if (failed(added))
      return failure();
    exitsOf[{&scope, node}] = nodeExits;
    all.insert(nodeExits.begin(), nodeExits.end());
  }
  // A node with successors in the graph has ended when they have ended.
  llvm::SmallDenseSet<unsigned> waitedFor;
  for (unsigned node : all)
    for (const Predecessor &before : model.nodes[node].predecessors)
      waitedFor.insert(before.node);
  for (unsigned node : all)
    if (!waitedFor.contains(node))
      exits.push_back(node);
  if (all.empty())
    exits = entry;
  return success();
}

/// The nodes that must have ended before a node starts, apart from its scope's
/// entry.
static NodeSet
producersOf(NodeOp node, const Scope &scope,
            const llvm::DenseMap<std::pair<const Scope *, Operation *>, NodeSet>
                &exitsOf) {
  llvm::SetVector<unsigned> producers;
  auto add = [&](ValueRange values) {
    for (Value value : values)
      if (auto source = value.getDefiningOp<NodeOp>()) {
        const NodeSet exits = exitsOf.lookup({&scope, source});
        producers.insert(exits.begin(), exits.end());
      }
  };
  add(node.getInputs());
  add(node.getDependencies());
  return NodeSet(producers.begin(), producers.end());
}

LogicalResult Flattener::inlineNode(NodeOp node, GraphOp graph, Scope &scope,
                                    const NodeSet &entry, NodeSet &exits) {
  Scope &inner = makeScope(graph, node, scope);
  NodeSet innerEntry = producersOf(node, scope, exitsOf);
  if (innerEntry.empty())
    innerEntry = entry;
  if (failed(addGraph(inner, innerEntry, exits)))
    return failure();
  for (auto [index, value] : llvm::enumerate(graph.getOutputOp().getValues()))
    scope.values[node.getResult(index)] = sourceOf(value, inner);
  return success();
}

/// True if `extent` is the same for all instances of every level.
static bool isUniform(Value extent, const Scope &scope) {
  if (auto found = scope.values.find(extent); found != scope.values.end())
    return found->second.instanceLevel < 0;
  Operation *op = extent.getDefiningOp();
  return !op || llvm::all_of(op->getOperands(), [&](Value operand) {
    return isUniform(operand, scope);
  });
}

/// The only node of a graph that passes each output on at most once; null if
/// there is no such node.
static NodeOp getOnlyChild(GraphOp graph) {
  auto nodes = graph.getBody().front().getOps<NodeOp>();
  if (!llvm::hasSingleElement(nodes))
    return {};
  llvm::SmallDenseSet<Value> bound;
  for (Value value : graph.getOutputOp().getValues())
    if (!bound.insert(value).second)
      return {};
  return *nodes.begin();
}

/// Step 2 of `flatten`: descends while there is exactly one child.
void Flattener::followChain(FlatNode &flat, Scope &scope) {
  Scope *current = &scope;
  while (auto graph = dyn_cast<GraphOp>(flat.body.resolveCallee())) {
    NodeOp child = getOnlyChild(graph);
    if (!child)
      return;
    Scope &inner = makeScope(graph, flat.body, *current);
    if (!llvm::all_of(child.getExtents(),
                      [&](Value value) { return isUniform(value, inner); }))
      return;
    flat.body = child;
    flat.bodyScope = &inner;
    flat.levels.push_back({child, &inner});
    current = &inner;
  }
}

/// The node, or one below it, whose instances run in order; null if there is
/// none.
static NodeOp findOrdered(NodeOp node) {
  if (dfg::orderedDims(node))
    return node;
  if (auto graph = dyn_cast<GraphOp>(node.resolveCallee()))
    for (NodeOp child : graph.getBody().front().getOps<NodeOp>())
      if (NodeOp found = findOrdered(child))
        return found;
  return {};
}

/// The runtime only orders the steps of one level: nothing is ordered below
/// nodes that are scheduled as one, or in work-groups.
LogicalResult Flattener::findOrder(FlatNode &flat) {
  for (unsigned level = 0; level != flat.levels.size(); ++level) {
    NodeOp node = flat.levels[level].node;
    unsigned dims = dfg::orderedDims(node);
    if (!dims)
      continue;
    if (flat.orderedDims)
      return node.emitError()
             << "instances of '" << node.getDisplayName()
             << "' run in order, and so do those of a node above it; order one "
                "level only";
    if (level >= flat.numUnitLevels)
      return node.emitError()
             << "instances of '" << node.getDisplayName()
             << "' run in order, but wait for each other at a barrier; remove "
                "the barrier, or order the instances of the node above";
    if (level >= 10)
      return node.emitError()
             << "an ordered node lies below more than 10 nodes";
    flat.orderedDims = dims << 3 * level;
  }
  auto graph = dyn_cast<GraphOp>(flat.body.resolveCallee());
  if (!graph)
    return success();
  for (NodeOp child : graph.getBody().front().getOps<NodeOp>())
    if (NodeOp ordered = findOrdered(child))
      return ordered.emitError()
             << "instances of '" << ordered.getDisplayName()
             << "' run in order, which is not possible below '"
             << flat.body.getDisplayName()
             << "', which has several instances and several nodes";
  return success();
}

LogicalResult Flattener::scheduleNode(NodeOp node, Scope &scope,
                                      const NodeSet &entry, NodeSet &exits) {
  FlatNode flat(node.getLoc());
  flat.name = uniqueName(scope.path + "/" + node.getDisplayName().str());
  flat.op = flat.body = node;
  flat.scope = flat.bodyScope = &scope;
  flat.levels = scope.levels;
  flat.levels.push_back({node, &scope});
  flat.numIndexLevels = flat.levels.size();
  followChain(flat, scope);
  flat.numUnitLevels = flat.levels.size();

  Operation *callee = node.resolveCallee();
  flat.target = isa<KernelOp>(callee) ? cast<KernelOp>(callee).getTarget()
                                      : cast<GraphOp>(callee).getTarget();
  if (KernelOp kernel = flat.getKernel()) {
    const llvm::Function *leaf = leaves.getFunction(kernel.getCodeName());
    if (!leaf || leaf->isDeclaration())
      return emitError(kernel.getLoc())
             << "kernel '" << kernel.getSymName() << "' names the function '"
             << kernel.getCodeName()
             << "', which the leaf code does not define";
    // The instances of a leaf with barriers within one parent instance form a
    // work-group, which one worker runs.
    if (mayExecuteBarrier(*leaf))
      --flat.numUnitLevels;
  }
  flat.numIndexLevels = std::min(flat.numIndexLevels, flat.numUnitLevels);
  if (failed(findOrder(flat)))
    return failure();
  NodeOp outermost = flat.levels.front().node;
  if (size_t dimensions = outermost.getExtents().size())
    flat.tiling = (dimensions - 1) * SLUICE_TILED_DIMENSION;
  if (std::optional<dfg::Tiling> tiling = dfg::tilingOf(node)) {
    flat.tiling |= SLUICE_TILED | (tiling->isUsual ? SLUICE_TILED_USUAL : 0);
    flat.tileAhead = tiling->ahead;
    flat.tileBehind = tiling->behind;
  }

  addOperands(flat, scope);
  addPredecessors(flat, entry);
  addOutputs(flat, scope);
  if (failed(checkReductions(flat, leaves)))
    return failure();
  if (flat.orderedDims && hasReductions(callee, leaves))
    return emitError(flat.location)
           << "instances of '" << node.getDisplayName()
           << "' run in order, and have a reduction; write it as plain code, "
              "since nothing folds into the memory at the same time, or do "
              "not order them";
  if (flat.getKernel() && hasReductions(callee, leaves))
    addCopies(flat);
  memory.addUses(flat, model);
  exits.push_back(model.nodes.size());
  model.nodes.push_back(std::move(flat));
  return success();
}

void Flattener::addOperands(FlatNode &flat, Scope &scope) {
  Operation *callee = flat.op.resolveCallee();
  for (auto [index, value] : llvm::enumerate(flat.op.getInputs())) {
    FlatOperand operand;
    operand.source = sourceOf(value, scope);
    operand.isOneToOne =
        flat.op.isOneToOne(index) && !passedOn.contains({&scope, value});
    operand.isStream = flat.op.isStream(index);
    operand.type = translate(value.getType());
    operand.name = isa<KernelOp>(callee)
                       ? cast<KernelOp>(callee).getInputName(index)
                       : cast<GraphOp>(callee).getInputName(index);
    operand.access = memory.accessOf(flat.op, index);
    // Without replication the only instance is the last one.
    if (operand.isOneToOne && !flat.op.getExtents().empty())
      operand.source.instanceLevel = scope.levels.size();
    flat.operands.push_back(std::move(operand));
  }
}

void Flattener::addPredecessors(FlatNode &flat, const NodeSet &entry) {
  // One order of each kind. An all-to-all order includes a one-to-one order,
  // but the runtime compares the grids if there is a one-to-one order.
  llvm::SetVector<std::pair<unsigned, unsigned>> orders;
  llvm::SmallDenseSet<unsigned> allToAll;
  auto add = [&](const NodeSet &nodes, bool isOneToOne, bool isInGraph) {
    for (unsigned node : nodes) {
      orders.insert({node, isOneToOne});
      if (!isInGraph)
        allToAll.insert(node);
    }
  };
  for (auto [index, value] : llvm::enumerate(flat.op.getInputs()))
    if (auto source = value.getDefiningOp<NodeOp>()) {
      const NodeSet exits = exitsOf.lookup({flat.scope, source});
      // Between single instances, both orders mean the same. A node that waits
      // for the whole source may read its values when it opens.
      bool isInGraph = flat.op.isOneToOne(index) &&
                       !flat.op.getExtents().empty() && exits.size() == 1 &&
                       model.nodes[exits.front()].op == source;
      bool isOneToOne =
          isInGraph && flat.op.isPipelined(index) &&
          model.nodes[exits.front()].numIndexLevels == flat.numIndexLevels &&
          flat.numIndexLevels == flat.scope->levels.size() + 1;
      add(exits, isOneToOne, isInGraph);
    }
  for (Value value : flat.op.getDependencies())
    if (auto source = value.getDefiningOp<NodeOp>())
      add(exitsOf.lookup({flat.scope, source}), false, false);
  if (orders.empty())
    add(entry, false, false);
  for (auto [node, isOneToOne] : orders) {
    bool isMore = !isOneToOne && !allToAll.contains(node);
    unsigned graphLevels = isMore ? flat.scope->levels.size() + 1 : 0;
    flat.predecessors.push_back({node, isOneToOne != 0, graphLevels});
  }
}

void Flattener::addCopies(FlatNode &flat) {
  FlatOutput copies;
  copies.name = "copies of what is reduced";
  copies.type = llvm::Type::getInt8Ty(leaves.getContext());
  copies.size = 1;
  const llvm::Function *leaf =
      leaves.getFunction(flat.getKernel().getCodeName());
  copies.arrayOffset = allocate(
      chunkFlagsOffset + (hasScans(*leaf) ? maxScanChunks : maxReductionChunks),
      llvm::Align(8));
  copies.arrayLevels = copiesMark;
  flat.outputs.push_back(std::move(copies));
}

/// The parameter that a leaf always returns as output `index`.
static const llvm::Argument *returnedParameter(const llvm::Function &leaf,
                                               unsigned index) {
  const llvm::Argument *parameter = nullptr;
  for (const llvm::BasicBlock &block : leaf) {
    const auto *end = dyn_cast<llvm::ReturnInst>(block.getTerminator());
    llvm::Value *all = end ? end->getReturnValue() : nullptr;
    if (!end)
      continue;
    llvm::Value *value = all && all->getType()->isStructTy()
                             ? llvm::FindInsertedValue(all, index)
                             : nullptr;
    auto *argument = dyn_cast_or_null<llvm::Argument>(value);
    if (!argument || (parameter && parameter != argument))
      return nullptr;
    parameter = argument;
  }
  return parameter;
}

/// The source of output `index` of a leaf, if it is an input that all instances
/// have in common. Successors then need not wait for the value, and it need not
/// be stored for each instance; but they still wait for the node.
static std::optional<Source>
passedOnSource(FlatNode &flat, const llvm::Module &leaves, unsigned index) {
  auto kernel = dyn_cast<KernelOp>(flat.op.resolveCallee());
  const llvm::Function *leaf =
      kernel ? leaves.getFunction(kernel.getCodeName()) : nullptr;
  const llvm::Argument *parameter =
      leaf ? returnedParameter(*leaf, index) : nullptr;
  if (!parameter || parameter->getArgNo() >= flat.operands.size())
    return std::nullopt;
  const Source &source = flat.operands[parameter->getArgNo()].source;
  return source.instanceLevel < 0 ? std::optional(source) : std::nullopt;
}

void Flattener::addOutputs(FlatNode &flat, Scope &scope) {
  Operation *callee = flat.op.resolveCallee();
  for (unsigned i = 0, e = flat.op.getNumPorts(); i != e; ++i) {
    Value value = flat.op.getResult(i);
    FlatOutput output;
    output.name = isa<KernelOp>(callee)
                      ? cast<KernelOp>(callee).getOutputName(i)
                      : cast<GraphOp>(callee).getOutputName(i);
    output.type = translate(value.getType());
    output.size = layout.getTypeAllocSize(output.type);
    output.frameOffset =
        allocate(output.size, layout.getABITypeAlign(output.type));
    std::optional<Source> same = passedOnSource(flat, leaves, i);
    if (same)
      passedOn.insert({&scope, value});
    if (hasOneToOneUse(value) && !same) {
      output.arrayOffset = allocate(8, llvm::Align(8));
      output.arrayLevels = scope.levels.size() + 1;
    }
    flat.outputs.push_back(std::move(output));

    Source source;
    source.kind = Source::Kind::Output;
    source.node = model.nodes.size();
    source.index = i;
    scope.values[value] = same ? *same : source;
  }
}

FailureOr<PlanModel> Flattener::run() {
  auto scope = std::make_unique<Scope>();
  Scope &root = *scope;
  root.graph = model.root;
  root.path = model.name = dfg::uniqueRootName(model.root);
  model.scopes.push_back(std::move(scope));
  addArguments(root);
  addDisjointPairs();
  NodeSet exits;
  if (failed(addGraph(root, {}, exits)))
    return failure();
  addResults(root);
  model.frameSize = llvm::alignTo(std::max<uint64_t>(model.frameSize, 1), 64);
  return std::move(model);
}

FailureOr<PlanModel> codegen::flatten(GraphOp root, const llvm::Module &leaves,
                                      const ArgumentPairs *disjoint) {
  return Flattener(root, leaves, disjoint).run();
}
