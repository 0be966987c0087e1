//===- KernelBuilder.cpp - The device kernel of one node ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes one kernel from the leaves of a node, in a form that all back ends
// accept: finds the instance of an item, gets the leaf's parameters, and calls
// the leaf.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "../KernelEmitter.h"
#include "../Leaf/LargeMemory.h"
#include "../ReductionNodes.h"
#include "NeutralForm.h"
#include "Optimize.h"
#include "Refusal.h"
#include "Targets/Lowering/Lowering.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using sluice::dfg::GraphOp;
using sluice::dfg::KernelOp;
using sluice::dfg::NodeOp;

static Function *createBody(Module &neutral) {
  LLVMContext &context = neutral.getContext();
  Function *body =
      Function::Create(FunctionType::get(Type::getVoidTy(context), false),
                       GlobalValue::InternalLinkage, "", neutral);
  BasicBlock::Create(context, "entry", body);
  return body;
}

KernelBuilder::KernelBuilder(Module &neutral, Module &host,
                             const PlanModel &model, const FlatNode &node,
                             ArrayRef<DeviceNode> known,
                             const DeviceCodeOptions &options)
    : neutral(neutral), host(host), model(model), node(node),
      types(neutral.getContext()), known(known), options(options),
      body(createBody(neutral)), entry(&body->getEntryBlock()),
      b(neutral.getContext()), parameters(entry),
      start(BasicBlock::Create(neutral.getContext(), "start", body)) {
  b.SetInsertPoint(start);
}

Error KernelBuilder::refuseNode(NodeOp node, const Twine &message) {
  std::string place = spellLocation(node.getLoc());
  return createStringError(Twine(place) + (place.empty() ? "" : ": ") +
                           "node '" + node.getDisplayName().str() +
                           "': " + message);
}

Function &KernelBuilder::neutralLeaf(KernelOp kernel) {
  Function *leaf = neutral.getFunction(kernel.getCodeName());
  assert(leaf && "the leaves of device nodes are in the neutral module");
  if (!firstLeaf)
    firstLeaf = leaf;
  return *leaf;
}

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

ValueTriple KernelBuilder::extentsOf(unsigned level) {
  NodeOp op = node.levels[level].node;
  ValueTriple extents;
  for (unsigned d = 0; d != 3; ++d) {
    extents[d] = entry.getInt64(1);
    if (d >= op.getExtents().size())
      continue;
    if (std::optional<int64_t> value = dfg::constantExtent(op.getExtents()[d]))
      extents[d] = entry.getInt64(*value);
    else
      extents[d] = parameters.extent(3 * (firstLevel(node) + level) + d);
  }
  return extents;
}

/// The ids of a launch level; `rest` is the linear index over this level and
/// the levels outside.
PlacedLevel KernelBuilder::decompose(unsigned level, Value *&rest) {
  PlacedLevel result;
  NodeOp op = node.levels[level].node;
  result.numDims = op.getExtents().size();
  result.extents = extentsOf(level);
  for (unsigned d = 0; d != 3; ++d) {
    result.ids[d] = b.getInt64(0);
    if (d >= result.numDims)
      continue;
    result.ids[d] = b.CreateURem(rest, result.extents[d]);
    rest = b.CreateUDiv(rest, result.extents[d]);
  }
  return result;
}

/// Places all levels outside of the group; for an ungrouped leaf, all levels.
void KernelBuilder::placeLevels() {
  unsigned count = nodeGrid.itemLevel != SLUICE_NO_INDEX ? nodeGrid.itemLevel
                                                         : node.levels.size();
  placed.resize(count);
  Value *rest = nodeGrid.numLaunchLevels
                    ? parameters.launchWord(SLUICE_DEVICE_LAUNCH)
                    : nullptr;
  for (unsigned i = nodeGrid.numLaunchLevels; i-- != 0;)
    placed[i] = decompose(i, rest);
  for (unsigned i = nodeGrid.numLaunchLevels; i != count; ++i) {
    PlacedLevel &level = placed[i];
    level.numDims = NodeOp(node.levels[i].node).getExtents().size();
    level.extents = extentsOf(i);
    for (unsigned d = 0; d != 3; ++d) {
      level.ids[d] = b.getInt64(0);
      if (d >= level.numDims)
        continue;
      level.ids[d] = gridNumber(d);
    }
    // A launch may run only a share of the slabs.
    if (i != nodeGrid.gridLevel)
      continue;
    Value *&slab = level.ids[level.numDims - 1];
    slab = b.CreateAdd(slab, parameters.launchWord(SLUICE_DEVICE_FIRST), "",
                       /*HasNUW=*/true, /*HasNSW=*/true);
  }
}

