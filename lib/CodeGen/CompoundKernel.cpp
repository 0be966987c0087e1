//===- CompoundKernel.cpp - Kernels of replicated internal nodes ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A replicated internal node with several children is one scheduled node. Its
// units are its instances; within one instance the children run completely,
// one after another in the order of the graph, which is a topological order.
// Values between them stay on the stack, one-to-one edges use scratch arrays,
// and what an allocation node allocates is freed at the end of the instance.
//
//===----------------------------------------------------------------------===//

#include "ExtentEmitter.h"
#include "KernelBody.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/DFG/AssumedExtents.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using sluice::dfg::GraphOp;
using sluice::dfg::KernelOp;
using sluice::dfg::NodeOp;

/// Largest allocation of a work-group that lives on the stack, in bytes.
static constexpr uint64_t maxStackAllocation = 64 * 1024;

static FunctionCallee runtimeFunction(Module &module, StringRef name,
                                      Type *result, ArrayRef<Type *> types) {
  return module.getOrInsertFunction(
      name, FunctionType::get(result, types, /*isVarArg=*/false));
}

static Value *callGroupMalloc(Module &module, IRBuilder<> &b, Value *invocation,
                              Value *size) {
  Type *ptr = b.getPtrTy();
  return b.CreateCall(
      runtimeFunction(module, "sluiceGroupMalloc", ptr, {ptr, b.getInt64Ty()}),
      {invocation, size});
}

/// Frees scratch memory allocated since there were `kept` pieces, last first.
void KernelEmitter::freeScratch(Body &body, size_t kept) {
  IRBuilder<> &b = body.builder;
  Type *ptr = b.getPtrTy();
  while (body.scratch.size() > kept) {
    Value *pointer = body.scratch.pop_back_val();
    auto *slot = dyn_cast<AllocaInst>(pointer);
    if (slot)
      pointer = b.CreateLoad(ptr, slot);
    b.CreateCall(
        runtimeFunction(module, "sluiceGroupFree", b.getVoidTy(), {ptr, ptr}),
        {body.invocation, pointer});
    // A path that allocates nothing in the next instance frees nothing.
    if (slot)
      b.CreateStore(ConstantPointerNull::get(b.getPtrTy()), slot);
  }
}

//===----------------------------------------------------------------------===//
// The instances of the scheduled node
//===----------------------------------------------------------------------===//

Error KernelEmitter::emitCompoundKernel(const FlatNode &node, Body &body) {
  IRBuilder<> &b = body.builder;
  auto graph = cast<GraphOp>(NodeOp(node.body).resolveCallee());
  Value *numUnits = b.getInt64(1);
  for (const Triple &triple : body.extents)
    numUnits = b.CreateMul(numUnits, countOf(triple, body));

  UnitLoop loop(b, body.begin, body.end);
  SmallVector<FixedLevel> fixed(node.levels.size());
  Value *rest = loop.index;
  for (unsigned i = node.levels.size(); i-- != 0;) {
    NodeOp op = node.levels[i].node;
    FixedLevel &level = fixed[i];
    level.extents = body.extents[i];
    level.description.dims = op.getExtents().size();
    for (unsigned d = 0; d != 3; ++d) {
      if (auto *known = dyn_cast<ConstantInt>(level.extents[d]))
        level.description.extents[d] = known->getSExtValue();
      level.ids[d] = b.getInt64(0);
      if (d >= op.getExtents().size())
        continue;
      level.ids[d] = b.CreateURem(rest, level.extents[d]);
      rest = b.CreateUDiv(rest, level.extents[d]);
    }
  }

  DenseMap<mlir::Value, Flow> flows;
  NodeOp op = node.body;
  for (unsigned index = 0; index != op.getInputs().size(); ++index) {
    Flow flow = flowOf(sourceOfInput(node, index), body);
    Flow known;
    known.type = flow.type;
    known.value = loadFlow(flow, body, fixed);
    known.origin = flow.origin;
    flows[graph.getInput(index)] = known;
  }
  if (Error error = emitGraph(graph, body, flows, fixed))
    return error;
  storeOutputs(node, graph, body, flows, fixed, loop.index, numUnits);
  freeScratch(body, 0);
  loop.finish();
  return Error::success();
}

mlir::Value codegen::innermostOutput(const FlatNode &node, unsigned index) {
  NodeOp op = node.op;
  while (true) {
    auto graph = cast<GraphOp>(op.resolveCallee());
    mlir::Value value = graph.getOutputOp().getValues()[index];
    if (op == node.body)
      return value;
    op = cast<NodeOp>(value.getDefiningOp());
    index = cast<mlir::OpResult>(value).getResultNumber();
  }
}

