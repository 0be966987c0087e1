//===- RangeFunction.cpp - A leaf as loops over its instances -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last step: a function of a range of units, around the loops that run its
// instances.
//
//===----------------------------------------------------------------------===//

#include "sluice/CodeGen/RangeFunction.h"

#include "../Debug/ArtificialFunction.h"
#include "../Group/InstanceLoops.h"
#include "../Item/ItemFunction.h"
#include "../Updates/AloneUpdates.h"
#include "../Updates/AtomicUpdates.h"
#include "../Updates/PrivateCopies.h"
#include "RangeBuilder.h"

#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/LeafMemory.h"
#include "sluice/CodeGen/LeafPasses.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace sluice::codegen {

std::optional<int64_t> RangeBuilder::constantExtent(Axis axis) const {
  const InstanceLevel &level = spec.levels[axis.level];
  return axis.dim < level.dims ? level.extents[axis.dim]
                               : std::optional<int64_t>(1);
}

/// The dimensions of some levels that have more than one index, fastest first.
SmallVector<Axis> RangeBuilder::axes(unsigned firstLevel,
                                     unsigned endLevel) const {
  SmallVector<Axis> result;
  for (unsigned level = endLevel; level-- > firstLevel;)
    for (unsigned dim = 0; dim < 3; ++dim)
      if (constantExtent({level, dim}) != 1)
        result.push_back({level, dim});
  return result;
}

//===----------------------------------------------------------------------===//
// The function and its parameters
//===----------------------------------------------------------------------===//

void RangeBuilder::declare(const Function &item) {
  ArrayRef<Type *> itemParameters = item.getFunctionType()->params();
  Type *i64 = builder.getInt64Ty();
  SmallVector<Type *> parameters(
      itemParameters.take_front(1 + signature.numInputs));
  parameters.append(3 * (spec.numFixedLevels + signature.numLevels) + 2, i64);
  parameters.append(2 * signature.numOutputs, builder.getPtrTy());
  auto *type = FunctionType::get(builder.getVoidTy(), parameters, false);
  range = Function::Create(type, GlobalValue::InternalLinkage, spec.name,
                           spec.leaf->getParent());
  for (Attribute attribute : item.getAttributes().getFnAttrs())
    range->addFnAttr(attribute);
  nameParameters();
  for (unsigned port = 0; port < signature.numInputs; ++port) {
    unsigned index = signature.input(port);
    parameter(index)->setName(item.getArg(index)->getName());
    for (Attribute::AttrKind kind :
         {Attribute::NoAlias, Attribute::Writable, Attribute::Dereferenceable})
      if (item.hasParamAttribute(index, kind))
        range->addParamAttr(index, item.getParamAttribute(index, kind));
    if (const InputPort &input = spec.inputs[port];
        input.noAlias && input.bytesPort)
      range->addParamAttr(
          index,
          Attribute::get(range->getContext(), sizeAttribute,
                         std::to_string(signature.input(*input.bytesPort))));
  }
  for (unsigned bound : {0, 1})
    range->addParamAttr(beginParameter() + bound,
                        Attribute::get(range->getContext(), unitsAttribute));
  if (const DISubprogram *program = item.getSubprogram())
    builder.SetCurrentDebugLocation(
        describeArtificial(*range, spec.name, *program));
  builder.SetInsertPoint(
      BasicBlock::Create(range->getContext(), "entry", range));
}

void RangeBuilder::nameParameters() {
  parameter(0)->setName("invocation");
  for (unsigned level = 0; level < signature.numLevels; ++level)
    for (unsigned dim = 0; dim < 3; ++dim) {
      std::string suffix = (Twine(level) + "." + dimensionName(dim)).str();
      if (level < spec.numFixedLevels)
        parameter(fixedId(level, dim))->setName("id" + suffix);
      parameter(extentParameter(level, dim))->setName("extent" + suffix);
    }
  parameter(beginParameter())->setName("begin");
  parameter(beginParameter() + 1)->setName("end");
  for (unsigned port = 0; port < signature.numOutputs; ++port) {
    parameter(beginParameter() + 2 + 2 * port)->setName("last");
    parameter(beginParameter() + 3 + 2 * port)->setName("array");
  }
}

void RangeBuilder::findIdsAndExtents() {
  ids.resize(signature.numLevels);
  extents.resize(signature.numLevels);
  for (unsigned level = 0; level < signature.numLevels; ++level)
    for (unsigned dim = 0; dim < 3; ++dim) {
      std::optional<int64_t> known = constantExtent({level, dim});
      extents[level][dim] = known ? cast<Value>(builder.getInt64(*known))
                                  : parameter(extentParameter(level, dim));
      ids[level][dim] = level < spec.numFixedLevels
                            ? parameter(fixedId(level, dim))
                            : cast<Value>(builder.getInt64(0));
    }
}

