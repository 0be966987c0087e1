//===- LateMath.cpp - Math functions of possible constants ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results are those of Sluice's functions, whose bodies are in the module: they
// are evaluated, operation by operation, as they would be at run time.
//
//===----------------------------------------------------------------------===//

#include "LateMath.h"
#include "VectorSlowPaths.h"

#include "sluice/CodeGen/InlineMath.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Evaluator.h"
#include "llvm/Transforms/Utils/Local.h"

#define DEBUG_TYPE "sluice-inline-late-math"

using namespace llvm;
using namespace sluice::codegen;

ALWAYS_ENABLED_STATISTIC(numFoldedMath, "Math functions of constants computed");
ALWAYS_ENABLED_STATISTIC(numLateMath, "Calls of math functions inlined late");

static bool isOurs(const Function *function) {
  return function && !function->isDeclaration() &&
         function->getName().starts_with(mathPrefix);
}

bool sluice::codegen::isLateMath(const CallBase &call) {
  return isOurs(call.getCalledFunction());
}

//===----------------------------------------------------------------------===//
// What may be constant
//===----------------------------------------------------------------------===//

namespace {

/// Traces everything that a number is computed from.
class Origins {
public:
  explicit Origins(function_ref<bool(const Argument &)> isKnown)
      : isKnown(isKnown) {}

  bool areConstant(ArrayRef<Value *> numbers);

private:
  /// Enough values for indices and angles.
  static constexpr unsigned mostValues = 200;

  function_ref<bool(const Argument &)> isKnown;
  SmallPtrSet<const Value *, 32> seen;
  SmallVector<const Value *> work;

  void add(const Value *value) {
    if (!isa<Constant>(value) && seen.insert(value).second)
      work.push_back(value);
  }
  bool visit(const Value &value);
  bool visitLoad(const LoadInst &load);
  bool visitVariable(const AllocaInst &variable);
  bool visitUser(const Instruction &user, const Value &place,
                 SmallVectorImpl<const Value *> &places);
};

} // namespace

bool Origins::areConstant(ArrayRef<Value *> numbers) {
  for (const Value *number : numbers)
    add(number);
  while (!work.empty())
    if (seen.size() > mostValues || !visit(*work.pop_back_val()))
      return false;
  return true;
}

bool Origins::visit(const Value &value) {
  if (const auto *argument = dyn_cast<Argument>(&value))
    return isKnown(*argument);
  if (const auto *load = dyn_cast<LoadInst>(&value))
    return visitLoad(*load);
  if (const auto *call = dyn_cast<CallInst>(&value)) {
    if (!call->doesNotAccessMemory() || call->isConvergent())
      return false;
    for (const Use &operand : call->args())
      add(operand);
    return true;
  }
  if (!isa<BinaryOperator, UnaryOperator, CastInst, CmpInst, SelectInst,
           PHINode, FreezeInst>(value))
    return false;
  for (const Use &operand : cast<Instruction>(value).operands())
    add(operand);
  return true;
}

bool Origins::visitLoad(const LoadInst &load) {
  if (!load.isSimple())
    return false;
  const Value *pointer = load.getPointerOperand();
  while (const auto *address = dyn_cast<GEPOperator>(pointer)) {
    for (const Use &index : address->indices())
      add(index);
    pointer = address->getPointerOperand();
  }
  if (const auto *global = dyn_cast<GlobalVariable>(pointer))
    return global->isConstant() && global->hasDefinitiveInitializer();
  const auto *variable = dyn_cast<AllocaInst>(pointer);
  return variable &&
         (!seen.insert(variable).second || visitVariable(*variable));
}

/// For a variable of the leaf that is not in a register yet: visits the stored
/// values.
bool Origins::visitVariable(const AllocaInst &variable) {
  SmallVector<const Value *> places{&variable};
  while (!places.empty()) {
    const Value *place = places.pop_back_val();
    for (const User *user : place->users())
      if (!visitUser(*cast<Instruction>(user), *place, places))
        return false;
  }
  return true;
}

bool Origins::visitUser(const Instruction &user, const Value &place,
                        SmallVectorImpl<const Value *> &places) {
  if (isa<GetElementPtrInst>(user)) {
    places.push_back(&user);
    return true;
  }
  if (const auto *store = dyn_cast<StoreInst>(&user)) {
    if (!store->isSimple() || store->getValueOperand() == &place)
      return false;
    add(store->getValueOperand());
    return true;
  }
  if (const auto *copy = dyn_cast<MemCpyInst>(&user)) {
    const auto *source =
        dyn_cast<GlobalVariable>(getUnderlyingObject(copy->getRawSource()));
    return copy->getRawSource() == &place ||
           (source && source->isConstant() && !copy->isVolatile());
  }
  if (const auto *fill = dyn_cast<MemSetInst>(&user)) {
    add(fill->getValue());
    return !fill->isVolatile();
  }
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&user);
  return isa<LoadInst>(user) ||
         (intrinsic && intrinsic->isAssumeLikeIntrinsic());
}