/// The number of the group, or of the item among those of all groups.
Value *KernelBuilder::gridNumber(unsigned dimension) {
  // A kernel that never runs uses the whole number: otherwise LLVM might add
  // the parts of the sum to an address one by one.
  if (!nodeGrid.isGrouped && !options.guardsItems)
    return emitBuiltin(b, Builtin::Global, dimension);
  Value *group = emitBuiltin(b, Builtin::Group, dimension);
  if (nodeGrid.isGrouped)
    return group;
  Value *first = b.CreateMul(group, emitBuiltin(b, Builtin::Items, dimension),
                             "", /*HasNUW=*/true, /*HasNSW=*/true);
  return b.CreateAdd(first, emitBuiltin(b, Builtin::Item, dimension), "",
                     /*HasNUW=*/true, /*HasNSW=*/true);
}

/// Items beyond the instances, or beyond this launch's share of them, do
/// nothing. In most groups there are no such items. If all items of a group
/// share a condition, compilers that turn groups into loops can evaluate it
/// outside of the loop.
Value *KernelBuilder::isInside() {
  if (!options.guardsItems)
    return b.getTrue();
  Value *result = b.getTrue(), *isWhole = b.getTrue();
  for (auto [i, level] : enumerate(placed))
    for (unsigned d = 0; d != level.numDims; ++d) {
      bool isSlab = i == nodeGrid.gridLevel && d + 1 == level.numDims;
      Value *end =
          isSlab ? parameters.launchWord(SLUICE_DEVICE_END) : level.extents[d];
      result = b.CreateAnd(result, b.CreateICmpSLT(level.ids[d], end));
      if (i != nodeGrid.gridLevel)
        continue;
      Value *groupEnd = b.CreateNUWMul(
          b.CreateNUWAdd(emitBuiltin(b, Builtin::Group, d), b.getInt64(1)),
          emitBuiltin(b, Builtin::Items, d));
      if (isSlab)
        groupEnd = b.CreateNUWAdd(groupEnd,
                                  parameters.launchWord(SLUICE_DEVICE_FIRST));
      isWhole = b.CreateAnd(isWhole, b.CreateICmpSLE(groupEnd, end));
    }
  return b.CreateOr(isWhole, result);
}

Value *KernelBuilder::linearIndex(ArrayRef<PlacedLevel> levels) {
  Value *index = b.getInt64(0);
  for (const PlacedLevel &level : levels)
    for (unsigned d = level.numDims; d-- != 0;)
      index =
          b.CreateNSWAdd(b.CreateNSWMul(index, level.extents[d]), level.ids[d]);
  return index;
}

Value *KernelBuilder::isLast(ArrayRef<PlacedLevel> levels) {
  Value *result = b.getTrue();
  for (const PlacedLevel &level : levels)
    for (unsigned d = 0; d != level.numDims; ++d)
      result = b.CreateAnd(
          result, b.CreateICmpEQ(b.CreateNSWAdd(level.ids[d], b.getInt64(1)),
                                 level.extents[d]));
  return result;
}

//===----------------------------------------------------------------------===//
// A node that is one leaf
//===----------------------------------------------------------------------===//

/// The node's leaf below all levels.
Expected<Function *> KernelBuilder::createOwnLeaf(Function &leaf) {
  SmallVector<unsigned> dims;
  for (const Level &level : node.levels)
    dims.push_back(NodeOp(level.node).getExtents().size());
  Expected<Function *> function = createLeafFunction(leaf, dims);
  if (!function)
    return function.takeError();
  leafFunctions.push_back(*function);
  SmallVector<CallInst *> allocations = allocationsIn(**function);
  if (!allocations.empty())
    return refuse(*allocations.front(), leaf,
                  "allocates memory that is not a work-group's: devices do so "
                  "only in a child without dimensions of a replicated node");
  return *function;
}

/// Runs `instance`, the function of `leaf`, at `levels`. Inputs that are not in
/// `known`, or are null there, are the node's inputs.
Error KernelBuilder::runLeaf(Function &leaf, Function &instance,
                             ArrayRef<PlacedLevel> levels,
                             ArrayRef<Value *> known) {
  SmallVector<Value *> inputs;
  for (unsigned i = 0; i != leaf.arg_size(); ++i) {
    if (i < known.size() && known[i]) {
      inputs.push_back(known[i]);
      continue;
    }
    Expected<Value *> value = inputValue(i, leaf.getArg(i)->getType(), levels);
    if (!value)
      return value.takeError();
    inputs.push_back(*value);
  }
  CallInst *call = callLeaf(b, instance, inputs, levels);
  for (unsigned i = 0; i != node.outputs.size(); ++i) {
    if (node.outputs[i].arrayLevels == copiesMark)
      continue;
    unsigned port = leafOutput(node, i);
    std::optional<Source> origin;
    if (auto input = forwardedInput(instance, port);
        input && *input < leaf.arg_size())
      origin = sourceOfInput(node, *input);
    if (Error error =
            storeOutput(i, b.CreateExtractValue(call, port), origin, levels))
      return error;
  }
  return Error::success();
}