void KernelEmitter::storeOutputs(const FlatNode &node, GraphOp graph,
                                 Body &body, DenseMap<mlir::Value, Flow> &flows,
                                 ArrayRef<FixedLevel> fixed, Value *unit,
                                 Value *numUnits) {
  IRBuilder<> &b = body.builder;
  LLVMContext &context = b.getContext();
  Value *next = b.CreateAdd(unit, b.getInt64(1));
  for (auto [index, output] : llvm::enumerate(node.outputs)) {
    Flow flow = flows.lookup(innermostOutput(node, index));
    flow.array = nullptr;
    Value *value = loadFlow(flow, body, fixed);
    auto *store = BasicBlock::Create(context, "last", body.function);
    auto *after = BasicBlock::Create(context, "after.last", body.function);
    b.CreateCondBr(b.CreateICmpEQ(next, numUnits), store, after);
    b.SetInsertPoint(store);
    b.CreateStore(value, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), body.frame,
                                                      output.frameOffset));
    b.CreateBr(after);
    b.SetInsertPoint(after);
    if (output.arrayOffset == SLUICE_NO_OFFSET)
      continue;
    // Instances of the levels below the array's are consecutive units; the
    // last of them comes last.
    Value *below = b.getInt64(1);
    for (unsigned i = output.arrayLevels; i != fixed.size(); ++i)
      below = b.CreateMul(below, countOf(fixed[i].extents, body));
    Value *array = b.CreateLoad(
        b.getPtrTy(), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), body.frame,
                                                   output.arrayOffset));
    Value *element =
        b.CreateInBoundsGEP(output.type, array, b.CreateUDiv(unit, below));
    auto *keep = BasicBlock::Create(context, "keep", body.function);
    auto *done = BasicBlock::Create(context, "kept", body.function);
    Value *isLast = b.CreateICmpEQ(b.CreateURem(next, below), b.getInt64(0));
    b.CreateCondBr(isLast, keep, done);
    b.SetInsertPoint(keep);
    b.CreateStore(value, element);
    b.CreateBr(done);
    b.SetInsertPoint(done);
  }
}

//===----------------------------------------------------------------------===//
// The children within one instance
//===----------------------------------------------------------------------===//

Error KernelEmitter::emitGraph(GraphOp graph, Body &body,
                               DenseMap<mlir::Value, Flow> &flows,
                               SmallVectorImpl<FixedLevel> &fixed) {
  for (NodeOp child : graph.getBody().front().getOps<NodeOp>())
    if (Error error = emitChild(child, body, flows, fixed))
      return error;
  return Error::success();
}

/// Ends the launch where `isWrong` holds for an extent of the child.
void KernelEmitter::failIf(Value *isWrong, NodeOp child, StringRef what,
                           Body &body) {
  IRBuilder<> &b = body.builder;
  LLVMContext &context = b.getContext();
  auto *fail = BasicBlock::Create(context, "wrong", body.function);
  auto *good = BasicBlock::Create(context, "valid", body.function);
  b.CreateCondBr(isWrong, fail, good);
  b.SetInsertPoint(fail);
  std::string message =
      ("child '" + child.getDisplayName() + "' has " + what).str();
  b.CreateCall(runtimeFunction(module, "sluiceFail", b.getVoidTy(),
                               {b.getPtrTy(), b.getPtrTy()}),
               {body.invocation, b.CreateGlobalString(message)});
  b.CreateUnreachable();
  b.SetInsertPoint(good);
}

/// Ends the launch if an extent that is known only now is negative, or larger
/// than the race check took for granted where there are instances.
void KernelEmitter::checkExtents(const Triple &extents, NodeOp child,
                                 Body &body) {
  IRBuilder<> &b = body.builder;
  for (Value *extent : extents)
    if (!isa<ConstantInt>(extent))
      failIf(b.CreateICmpSLT(extent, b.getInt64(0)), child, "a negative extent",
             body);
  for (unsigned d = 0; d != 3; ++d) {
    const unsigned exponent = dfg::usualExponent(child, d);
    if (exponent == 0 || isa<ConstantInt>(extents[d]))
      continue;
    const uint64_t most = (uint64_t(1) << exponent) - 1;
    Value *isWrong = b.CreateICmpSGT(extents[d], b.getInt64(most));
    for (Value *extent : extents)
      if (extent != extents[d])
        isWrong = b.CreateAnd(isWrong, b.CreateICmpNE(extent, b.getInt64(0)));
    failIf(isWrong, child,
           "more than " + std::to_string(most) +
               " instances in a dimension, for which it is not proven free of "
               "races, since numbers of 32 bits may wrap around; compute its "
               "addresses with 64 bits, as 'long' or 'size_t', or launch fewer "
               "instances",
           body);
  }
}