bool sluice::codegen::mayBecomeConstant(
    ArrayRef<Value *> numbers, function_ref<bool(const Argument &)> isKnown) {
  return Origins(isKnown).areConstant(numbers);
}

//===----------------------------------------------------------------------===//
// What is constant
//===----------------------------------------------------------------------===//

/// A call of one of Sluice's functions for one number, or of a slow path.
static CallInst *mathCall(Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && call->getType()->isFloatingPointTy() &&
                 (isOurs(callee) || isFarFunction(*callee))
             ? call
             : nullptr;
}

/// The result of the call; null if it is unknown or NaN. Processors and LLVM
/// produce different NaNs.
static Value *resultOf(CallInst &call, const TargetLibraryInfo &library) {
  Function &callee = *call.getCalledFunction();
  if (isFarFunction(callee)) {
    auto *near = dyn_cast<ConstantFP>(call.getArgOperand(1));
    if (near && !near->isNaN())
      return near;
  }
  SmallVector<Constant *> numbers;
  for (Value *operand : call.args()) {
    auto *number = dyn_cast<ConstantFP>(operand);
    if (!number)
      return nullptr;
    numbers.push_back(number);
  }
  Constant *result = nullptr;
  if (!Evaluator(callee.getDataLayout(), &library)
           .EvaluateFunction(&callee, result, numbers))
    return nullptr;
  auto *number = dyn_cast_or_null<ConstantFP>(result);
  return number && !number->isNaN() ? number : nullptr;
}

/// Folds the calls, and everything that becomes constant with them.
static bool foldCalls(Function &function, const TargetLibraryInfo &library) {
  const DataLayout &layout = function.getDataLayout();
  SetVector<Instruction *> work;
  for (Instruction &instruction : instructions(function))
    if (mathCall(instruction))
      work.insert(&instruction);
  bool hasChanged = false;
  while (!work.empty()) {
    Instruction *instruction = work.pop_back_val();
    CallInst *call = mathCall(*instruction);
    Value *result =
        call ? resultOf(*call, library)
             : ConstantFoldInstruction(instruction, layout, &library);
    if (!result)
      continue;
    numFoldedMath += call != nullptr;
    for (User *user : instruction->users())
      work.insert(cast<Instruction>(user));
    instruction->replaceAllUsesWith(result);
    work.remove(instruction);
    if (isInstructionTriviallyDead(instruction, &library))
      instruction->eraseFromParent();
    hasChanged = true;
  }
  return hasChanged;
}

PreservedAnalyses FoldMath::run(Function &function,
                                FunctionAnalysisManager &analyses) {
  if (!foldCalls(function, analyses.getResult<TargetLibraryAnalysis>(function)))
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

//===----------------------------------------------------------------------===//
// What is not
//===----------------------------------------------------------------------===//

void sluice::codegen::inlineMathCall(CallInst &call) {
  SmallVector<CallBase *> work{&call};
  while (!work.empty()) {
    InlineFunctionInfo info;
    InlineResult result = InlineFunction(*work.pop_back_val(), info);
    assert(result.isSuccess() && "math functions are inlinable");
    (void)result;
    for (CallBase *inner : info.InlinedCallSites)
      if (isOurs(inner->getCalledFunction()))
        work.push_back(inner);
  }
}

PreservedAnalyses InlineLateMath::run(Function &function,
                                      FunctionAnalysisManager &analyses) {
  SmallVector<CallInst *> calls;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallInst>(&instruction);
        call && isLateMath(*call))
      calls.push_back(call);
  if (calls.empty())
    return PreservedAnalyses::all();
  for (CallInst *call : calls)
    inlineMathCall(*call);
  numLateMath += calls.size();
  if (!cleansUp)
    return PreservedAnalyses::none();
  analyses.invalidate(function, PreservedAnalyses::none());
  FunctionPassManager passes;
  passes.addPass(EarlyCSEPass());
  passes.addPass(InstCombinePass());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                                 /*UseMemorySSA=*/true));
  passes.run(function, analyses);
  return PreservedAnalyses::none();
}

#undef DEBUG_TYPE
