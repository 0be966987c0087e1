//===- Gathers.cpp - Processors with slow gathers -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gathers.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

#define DEBUG_TYPE "sluice-avoid-gathers"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numAvoided,
                         "Functions whose vectors are made without gathers");

namespace sluice::codegen {

/// The maximum distance of elements that shuffles still handle.
static constexpr uint64_t farthest = 8;

static constexpr StringLiteral featuresName = "target-features";
static constexpr StringLiteral noGathers =
    ",+prefer-no-gather,+prefer-no-scatter";

namespace {

/// How vectors perform an access of a loop.
enum class Way {
  Plain,  ///< no gather
  Either, ///< it matters little
  Apart,  ///< Better without gathers and scatters.
  Gather  ///< better with them
};

} // namespace

static Way wayOf(const Instruction &access, const Loop &loop,
                 ScalarEvolution &evolution, const DominatorTree &dominators) {
  Value *pointer = const_cast<Value *>(getLoadStorePointerOperand(&access));
  const SCEV *address = pointer ? evolution.getSCEV(pointer) : nullptr;
  if (!address || evolution.isLoopInvariant(address, &loop))
    return Way::Plain;
  const auto *row = dyn_cast<SCEVAddRecExpr>(address);
  bool isRow = row && row->getLoop() == &loop && row->isAffine();
  const auto *step =
      isRow ? dyn_cast<SCEVConstant>(row->getStepRecurrence(evolution))
            : nullptr;
  uint64_t size =
      access.getDataLayout().getTypeAllocSize(getLoadStoreType(&access));
  if (step && step->getAPInt().abs() == size)
    return Way::Plain;
  if (!dominators.dominates(access.getParent(), loop.getLoopLatch()))
    return Way::Gather;
  if (step && step->getAPInt().abs().ule(farthest * size))
    return Way::Apart;
  if (isa<StoreInst>(access))
    return Way::Gather;
  return isRow ? Way::Either : Way::Apart;
}

static bool shouldAvoidGathers(Function &function,
                               FunctionAnalysisManager &analyses) {
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  bool isBetter = false;
  for (const Loop *loop :
       analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
    if (!loop->isInnermost() || !loop->getLoopLatch())
      continue;
    for (const BasicBlock *block : loop->blocks())
      for (const Instruction &instruction : *block) {
        Way way = wayOf(instruction, *loop, evolution, dominators);
        if (way == Way::Gather)
          return false;
        isBetter |= way == Way::Apart;
      }
  }
  return isBetter;
}

PreservedAnalyses AvoidGathers::run(Function &function,
                                    FunctionAnalysisManager &analyses) {
  StringRef cpu = function.getFnAttribute("target-cpu").getValueAsString();
  if (!cpu.starts_with("znver") || !shouldAvoidGathers(function, analyses))
    return PreservedAnalyses::all();
  StringRef features = function.getFnAttribute(featuresName).getValueAsString();
  function.addFnAttr(featuresName, (features + noGathers).str());
  ++numAvoided;
  // Otherwise the cached information about the target would stay.
  analyses.clear(function, function.getName());
  return PreservedAnalyses::none();
}

PreservedAnalyses AllowGathers::run(Function &function,
                                    FunctionAnalysisManager &) {
  StringRef features = function.getFnAttribute(featuresName).getValueAsString();
  if (features.consume_back(noGathers))
    function.addFnAttr(featuresName, features);
  return PreservedAnalyses::all();
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