Value *RangeBuilder::numInstances(unsigned firstLevel, unsigned endLevel) {
  Value *product = builder.getInt64(1);
  for (unsigned level = firstLevel; level < endLevel; ++level)
    for (unsigned dim = 0; dim < 3; ++dim)
      product = builder.CreateMul(product, extents[level][dim]);
  return product;
}

//===----------------------------------------------------------------------===//
// Scratch memory
//===----------------------------------------------------------------------===//

/// Enough for the largest box the group function runs: a tile, whatever the
/// extents are, since elements are numbered by the tile's extents; else the
/// whole group, as only leaves with barriers use scratch memory without tiles.
Value *RangeBuilder::scratchSize(const GroupFunction &group) {
  Value *count;
  if (group.tile) {
    auto [x, y, z] = *group.tile;
    count = builder.getInt64(x * y * z);
  } else {
    count = numInstances(lastLevel(), signature.numLevels);
  }
  Value *total = builder.getInt64(0);
  for (uint64_t size : group.scratchSizes) {
    Value *bytes = builder.CreateMul(count, builder.getInt64(size));
    bytes = builder.CreateAnd(builder.CreateAdd(bytes, builder.getInt64(63)),
                              builder.getInt64(~uint64_t(63)));
    total = builder.CreateAdd(total, bytes);
  }
  return total;
}

void RangeBuilder::allocateScratch() {
  scratch = ConstantPointerNull::get(builder.getPtrTy());
  if (bulkGroup.scratchSizes.empty() && restGroup.scratchSizes.empty())
    return;
  Value *total = builder.CreateBinaryIntrinsic(
      Intrinsic::umax, scratchSize(bulkGroup), scratchSize(restGroup));
  FunctionCallee allocate = range->getParent()->getOrInsertFunction(
      "sluiceGroupMalloc", builder.getPtrTy(), builder.getPtrTy(),
      builder.getInt64Ty());
  CallInst *call = builder.CreateCall(allocate, {parameter(0), total});
  call->addRetAttr(Attribute::NoAlias);
  call->addRetAttr(Attribute::getWithAlignment(range->getContext(), Align(64)));
  scratch = call;
}

