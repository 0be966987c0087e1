//===- ReleaseLoops.cpp - The end of loops over instances -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops around the arrays of work-groups are released later than others: once
// vectorised, they may be short enough to be unrolled completely.
//
//===----------------------------------------------------------------------===//

#include "ReleaseLoops.h"

#include "../Group/InstanceLoops.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/CodeMetrics.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

#define DEBUG_TYPE "sluice-release-instance-loops"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numReleased, "Loops over instances made ordinary");
ALWAYS_ENABLED_STATISTIC(numUnrolled,
                         "Loops around arrays of work-groups to unroll");
ALWAYS_ENABLED_STATISTIC(numCostlyCounts,
                         "Loops over instances to unroll although their number "
                         "of rounds is expensive to compute");

namespace sluice::codegen {

namespace {

/// Instance loops around the arrays of work-groups that fit into the vector
/// registers: unrolled completely, they turn the arrays into registers.
class ArrayLoops {
public:
  ArrayLoops(Function &function, FunctionAnalysisManager &analyses)
      : loops(analyses.getResult<LoopAnalysis>(function)),
        evolution(analyses.getResult<ScalarEvolutionAnalysis>(function)),
        target(analyses.getResult<TargetIRAnalysis>(function)) {
    for (Instruction &instruction : function.getEntryBlock())
      if (auto *array = dyn_cast<AllocaInst>(&instruction))
        if (isInstanceArray(*array) && fitsRegisters(*array))
          addLoopsAround(*array);
  }

  bool contains(Loop *loop) const { return rounds.contains(loop); }

  /// Whether complete unrolling of all loops makes no more code than is good.
  bool areSmall() const {
    unsigned cost = 0;
    for (auto [loop, own] : rounds) {
      if (!loop->isInnermost())
        continue;
      unsigned size = 0;
      for (const BasicBlock *block : loop->blocks())
        size += block->size();
      for (Loop *outer = loop; outer && contains(outer);
           outer = outer->getParentLoop())
        size *= rounds.lookup(outer);
      cost += size;
    }
    return cost <= unrollBudget;
  }

private:
  static constexpr unsigned unrollBudget = 4000;

  LoopInfo &loops;
  ScalarEvolution &evolution;
  TargetTransformInfo &target;
  MapVector<Loop *, unsigned> rounds;

  bool fitsRegisters(const AllocaInst &array) {
    std::optional<TypeSize> size =
        array.getAllocationSize(array.getDataLayout());
    uint64_t width =
        target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
            .getFixedValue() /
        8;
    uint64_t number = target.getNumberOfRegisters(
        target.getRegisterClassForType(/*Vector=*/true));
    return size && size->getFixedValue() <= width * number;
  }

