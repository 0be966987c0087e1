//===- VectorVariants.cpp - Slow paths tested once per vector -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorSlowPaths.h"

#include "sluice/CodeGen/InlineMath.h"
#include "sluice/CodeGen/VectorVariants.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/VFABIDemangler.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace sluice::codegen;

static constexpr StringLiteral farPrefix = "sluice_far_";
/// Separates the name of a function from its number of lanes.
static constexpr StringLiteral variantMark = ".lanes";

/// From two lanes of SSE2 to the maximum that vectorisers use.
static constexpr unsigned laneNumbers[] = {2, 4, 8, 16, 32};

static Function *makeFunction(Module &module, FunctionType *type,
                              const Twine &name) {
  Function *function =
      Function::Create(type, GlobalValue::InternalLinkage, name, module);
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  return function;
}

/// Makes a function that calls `far` for one lane after another.
static Function *makeSlow(Function &far, FunctionType *type, unsigned lanes) {
  Function *slow = makeFunction(*far.getParent(), type,
                                far.getName() + ".each" + Twine(lanes));
  slow->addFnAttr(Attribute::NoInline);
  slow->addFnAttr(Attribute::Cold);
  IRBuilder<> builder(BasicBlock::Create(far.getContext(), "", slow));
  Value *result = PoisonValue::get(type->getReturnType());
  for (unsigned lane = 0; lane != lanes; ++lane) {
    SmallVector<Value *> operands;
    for (Argument &argument : slow->args())
      operands.push_back(builder.CreateExtractElement(&argument, lane));
    result = builder.CreateInsertElement(
        result, builder.CreateCall(&far, operands), lane);
  }
  builder.CreateRet(result);
  return slow;
}

static Function *makeVariant(Function &far, unsigned lanes, StringRef name) {
  LLVMContext &context = far.getContext();
  auto *vector = FixedVectorType::get(far.getReturnType(), lanes);
  const SmallVector<Type *> vectors(far.arg_size(), vector);
  auto *type = FunctionType::get(vector, vectors, false);
  Function *variant = makeFunction(*far.getParent(), type, name);
  variant->addFnAttr(Attribute::AlwaysInline);
  BasicBlock *entry = BasicBlock::Create(context, "", variant);
  BasicBlock *some = BasicBlock::Create(context, "", variant);
  BasicBlock *end = BasicBlock::Create(context, "", variant);
  SmallVector<Value *> operands;
  for (Argument &argument : variant->args())
    operands.push_back(&argument);
  Value *near = operands.back();
  IRBuilder<> builder(entry);
  Value *isFar = builder.CreateFCmpUNO(near, near);
  builder.CreateCondBr(builder.CreateOrReduce(isFar), some, end,
                       MDBuilder(context).createUnlikelyBranchWeights());
  builder.SetInsertPoint(some);
  Value *slow = builder.CreateCall(makeSlow(far, type, lanes), operands);
  builder.CreateBr(end);
  builder.SetInsertPoint(end);
  PHINode *result = builder.CreatePHI(vector, 2);
  result->addIncoming(near, entry);
  result->addIncoming(slow, some);
  builder.CreateRet(result);
  return variant;
}

bool sluice::codegen::isFarFunction(const Function &function) {
  return function.getName().starts_with(farPrefix) &&
         !function.getName().contains('.');
}

void sluice::codegen::addVectorVariants(CallInst &call) {
  Function &far = *call.getCalledFunction();
  Module &module = *far.getParent();
  SmallVector<std::string> mappings;
  for (unsigned lanes : laneNumbers) {
    std::string name = (far.getName() + variantMark + Twine(lanes)).str();
    if (!module.getFunction(name))
      appendToCompilerUsed(module, {makeVariant(far, lanes, name)});
    mappings.push_back(("_ZGV_LLVM_N" + Twine(lanes) +
                        std::string(far.arg_size(), 'v') + "_" + far.getName() +
                        "(" + name + ")")
                           .str());
  }
  // Calls that are not builtins keep loops scalar.
  call.removeFnAttr(Attribute::NoBuiltin);
  VFABI::setVectorVariantNames(&call, mappings);
}

bool sluice::codegen::isVectorVariant(const Constant &function) {
  const auto *own = dyn_cast<Function>(function.stripPointerCasts());
  return own && own->getName().starts_with(farPrefix) &&
         own->getName().contains(variantMark);
}

/// Tests before a call for one lane, too, whether it is needed.
static void testFirst(CallInst &call) {
  Value *near = std::prev(call.arg_end())->get();
  IRBuilder<> builder(&call);
  Instruction *some = SplitBlockAndInsertIfThen(
      builder.CreateFCmpUNO(near, near), &call, /*Unreachable=*/false,
      MDBuilder(call.getContext()).createUnlikelyBranchWeights());
  BasicBlock *before = some->getParent()->getSinglePredecessor();
  builder.SetInsertPoint(call.getParent(), call.getParent()->begin());
  PHINode *result = builder.CreatePHI(call.getType(), 2);
  call.replaceAllUsesWith(result);
  call.moveBefore(some->getIterator());
  result->addIncoming(near, before);
  result->addIncoming(&call, some->getParent());
}

PreservedAnalyses InlineVectorVariants::run(Module &module,
                                            ModuleAnalysisManager &analyses) {
  removeFromUsedLists(module,
                      [](Constant *used) { return isVectorVariant(*used); });
  SmallVector<CallInst *> calls;
  for (Function &far : module)
    if (isFarFunction(far))
      for (User *user : far.users())
        if (auto *call = dyn_cast<CallInst>(user);
            call && !call->getFunction()->getName().starts_with(farPrefix))
          calls.push_back(call);
  for (CallInst *call : calls)
    testFirst(*call);
  return AlwaysInlinerPass(/*InsertLifetime=*/false).run(module, analyses);
}
