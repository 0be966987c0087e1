//===- ItemFunction.cpp - One instance of a leaf as a function ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. Wrap a clone of the leaf: load inputs, call it, store outputs.
// 2. Inline the clone, every helper that uses HPVM's intrinsics, and others
//    while they are small.
// 3. Replace queries by parameters, atomics and allocations by what they are
//    on a CPU.
// 4. Clean up.
//
//===----------------------------------------------------------------------===//

#include "ItemFunction.h"
#include "../Debug/ArtificialFunction.h"
#include "../Debug/InstanceRecord.h"
#include "../Debug/KeepVariables.h"
#include "../Pipeline/PassObservers.h"
#include "CheckAccesses.h"
#include "FuseGroups.h"
#include "IntrinsicLowering.h"
#include "ItemSignature.h"
#include "NarrowIds.h"

#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/LargeValues.h"
#include "sluice/Analysis/ReachedCode.h"
#include "sluice/Analysis/TargetAttributes.h"
#include "sluice/CodeGen/InlineMath.h"
#include "sluice/CodeGen/KernelPipeline.h"
#include "sluice/CodeGen/LeafPasses.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

namespace sluice::codegen {

/// Helpers are inlined up to this many instructions in the item function.
static constexpr unsigned inlineBudget = 4000;

bool isBarrier(const Instruction &instruction) {
  return hpvmIntrinsicName(instruction) == "barrier";
}

bool hasBarrier(const Function &function) {
  return any_of(instructions(function), isBarrier);
}

Value *emitLinearIndex(IRBuilderBase &builder, unsigned first, unsigned last,
                       function_ref<Value *(unsigned, unsigned)> id,
                       function_ref<Value *(unsigned, unsigned)> extent) {
  Value *index = builder.getInt64(0);
  for (unsigned level = first; level <= last; ++level)
    for (unsigned dim = 3; dim-- > 0;) {
      index = builder.CreateNSWMul(index, extent(level, dim));
      index = builder.CreateNSWAdd(index, id(level, dim));
    }
  return index;
}

//===----------------------------------------------------------------------===//
// Wrapping
//===----------------------------------------------------------------------===//

namespace {

class ItemBuilder {
public:
  explicit ItemBuilder(const RangeSpec &spec) : spec(spec), signature(spec) {}

  Expected<ItemFunction> build(ItemFreedom freedom);

private:
  const RangeSpec &spec;
  ItemSignature signature;
  Function *item = nullptr;