  /// Only if all of them have known numbers of rounds.
  void addLoopsAround(const AllocaInst &array) {
    MapVector<Loop *, unsigned> found;
    SmallVector<const Value *> worklist{&array};
    while (!worklist.empty())
      for (const User *user : worklist.pop_back_val()->users()) {
        const auto *instruction = cast<Instruction>(user);
        if (isa<GetElementPtrInst>(instruction))
          worklist.push_back(instruction);
        Loop *loop = loops.getLoopFor(instruction->getParent());
        for (; loop && isInstanceLoop(loop->getLoopID());
             loop = loop->getParentLoop()) {
          unsigned own = evolution.getSmallConstantTripCount(loop);
          if (own == 0)
            return;
          found[loop] = own;
        }
      }
    for (auto [loop, own] : found)
      rounds[loop] = own;
  }
};

} // namespace

static MDNode *withProperty(MDNode *id, const char *removed,
                            const char *added) {
  LLVMContext &context = id->getContext();
  SmallVector<Metadata *> operands{nullptr};
  for (const MDOperand &operand : drop_begin(id->operands()))
    if (!isProperty(operand.get(), removed))
      operands.push_back(operand.get());
  if (added)
    operands.push_back(MDNode::get(context, MDString::get(context, added)));
  MDNode *result = MDNode::getDistinct(context, operands);
  result->replaceOperandWith(0, result);
  return result;
}

PreservedAnalyses ReleaseInstanceLoops::run(Function &function,
                                            FunctionAnalysisManager &analyses) {
  ArrayLoops arrayLoops(function, analyses);
  for (Loop *loop :
       analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (MDNode *id = loop->getLoopID();
        isInstanceLoop(id) && !isShortLoop(*id) && !arrayLoops.contains(loop)) {
      loop->setLoopID(withProperty(id, "llvm.loop.unroll.disable", nullptr));
      ++numReleased;
    }
  return PreservedAnalyses::all();
}

PreservedAnalyses UnrollArrayLoops::run(Function &function,
                                        FunctionAnalysisManager &analyses) {
  ArrayLoops arrayLoops(function, analyses);
  if (!arrayLoops.areSmall())
    return PreservedAnalyses::all();
  for (Loop *loop :
       analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (arrayLoops.contains(loop)) {
      loop->setLoopID(withProperty(loop->getLoopID(),
                                   "llvm.loop.unroll.disable",
                                   "llvm.loop.unroll.full"));
      ++numUnrolled;
    }
  return PreservedAnalyses::all();
}

//===----------------------------------------------------------------------===//
// Numbers of rounds that are expensive to compute
//===----------------------------------------------------------------------===//

static bool hasUnrollingProperty(const MDNode &id) {
  return any_of(drop_begin(id.operands()), [](const MDOperand &operand) {
    const auto *property = dyn_cast<MDNode>(operand);
    const auto *name = property && property->getNumOperands()
                           ? dyn_cast<MDString>(property->getOperand(0))
                           : nullptr;
    return name && name->getString().starts_with("llvm.loop.unroll.");
  });
}

/// Whether LLVM would unroll `loop` if it knew its number of rounds at low
/// cost.
static bool hasCostlyCount(Loop &loop, ScalarEvolution &evolution,
                           const TargetTransformInfo &target, unsigned budget) {
  BasicBlock *preheader = loop.getLoopPreheader();
  if (!preheader || !loop.isInnermost() || !loop.isLoopSimplifyForm())
    return false;
  const SCEV *count = evolution.getBackedgeTakenCount(&loop);
  if (isa<SCEVCouldNotCompute, SCEVConstant>(count))
    return false;
  SCEVExpander expander(evolution, "rounds");
  return expander.isHighCostExpansion(count, &loop, budget, &target,
                                      preheader->getTerminator());
}

PreservedAnalyses UnrollInstanceLoops::run(Function &function,
                                           FunctionAnalysisManager &analyses) {
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  const auto &target = analyses.getResult<TargetIRAnalysis>(function);
  auto &assumptions = analyses.getResult<AssumptionAnalysis>(function);
  OptimizationRemarkEmitter remarks(&function);
  for (Loop *loop :
       analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
    MDNode *id = loop->getLoopID();
    if (!isInstanceLoop(id) || hasUnrollingProperty(*id))
      continue;
    const TargetTransformInfo::UnrollingPreferences preferences =
        gatherUnrollingPreferences(loop, evolution, target, nullptr, nullptr,
                                   remarks, /*OptLevel=*/3, {}, {}, {}, {}, {},
                                   {});
    if (!preferences.Runtime ||
        !hasCostlyCount(*loop, evolution, target,
                        preferences.SCEVExpansionBudget))
      continue;
    SmallPtrSet<const Value *, 8> ephemeral;
    CodeMetrics::collectEphemeralValues(loop, &assumptions, ephemeral);
    const UnrollCostEstimator cost(loop, target, ephemeral,
                                   preferences.BEInsns);
    unsigned count = preferences.DefaultUnrollRuntimeCount;
    while (count > 1 && cost.getUnrolledLoopSize(preferences, count) >
                            preferences.PartialThreshold)
      count /= 2;
    if (count < 2 || !cost.canUnroll())
      continue;
    addStringMetadataToLoop(loop, "llvm.loop.unroll.count", count);
    ++numCostlyCounts;
  }
  return PreservedAnalyses::all();
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
