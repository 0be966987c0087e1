//===- OwnLoops.cpp - Vectors over a leaf's own loops ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where both instances and rounds of an own loop could be lanes, and rounds are
// better, there are two loops over instances: if the own loop has fewer rounds
// than lanes, instances are.
//
//===----------------------------------------------------------------------===//

#include "OwnLoops.h"

#include "../Forms/PlainForm.h"
#include "../Forms/PlainTwins.h"
#include "../Group/InstanceLoops.h"
#include "../Lanes/LaneBuilder.h"
#include "../Lanes/LaneCost.h"
#include "../Lanes/LaneLoop.h"
#include "../Lanes/LaneWalks.h"
#include "../Lanes/LoopRounds.h"
#include "../Pipeline/LeafRemarks.h"
#include "ApartRounds.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#define DEBUG_TYPE "sluice-vectorize-lanes"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numOwnLaneLoops,
                         "Loops of leaves of which rounds become lanes");

namespace sluice::codegen {

/// The estimated time that rounds as lanes may take, of the time that instances
/// as lanes take.
static constexpr double clearlyLess = 0.9;
/// Own loops of a leaf that are looked at.
static constexpr unsigned mostOwnLoops = 16;

namespace {

/// What is known of a loop that may become lanes. Its parts refer to each
/// other.
struct LanePlan {
  LanePlan(Loop &loop, PrivateMemory own, LaneLoop described,
           const LoopInfo &loops, const DominatorTree &dominators,
           const TargetTransformInfo &target, ScalarEvolution &evolution,
           AAResults &aliases)
      : memory(std::move(own)), lanes(std::move(described)),
        regions(loop, loops, dominators),
        shapes(regions, lanes.steps, memory, evolution),
        rows(regions, shapes, target, evolution, aliases) {}
  LanePlan(const LanePlan &) = delete;

  PrivateMemory memory;
  LaneLoop lanes;
  LaneRegions regions;
  LaneShapes shapes;
  LaneRows rows;
  std::optional<LaneChoice> choice;
};

/// An own loop that may become lanes.
struct OwnPlan {
  std::unique_ptr<LanePlan> lanes;
  std::unique_ptr<ApartRounds> apart;
  double time = 1; ///< of the instance, relative to now
};

class OwnLoopFinder {
public:
  OwnLoopFinder(Function &function, FunctionAnalysisManager &analyses,
                PlainForm &form, unsigned wanted,
                SmallPtrSetImpl<BasicBlock *> &seen,
                SmallPtrSetImpl<BasicBlock *> &prepared)
      : analyses(analyses), loops(analyses.getResult<LoopAnalysis>(function)),
        dominators(analyses.getResult<DominatorTreeAnalysis>(function)),
        evolution(analyses.getResult<ScalarEvolutionAnalysis>(function)),
        assumptions(analyses.getResult<AssumptionAnalysis>(function)),
        aliases(analyses.getResult<AAManager>(function)),
        target(analyses.getResult<TargetIRAnalysis>(function)), form(form),
        wanted(wanted), seen(seen), prepared(prepared) {}

  /// Changes a loop in the next loop over instances.
  bool changeNext();

private:
  FunctionAnalysisManager &analyses;
  LoopInfo &loops;
  DominatorTree &dominators;
  ScalarEvolution &evolution;
  AssumptionCache &assumptions;
  AAResults &aliases;
  TargetTransformInfo &target;
  PlainForm &form;
  unsigned wanted;
  /// Headers of loops over instances that are done, and of own loops in which
  /// loops have been unrolled.
  SmallPtrSetImpl<BasicBlock *> &seen, &prepared;