  Argument *argument(unsigned index) { return item->getArg(index); }
  Error checkSpec() const;
  void declare();
  void nameArguments();
  Error wrapLeaf();
  Error checkAccesses(Function &clone);
  Value *loadInput(IRBuilder<> &builder, unsigned port);
  void storeOutput(IRBuilder<> &builder, unsigned port, Value *value);
  Value *isLastFrom(IRBuilder<> &builder, unsigned level);
  Value *linearIndex(IRBuilder<> &builder, unsigned level);
  bool isConstant(const Argument &argument) const;
  void makeExtentsConstant();
  bool fitsSomeExtents() const;
};

} // namespace

Error ItemBuilder::checkSpec() const {
  const Function &leaf = *spec.leaf;
  auto fail = [&](const Twine &what) {
    return createStringError(inconvertibleErrorCode(),
                             "leaf '" + leaf.getName() + "': " + what);
  };
  if (leaf.isDeclaration())
    return fail("has no body");
  if (leaf.arg_size() != spec.inputs.size())
    return fail("expected " + Twine(spec.inputs.size()) +
                " inputs, but it takes " + Twine(leaf.arg_size()));
  auto *results = dyn_cast<StructType>(leaf.getReturnType());
  unsigned numResults = results ? results->getNumElements() : 0;
  if (!results && !leaf.getReturnType()->isVoidTy())
    return fail("must return a structure of its outputs");
  if (numResults != spec.outputs.size())
    return fail("expected " + Twine(spec.outputs.size()) +
                " outputs, but it returns " + Twine(numResults));
  if (spec.levels.empty() || spec.numUnitLevels > spec.levels.size() ||
      spec.numFixedLevels > spec.numUnitLevels)
    return fail("levels, unit levels and fixed levels do not fit");
  return Error::success();
}

void ItemBuilder::declare() {
  LLVMContext &context = spec.leaf->getContext();
  Type *pointer = PointerType::getUnqual(context);
  Type *i64 = Type::getInt64Ty(context);
  SmallVector<Type *> parameters{pointer};
  for (unsigned port = 0; port < signature.numInputs; ++port)
    parameters.push_back(spec.inputs[port].mode == PortMode::Value
                             ? spec.leaf->getArg(port)->getType()
                             : pointer);
  parameters.append(6 * signature.numLevels, i64);
  parameters.append(2 * signature.numOutputs, pointer);
  parameters.push_back(Type::getInt1Ty(context));
  auto *type = FunctionType::get(Type::getVoidTy(context), parameters, false);
  item = Function::Create(type, GlobalValue::InternalLinkage,
                          spec.name + ".item", spec.leaf->getParent());
  copyTargetAttributes(*spec.leaf, *item);
  if (spec.options.collectUpdates && !spec.options.reference)
    item->addFnAttr(collectsUpdatesAttribute);
  nameArguments();
}

void ItemBuilder::nameArguments() {
  argument(0)->setName("invocation");
  for (unsigned port = 0; port < signature.numInputs; ++port) {
    Argument *input = argument(signature.input(port));
    input->setName(spec.leaf->getArg(port)->getName());
    for (StringRef kind : {"hpvm.in", "hpvm.out"})
      if (spec.leaf->getAttributes().hasParamAttr(port, kind))
        item->addParamAttr(input->getArgNo(),
                           Attribute::get(item->getContext(), kind));
    if (spec.inputs[port].noAlias && input->getType()->isPointerTy())
      input->addAttr(Attribute::NoAlias);
    // So LLVM keeps an element in a register, and writes it back behind the
    // instances, also where only some of them fold into it.
    if (const uint64_t bytes = spec.inputs[port].foldedBytes) {
      input->addAttr(Attribute::Writable);
      input->addAttr(Attribute::getWithDereferenceableBytes(
          item->getContext(), bytes * spec.inputs[port].foldedLanes));
    }
  }
  for (unsigned level = 0; level < signature.numLevels; ++level)
    for (unsigned dim = 0; dim < 3; ++dim) {
      std::string suffix = (Twine(level) + "." + dimensionName(dim)).str();
      argument(signature.id(level, dim))->setName("id" + suffix);
      argument(signature.extent(level, dim))->setName("extent" + suffix);
    }
  for (unsigned port = 0; port < signature.numOutputs; ++port) {
    argument(signature.last(port))->setName("last");
    argument(signature.array(port))->setName("array");
  }
  argument(signature.lastUnit())->setName("last.unit");
}

Value *ItemBuilder::linearIndex(IRBuilder<> &builder, unsigned level) {
  return emitLinearIndex(
      builder, spec.numFixedLevels, level,
      [&](unsigned l, unsigned dim) { return argument(signature.id(l, dim)); },
      [&](unsigned l, unsigned dim) {
        return argument(signature.extent(l, dim));
      });
}

Value *ItemBuilder::isLastFrom(IRBuilder<> &builder, unsigned level) {
  Value *result = builder.getTrue();
  for (; level < signature.numLevels; ++level)
    for (unsigned dim = 0; dim < spec.levels[level].dims; ++dim) {
      Value *next = builder.CreateNSWAdd(argument(signature.id(level, dim)),
                                         builder.getInt64(1));
      Value *isLast =
          builder.CreateICmpEQ(next, argument(signature.extent(level, dim)));
      result = builder.CreateAnd(result, isLast);
    }
  return result;
}

Value *ItemBuilder::loadInput(IRBuilder<> &builder, unsigned port) {
  Argument *input = argument(signature.input(port));
  const uint64_t numLanes = spec.inputs[port].foldedLanes;
  if (numLanes != 1) {
    Value *lane =
        builder.CreateAnd(argument(signature.id(signature.numLevels - 1, 0)),
                          builder.getInt64(numLanes - 1));
    return builder.CreateInBoundsGEP(
        builder.getInt8Ty(), input,
        builder.CreateNUWMul(lane,
                             builder.getInt64(spec.inputs[port].foldedBytes)));
  }
  if (spec.inputs[port].mode == PortMode::Value)
    return spec.inputs[port].constant ? spec.inputs[port].constant
                                      : cast<Value>(input);
  Type *type = spec.leaf->getArg(port)->getType();
  Value *index = linearIndex(builder, spec.inputs[port].level);
  return builder.CreateLoad(type, builder.CreateInBoundsGEP(type, input, index),
                            input->getName() + ".value");
}

void ItemBuilder::storeOutput(IRBuilder<> &builder, unsigned port,
                              Value *value) {
  auto storeIf = [&](Value *condition, function_ref<Value *()> address) {
    BasicBlock *before = builder.GetInsertBlock();
    BasicBlock *store = BasicBlock::Create(item->getContext(), "store", item);
    BasicBlock *after = BasicBlock::Create(item->getContext(), "stored", item);
    builder.SetInsertPoint(before);
    builder.CreateCondBr(condition, store, after);
    builder.SetInsertPoint(store);
    builder.CreateStore(value, address());
    builder.CreateBr(after);
    builder.SetInsertPoint(after);
  };
  const OutputPort &output = spec.outputs[port];
  if (output.perInstance)
    storeIf(isLastFrom(builder, output.level + 1), [&] {
      return builder.CreateInBoundsGEP(value->getType(),
                                       argument(signature.array(port)),
                                       linearIndex(builder, output.level));
    });
  if (output.last)
    storeIf(builder.CreateAnd(argument(signature.lastUnit()),
                              isLastFrom(builder, spec.numFixedLevels)),
            [&] { return argument(signature.last(port)); });
}

Error ItemBuilder::wrapLeaf() {
  ValueToValueMapTy map;
  Function *clone = CloneFunction(spec.leaf, map);
  clone->setLinkage(GlobalValue::InternalLinkage);
  clone->setComdat(nullptr);
  if (Error error = checkAccesses(*clone)) {
    clone->eraseFromParent();
    return error;
  }
  IRBuilder<> builder(BasicBlock::Create(item->getContext(), "entry", item));
  if (DISubprogram *program = item->getSubprogram())
    builder.SetCurrentDebugLocation(
        DILocation::get(item->getContext(), program->getLine(), 0, program));
  SmallVector<Value *> inputs;
  for (unsigned port = 0; port < signature.numInputs; ++port)
    inputs.push_back(loadInput(builder, port));
  CallInst *call = builder.CreateCall(clone, inputs);
  for (unsigned port = 0; port < signature.numOutputs; ++port)
    storeOutput(builder, port, builder.CreateExtractValue(call, port));
  builder.CreateRetVoid();
  keepMath(*clone);
  InlineFunctionInfo info;
  InlineResult result = InlineFunction(*call, info);
  assert(result.isSuccess() && "a plain call of a definition is inlinable");
  (void)result;
  clone->eraseFromParent();
  if (CallInst *index = findInstanceIndex(*item)) {
    builder.SetInsertPoint(index);
    index->replaceAllUsesWith(linearIndex(builder, signature.numLevels - 1));
    index->eraseFromParent();
  }
  return Error::success();
}

/// Whether the argument is an extent that the specification contains.
bool ItemBuilder::isConstant(const Argument &argument) const {
  for (unsigned level = 0; level < signature.numLevels; ++level)
    for (unsigned dim = 0; dim < spec.levels[level].dims; ++dim)
      if (argument.getArgNo() == signature.extent(level, dim))
        return spec.levels[level].extents[dim].has_value();
  return false;
}

void ItemBuilder::makeExtentsConstant() {
  Type *i64 = Type::getInt64Ty(item->getContext());
  for (unsigned level = 0; level < signature.numLevels; ++level)
    for (unsigned dim = 0; dim < 3; ++dim) {
      const InstanceLevel &shape = spec.levels[level];
      std::optional<int64_t> extent =
          dim < shape.dims ? shape.extents[dim] : std::optional<int64_t>(1);
      if (extent)
        argument(signature.extent(level, dim))
            ->replaceAllUsesWith(ConstantInt::get(i64, *extent));
      if (extent == 1)
        argument(signature.id(level, dim))
            ->replaceAllUsesWith(ConstantInt::get(i64, 0));
    }
}

/// No constant extent speaks against 32 bits.
bool ItemBuilder::fitsSomeExtents() const {
  int64_t product = 1;
  for (const InstanceLevel &level : spec.levels)
    for (unsigned dim = 0; dim < level.dims; ++dim)
      product = std::min<int64_t>(product, INT32_MAX) *
                std::min<int64_t>(level.extents[dim].value_or(1), INT32_MAX);
  return product <= INT32_MAX;
}

//===----------------------------------------------------------------------===//
// Inlining and cleaning up
//===----------------------------------------------------------------------===//

static bool usesIntrinsics(const Function &function) {
  return any_of(reachedFrom(function), [](const Function *reached) {
    return reached->getName().starts_with("llvm.hpvm.");
  });
}

static CallBase *findInlinableCall(Function &item, unsigned size,
                                   unsigned budget) {
  for (Instruction &instruction : instructions(item)) {
    auto *call = dyn_cast<CallBase>(&instruction);
    Function *callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || callee->isDeclaration() || callee->isVarArg())
      continue;
    if (usesIntrinsics(*callee))
      return call;
    bool keep = callee->hasFnAttribute(Attribute::NoInline) ||
                callee->isInterposable() || call->isMustTailCall();
    if (!keep && size + callee->getInstructionCount() <= budget)
      return call;
  }
  return nullptr;
}

