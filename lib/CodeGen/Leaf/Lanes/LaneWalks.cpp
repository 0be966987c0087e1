//===- LaneWalks.cpp - Instances that go through memory far apart ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measured on Zen 4, in nanoseconds per element of a running sum of integers:
// 0.27 one row after another; as lanes 0.75 in the first-level cache, 1.7
// beyond all caches, and 4 to 7.5 with rows 2 KiB to 1 MiB apart.
//
//===----------------------------------------------------------------------===//

#include "LaneWalks.h"

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace sluice::codegen {

/// Costs are in instructions, of which a processor runs about three a cycle.
static constexpr double instructionsPerCycle = 3;
/// The additional cost of a lane's access to a row, compared with an access to
/// any place.
static constexpr double extraOfLane = 5;
/// The bytes of a cache line, the associativity of the cache, and the distance
/// of addresses that share a set.
static constexpr uint64_t lineBytes = 64, ways = 8, cacheStride = 4096;
/// Loops with at most this many rounds read only a small part of a row.
static constexpr unsigned fewRoundsOfRow = 16;

/// Bytes by which an instance's row lies behind the one before it, if `access`
/// goes through a row in order, in a loop inside; else null.
static const SCEV *apartOf(const Instruction &access, const Loop &inner,
                           const Loop &outer, ScalarEvolution &evolution) {
  const Value *pointer = getLoadStorePointerOperand(&access);
  const auto *place =
      dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(const_cast<Value *>(pointer)));
  if (!place || place->getLoop() != &inner || !place->isAffine())
    return nullptr;
  const auto *step =
      dyn_cast<SCEVConstant>(place->getStepRecurrence(evolution));
  if (!step || step->isZero() || step->getAPInt().abs().ugt(lineBytes))
    return nullptr;
  while (place && place->getLoop() != &outer)
    place = dyn_cast<SCEVAddRecExpr>(place->getStart());
  const SCEV *apart = place && place->isAffine()
                          ? place->getStepRecurrence(evolution)
                          : nullptr;
  const auto *constant = dyn_cast_or_null<SCEVConstant>(apart);
  bool isNear = constant && constant->getAPInt().abs().ult(lineBytes);
  return apart && !isNear && evolution.isLoopInvariant(apart, &outer) ? apart
                                                                      : nullptr;
}

/// How long a round waits for what the one before it hands on.
static double chainOf(const Loop &loop, ArrayRef<BasicBlock *> blocks,
                      const TargetTransformInfo &target) {
  double longest = 0;
  for (const PHINode &phi : loop.getHeader()->phis()) {
    DenseMap<const Value *, double> ready{{&phi, 0}};
    for (const BasicBlock *block : blocks) {
      if (!loop.contains(block))
        continue;
      for (const Instruction &instruction : *block) {
        if (&instruction == &phi)
          continue;
        std::optional<double> start;
        for (const Use &operand : instruction.operands())
          if (auto known = ready.find(operand); known != ready.end())
            start = std::max(start.value_or(0), known->second);
        if (!start)
          continue;
        InstructionCost own = target.getInstructionCost(
            &instruction, TargetTransformInfo::TCK_Latency);
        ready[&instruction] =
            *start + (own.isValid() ? double(own.getValue()) : 0);
      }
    }
    const Value *next = phi.getIncomingValueForBlock(loop.getLoopLatch());
    longest = std::max(longest, ready.lookup(next));
  }
  return longest;
}

LaneWalks::LaneWalks(const LaneRegions &regions, const LaneShapes &shapes,
                     const LaneRows &rowLoads,
                     const TargetTransformInfo &target,
                     ScalarEvolution &evolution)
    : regions(regions) {
  const Loop *counted = nullptr;
  for (BasicBlock *block : regions.blocks()) {
    const Loop *loop = regions.loopOf(block);
    unsigned rounds = evolution.getSmallConstantMaxTripCount(loop);
    if (loop == &regions.outer() || !loop->isInnermost() ||
        (rounds != 0 && rounds <= fewRoundsOfRow))
      continue;
    SmallPtrSet<const SCEV *, 8> rows;
    for (const Instruction &instruction : *block) {
      const Value *pointer = getLoadStorePointerOperand(&instruction);
      // Rows that are shuffled are read a line at a time.
      if (!pointer || shapes.isUniform(pointer) || rowLoads.rowOf(instruction))
        continue;
      if (const SCEV *apart =
              apartOf(instruction, *loop, regions.outer(), evolution)) {
        walks.push_back({&instruction, apart});
        rows.insert(evolution.getSCEV(const_cast<Value *>(pointer)));
      }
    }
    mostRows = std::max<unsigned>(mostRows, rows.size());
    if (rows.empty() || loop == counted)
      continue;
    counted = loop;
    double size = 0;
    for (const BasicBlock *own : loop->blocks())
      for (const Instruction &instruction : *own)
        if (InstructionCost cost = target.getInstructionCost(
                &instruction, TargetTransformInfo::TCK_RecipThroughput);
            cost.isValid())
          size += double(cost.getValue());
    double chain =
        instructionsPerCycle * chainOf(*loop, regions.blocks(), target);
    waits.push_back({loop->getHeader(), std::max(0.0, chain - size)});
  }
}

double LaneWalks::extra(unsigned numLanes, Weight weight) const {
  double result = 0;
  for (const Walk &walk : walks)
    result += weight(*walk.access->getParent()) * numLanes * extraOfLane;
  return result;
}

double LaneWalks::waiting(Weight weight) const {
  double result = 0;
  for (auto [block, time] : waits)
    result += weight(*block) * time;
  return result;
}

Value *LaneWalks::emitConflict(unsigned numLanes, IRBuilderBase &builder,
                               ScalarEvolution &evolution) const {
  const uint64_t lines = uint64_t(numLanes) * mostRows;
  if (lines <= ways)
    return nullptr;
  // Rows a multiple of this apart share more lines of a place than there are.
  const uint64_t shared =
      std::max<uint64_t>(2 * ways * cacheStride / bit_floor(lines), lineBytes);
  Instruction *end = regions.outer().getLoopPreheader()->getTerminator();
  SCEVExpander expander(evolution, "apart");
  SmallPtrSet<const SCEV *, 4> seen;
  Value *result = nullptr;
  for (const Walk &walk : walks) {
    if (!seen.insert(walk.apart).second)
      continue;
    if (const auto *constant = dyn_cast<SCEVConstant>(walk.apart);
        constant && constant->getAPInt().countr_zero() < Log2_64(shared))
      continue;
    if (!expander.isSafeToExpandAt(walk.apart, end))
      continue;
    Value *apart = builder.CreateFreeze(
        expander.expandCodeFor(walk.apart, walk.apart->getType(), end));
    builder.SetInsertPoint(end);
    Value *low = builder.CreateAnd(
        apart, ConstantInt::get(apart->getType(), shared - 1));
    Value *isShared = builder.CreateIsNull(low);
    result = result ? builder.CreateOr(result, isShared) : isShared;
  }
  return result;
}

} // namespace sluice::codegen