Error KernelBuilder::emitOwnLeaf() {
  Function &leaf = neutralLeaf(node.getKernel());
  Expected<Function *> function = createOwnLeaf(leaf);
  if (!function)
    return function.takeError();
  const SmallVector<Value *> inputs = replaceReduced(leaf);
  auto runInstance = [&](ArrayRef<PlacedLevel> levels) -> Error {
    if (Error error = runLeaf(leaf, **function, levels, inputs))
      return error;
    return touchScanned(leaf, levels);
  };

  if (!nodeGrid.isGrouped) {
    Error result = Error::success();
    storeIf(isInside(), [&] { result = runInstance(placed); });
    return result;
  }
  unsigned level = nodeGrid.itemLevel;
  PlacedLevel single = singleInstance();
  unsigned numDims = 0;
  ValueTriple extents = single.extents;
  if (level != SLUICE_NO_INDEX) {
    numDims = NodeOp(node.levels[level].node).getExtents().size();
    extents = extentsOf(level);
  }
  if (!hasBarrier)
    chooseOpenItems(numDims, extents);
  return runOnItems(numDims, extents, hasBarrier, [&](const PlacedLevel &own) {
    Places levels(placed.begin(), placed.end());
    levels.push_back(own);
    // Inner levels without dimensions.
    levels.resize(node.levels.size(), single);
    return runInstance(levels);
  });
}

//===----------------------------------------------------------------------===//
// The whole kernel
//===----------------------------------------------------------------------===//

bool KernelBuilder::runsChunks() const {
  return isReduction(node) && options.runsChunks;
}

Error KernelBuilder::emitBody() {
  KernelOp kernel = node.getKernel();
  findNoAlias();
  if (runsChunks())
    return emitFolds();
  // The only instance of its parent has no other instance to wait for.
  hasBarrier = kernel && mayExecuteBarrier(neutralLeaf(kernel)) &&
               !NodeOp(node.body).getExtents().empty();
  nodeGrid = gridOf(node, hasBarrier);
  placeLevels();
  return kernel ? emitOwnLeaf() : emitCompound();
}

Error KernelBuilder::inlineLeaves(Function &kernel) {
  SmallVector<CallBase *> calls;
  for (Instruction &inst : instructions(kernel))
    if (auto *call = dyn_cast<CallBase>(&inst))
      if (is_contained(leafFunctions, call->getCalledFunction()))
        calls.push_back(call);
  for (CallBase *call : calls) {
    InlineFunctionInfo info;
    InlineResult result = InlineFunction(*call, info);
    if (!result.isSuccess())
      return refuse(*firstLeaf,
                    Twine("cannot be inlined: ") + result.getFailureReason());
  }
  placeLocalMemory(kernel);
  return Error::success();
}

void KernelBuilder::placeLocalMemory(Function &kernel) {
  for (Instruction &inst : make_early_inc_range(instructions(kernel))) {
    auto *call = dyn_cast<CallInst>(&inst);
    Function *callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || callee->getName() != localMarker)
      continue;
    auto *index = cast<ConstantInt>(call->getArgOperand(0));
    call->replaceAllUsesWith(parameters.local(index->getZExtValue()));
    call->eraseFromParent();
  }
}

Expected<Function *> KernelBuilder::build(StringRef name, DeviceNode &device) {
  Error error = emitBody();
  Function *kernel = body;
  if (!error) {
    entry.SetInsertPoint(&body->getEntryBlock());
    entry.CreateBr(start);
    b.CreateRetVoid();
    kernel = parameters.attach(*body, hasBarrier);
    error = inlineLeaves(*kernel);
  }
  if (!error) {
    moveLargeValues(*kernel);
    optimizeKernel(*kernel, options.fusesMultiplyAdd);
    error = checkKernel(*kernel, *firstLeaf);
  }
  if (!error)
    kernel = parameters.finish(*kernel, name, device.parameters);
  else
    kernel->eraseFromParent();
  for (Function *function : leafFunctions)
    function->eraseFromParent();
  if (error)
    return std::move(error);
  device.entry = name.str();
  device.isGrouped = nodeGrid.isGrouped;
  device.numLaunchLevels = nodeGrid.numLaunchLevels;
  device.gridLevel = nodeGrid.gridLevel;
  if (device.gridLevel != SLUICE_NO_INDEX && !runsChunks())
    device.gridLevel += firstLevel(node);
  device.forwards = forwards;
  device.reduced = reduced;
  device.numLocals = groupShape.locals.size();
  device.privateBytes = static_cast<uint32_t>(
      std::min<uint64_t>(lowering::privateBytes(*kernel), UINT32_MAX));
  device.numPhases = numPhases;
  if (runsChunks())
    device.numGridDims = 1;
  else if (nodeGrid.gridLevel != SLUICE_NO_INDEX)
    device.numGridDims = placed[nodeGrid.gridLevel].numDims;
  return kernel;
}