KernelEmitter::Triple
KernelEmitter::childExtents(NodeOp child, Body &body,
                            DenseMap<mlir::Value, Flow> &flows,
                            ArrayRef<FixedLevel> fixed) {
  Triple extents;
  for (unsigned d = 0; d != 3; ++d) {
    extents[d] = body.builder.getInt64(1);
    if (d >= child.getExtents().size())
      continue;
    extents[d] =
        emitExtent(child.getExtents()[d], body.builder, [&](mlir::Value value) {
          return loadFlow(flows.lookup(value), body, fixed);
        });
  }
  checkExtents(extents, child, body);
  return extents;
}

/// Makes the slots (zero: the value without instances) and arrays of a child's
/// outputs.
void KernelEmitter::makeOutputs(NodeOp child, Body &body,
                                DenseMap<mlir::Value, Flow> &flows,
                                const Triple &extents, unsigned level) {
  IRBuilder<> &b = body.builder;
  for (unsigned i = 0, e = child.getNumPorts(); i != e; ++i) {
    mlir::Value result = child.getResult(i);
    Flow flow;
    flow.origin.isAllocated = true; // Pointers that leave a leaf are allocated.
    flow.type = translate(result.getType());
    flow.slot = makeSlot(flow.type, body);
    flow.level = level;
    b.CreateStore(Constant::getNullValue(flow.type), flow.slot);
    if (hasOneToOneUse(result)) {
      uint64_t size = module.getDataLayout().getTypeAllocSize(flow.type);
      flow.array = callGroupMalloc(
          module, b, body.invocation,
          b.CreateMul(countOf(extents, body), b.getInt64(size)));
      body.scratch.push_back(flow.array);
    }
    flows[result] = flow;
  }
}

Error KernelEmitter::emitChild(NodeOp child, Body &body,
                               DenseMap<mlir::Value, Flow> &flows,
                               SmallVectorImpl<FixedLevel> &fixed) {
  for (mlir::Operation &op : *child->getBlock())
    if (auto use = dyn_cast<dfg::UseDatasetOp>(op)) {
      Source source;
      source.dataset =
          mlir::SymbolTable::lookupNearestSymbolFrom<dfg::DatasetOp>(
              model.root->getParentOp(), use.getDatasetAttr());
      source.kind = Source::Kind::DatasetAddress;
      flows[use.getAddress()] = flowOf(source, body);
      source.kind = Source::Kind::DatasetSize;
      flows[use.getSize()] = flowOf(source, body);
    }
  Triple extents = childExtents(child, body, flows, fixed);
  makeOutputs(child, body, flows, extents, fixed.size());
  mlir::Operation *callee = child.resolveCallee();
  body.path.push_back(child);
  Error error = Error::success();
  if (auto kernel = dyn_cast<KernelOp>(callee))
    error = emitLeafChild(child, kernel, body, flows, fixed, extents);
  else
    error = emitGraphChild(child, cast<GraphOp>(callee), body, flows, fixed,
                           extents);
  body.path.pop_back();
  return error;
}

static InstanceLevel describe(NodeOp child, ArrayRef<Value *> extents) {
  InstanceLevel level;
  level.dims = child.getExtents().size();
  for (unsigned d = 0; d != 3; ++d)
    if (auto *known = dyn_cast<ConstantInt>(extents[d]))
      level.extents[d] = known->getSExtValue();
  return level;
}

/// Name under which an allocation of a work-group stands in the range function
/// of an allocation node until that is inlined into its kernel.
static constexpr StringLiteral groupMallocName = "sluice.group.malloc";

/// A copy of a leaf that runs once per work-group, in which allocations outside
/// of loops are marked as the group's; null if there are none.
static Function *markGroupAllocations(Function *leaf) {
  SmallVector<CallBase *> calls;
  for (Instruction &inst : instructions(*leaf))
    if (hpvmIntrinsicName(inst) == "malloc" &&
        !isPotentiallyReachable(&*std::next(inst.getIterator()), &inst))
      calls.push_back(cast<CallBase>(&inst));
  if (calls.empty())
    return nullptr;
  Module &module = *leaf->getParent();
  ValueToValueMapTy map;
  Function *copy = CloneFunction(leaf, map);
  copy->setLinkage(GlobalValue::InternalLinkage);
  FunctionCallee marked = runtimeFunction(
      module, groupMallocName, PointerType::get(module.getContext(), 0),
      {Type::getInt64Ty(module.getContext())});
  for (CallBase *call : calls)
    cast<CallBase>(map[call])->setCalledFunction(marked);
  return copy;
}