/// Inlines the helpers without intrinsics that fit into `budget`.
static Error inlineHelpers(Function &item, StringRef leafName,
                           unsigned budget) {
  // Recursion shows as a leaf that grows without end.
  constexpr unsigned manyRounds = 2000, manyInstructions = 400000;
  for (unsigned round = 0; round < manyRounds; ++round) {
    unsigned size = item.getInstructionCount();
    if (size > manyInstructions)
      break;
    CallBase *call = findInlinableCall(item, size, budget);
    if (!call)
      return Error::success();
    StringRef callee = call->getCalledFunction()->getName();
    const SmallVector<CallInst *> kept = keepMath(*call->getCalledFunction());
    InlineFunctionInfo info;
    InlineResult result = InlineFunction(*call, info);
    // Host code may call it as well.
    for (CallInst *math : kept)
      math->removeFnAttr(Attribute::NoBuiltin);
    if (!result.isSuccess())
      return createStringError(inconvertibleErrorCode(),
                               "leaf '" + leafName + "': cannot inline '" +
                                   callee + "': " + result.getFailureReason());
  }
  return createStringError(inconvertibleErrorCode(),
                           "leaf '" + leafName +
                               "': a function it calls uses HPVM's intrinsics "
                               "and calls itself");
}

/// Unwinding edges around intrinsics, none of which throws, would only hide
/// the structure.
static void removeIntrinsicInvokes(Function &item) {
  SmallVector<InvokeInst *> invokes;
  for (Instruction &instruction : instructions(item))
    if (auto *invoke = dyn_cast<InvokeInst>(&instruction))
      if (!hpvmIntrinsicName(*invoke).empty())
        invokes.push_back(invoke);
  for (InvokeInst *invoke : invokes)
    changeToCall(invoke);
  removeUnreachableBlocks(item);
}