void RangeBuilder::freeScratch() {
  if (isa<Constant>(scratch))
    return;
  FunctionCallee release = range->getParent()->getOrInsertFunction(
      "sluiceGroupFree", builder.getVoidTy(), builder.getPtrTy(),
      builder.getPtrTy());
  builder.CreateCall(release, {parameter(0), scratch});
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

void RangeBuilder::inlineCalls() {
  for (CallInst *call : calls) {
    if (call->isNoInline())
      continue;
    InlineFunctionInfo info;
    InlineResult result = InlineFunction(*call, info);
    assert(result.isSuccess() && "group functions are inlinable");
    (void)result;
  }
  for (Function *group : {bulkGroup.function, restGroup.function})
    if (group && group->use_empty())
      group->eraseFromParent();
    else if (group)
      protectOuterLoops(*group);
}

/// Turns loops that count with 32 bits, and the indices computed from them,
/// to 64 bits. It needs the marks for sums that do not overflow, which LLVM's
/// pipeline drops when it reorders sums before it comes to loops.
static void widenIndices(Function &function) {
  FunctionPassManager passes;
  passes.addPass(EarlyCSEPass());
  passes.addPass(InstCombinePass());
  passes.addPass(createFunctionToLoopPassAdaptor(IndVarSimplifyPass()));
  runPasses(function, std::move(passes));
}

/// Only the last unit stores the outputs that leave the node: its group
/// function is made from the leaf as it is, that of the bulk without them.
Error RangeBuilder::createGroups(bool mayNarrow) {
  RangeSpec bulk = spec;
  for (OutputPort &output : bulk.outputs)
    output.last = false;
  auto create = [&](const RangeSpec &own, GroupFunction &group) -> Error {
    Expected<ItemFunction> item = createItemFunction(
        own, {.narrow = mayNarrow, .fuse = !range && mayFuse()});
    if (!item)
      return item.takeError();
    if (!range) {
      declare(*item->function);
      fits = item->fits;
      isNarrow = item->isNarrow;
      fused = item->fused;
    } else if (item->fits) {
      item->fits->eraseFromParent(); // the same as that of the bulk
    }
    BoxCapacity capacity;
    for (unsigned dim = 0; dim < 3; ++dim)
      if (!item->fused[dim])
        capacity[dim] = constantExtent({lastLevel(), dim});
    Expected<GroupFunction> created = createGroupFunction(*item, own, capacity);
    if (!created)
      return created.takeError();
    group = std::move(*created);
    return Error::success();
  };
  if (Error error = create(bulk, bulkGroup))
    return error;
  bool hasRest = hasLastOutput() || (fused[0] && countsInstances());
  return hasRest ? create(spec, restGroup) : Error::success();
}

Expected<Function *> RangeBuilder::build(bool mayNarrow) {
  if (Error error = createGroups(mayNarrow)) {
    if (range)
      range->eraseFromParent();
    return std::move(error);
  }
  findIdsAndExtents();
  emitAll();
  inlineCalls();
  makePanels(*range, *parameter(0), columns);
  protectOuterLoops(*range);
  if (isNarrow)
    widenIndices(*range);
  return range;
}

/// Makes the function that chooses between one for small extents and one for
/// all.
static Function *createChoice(const RangeSpec &spec, Function &small,
                              Function &all, Function &fits) {
  Function *range =
      Function::Create(small.getFunctionType(), GlobalValue::InternalLinkage,
                       spec.name, small.getParent());
  range->copyAttributesFrom(&small);
  SmallVector<Value *> arguments;
  for (Argument &argument : range->args()) {
    argument.setName(small.getArg(argument.getArgNo())->getName());
    arguments.push_back(&argument);
  }
  LLVMContext &context = range->getContext();
  IRBuilder<> builder(BasicBlock::Create(context, "entry", range));
  BasicBlock *usual = BasicBlock::Create(context, "small", range);
  BasicBlock *rare = BasicBlock::Create(context, "large", range);
  unsigned firstExtent = 1 + spec.inputs.size() + 3 * spec.numFixedLevels;
  CallInst *check = builder.CreateCall(
      &fits, ArrayRef(arguments).slice(firstExtent, 3 * spec.levels.size()));
  builder.CreateCondBr(check, usual, rare);
  builder.SetInsertPoint(usual);
  CallInst *call = builder.CreateCall(&small, arguments);
  builder.CreateRetVoid();
  builder.SetInsertPoint(rare);
  CallInst *rareCall = builder.CreateCall(&all, arguments);
  rareCall->setIsNoInline();
  builder.CreateRetVoid();
  for (CallInst *inlined : {check, call}) {
    Function *callee = inlined->getCalledFunction();
    if (DISubprogram *program = callee->getSubprogram()) {
      range->setSubprogram(program);
      callee->setSubprogram(nullptr);
    }
    InlineFunctionInfo info;
    bool inlinable = InlineFunction(*inlined, info).isSuccess();
    assert(inlinable && "range functions are inlinable");
    (void)inlinable;
    callee->eraseFromParent();
  }
  if (DISubprogram *program = range->getSubprogram())
    rareCall->setDebugLoc(
        DILocation::get(context, program->getLine(), 0, program));
  return range;
}

/// Updates of one address in registers first, then those of arrays in copies,
/// then appended elements; those of arrays as they are where nothing else runs.
static Function *collectUpdates(Function &range, const RangeSpec &spec) {
  if (spec.options.reference)
    return &range;
  // Code from elsewhere may start threads, which see the atomics of this one.
  if (!spec.options.check && !spec.leaf->hasFnAttribute(hasThreadsAttribute) &&
      ContainedFunctions().contains(range))
    range.addParamAttr(0,
                       Attribute::get(range.getContext(), invocationAttribute));
  auto runPoint = [](Function &function, LeafPoint point) {
    FunctionPassManager passes;
    addLeafPasses(passes, point, {});
    runPasses(function, std::move(passes));
  };
  if (spec.options.collectUpdates)
    runPoint(range, LeafPoint::Range);
  Function *alone = copyForAlone(range);
  if (spec.options.collectUpdates) {
    runPoint(range, LeafPoint::SharedRange);
    if (alone)
      runPoint(*alone, LeafPoint::AloneRange);
  }
  if (alone)
    chooseAlone(range, *alone);
  return &range;
}

Expected<Function *> createRangeFunction(const RangeSpec &spec) {
  if (spec.leaf && mayExecuteBarrier(*spec.leaf) &&
      spec.numUnitLevels == spec.levels.size())
    return createStringError(
        inconvertibleErrorCode(),
        "leaf '" + spec.leaf->getName() +
            "' has a barrier, so its units must be whole groups");
  RangeBuilder builder(spec);
  Expected<Function *> range = builder.build(!spec.options.reference);
  if (!range)
    return range;
  if (!builder.fits)
    return collectUpdates(**range, spec);
  RangeSpec wide = spec;
  wide.name += ".large";
  wide.options.reference = true;
  Expected<Function *> all = RangeBuilder(wide).build(false);
  if (!all)
    return all.takeError();
  (*range)->setName(spec.name + ".small");
  return collectUpdates(*createChoice(spec, **range, **all, *builder.fits),
                        spec);
}

} // namespace sluice::codegen
