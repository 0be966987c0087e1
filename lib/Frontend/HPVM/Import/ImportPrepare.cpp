//===- ImportPrepare.cpp - Bringing a module into readable form -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Front ends write variables to memory and leave branches on constants. The
// importer needs handles as SSA values, and internal nodes without control
// flow, so this file simplifies both. Leaves keep their structure: nothing here
// may move or copy a barrier.
//
//===----------------------------------------------------------------------===//

#include "ImportProgram.h"

#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/LargeValues.h"
#include "sluice/Analysis/Leaf/PassAnalyses.h"
#include "sluice/Analysis/ReductionUses.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SCCP.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::hpvm;

/// Attributes that optimisers inferred for an intrinsic from its declaration do
/// not hold after lowering.
static void forgetInferredAttributes(Function &declaration) {
  const HPVMIntrinsic *intrinsic = lookUpIntrinsic(declaration.getName());
  if (intrinsic->kind == IntrinsicKind::Barrier)
    declaration.addFnAttr(Attribute::Convergent);
  if (intrinsic->place == IntrinsicPlace::Leaf)
    return;
  declaration.setAttributes({});
  for (User *user : declaration.users())
    if (auto *call = dyn_cast<CallBase>(user)) {
      // Set by the front end, not inferred.
      Attribute ordered = call->getFnAttr(orderedLaunchAttribute);
      call->setAttributes({});
      if (ordered.isValid())
        call->addFnAttr(ordered);
    }
}

static void turnInvokesIntoCalls(Function &function) {
  SmallVector<InvokeInst *> invokes;
  for (BasicBlock &block : function)
    if (auto *invoke = dyn_cast<InvokeInst>(block.getTerminator()))
      if (calledIntrinsic(*invoke))
        invokes.push_back(invoke);
  for (InvokeInst *invoke : invokes)
    changeToCall(invoke);
  if (!invokes.empty())
    removeUnreachableBlocks(function);
}

static void promoteAllocas(Function &function) {
  DominatorTree dominators(function);
  SmallVector<AllocaInst *> allocas;
  for (Instruction &instruction : function.getEntryBlock())
    if (auto *alloca = dyn_cast<AllocaInst>(&instruction))
      if (isAllocaPromotable(alloca))
        allocas.push_back(alloca);
  if (!allocas.empty())
    PromoteMemToReg(allocas, dominators);
}

/// Collects the writes to `memory` and the address computations in it; false if
/// there are other uses.
static bool isOnlyWritten(Value &memory,
                          SmallVectorImpl<Instruction *> &users) {
  return all_of(memory.uses(), [&](Use &use) {
    auto *user = cast<Instruction>(use.getUser());
    users.push_back(user);
    if (isa<StoreInst>(user))
      return use.getOperandNo() == 1;
    if (isa<MemIntrinsic>(user))
      return use.getOperandNo() == 0 && !cast<MemIntrinsic>(user)->isVolatile();
    if (isa<GetElementPtrInst>(user))
      return isOnlyWritten(*user, users);
    return user->isLifetimeStartOrEnd();
  });
}

/// Removes variables to which C copies parameters passed in memory, if a
/// function that describes a graph does not read them.
static void removeUnreadVariables(Function &function) {
  SmallVector<AllocaInst *> allocas;
  for (Instruction &instruction : function.getEntryBlock())
    if (auto *alloca = dyn_cast<AllocaInst>(&instruction))
      allocas.push_back(alloca);
  for (AllocaInst *alloca : allocas) {
    SmallVector<Instruction *> users;
    if (!isOnlyWritten(*alloca, users))
      continue;
    for (Instruction *user : reverse(users))
      user->eraseFromParent();
    alloca->eraseFromParent();
  }
}

//===----------------------------------------------------------------------===//
// Folding of functions that describe graphs
//===----------------------------------------------------------------------===//

namespace {
/// Folds a function to straight-line code if its structure is constant:
///   1. registers instead of memory, constants, dead branches;
///   2. loops with a constant trip count unrolled completely;
///   3. step 1 again, for arrays of handles that loops filled.
class GraphFolder {
public:
  void run(Function &function) {
    for (unsigned depth = 0; depth != maxLoopDepth; ++depth) {
      foldConstants(function);
      if (!unrollLoops(function))
        break;
    }
    foldConstants(function);
    removeUnreadVariables(function);
  }

private:
  static constexpr unsigned maxLoopDepth = 4;
  /// Instructions of a loop nest when unrolled.
  static constexpr uint64_t maxUnrolledSize = 100000;