/// True if `function` reaches a marked allocation.
static bool allocatesForGroup(const Function &function) {
  for (const Instruction &inst : instructions(function))
    if (auto *call = dyn_cast<CallInst>(&inst))
      if (const Function *callee = call->getCalledFunction())
        if (callee->getName() == groupMallocName || allocatesForGroup(*callee))
          return true;
  return false;
}

/// The first call in `function` of a function with a marked allocation.
static CallInst *findAllocatingCall(Function &function) {
  for (Instruction &inst : instructions(function))
    if (auto *call = dyn_cast<CallInst>(&inst))
      if (Function *callee = call->getCalledFunction())
        if (!callee->isDeclaration() && allocatesForGroup(*callee))
          return call;
  return nullptr;
}

/// Inlines the allocation node into the kernel that `b` writes, and gives its
/// memory a place: the stack, or scratch memory that is freed with the group.
static Error placeGroupAllocations(Module &module, IRBuilder<> &b,
                                   IRBuilder<> &entry, Value *invocation,
                                   SmallVectorImpl<Value *> &scratch,
                                   bool mayUseStack) {
  Function *caller = b.GetInsertBlock()->getParent();
  // Inlining splits the block, which needs a terminator.
  Instruction *end = b.CreateUnreachable();
  while (CallInst *call = findAllocatingCall(*caller)) {
    InlineFunctionInfo info;
    InlineResult result = InlineFunction(*call, info);
    if (!result.isSuccess())
      return createStringError(Twine("an allocation node cannot be inlined: ") +
                               result.getFailureReason());
  }
  b.SetInsertPoint(end->getParent());
  end->eraseFromParent();
  SmallVector<CallInst *> allocations;
  for (Instruction &inst : instructions(*caller))
    if (auto *inner = dyn_cast<CallInst>(&inst))
      if (inner->getCalledFunction() &&
          inner->getCalledFunction()->getName() == groupMallocName)
        allocations.push_back(inner);
  for (CallInst *allocation : allocations) {
    auto *size = dyn_cast<ConstantInt>(allocation->getArgOperand(0));
    Value *memory;
    if (mayUseStack && size && size->getZExtValue() <= maxStackAllocation) {
      AllocaInst *slot = entry.CreateAlloca(
          ArrayType::get(b.getInt8Ty(), size->getZExtValue()));
      slot->setAlignment(Align(64));
      memory = slot;
    } else {
      IRBuilder<> at(allocation);
      memory =
          callGroupMalloc(module, at, invocation, allocation->getArgOperand(0));
      AllocaInst *slot = entry.CreateAlloca(b.getPtrTy());
      entry.CreateStore(ConstantPointerNull::get(b.getPtrTy()), slot);
      at.CreateStore(memory, slot);
      scratch.push_back(slot);
    }
    allocation->replaceAllUsesWith(memory);
    allocation->eraseFromParent();
  }
  return Error::success();
}

