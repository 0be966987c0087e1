//===- PlainForm.cpp - Choosing between two forms of a kernel -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   entry:  state = trial.state; begun = 0
//           if (state > 3) trial.state = state - 4, isPlain = state & 1
//           else begun = sluiceBeginTrial(&trial), isPlain = begun & 1
//   end:    if (begun) sluiceEndTrial(&trial, begun, end - begin)
//
//===----------------------------------------------------------------------===//

#include "PlainForm.h"

#include "sluice-c/FormTrial.h"
#include "sluice/CodeGen/RangeFunction.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <cstddef>

using namespace llvm;

namespace sluice::codegen {

static_assert(offsetof(SluiceFormTrial, state) == 0);

/// The first of the two parameters.
static Argument *unitsOf(Function &function) {
  for (Argument &argument : function.args())
    if (argument.hasAttribute(unitsAttribute))
      return &argument;
  return nullptr;
}

/// The runtime's functions access what LLVM does not know of when it says what
/// kernels, and who calls them, do to memory.
static void forgetKernelEffects(Function &kernel) {
  SmallSetVector<Function *, 4> callers;
  callers.insert(&kernel);
  for (unsigned i = 0; i != callers.size(); ++i) {
    for (Attribute::AttrKind kind :
         {Attribute::Memory, Attribute::NoSync, Attribute::NoFree})
      callers[i]->removeFnAttr(kind);
    for (User *user : callers[i]->users())
      if (auto *call = dyn_cast<CallBase>(user);
          call && call->getCalledFunction() == callers[i]) {
        for (Attribute::AttrKind kind :
             {Attribute::Memory, Attribute::NoSync, Attribute::NoFree})
          call->removeFnAttr(kind);
        callers.insert(call->getFunction());
      }
  }
}

static FunctionCallee declareTrial(Module &module, StringRef name, Type *result,
                                   ArrayRef<Type *> parameters) {
  FunctionCallee callee = module.getOrInsertFunction(
      name, FunctionType::get(result, parameters, false));
  auto *function = cast<Function>(callee.getCallee());
  function->addFnAttr(Attribute::NoUnwind);
  function->addFnAttr(Attribute::WillReturn);
  return callee;
}

Value *PlainForm::isPlain() {
  if (!asked && unitsOf(function)) {
    BasicBlock &entry = function.getEntryBlock();
    asked =
        new FreezeInst(PoisonValue::get(Type::getInt1Ty(function.getContext())),
                       "plain", entry.getFirstNonPHIOrDbgOrAlloca());
  }
  return asked;
}

void PlainForm::emit() {
  if (!asked)
    return;
  LLVMContext &context = function.getContext();
  Module &module = *function.getParent();
  MDBuilder weights(context);
  IRBuilder<> builder(asked);
  if (DISubprogram *program = function.getSubprogram())
    builder.SetCurrentDebugLocation(
        DILocation::get(context, program->getLine(), 0, program));
  DebugLoc place = builder.getCurrentDebugLocation();
  Type *i32 = builder.getInt32Ty(), *i64 = builder.getInt64Ty();
  auto *type = ArrayType::get(i64, sizeof(SluiceFormTrial) / 8);
  auto *trial = new GlobalVariable(
      module, type, /*isConstant=*/false, GlobalValue::InternalLinkage,
      ConstantAggregateZero::get(type), function.getName() + ".trial");
  trial->setAlignment(Align(alignof(SluiceFormTrial)));
  Type *ptr = builder.getPtrTy();
  FunctionCallee begin = declareTrial(module, "sluiceBeginTrial", i64, {ptr});
  FunctionCallee end = declareTrial(module, "sluiceEndTrial",
                                    builder.getVoidTy(), {ptr, i64, i64});
  forgetKernelEffects(function);

  LoadInst *state = builder.CreateAlignedLoad(i32, trial, Align(4), "state");
  state->setAtomic(AtomicOrdering::Monotonic);
  Value *isDecided = builder.CreateICmpUGT(state, builder.getInt32(3));
  Instruction *usual, *timed;
  SplitBlockAndInsertIfThenElse(isDecided, asked->getIterator(), &usual, &timed,
                                weights.createLikelyBranchWeights());
  builder.SetInsertPoint(usual);
  builder.SetCurrentDebugLocation(place);
  builder
      .CreateAlignedStore(builder.CreateSub(state, builder.getInt32(4)), trial,
                          Align(4))
      ->setAtomic(AtomicOrdering::Monotonic);
  builder.SetInsertPoint(timed);
  builder.SetCurrentDebugLocation(place);
  Value *own = builder.CreateCall(begin, {trial});
  builder.SetInsertPoint(asked);
  builder.SetCurrentDebugLocation(place);
  PHINode *begun = builder.CreatePHI(i64, 2, "begun");
  begun->addIncoming(builder.getInt64(0), usual->getParent());
  begun->addIncoming(own, timed->getParent());
  PHINode *form = builder.CreatePHI(i32, 2, "form");
  form->addIncoming(state, usual->getParent());
  builder.SetInsertPoint(timed);
  form->addIncoming(builder.CreateTrunc(own, i32), timed->getParent());
  builder.SetInsertPoint(asked);
  Value *isPlain =
      builder.CreateTrunc(form, builder.getInt1Ty(), asked->getName());
  asked->replaceAllUsesWith(isPlain);
  asked->eraseFromParent();

  SmallVector<ReturnInst *> returns;
  for (BasicBlock &block : function)
    if (auto *last = dyn_cast<ReturnInst>(block.getTerminator()))
      returns.push_back(last);
  Argument *first = unitsOf(function);
  for (ReturnInst *last : returns) {
    builder.SetInsertPoint(last);
    Value *isTimed = builder.CreateICmpNE(begun, builder.getInt64(0));
    builder.SetInsertPoint(SplitBlockAndInsertIfThen(
        isTimed, last->getIterator(), /*Unreachable=*/false,
        weights.createUnlikelyBranchWeights()));
    builder.SetCurrentDebugLocation(place);
    Argument *behind = function.getArg(first->getArgNo() + 1);
    builder.CreateCall(end, {trial, begun, builder.CreateSub(behind, first)});
  }
}

} // namespace sluice::codegen