void runPasses(Function &function, FunctionPassManager passes) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassInstrumentationCallbacks callbacks;
  PassPrinter printer;
  bool prints = PassPrinter::isWanted();
  PassBuilder builder(/*TM=*/nullptr, PipelineTuningOptions(), std::nullopt,
                      prints ? &callbacks : nullptr);
  if (prints) {
    nameLeafPasses(callbacks);
    printer.print(callbacks);
  }
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  const HiddenLargeValues hidden(function);
  passes.run(function, functions);
}

void promoteVariables(Function &function) {
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  runPasses(function, std::move(passes));
}

/// One return. Blocks that never return stay apart: they belong to the parts
/// between barriers that lead to them, and one for all would join these parts.
static void unifyReturns(Function &function) {
  SmallVector<ReturnInst *> returns;
  for (BasicBlock &block : function)
    if (auto *end = dyn_cast<ReturnInst>(block.getTerminator()))
      returns.push_back(end);
  if (returns.size() < 2)
    return;
  BasicBlock *exit =
      BasicBlock::Create(function.getContext(), "return", &function);
  IRBuilder<> builder(exit);
  PHINode *value = nullptr;
  if (!function.getReturnType()->isVoidTy())
    value = builder.CreatePHI(function.getReturnType(), returns.size());
  if (value)
    builder.CreateRet(value);
  else
    builder.CreateRetVoid();
  for (ReturnInst *end : returns) {
    if (value)
      value->addIncoming(end->getReturnValue(), end->getParent());
    BranchInst::Create(exit, end->getIterator())
        ->setDebugLoc(end->getDebugLoc());
    end->eraseFromParent();
  }
}