Error KernelEmitter::emitLeafChild(NodeOp child, KernelOp kernel, Body &body,
                                   DenseMap<mlir::Value, Flow> &flows,
                                   SmallVectorImpl<FixedLevel> &fixed,
                                   const Triple &extents) {
  IRBuilder<> &b = body.builder;
  Function *leaf = module.getFunction(kernel.getCodeName());
  if (!leaf || leaf->isDeclaration())
    return createStringError("kernel '" + kernel.getSymName() +
                             "' names the function '" + kernel.getCodeName() +
                             "', which the leaf code does not define");
  bool hasBarrier = mayExecuteBarrier(*leaf);
  bool runsOnce = child.getExtents().empty();
  Function *marked = runsOnce ? markGroupAllocations(leaf) : nullptr;

  RangeSpec spec;
  spec.leaf = marked ? marked : leaf;
  spec.numFixedLevels = fixed.size();
  spec.numUnitLevels = fixed.size() + !hasBarrier;
  spec.name = body.name + "." + child.getDisplayName().str();
  spec.options = rangeOptions;
  for (const FixedLevel &level : fixed)
    spec.levels.push_back(level.description);
  spec.levels.push_back(describe(child, extents));

  SmallVector<Value *> arguments{body.invocation};
  SmallVector<Origin> origins;
  for (auto [index, value] : llvm::enumerate(child.getInputs())) {
    Flow flow = flows.lookup(value);
    origins.push_back(flow.origin);
    InputPort port;
    bool isPerInstance = child.isOneToOne(index) && !runsOnce;
    port.mode = isPerInstance ? PortMode::PerInstance : PortMode::Value;
    port.level = fixed.size();
    if (auto *constant = dyn_cast_or_null<ConstantInt>(flow.value))
      port.constant = constant;
    spec.inputs.push_back(port);
    arguments.push_back(isPerInstance
                            ? flow.array
                            : convert(loadFlow(flow, body, fixed),
                                      leaf->getArg(index)->getType(), body));
  }
  for (const FixedLevel &level : fixed)
    arguments.append(level.ids.begin(), level.ids.end());
  for (const FixedLevel &level : fixed)
    arguments.append(level.extents.begin(), level.extents.end());
  arguments.append(extents.begin(), extents.end());
  arguments.push_back(b.getInt64(0));
  arguments.push_back(hasBarrier ? b.getInt64(1) : countOf(extents, body));
  Value *none = ConstantPointerNull::get(b.getPtrTy());
  for (unsigned i = 0, e = child.getNumPorts(); i != e; ++i) {
    const Flow &flow = flows[child.getResult(i)];
    OutputPort port;
    port.last = true;
    port.perInstance = flow.array != nullptr;
    port.level = fixed.size();
    spec.outputs.push_back(port);
    arguments.push_back(flow.slot);
    arguments.push_back(flow.array ? flow.array : none);
  }
  if (rangeOptions.check) {
    LeafPlace place = {bodyName(*body.node), child.getLoc(), body.path, {}, {}};
    for (NodeOp node : body.path)
      place.name += "/" + node.getDisplayName().str();
    for (const FixedLevel &level : fixed) {
      place.ids.push_back(level.ids);
      place.extents.push_back(level.extents);
    }
    place.extents.push_back(extents);
    checkLeaf(kernel, place, spec, body);
  }
  if (!addNoAlias(origins, spec).empty())
    for (InputPort &input : spec.inputs)
      input.noAlias = false;
  Expected<Function *> range = createRangeFunction(spec);
  if (!range)
    return range.takeError();
  keepAloneFor(**range, *body.function);
  b.CreateCall(*range, arguments);
  if (!marked)
    return Error::success();
  if (rangeOptions.debugging != Debugging::Lines)
    describeCaller(*body.function);
  return placeGroupAllocations(module, b, body.entry, body.invocation,
                               body.scratch, !rangeOptions.check);
}

Error KernelEmitter::emitGraphChild(NodeOp child, GraphOp graph, Body &body,
                                    DenseMap<mlir::Value, Flow> &flows,
                                    SmallVectorImpl<FixedLevel> &fixed,
                                    const Triple &extents) {
  IRBuilder<> &b = body.builder;
  UnitLoop loop(b, b.getInt64(0), countOf(extents, body));
  FixedLevel level;
  level.extents = extents;
  level.description = describe(child, extents);
  Value *rest = loop.index;
  for (unsigned d = 0; d != 3; ++d) {
    level.ids[d] = b.CreateURem(rest, extents[d]);
    rest = b.CreateUDiv(rest, extents[d]);
  }
  fixed.push_back(level);

  DenseMap<mlir::Value, Flow> inner;
  for (auto [index, value] : llvm::enumerate(child.getInputs())) {
    Flow flow = flows.lookup(value), known;
    if (child.isOneToOne(index) && flow.array)
      flow.slot = nullptr; // the value of the current instance
    known.type = flow.type;
    known.value = loadFlow(flow, body, fixed);
    known.origin = flow.origin;
    inner[graph.getInput(index)] = known;
  }
  size_t kept = body.scratch.size();
  if (Error error = emitGraph(graph, body, inner, fixed))
    return error;
  for (auto [index, value] : llvm::enumerate(graph.getOutputOp().getValues())) {
    Flow flow = inner.lookup(value);
    flow.array = nullptr;
    Value *result = loadFlow(flow, body, fixed);
    const Flow &outer = flows[child.getResult(index)];
    b.CreateStore(result, outer.slot);
    if (outer.array)
      b.CreateStore(result,
                    b.CreateInBoundsGEP(outer.type, outer.array, loop.index));
  }
  freeScratch(body, kept);
  fixed.pop_back();
  loop.finish();
  return Error::success();
}
