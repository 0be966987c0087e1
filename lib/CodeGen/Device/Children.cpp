//===- Children.cpp - Device kernels of compound nodes --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One group runs one instance of the node: its children run one after another.
// All items execute the same code around the leaves, so all of them reach every
// barrier.
//
//===----------------------------------------------------------------------===//

#include "../ExtentEmitter.h"
#include "../KernelEmitter.h"
#include "KernelBuilder.h"
#include "sluice/Analysis/BarrierCheck.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using sluice::dfg::GraphOp;
using sluice::dfg::KernelOp;
using sluice::dfg::NodeOp;

Error KernelBuilder::emitCompound() {
  auto graph = cast<GraphOp>(NodeOp(node.body).resolveCallee());
  if (Error error = chooseGroup(graph))
    return error;
  Flows flows;
  for (auto [index, argument] : enumerate(graph.getBody().getArguments())) {
    Flow flow;
    flow.type = typeOfValue(argument);
    Expected<Value *> value = inputValue(index, flow.type, placed);
    if (!value)
      return value.takeError();
    flow.value = *value;
    flow.origin = sourceOfInput(node, index);
    flows[argument] = flow;
  }
  Places levels(placed.begin(), placed.end());
  if (Error error = emitGraph(graph, flows, levels))
    return error;
  for (unsigned i = 0; i != node.outputs.size(); ++i) {
    Flow flow = flows.lookup(innermostOutput(node, i));
    Value *value = load(flow);
    Error error = Error::success();
    storeIf(isFirstItem(),
            [&] { error = storeOutput(i, value, flow.origin, placed); });
    if (error)
      return error;
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The group
//===----------------------------------------------------------------------===//

/// Whether two leaves of one group certainly have the same extents: constants,
/// or the same values of `graph`, which runs once per group.
static bool haveEqualExtents(NodeOp a, NodeOp b, GraphOp graph) {
  if (a.getExtents().size() != b.getExtents().size())
    return false;
  bool isDirect = a->getParentOp() == graph && b->getParentOp() == graph;
  for (auto [x, y] : zip(a.getExtents(), b.getExtents())) {
    std::optional<int64_t> known = dfg::constantExtent(x);
    if (!(isDirect && x == y) && (!known || known != dfg::constantExtent(y)))
      return false;
  }
  return true;
}

/// Visits the replicated leaves of a graph and of the graphs in it.
static void forEachReplicatedLeaf(GraphOp graph,
                                  function_ref<void(NodeOp, KernelOp)> visit) {
  for (NodeOp child : graph.getBody().front().getOps<NodeOp>()) {
    mlir::Operation *callee = child.resolveCallee();
    if (auto inner = dyn_cast<GraphOp>(callee))
      forEachReplicatedLeaf(inner, visit);
    else if (!child.getExtents().empty())
      visit(child, cast<KernelOp>(callee));
  }
}

/// A child with barriers determines the number of items in a group. Without
/// one, there only have to be enough items to keep a device busy.
Error KernelBuilder::chooseGroup(GraphOp graph) {
  NodeOp exact, other;
  std::array<std::optional<int64_t>, 3> most = {1, 1, 1};
  auto raise = [&](NodeOp child) {
    for (auto [d, extent] : enumerate(child.getExtents())) {
      std::optional<int64_t> value = dfg::constantExtent(extent);
      most[d] = value && most[d] ? std::optional(std::max(*value, *most[d]))
                                 : std::nullopt;
    }
  };
  forEachReplicatedLeaf(graph, [&](NodeOp child, KernelOp kernel) {
    raise(child);
    if (!mayExecuteBarrier(neutralLeaf(kernel)))
      return;
    if (exact && !haveEqualExtents(exact, child, graph))
      other = child;
    exact = child;
  });
  if (other)
    return refuseNode(other, "waits for its instances, which are as many as "
                             "the items of a work-group, but '" +
                                 exact.getDisplayName().str() +
                                 "' has other extents and waits, too");
  groupShape.exactChild = exact;
  if (exact) {
    knownItems = {1, 1, 1};
    for (auto [d, extent] : enumerate(exact.getExtents())) {
      knownItems[d] = dfg::constantExtent(extent);
      // A group without waiting instances has one item.
      if (knownItems[d])
        knownItems[d] = std::max<int64_t>(*knownItems[d], 1);
    }
    return Error::success();
  }
  int64_t room = maxItems;
  for (unsigned d = 0; d != 3; ++d) {
    if (!most[0] || !most[1] || !most[2])
      continue;
    knownItems[d] = std::clamp<int64_t>(*most[d], 1, room);
    room /= *knownItems[d];
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The children within one instance
//===----------------------------------------------------------------------===//

Error KernelBuilder::emitGraph(GraphOp graph, Flows &flows, Places &levels) {
  for (mlir::Operation &op : graph.getBody().front()) {
    if (auto use = dyn_cast<dfg::UseDatasetOp>(op))
      addDataset(use, flows);
    if (auto child = dyn_cast<NodeOp>(op))
      if (Error error = emitChild(child, flows, levels))
        return error;
  }
  return Error::success();
}

void KernelBuilder::addDataset(dfg::UseDatasetOp use, Flows &flows) {
  auto dataset = mlir::SymbolTable::lookupNearestSymbolFrom<dfg::DatasetOp>(
      dfg::GraphOp(model.root)->getParentOp(), use.getDatasetAttr());
  DeviceParameter memory = describeDataset(dataset);
  memory.access = SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT;
  Flow address, size;
  address.type = b.getPtrTy();
  address.value = parameters.memory(memory, /*isNoAlias=*/false);
  size.type = b.getInt64Ty();
  size.value = b.getInt64(memory.size);
  flows[use.getAddress()] = address;
  flows[use.getSize()] = size;
}

/// If the host knows before the launch that an extent is negative, it is an
/// error (GroupSizeFunction.cpp). A negative extent that only the device knows
/// counts as zero.
ValueTriple KernelBuilder::childExtents(NodeOp child, Flows &flows) {
  ValueTriple extents;
  for (unsigned d = 0; d != 3; ++d) {
    extents[d] = b.getInt64(1);
    if (d >= child.getExtents().size())
      continue;
    Value *extent =
        emitExtent(child.getExtents()[d], b, [&](mlir::Value value) {
          return load(flows.lookup(value));
        });
    extents[d] =
        isa<ConstantInt>(extent)
            ? extent
            : b.CreateBinaryIntrinsic(Intrinsic::smax, extent, b.getInt64(0));
  }
  return extents;
}

Error KernelBuilder::emitChild(NodeOp child, Flows &flows, Places &levels) {
  ValueTriple extents = childExtents(child, flows);
  mlir::Operation *callee = child.resolveCallee();
  if (auto kernel = dyn_cast<KernelOp>(callee))
    return emitLeafChild(child, kernel, flows, levels, extents);
  return emitGraphChild(child, cast<GraphOp>(callee), flows, levels, extents);
}

Error KernelBuilder::emitLeafChild(NodeOp child, KernelOp kernel, Flows &flows,
                                   Places &levels, const ValueTriple &extents) {
  Function &leaf = neutralLeaf(kernel);
  SmallVector<unsigned> dims;
  for (const PlacedLevel &level : levels)
    dims.push_back(level.numDims);
  unsigned numDims = child.getExtents().size();
  dims.push_back(numDims);
  Expected<Function *> function = createLeafFunction(leaf, dims);
  if (!function)
    return function.takeError();
  leafFunctions.push_back(*function);
  bool isRepeatable = isPure(**function);
  if (Error error = placeAllocations(child, **function))
    return error;

  // Values that the instances share are loaded before the items diverge.
  SmallVector<Value *> shared;
  for (auto [index, value] : enumerate(child.getInputs())) {
    Flow flow = flows.lookup(value);
    bool isPerInstance = numDims && child.isOneToOne(index) && flow.array;
    shared.push_back(isPerInstance ? nullptr : load(flow));
  }
  auto call = [&](const PlacedLevel &own) {
    SmallVector<Value *> inputs;
    for (auto [index, value] : enumerate(shared)) {
      if (!value) {
        Flow flow = flows.lookup(child.getInputs()[index]);
        value = loadScalars(b, flow.type, elementAddress(flow, own));
      }
      inputs.push_back(convertTo(b, value, leaf.getArg(index)->getType()));
    }
    Places all = levels;
    all.push_back(own);
    return callLeaf(b, **function, inputs, all);
  };

  if (numDims == 0 && isRepeatable) {
    CallInst *results = call(singleInstance());
    for (unsigned i = 0, e = child.getNumPorts(); i != e; ++i) {
      Flow &flow = flows[child.getResult(i)];
      flow.type = typeOfValue(child.getResult(i));
      flow.value = convertTo(b, b.CreateExtractValue(results, i), flow.type);
      if (auto input = forwardedInput(**function, i);
          input && *input < child.getInputs().size())
        flow.origin = flows.lookup(child.getInputs()[*input]).origin;
    }
    return Error::success();
  }
  wait();
  if (Error error = makeOutputs(child, **function, flows, extents))
    return error;
  auto run = [&](const PlacedLevel &own) -> Error {
    storeResults(child, call(own), flows, own);
    return Error::success();
  };
  bool waits = numDims && mayExecuteBarrier(leaf);
  hasBarrier |= waits;
  needsBarrier = true;
  if (numDims)
    return runOnItems(numDims, extents, waits, run);
  Error result = Error::success();
  storeIf(isFirstItem(), [&] { result = run(singleInstance()); });
  return result;
}

//===----------------------------------------------------------------------===//
// Graphs in graphs
//===----------------------------------------------------------------------===//

namespace {
/// A loop that all items execute together.
class UniformLoop {
public:
  UniformLoop(IRBuilder<> &b, Function *function, Value *count) : b(b) {
    LLVMContext &context = b.getContext();
    BasicBlock *before = b.GetInsertBlock();
    header = BasicBlock::Create(context, "inner", function);
    auto *run = BasicBlock::Create(context, "inner.instance", function);
    after = BasicBlock::Create(context, "inner.ran", function);
    b.CreateBr(header);
    b.SetInsertPoint(header);
    index = b.CreatePHI(b.getInt64Ty(), 2, "index");
    index->addIncoming(b.getInt64(0), before);
    b.CreateCondBr(b.CreateICmpSLT(index, count), run, after);
    b.SetInsertPoint(run);
  }

  void finish() {
    Value *next = b.CreateAdd(index, b.getInt64(1), "", /*HasNUW=*/true,
                              /*HasNSW=*/true);
    index->addIncoming(next, b.GetInsertBlock());
    b.CreateBr(header);
    b.SetInsertPoint(after);
  }

  PHINode *index;

private:
  IRBuilder<> &b;
  BasicBlock *header, *after;
};
} // namespace

/// The flows of a graph's inputs, for the instance `own` of its node.
KernelBuilder::Flows KernelBuilder::enterGraph(NodeOp child, GraphOp graph,
                                               Flows &flows,
                                               const PlacedLevel &own) {
  Flows inner;
  for (auto [index, value] : enumerate(child.getInputs())) {
    Flow flow = flows.lookup(value);
    if (own.numDims && child.isOneToOne(index) && flow.array) {
      wait();
      Value *address = elementAddress(flow, own);
      Value *element = loadScalars(b, flow.type, address);
      Type *type = flow.type;
      flow = Flow();
      flow.type = type;
      flow.value = element;
    }
    flow.array = nullptr;
    inner[graph.getInput(index)] = flow;
  }
  return inner;
}

Error KernelBuilder::emitGraphChild(NodeOp child, GraphOp graph, Flows &flows,
                                    Places &levels,
                                    const ValueTriple &extents) {
  auto outputs = graph.getOutputOp().getValues();
  if (child.getExtents().empty()) {
    Flows inner = enterGraph(child, graph, flows, singleInstance());
    levels.push_back(singleInstance());
    Error error = emitGraph(graph, inner, levels);
    levels.pop_back();
    for (auto [index, value] : enumerate(outputs))
      flows[child.getResult(index)] = inner.lookup(value);
    return error;
  }
  return emitRepeatedGraph(child, graph, flows, levels, extents);
}

/// Runs the instances of a replicated graph within a group, one after another.
Error KernelBuilder::emitRepeatedGraph(NodeOp child, GraphOp graph,
                                       Flows &flows, Places &levels,
                                       const ValueTriple &extents) {
  SmallVector<AllocaInst *> last;
  Value *count = countOf(extents);
  for (mlir::Value result : child.getResults()) {
    Flow flow;
    flow.type = typeOfValue(result);
    last.push_back(entry.CreateAlloca(flow.type));
    b.CreateStore(Constant::getNullValue(flow.type), last.back());
    if (hasOneToOneUse(result) && !flow.type->isPointerTy())
      flow.array =
          addLocal({LocalMemory::Kind::Array, child, 0,
                    neutral.getDataLayout().getTypeAllocSize(flow.type)});
    flows[result] = flow;
  }
  wait();
  UniformLoop loop(b, body, count);
  PlacedLevel own = singleInstance();
  own.extents = extents;
  own.numDims = child.getExtents().size();
  Value *rest = loop.index;
  for (unsigned d = 0; d != own.numDims; ++d) {
    own.ids[d] = b.CreateURem(rest, extents[d]);
    rest = b.CreateUDiv(rest, extents[d]);
  }
  Flows inner = enterGraph(child, graph, flows, own);
  levels.push_back(own);
  Error error = emitGraph(graph, inner, levels);
  levels.pop_back();
  if (error)
    return error;
  for (auto [index, value] : enumerate(graph.getOutputOp().getValues())) {
    Value *result = load(inner.lookup(value));
    b.CreateStore(result, last[index]);
    const Flow &flow = flows[child.getResult(index)];
    if (flow.array)
      storeIf(isFirstItem(),
              [&] { storeScalars(b, result, elementAddress(flow, own)); });
  }
  // The next instance uses the same local memory.
  needsBarrier = true;
  wait();
  loop.finish();
  for (auto [index, result] : enumerate(child.getResults())) {
    Flow &flow = flows[result];
    flow.value = b.CreateLoad(flow.type, last[index]);
  }
  return Error::success();
}
