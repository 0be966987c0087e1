//===- LiftLoads.cpp - What all instances of a row load -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only instance of a loop may write what it has read, so a load must come
// before all that its instance writes.
//
//===----------------------------------------------------------------------===//

#include "LiftLoads.h"

#include "Group/InstanceLoops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace sluice::codegen {

/// Loads of one address that every round does, before it writes anything.
static SmallVector<LoadInst *> findLoads(const Loop &loop) {
  SmallVector<LoadInst *> result;
  for (Instruction &instruction : *loop.getHeader()) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    if (load && load->isSimple() &&
        load->getMetadata(LLVMContext::MD_access_group) &&
        loop.isLoopInvariant(load->getPointerOperand()))
      result.push_back(load);
    if (instruction.mayWriteToMemory() ||
        !isGuaranteedToTransferExecutionToSuccessor(&instruction))
      break;
  }
  return result;
}

PreservedAnalyses LiftLoads::run(Function &function,
                                 FunctionAnalysisManager &analyses) {
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  bool hasChanged = false;
  for (Loop *loop :
       analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
    BasicBlock *before = loop->getLoopPreheader();
    if (!before || !loop->isInnermost() || !isInstanceLoop(loop->getLoopID()) ||
        !loop->isAnnotatedParallel())
      continue;
    for (LoadInst *load : findLoads(*loop)) {
      evolution.forgetValue(load);
      load->dropUnknownNonDebugMetadata();
      load->moveBefore(before->getTerminator()->getIterator());
      hasChanged = true;
    }
  }
  if (!hasChanged)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace sluice::codegen
