//===- SplitBorders.cpp - Borders of grids apart from the inside ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of the loop is made before the loop is changed: findings follow from
// earlier ones, such as the second half of a clamp.
//
//===----------------------------------------------------------------------===//

#include "SplitBorders.h"

#include "../Group/InstanceLoops.h"
#include "../Lanes/LoopRounds.h"
#include "BorderCuts.h"
#include "BorderLoop.h"
#include "MaskedGaps.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimpleLoopUnswitch.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

#define DEBUG_TYPE "sluice-split-borders"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numSplitLoops,
                         "Loops with code of their own for borders");

namespace sluice::codegen {

/// All that one function may gain.
static constexpr unsigned mostNewInstructions = 4000;

namespace {

class BorderSplitter {
public:
  BorderSplitter(Function &function, FunctionAnalysisManager &analyses)
      : loops(analyses.getResult<LoopAnalysis>(function)),
        dominators(analyses.getResult<DominatorTreeAnalysis>(function)),
        evolution(analyses.getResult<ScalarEvolutionAnalysis>(function)),
        assumptions(analyses.getResult<AssumptionAnalysis>(function)),
        target(analyses.getResult<TargetIRAnalysis>(function)) {}

  /// Adds the headers of what it looked at, and of what it made, to `seen`.
  bool changeNext(SmallPtrSetImpl<BasicBlock *> &seen, unsigned &budget);

private:
  static constexpr unsigned mostFindings = 24;
  /// Splitting does not pay off for loops with fewer rounds.
  static constexpr unsigned fewRounds = 16;

  LoopInfo &loops;
  DominatorTree &dominators;
  ScalarEvolution &evolution;
  AssumptionCache &assumptions;
  const TargetTransformInfo &target;

  bool isCandidate(const Loop &loop);
  bool change(Loop &loop, SmallPtrSetImpl<BasicBlock *> &seen,
              unsigned &budget);
};

} // namespace

/// Tiles have numbers of rounds that other passes count on.
static bool usesInstanceArray(const Loop &loop) {
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      if (const Value *pointer = getLoadStorePointerOperand(&instruction))
        if (const auto *array =
                dyn_cast<AllocaInst>(getUnderlyingObject(pointer)))
          if (isInstanceArray(*array))
            return true;
  return false;
}

static unsigned sizeOf(const Loop &loop) {
  unsigned size = 0;
  for (const BasicBlock *block : loop.blocks())
    size += block->sizeWithoutDebug();
  return size;
}

/// Whether the loop writes elements of an instance's own row, one a round.
static bool writesRow(const Loop &loop, ScalarEvolution &evolution) {
  return isInnermostOwnLoop(loop) &&
         any_of(loop.blocks(), [&](const BasicBlock *block) {
           return any_of(*block, [&](const Instruction &instruction) {
             const auto *store = dyn_cast<StoreInst>(&instruction);
             return store && !evolution.isLoopInvariant(
                                 evolution.getSCEV(const_cast<Value *>(
                                     store->getPointerOperand())),
                                 &loop);
           });
         });
}

bool BorderSplitter::isCandidate(const Loop &loop) {
  return ((isInstanceLoop(loop.getLoopID()) && !hasInstanceLoop(loop)) ||
          writesRow(loop, evolution)) &&
         !usesInstanceArray(loop);
}

bool BorderSplitter::change(Loop &loop, SmallPtrSetImpl<BasicBlock *> &seen,
                            unsigned &budget) {
  unsigned size = sizeOf(loop);
  if (4 * size > budget)
    return false;
  simplifyLoop(&loop, &dominators, &loops, &evolution, &assumptions,
               /*MSSAU=*/nullptr, /*PreserveLCSSA=*/false);
  formLCSSARecursively(loop, dominators, &loops, &evolution);
  unsigned rounds = evolution.getSmallConstantTripCount(&loop);
  if (rounds > 0 && rounds < fewRounds)
    return false;
  std::optional<BorderLoop> border = describeBorderLoop(loop, evolution);
  if (!border || !knowsLastRound(loop, evolution))
    return false;
  BorderCuts cuts(*border, evolution, target);
  std::optional<BorderFinding> finding = cuts.findNext();
  if (!finding) {
    BasicBlock *rest = narrowGap(*border, evolution, target);
    budget -= rest ? size : 0;
    return rest && seen.insert(rest).second;
  }
  LoopBody first = copyLoop(*border), last = copyLoop(*border),
           gap = copyLoop(*border);
  for (unsigned i = 0; finding && i < mostFindings; ++i) {
    cuts.cut(*finding);
    finding = cuts.findNext();
  }
  SmallVector<LoopPiece> pieces;
  auto addCopy = [&](bool isNeeded, const LoopBody &body, Value *from,
                     Value *to, bool isShort) {
    if (isNeeded) {
      pieces.push_back({body, from, to, isShort});
      seen.insert(body.header);
      budget -= size;
    } else {
      DeleteDeadBlocks(body.blocks);
    }
  };
  Value *zero = ConstantInt::get(cuts.rounds->getType(), 0);
  auto [gapFrom, gapTo] = cuts.placeGap();
  addCopy(cuts.cutsStart, first, zero, cuts.from, cuts.isShortStart);
  pieces.push_back({bodyOf(*border), cuts.from, gapFrom});
  addCopy(cuts.gap, gap, gapFrom, gapTo, /*isShort=*/true);
  if (cuts.gap)
    addCopy(true, copyLoop(*border), gapTo, cuts.to, /*isShort=*/false);
  addCopy(cuts.cutsEnd, last, cuts.to, cuts.rounds, cuts.isShortEnd);
  joinPieces(*border, pieces, evolution);
  return true;
}

bool BorderSplitter::changeNext(SmallPtrSetImpl<BasicBlock *> &seen,
                                unsigned &budget) {
  for (Loop *loop : loops.getLoopsInPreorder())
    if (isCandidate(*loop) && seen.insert(loop->getHeader()).second &&
        change(*loop, seen, budget))
      return true;
  return false;
}

/// Drops what is constant now, and what all instances of a row decide alike.
static void tidy(Function &function, FunctionAnalysisManager &analyses) {
  FunctionPassManager passes;
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  LoopPassManager loopPasses;
  loopPasses.addPass(LICMPass(LICMOptions()));
  loopPasses.addPass(SimpleLoopUnswitchPass(/*NonTrivial=*/true));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(loopPasses),
                                                 /*UseMemorySSA=*/true));
  passes.addPass(SimplifyCFGPass());
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass());
  passes.run(function, analyses);
}

PreservedAnalyses SplitBorders::run(Function &function,
                                    FunctionAnalysisManager &analyses) {
  SmallPtrSet<BasicBlock *, 8> seen;
  unsigned budget = mostNewInstructions;
  bool hasChanged = false;
  while (BorderSplitter(function, analyses).changeNext(seen, budget)) {
    hasChanged = true;
    ++numSplitLoops;
    analyses.invalidate(function, PreservedAnalyses::none());
  }
  if (hasChanged)
    tidy(function, analyses);
  // Even what was not changed may have been brought into simple form.
  return hasChanged || !seen.empty() ? PreservedAnalyses::none()
                                     : PreservedAnalyses::all();
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