  void runPasses(FunctionPassManager &passes, Function &function) {
    const HiddenLargeValues hidden(function);
    functions.invalidate(function, passes.run(function, functions));
  }

  void foldConstants(Function &function) {
    FunctionPassManager passes;
    passes.addPass(SROAPass(SROAOptions::ModifyCFG));
    passes.addPass(InstSimplifyPass());
    passes.addPass(SCCPPass());
    passes.addPass(SimplifyCFGPass(SimplifyCFGOptions()));
    passes.addPass(InstSimplifyPass());
    runPasses(passes, function);
  }

  /// Returns true if there were loops.
  bool unrollLoops(Function &function) {
    LoopInfo &info = functions.getResult<LoopAnalysis>(function);
    if (info.empty())
      return false;
    FunctionPassManager canonical;
    canonical.addPass(createFunctionToLoopPassAdaptor(LoopRotatePass()));
    canonical.addPass(createFunctionToLoopPassAdaptor(IndVarSimplifyPass()));
    runPasses(canonical, function);

    auto &scalars = functions.getResult<ScalarEvolutionAnalysis>(function);
    for (Loop *loop : functions.getResult<LoopAnalysis>(function))
      requestUnrolling(*loop, scalars, /*turns=*/1);
    FunctionPassManager unroll;
    unroll.addPass(createFunctionToLoopPassAdaptor(LoopFullUnrollPass()));
    runPasses(unroll, function);
    return true;
  }

  /// Marks loops with a known trip count, unless there would be too much code.
  void requestUnrolling(Loop &loop, ScalarEvolution &scalars, uint64_t turns) {
    // Unrolling that the program itself requested may be unbounded.
    loop.setLoopID(nullptr);
    uint64_t size = 0;
    for (BasicBlock *block : loop.blocks())
      size += block->size();
    turns = SaturatingMultiply<uint64_t>(
        turns, scalars.getSmallConstantTripCount(&loop));
    if (turns != 0 && SaturatingMultiply(turns, size) <= maxUnrolledSize)
      addStringMetadataToLoop(&loop, "llvm.loop.unroll.full");
    for (Loop *inner : loop)
      requestUnrolling(*inner, scalars, turns);
  }

  PassAnalyses analyses;
  FunctionAnalysisManager &functions = analyses.functions;
};
} // namespace

/// True if the function describes a graph: it contains graph calls, or the host
/// launches it.
static bool describesGraph(Function &function) {
  for (CallBase *call : intrinsicCalls(function))
    if (calledIntrinsic(*call)->place == IntrinsicPlace::Internal)
      return true;
  return llvm::any_of(function.users(), [](User *user) {
    auto *call = dyn_cast<CallBase>(user);
    const HPVMIntrinsic *intrinsic = call ? calledIntrinsic(*call) : nullptr;
    return intrinsic && intrinsic->kind == IntrinsicKind::Launch;
  });
}

/// Sizes and offsets must be those of the machine that will run the code.
static void completeTarget(Module &module) {
  if (module.getTargetTriple().empty())
    module.setTargetTriple(Triple(sys::getDefaultTargetTriple()));
  if (module.getDataLayoutStr().empty())
    module.setDataLayout(module.getTargetTriple().computeDataLayout());
}

/// The compiler's functions for products and quotients of complex numbers
/// compute and have no side effects.
static void noteComplexArithmetic(Module &module) {
  for (StringRef name :
       {"__mulsc3", "__muldc3", "__mulxc3", "__divsc3", "__divdc3", "__divxc3"})
    if (Function *function = module.getFunction(name);
        function && function->isDeclaration()) {
      function->setDoesNotAccessMemory();
      function->setDoesNotThrow();
      function->setWillReturn();
    }
}

void sluice::hpvm::prepareModule(Module &module) {
  completeTarget(module);
  noteComplexArithmetic(module);
  SetVector<Function *> callers;
  for (Function &function : module) {
    const HPVMIntrinsic *intrinsic = lookUpIntrinsic(function.getName());
    if (!intrinsic || !hasSignature(*intrinsic, function.getFunctionType()))
      continue;
    forgetInferredAttributes(function);
    for (User *user : function.users())
      if (auto *call = dyn_cast<CallBase>(user))
        callers.insert(call->getFunction());
  }
  GraphFolder folder;
  for (Function *function : callers) {
    turnInvokesIntoCalls(*function);
    promoteAllocas(*function);
    inlineUpdates(*function);
  }
  for (Function &function : module) {
    if (function.isDeclaration() || !describesGraph(function))
      continue;
    function.removeFnAttr(Attribute::OptimizeNone);
    folder.run(function);
  }
}
