//===- ReloadShared.cpp - Reloading values of the previous round ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   kept = phi [load a - step, before], [load a, round before]
//
// becomes a load of a - step, where a moves by step from round to round. No
// instance writes what another one reads, so the value is the same. The
// previous round, or the code before the loop, has loaded the address, so it
// may be loaded again.
//
//===----------------------------------------------------------------------===//

#include "ReloadShared.h"

#include "Group/InstanceLoops.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#define DEBUG_TYPE "sluice-reload-shared"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numReloaded,
                         "Values of the previous instance loaded anew");

namespace sluice::codegen {

namespace {

/// Examines the variables of one loop over instances.
class Reloader {
public:
  Reloader(Loop &loop, ScalarEvolution &evolution)
      : loop(loop), evolution(evolution),
        expander(evolution, "reload", /*PreserveLCSSA=*/false) {}

  /// Returns whether a variable was replaced.
  bool replaceOne();

private:
  Loop &loop;
  ScalarEvolution &evolution;
  SCEVExpander expander;

  static LoadInst *plainLoad(Value *value) {
    auto *load = dyn_cast<LoadInst>(value);
    return load && load->isSimple() ? load : nullptr;
  }
  const SCEV *placeBefore(LoadInst &load);
};

} // namespace

/// The address of `load` one round earlier, in terms of this round; null if it
/// does not move by the same step each time.
const SCEV *Reloader::placeBefore(LoadInst &load) {
  if (!load.getMetadata(LLVMContext::MD_access_group))
    return nullptr;
  const auto *place =
      dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(load.getPointerOperand()));
  if (!place || place->getLoop() != &loop || !place->isAffine())
    return nullptr;
  const SCEV *step = place->getStepRecurrence(evolution);
  return isa<SCEVConstant>(step) ? evolution.getMinusSCEV(place, step)
                                 : nullptr;
}

bool Reloader::replaceOne() {
  BasicBlock *before = loop.getLoopPreheader(), *latch = loop.getLoopLatch();
  for (PHINode &kept : loop.getHeader()->phis()) {
    LoadInst *first = plainLoad(kept.getIncomingValueForBlock(before));
    LoadInst *next = plainLoad(kept.getIncomingValueForBlock(latch));
    if (!first || !next || !loop.contains(next))
      continue;
    const SCEV *place = placeBefore(*next);
    const auto *moving = dyn_cast_or_null<SCEVAddRecExpr>(place);
    Instruction *at = &*loop.getHeader()->getFirstInsertionPt();
    if (!moving ||
        moving->getStart() != evolution.getSCEV(first->getPointerOperand()) ||
        !expander.isSafeToExpandAt(place, at))
      continue;
    Value *pointer =
        expander.expandCodeFor(place, next->getPointerOperandType(), at);
    auto *load = new LoadInst(kept.getType(), pointer, kept.getName(),
                              /*isVolatile=*/false,
                              std::min(first->getAlign(), next->getAlign()),
                              at->getIterator());
    load->setAAMetadata(next->getAAMetadata().merge(first->getAAMetadata()));
    load->setMetadata(LLVMContext::MD_access_group,
                      next->getMetadata(LLVMContext::MD_access_group));
    load->setDebugLoc(next->getDebugLoc());
    evolution.forgetValue(&kept);
    kept.replaceAllUsesWith(load);
    kept.eraseFromParent();
    RecursivelyDeleteTriviallyDeadInstructions(first);
    return true;
  }
  return false;
}

PreservedAnalyses ReloadShared::run(Function &function,
                                    FunctionAnalysisManager &analyses) {
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  bool hasChanged = false;
  for (Loop *loop :
       analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
    if (!isInstanceLoop(loop->getLoopID()) || !loop->isAnnotatedParallel() ||
        !loop->getLoopPreheader() || !loop->getLoopLatch())
      continue;
    Reloader reloader(*loop, evolution);
    while (reloader.replaceOne()) {
      hasChanged = true;
      ++numReloaded;
    }
  }
  if (!hasChanged)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