  static bool isCandidate(const Loop &own, const Loop &instances);
  std::unique_ptr<LanePlan> plan(Loop &loop, bool isOwn);
  std::optional<OwnPlan> bestOf(Loop &instances);
  void addCopyForShort(Loop &own, Loop &instances, unsigned numLanes);
  void build(Loop &instances, OwnPlan &plan);
  bool change(Loop &instances);
};

} // namespace

/// LLVM makes vectors of innermost loops.
bool OwnLoopFinder::isCandidate(const Loop &own, const Loop &instances) {
  if (own.isInnermost())
    return false;
  for (const Loop *loop = &own; loop != &instances;
       loop = loop->getParentLoop())
    if (getBooleanLoopAttribute(loop, remainderMark))
      return false;
  return true;
}

/// What `loop` would be as lanes; null: it cannot.
std::unique_ptr<LanePlan> OwnLoopFinder::plan(Loop &loop, bool isOwn) {
  PrivateMemory memory(loop, dominators);
  LaneRefusal refusal;
  std::optional<LaneLoop> lanes =
      describeLaneLoop(loop, loops, memory, evolution, aliases, refusal, isOwn);
  if (!lanes)
    return nullptr;
  auto result =
      std::make_unique<LanePlan>(loop, std::move(memory), std::move(*lanes),
                                 loops, dominators, target, evolution, aliases);
  // Copies of private memory are taken apart first, and then all begins anew.
  if (!result->memory.hasCopies())
    result->choice = chooseLanes(result->regions, result->shapes, result->rows,
                                 target, evolution, isOwn ? wanted : 0, refusal,
                                 prepared.contains(loop.getHeader()));
  return result;
}

/// The own loop of `instances` that is best run as lanes.
std::optional<OwnPlan> OwnLoopFinder::bestOf(Loop &instances) {
  std::optional<OwnPlan> best;
  unsigned number = 0;
  for (Loop *own : instances.getLoopsInPreorder()) {
    if (own == &instances || !isCandidate(*own, instances) ||
        ++number > mostOwnLoops)
      continue;
    OwnPlan found;
    found.lanes = plan(*own, /*isOwn=*/true);
    if (!found.lanes ||
        !(found.lanes->choice || found.lanes->memory.hasCopies()))
      continue;
    found.apart = std::make_unique<ApartRounds>(*own, found.lanes->memory,
                                                evolution, aliases);
    LaneRefusal refusal;
    if (!found.apart->find(refusal))
      continue;
    if (wanted || found.lanes->memory.hasCopies())
      return found;
    const double part = partOf(*own, instances, loops, target, evolution);
    found.time = 1 - part * (1 - found.lanes->choice->share);
    if (!best || found.time < best->time)
      best = std::move(found);
  }
  return best;
}

/// If the number of rounds is known before the instances, runs a copy of them
/// where they are fewer than lanes.
void OwnLoopFinder::addCopyForShort(Loop &own, Loop &instances,
                                    unsigned numLanes) {
  const SCEV *last = evolution.getBackedgeTakenCount(&own);
  Instruction *end = instances.getLoopPreheader()->getTerminator();
  SCEVExpander expander(evolution, "rounds");
  if (isa<SCEVConstant>(last) || !evolution.isLoopInvariant(last, &instances) ||
      !expander.isSafeToExpandAt(last, end))
    return;
  Value *rounds = expander.expandCodeFor(last, last->getType(), end);
  IRBuilder<> builder(end);
  // Where no instance comes to the own loop, the number may be poison.
  Value *isShort =
      builder.CreateICmpULT(builder.CreateFreeze(rounds),
                            ConstantInt::get(rounds->getType(), numLanes - 1));
  seen.insert(
      addCopy(instances, *isShort, ".short", loops, dominators)->getHeader());
}

void OwnLoopFinder::build(Loop &instances, OwnPlan &plan) {
  LanePlan &lanes = *plan.lanes;
  Loop &own = lanes.regions.outer();
  const LaneChoice &choice = *lanes.choice;
  remark(RemarkKind::Done, analyses, DEBUG_TYPE, own,
         Twine(choice.numLanes) +
             " rounds of this loop run as lanes of a vector");
  ++numOwnLaneLoops;
  addStringMetadataToLoop(&own, remainderMark, 1);
  addStringMetadataToLoop(&instances, ownLanesMark, 1);
  Value *lastRound = emitLastRound(own, evolution);
  Value *isConflict = plan.apart->emitMeet();
  IRBuilder<> before(own.getLoopPreheader()->getTerminator());
  auto conflictIf = [&](Value *condition) {
    if (condition)
      isConflict =
          isConflict ? before.CreateOr(isConflict, condition) : condition;
  };
  if (wanted == 0) {
    conflictIf(
        LaneWalks(lanes.regions, lanes.shapes, lanes.rows, target, evolution)
            .emitConflict(choice.numLanes, before, evolution));
    conflictIf(choice.isCertain ? nullptr : form.isPlain());
  }
  buildLanes(lanes.lanes, lanes.regions, lanes.shapes, lanes.rows, target,
             choice, lastRound, isConflict);
}

/// Whether it has changed something.
bool OwnLoopFinder::change(Loop &instances) {
  if (none_of(instances.getLoopsInPreorder(), [&](const Loop *own) {
        return own != &instances && isCandidate(*own, instances);
      }))
    return false;
  simplifyLoop(&instances, &dominators, &loops, &evolution, &assumptions,
               /*MSSAU=*/nullptr, /*PreserveLCSSA=*/false);
  formLCSSARecursively(instances, dominators, &loops, &evolution);
  std::optional<OwnPlan> best = bestOf(instances);
  if (!best)
    return false;
  if (best->lanes->memory.hasCopies())
    return best->lanes->memory.expandIntrinsics();
  std::unique_ptr<LanePlan> other;
  if (!wanted && !getBooleanLoopAttribute(&instances, ownLanesMark)) {
    other = plan(instances, /*isOwn=*/false);
    if (other && other->memory.hasCopies())
      return other->memory.expandIntrinsics();
    if (other && other->choice &&
        best->time > clearlyLess * other->choice->share)
      return false;
  }
  if (!best->lanes->rows.loopsAlong().empty()) {
    unrollRows(best->lanes->rows, loops, evolution, dominators, assumptions,
               target);
    prepared.insert(best->lanes->regions.outer().getHeader());
    return true;
  }
  if (other && other->choice) {
    // Analyses do not outlive the copy.
    const unsigned numLanes = best->lanes->choice->numLanes;
    Loop &own = best->lanes->regions.outer();
    best.reset();
    other.reset();
    addCopyForShort(own, instances, numLanes);
    addStringMetadataToLoop(&instances, ownLanesMark, 1);
    return true;
  }
  build(instances, *best);
  return true;
}

bool OwnLoopFinder::changeNext() {
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!isInstanceLoop(loop->getLoopID()) || hasInstanceLoop(*loop) ||
        seen.contains(loop->getHeader()))
      continue;
    if (change(*loop))
      return true;
    seen.insert(loop->getHeader());
  }
  return false;
}

bool vectorizeOwnLoops(Function &function, FunctionAnalysisManager &analyses,
                       PlainForm &form, unsigned wanted) {
  SmallPtrSet<BasicBlock *, 8> seen, prepared;
  bool hasChanged = false;
  while (OwnLoopFinder(function, analyses, form, wanted, seen, prepared)
             .changeNext()) {
    hasChanged = true;
    analyses.invalidate(function, PreservedAnalyses::none());
  }
  return hasChanged || !seen.empty();
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