/// Passes that keep barriers in place.
static void simplify(Function &function) {
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(EarlyCSEPass());
  runPasses(function, std::move(passes));
}

/// Brings the function into the form that is needed to cut it apart.
static void bringIntoForm(Function &function) {
  unifyReturns(function);
  FunctionPassManager loops;
  loops.addPass(LoopSimplifyPass());
  loops.addPass(LCSSAPass());
  runPasses(function, std::move(loops));
}

UniformityOracle itemUniformity(const ItemSignature &signature) {
  return [signature](const Value &value) {
    if (signature.isOwnId(&value))
      return InstructionUniformity::NeverUniform;
    if (const auto *instruction = dyn_cast<Instruction>(&value))
      return memoryUniformity(*instruction);
    return InstructionUniformity::Default;
  };
}

/// Drops the function of the condition where it always holds.
static void foldCondition(ItemFunction &result) {
  auto *end = cast<ReturnInst>(result.fits->front().getTerminator());
  const auto *always = dyn_cast<ConstantInt>(end->getReturnValue());
  if (!always || always->isZero())
    return;
  result.fits->eraseFromParent();
  result.fits = nullptr;
}

/// Instruments the leaf before it is wrapped, so that only its own accesses are
/// reported.
Error ItemBuilder::checkAccesses(Function &clone) {
  if (!spec.options.check)
    return Error::success();
  if (Error error = inlineHelpers(clone, spec.leaf->getName(), inlineBudget))
    return error;
  promoteVariables(clone);
  instrumentAccesses(clone, spec.inputs);
  return Error::success();
}

Expected<ItemFunction> ItemBuilder::build(ItemFreedom freedom) {
  if (Error error = checkSpec())
    return std::move(error);
  declare();
  if (const DISubprogram *program = spec.leaf->getSubprogram())
    describeArtificial(*item, spec.name, *program);
  bool isPlain = spec.options.debugging == Debugging::Memory;
  auto lower = [&]() -> Error {
    if (Error error = wrapLeaf())
      return error;
    if (spec.options.debugging != Debugging::Lines)
      describeInstance(*item, spec);
    if (Error error = inlineHelpers(*item, spec.leaf->getName(),
                                    isPlain ? 0 : inlineBudget))
      return error;
    removeIntrinsicInvokes(*item);
    promoteVariables(*item);
    if (Error error = lowerIntrinsics(*item, spec))
      return error;
    inlineMath(*item, spec.options.math,
               [&](const Argument &argument) { return isConstant(argument); });
    // Cleaning up hides that some branches are uniform, so this comes first.
    return checkBarriers(*item, itemUniformity(signature),
                         spec.leaf->getName());
  };
  if (Error error = lower()) {
    item->eraseFromParent();
    return std::move(error);
  }
  makeExtentsConstant();
  ItemFunction result{item};
  if (freedom.fuse && !hasBarrier(*item))
    result.fused = fuseGroups(*item, spec);
  if (freedom.narrow && fitsSomeExtents())
    result.fits = narrowIds(*item, spec, result.fused);
  if (result.fits) {
    result.isNarrow = true;
    foldCondition(result);
  }
  if (isPlain)
    keepVariablesInMemory(*item);
  else
    simplify(*item);
  bringIntoForm(*item);
  if (!isPlain) {
    FunctionPassManager passes;
    addLeafPasses(passes, LeafPoint::Item, {});
    runPasses(*item, std::move(passes));
  }
  return result;
}

Expected<ItemFunction> createItemFunction(const RangeSpec &spec,
                                          ItemFreedom freedom) {
  return ItemBuilder(spec).build(freedom);
}

} // namespace sluice::codegen
