//===- FreeRounds.cpp - Own loops whose rounds are independent ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop with variables of its own in memory is none of these: LLVM would share
// them among the lanes of a vector.
//
//===----------------------------------------------------------------------===//

#include "FreeRounds.h"

#include "../Forms/PlainTwins.h"
#include "../Group/InstanceLoops.h"
#include "../Lanes/LaneLoop.h"
#include "../Lanes/PrivateMemory.h"
#include "../Pipeline/LeafRemarks.h"
#include "ApartRounds.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopAccessAnalysis.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

#define DEBUG_TYPE "sluice-free-rounds"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numFree, "Own loops whose rounds are independent");

namespace sluice::codegen {

/// Instructions of a loop of which there is no second copy.
static constexpr unsigned mostInFreeRounds = 500;
/// Comparisons that LLVM may make itself: more take longer than those of
/// ApartRounds.
static constexpr unsigned mostComparisons = 32;

bool isPlainOwnLoop(const Loop &loop) {
  return isInnermostOwnLoop(loop) &&
         !getBooleanLoopAttribute(&loop, "llvm.loop.isvectorized") &&
         none_of(loop.blocks(), [](const BasicBlock *block) {
           return any_of(*block, [](const Instruction &instruction) {
             return instruction.getType()->isVectorTy();
           });
         });
}

namespace {

class RoundFreer {
public:
  RoundFreer(Function &function, FunctionAnalysisManager &analyses)
      : analyses(analyses), loops(analyses.getResult<LoopAnalysis>(function)),
        dominators(analyses.getResult<DominatorTreeAnalysis>(function)),
        evolution(analyses.getResult<ScalarEvolutionAnalysis>(function)),
        assumptions(analyses.getResult<AssumptionAnalysis>(function)),
        aliases(analyses.getResult<AAManager>(function)),
        accesses(analyses.getResult<LoopAccessAnalysis>(function)) {}

  /// Adds the headers of what it looked at, and of copies, to `seen`.
  bool changeNext(SmallPtrSetImpl<BasicBlock *> &seen);

private:
  FunctionAnalysisManager &analyses;
  LoopInfo &loops;
  DominatorTree &dominators;
  ScalarEvolution &evolution;
  AssumptionCache &assumptions;
  AAResults &aliases;
  LoopAccessInfoManager &accesses;

  bool isForLlvm(Loop &loop);
  bool change(Loop &loop, SmallPtrSetImpl<BasicBlock *> &seen);
};

} // namespace

/// Whether LLVM finds the accesses to be apart.
bool RoundFreer::isForLlvm(Loop &loop) {
  const LoopAccessInfo &info = accesses.getInfo(loop);
  return info.canVectorizeMemory() &&
         info.getNumRuntimePointerChecks() <= mostComparisons;
}

static void markFree(Loop &loop) {
  LLVMContext &context = loop.getHeader()->getContext();
  MDNode *group = MDNode::getDistinct(context, {});
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block)
      if (instruction.mayReadOrWriteMemory())
        instruction.setMetadata(
            LLVMContext::MD_access_group,
            uniteAccessGroups(
                instruction.getMetadata(LLVMContext::MD_access_group), group));
  SmallVector<Metadata *> operands{nullptr};
  if (const MDNode *id = loop.getLoopID())
    append_range(operands, drop_begin(id->operands()));
  operands.push_back(MDNode::get(
      context, {MDString::get(context, "llvm.loop.parallel_accesses"), group}));
  MDNode *id = MDNode::getDistinct(context, operands);
  id->replaceOperandWith(0, id);
  loop.setLoopID(id);
}

bool RoundFreer::change(Loop &loop, SmallPtrSetImpl<BasicBlock *> &seen) {
  unsigned size = 0;
  for (const BasicBlock *block : loop.blocks())
    size += block->size();
  if (size > mostInFreeRounds || loop.isAnnotatedParallel())
    return false;
  simplifyLoop(&loop, &dominators, &loops, &evolution, &assumptions,
               /*MSSAU=*/nullptr, /*PreserveLCSSA=*/false);
  formLCSSARecursively(loop, dominators, &loops, &evolution);
  PrivateMemory memory(loop, dominators);
  LaneRefusal refusal;
  if (!memory.variables().empty() ||
      !describeLaneLoop(loop, loops, memory, evolution, aliases, refusal,
                        /*isOwn=*/true) ||
      isForLlvm(loop))
    return false;
  ApartRounds apart(loop, memory, evolution, aliases);
  if (!apart.find(refusal))
    return false;
  remark(RemarkKind::Done, analyses, DEBUG_TYPE, loop,
         "rounds of this loop are independent");
  ++numFree;
  if (Value *isMeet = apart.emitMeet())
    seen.insert(
        addCopy(loop, *isMeet, ".meet", loops, dominators)->getHeader());
  markFree(loop);
  return true;
}

bool RoundFreer::changeNext(SmallPtrSetImpl<BasicBlock *> &seen) {
  for (Loop *loop : loops.getLoopsInPreorder())
    if (isPlainOwnLoop(*loop) && seen.insert(loop->getHeader()).second &&
        change(*loop, seen))
      return true;
  return false;
}

PreservedAnalyses FreeRounds::run(Function &function,
                                  FunctionAnalysisManager &analyses) {
  SmallPtrSet<BasicBlock *, 8> seen;
  bool hasChanged = false;
  while (RoundFreer(function, analyses).changeNext(seen)) {
    hasChanged = true;
    analyses.invalidate(function, PreservedAnalyses::none());
  }
  // Even what was not changed may have been brought into simple form.
  return hasChanged || !seen.empty() ? PreservedAnalyses::none()
                                     : PreservedAnalyses::all();
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
