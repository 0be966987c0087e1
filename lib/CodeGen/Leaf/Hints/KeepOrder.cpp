//===- KeepOrder.cpp - The order of accesses within a round ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group of accesses is run where its first load or its last store is. So a
// load that follows a member of its group must not follow a store to the same
// place, and a store that another member follows must not precede an access of
// the same place.
//
//===----------------------------------------------------------------------===//

#include "KeepOrder.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

#define DEBUG_TYPE "sluice-keep-order"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numOrdered,
                         "Loops in which LLVM looks for dependences itself");

namespace sluice::codegen {

namespace {

/// Accesses of one round of a loop, in order.
class RoundOrder {
public:
  RoundOrder(Loop &loop, LoopInfo &loops, ScalarEvolution &evolution,
             AAResults &aliases);

  /// Whether LLVM may move an access over one of the same place.
  bool isInDanger();

private:
  struct Access {
    Instruction *instruction;
    /// The place and its step, if elements of the same size lie between it and
    /// the place of the next round.
    const SCEV *place = nullptr;
    int64_t step = 0, size = 0;
  };

  /// LLVM's longest step of groups, in elements.
  static constexpr int64_t longestStep = 8;
  /// Rounds with more accesses have too many pairs; they count as in danger.
  static constexpr unsigned mostAccesses = 256;

  void describe(Access &access, const Loop &loop);
  bool areNeighbours(const Access &one, const Access &other);
  bool mayMeet(const Access &one, const Access &other);

  ScalarEvolution &evolution;
  AAResults &aliases;
  SmallVector<Access, 32> accesses;
};

} // namespace

RoundOrder::RoundOrder(Loop &loop, LoopInfo &loops, ScalarEvolution &evolution,
                       AAResults &aliases)
    : evolution(evolution), aliases(aliases) {
  LoopBlocksRPO blocks(&loop);
  blocks.perform(&loops);
  for (BasicBlock *block : blocks)
    for (Instruction &instruction : *block)
      if (instruction.mayReadOrWriteMemory())
        describe(accesses.emplace_back(Access{&instruction}), loop);
}

void RoundOrder::describe(Access &access, const Loop &loop) {
  Value *pointer = getLoadStorePointerOperand(access.instruction);
  if (!pointer)
    return;
  const auto *place = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(pointer));
  const auto *step =
      place && place->getLoop() == &loop && place->isAffine()
          ? dyn_cast<SCEVConstant>(place->getStepRecurrence(evolution))
          : nullptr;
  if (!step || step->getAPInt().getSignificantBits() > 32)
    return;
  int64_t size = access.instruction->getDataLayout().getTypeAllocSize(
      getLoadStoreType(access.instruction));
  int64_t bytes = step->getAPInt().getSExtValue();
  if (size == 0 || bytes % size != 0 || std::abs(bytes) < 2 * size ||
      std::abs(bytes) > longestStep * size)
    return;
  access.place = place;
  access.step = bytes;
  access.size = size;
}

/// Whether both may be members of a group.
bool RoundOrder::areNeighbours(const Access &one, const Access &other) {
  if (!one.place || !other.place || one.step != other.step ||
      one.size != other.size ||
      isa<LoadInst>(one.instruction) != isa<LoadInst>(other.instruction))
    return false;
  std::optional<APInt> distance =
      evolution.computeConstantDifference(one.place, other.place);
  return distance && distance->abs().ult(std::abs(one.step));
}

/// Whether both may touch the same place in one round.
bool RoundOrder::mayMeet(const Access &one, const Access &other) {
  if (one.place && other.place && one.step == other.step)
    if (std::optional<APInt> distance =
            evolution.computeConstantDifference(other.place, one.place))
      return distance->slt(one.size) && (-*distance).slt(other.size);
  auto placeOf = [](const Instruction &instruction) {
    return MemoryLocation::getOrNone(&instruction);
  };
  std::optional<MemoryLocation> place = placeOf(*other.instruction);
  return place ? isModOrRefSet(aliases.getModRefInfo(one.instruction, *place))
               : true;
}

bool RoundOrder::isInDanger() {
  if (accesses.size() > mostAccesses)
    return true;
  for (auto [number, later] : enumerate(accesses))
    for (unsigned first = 0; first < number; ++first) {
      const Access &earlier = accesses[first];
      if (!areNeighbours(earlier, later))
        continue;
      bool areLoads = isa<LoadInst>(later.instruction);
      const Access &moved = areLoads ? later : earlier;
      for (unsigned between = first + 1; between < number; ++between) {
        const Access &other = accesses[between];
        if ((!areLoads || other.instruction->mayWriteToMemory()) &&
            mayMeet(other, moved))
          return true;
      }
    }
  return false;
}

PreservedAnalyses KeepOrder::run(Function &function,
                                 FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  auto &aliases = analyses.getResult<AAManager>(function);
  bool hasChanged = false;
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !loop->isAnnotatedParallel() ||
        !RoundOrder(*loop, loops, evolution, aliases).isInDanger())
      continue;
    loop->setLoopID(
        makePostTransformationMetadata(function.getContext(), loop->getLoopID(),
                                       {"llvm.loop.parallel_accesses"}, {}));
    ++numOrdered;
    hasChanged = true;
  }
  return hasChanged ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
