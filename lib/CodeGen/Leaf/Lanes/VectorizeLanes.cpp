//===- VectorizeLanes.cpp - Vectors of instances with loops ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   before:  full vectors, one after another
//   rest:    one more with some lanes off, if enough instances are left
//   few:     else the loop as it was, for what is left
//
//===----------------------------------------------------------------------===//

#include "VectorizeLanes.h"

#include "../Forms/PlainForm.h"
#include "../Forms/PlainTwins.h"
#include "../Group/InstanceLoops.h"
#include "../Own/ApartRounds.h"
#include "../Own/OwnLoops.h"
#include "../Pipeline/LeafRemarks.h"
#include "../UnitsAtOnce.h"
#include "JamInstances.h"
#include "LaneBuilder.h"
#include "LaneCost.h"
#include "LaneEmitter.h"
#include "LaneLoop.h"
#include "LaneWalks.h"
#include "LoopRounds.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

#define DEBUG_TYPE "sluice-vectorize-lanes"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numLaneLoops,
                         "Loops over instances that become lanes");
ALWAYS_ENABLED_STATISTIC(numInStep,
                         "Loops of which several instances run in step");

namespace sluice::codegen {

namespace {

/// Makes the loops of `VectorizeLanes` out of one.
class LaneBuilder {
public:
  LaneBuilder(const LaneLoop &lanes, const LaneRegions &regions,
              const LaneShapes &shapes, const LaneRows &rows,
              const TargetTransformInfo &target, LaneChoice choice)
      : lanes(lanes), regions(regions), shapes(shapes), rows(rows),
        target(target), choice(choice),
        builder(lanes.loop->getHeader()->getContext()),
        header(*lanes.loop->getHeader()),
        before(*lanes.loop->getLoopPreheader()) {}

  void build(Value *lastRound, Value *isConflict);

private:
  const LaneLoop &lanes;
  const LaneRegions &regions;
  const LaneShapes &shapes;
  const LaneRows &rows;
  const TargetTransformInfo &target;
  LaneChoice choice;
  IRBuilder<> builder;
  BasicBlock &header, &before;
  SmallVector<AllocaInst *> variables;

  void addVariables();
  BasicBlock *addBlock(const Twine &name) {
    return BasicBlock::Create(header.getContext(), name, header.getParent(),
                              &header);
  }
  /// The value of a phi of the header in round `number`.
  Value *inRound(PHINode &phi, Value *number) {
    Value *start = phi.getIncomingValueForBlock(&before);
    int64_t step = lanes.steps.at(&phi);
    Value *offset = builder.CreateMul(number, builder.getInt64(step));
    if (start->getType()->isPointerTy())
      return builder.CreateGEP(builder.getInt8Ty(), start, offset);
    return builder.CreateAdd(
        start, builder.CreateSExtOrTrunc(offset, start->getType()));
  }
  void emitBody(Value *firstRound, Value *mask);
};

} // namespace

void LaneBuilder::emitBody(Value *firstRound, Value *mask) {
  LaneEmitter emitter(builder, regions, shapes, rows, target, choice.numLanes);
  emitter.setVariables(variables);
  for (PHINode &phi : header.phis())
    emitter.setFirst(phi, inRound(phi, firstRound));
  emitter.emit(mask);
}

/// Gives each lane the variables of an instance.
void LaneBuilder::addVariables() {
  BasicBlock &entry = header.getParent()->getEntryBlock();
  IRBuilder<> start(&entry, entry.begin());
  for (AllocaInst *variable : shapes.ownMemory().variables()) {
    uint64_t size =
        variable->getAllocationSize(variable->getDataLayout())->getFixedValue();
    Type *type = ArrayType::get(start.getInt8Ty(), size * choice.numLanes);
    variables.push_back(
        start.CreateAlloca(type, nullptr, variable->getName() + ".lanes"));
    variables.back()->setAlignment(std::max(Align(64), variable->getAlign()));
  }
}

void LaneBuilder::build(Value *lastRound, Value *isConflict) {
  addVariables();
  BasicBlock *full = addBlock("lanes"), *rest = addBlock("lanes.rest"),
             *part = addBlock("lanes.part"), *few = addBlock("lanes.few"),
             *loop = addBlock("lanes.scalar");
  Instruction *end = before.getTerminator();
  builder.SetInsertPoint(end);
  Value *one = builder.getInt64(1), *zero = builder.getInt64(0);
  Value *width = builder.getInt64(choice.numLanes);
  Value *rounds = builder.CreateAdd(
      builder.CreateZExt(lastRound, builder.getInt64Ty()), one, "rounds");
  Value *isLong = builder.CreateICmpUGE(rounds, width);
  if (isConflict)
    isLong = builder.CreateAnd(isLong, builder.CreateNot(isConflict));
  builder.CreateCondBr(isLong, full, rest);
  end->eraseFromParent();

  builder.SetInsertPoint(full);
  PHINode *round = builder.CreatePHI(builder.getInt64Ty(), 2, "round");
  emitBody(round, nullptr);
  Value *next = builder.CreateAdd(round, width, "", true, true);
  Value *goesOn = builder.CreateICmpUGE(builder.CreateSub(rounds, next), width);
  BranchInst *back = builder.CreateCondBr(goesOn, full, rest);
  round->addIncoming(zero, &before);
  round->addIncoming(next, back->getParent());

  builder.SetInsertPoint(rest);
  PHINode *done = builder.CreatePHI(builder.getInt64Ty(), 2, "done");
  done->addIncoming(zero, &before);
  done->addIncoming(next, back->getParent());
  Value *left = builder.CreateSub(rounds, done, "left");
  Value *isMany = builder.CreateICmpUGE(left, builder.getInt64(choice.fewest));
  if (isConflict)
    isMany = builder.CreateAnd(isMany, builder.CreateNot(isConflict));
  builder.CreateCondBr(isMany, part, few);

  builder.SetInsertPoint(part);
  SmallVector<Constant *> numbers;
  for (unsigned lane = 0; lane < choice.numLanes; ++lane)
    numbers.push_back(builder.getInt32(lane));
  Value *count = builder.CreateVectorSplat(
      choice.numLanes, builder.CreateTrunc(left, builder.getInt32Ty()));
  emitBody(done, builder.CreateICmpULT(ConstantVector::get(numbers), count));
  BranchInst *partEnd = builder.CreateBr(lanes.exit);

  builder.SetInsertPoint(few);
  builder.CreateCondBr(builder.CreateICmpEQ(left, zero), lanes.exit, loop);

  builder.SetInsertPoint(loop);
  for (PHINode &phi : header.phis()) {
    Value *start = inRound(phi, done);
    int index = phi.getBasicBlockIndex(&before);
    phi.setIncomingValue(index, start);
    phi.setIncomingBlock(index, loop);
  }
  builder.CreateBr(&header);
  for (PHINode &phi : lanes.exit->phis()) {
    Value *value = phi.getIncomingValueForBlock(lanes.loop->getLoopLatch());
    phi.addIncoming(value, partEnd->getParent());
    phi.addIncoming(value, few);
  }
  MDNode *id = MDNode::getDistinct(header.getContext(), {nullptr});
  id->replaceOperandWith(0, id);
  back->setMetadata(LLVMContext::MD_loop, id);
}

void buildLanes(const LaneLoop &lanes, const LaneRegions &regions,
                const LaneShapes &shapes, const LaneRows &rows,
                const TargetTransformInfo &target, const LaneChoice &choice,
                Value *lastRound, Value *isConflict) {
  LaneBuilder(lanes, regions, shapes, rows, target, choice)
      .build(lastRound, isConflict);
}

namespace {

/// The innermost loops over instances of a function that have loops in them.
class LaneFinder {
public:
  LaneFinder(Function &function, FunctionAnalysisManager &analyses,
             PlainForm &form, unsigned wanted,
             SmallPtrSetImpl<BasicBlock *> &prepared)
      : analyses(analyses), loops(analyses.getResult<LoopAnalysis>(function)),
        dominators(analyses.getResult<DominatorTreeAnalysis>(function)),
        evolution(analyses.getResult<ScalarEvolutionAnalysis>(function)),
        assumptions(analyses.getResult<AssumptionAnalysis>(function)),
        aliases(analyses.getResult<AAManager>(function)),
        target(analyses.getResult<TargetIRAnalysis>(function)), form(form),
        wanted(wanted), prepared(prepared) {}

  bool dropEmptyDefaults();
  /// Adds the header of what it looked at to `seen`.
  bool changeNext(SmallPtrSetImpl<BasicBlock *> &seen);

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
  /// The headers of loops in which loops have been unrolled.
  SmallPtrSetImpl<BasicBlock *> &prepared;

  /// The result for a loop.
  enum class Change { None, Prepared, Done };

  static bool isCandidate(const Loop &loop);
  Change refuse(const Loop &loop, const LaneRefusal &refusal);
  Change change(Loop &loop, SmallPtrSetImpl<BasicBlock *> &seen);
};

} // namespace

bool LaneFinder::isCandidate(const Loop &loop) {
  return isInstanceLoop(loop.getLoopID()) && !hasInstanceLoop(loop) &&
         !getBooleanLoopAttribute(&loop, ownLanesMark);
}

/// Removes phis of the exit that nothing uses any more.
static void dropUnused(BasicBlock &exit) {
  for (PHINode &phi : make_early_inc_range(exit.phis()))
    RecursivelyDeleteDeadPHINode(&phi);
}

void unrollRows(const LaneRows &rows, LoopInfo &loops,
                ScalarEvolution &evolution, DominatorTree &dominators,
                AssumptionCache &assumptions, TargetTransformInfo &target) {
  for (auto [loop, count] : rows.loopsAlong()) {
    Function &function = *loop->getHeader()->getParent();
    OptimizationRemarkEmitter remarks(&function);
    UnrollLoopOptions options{};
    options.Count = count;
    options.Runtime = true;
    options.AllowExpensiveTripCount = true;
    addStringMetadataToLoop(loop, "llvm.loop.unroll.disable", 1);
    UnrollLoop(loop, options, &loops, &evolution, &dominators, &assumptions,
               &target, &remarks, /*PreserveLCSSA=*/true);
  }
}

LaneFinder::Change LaneFinder::refuse(const Loop &loop,
                                      const LaneRefusal &refusal) {
  remark(RemarkKind::Missed, analyses, DEBUG_TYPE, loop,
         "instances do not run as lanes of a vector: " + refusal.reason);
  if (refusal.place)
    remark(RemarkKind::Analysis, analyses, DEBUG_TYPE, *refusal.place,
           refusal.reason);
  return Change::None;
}

/// Whether instances load elements that lie apart, but near to those of their
/// neighbours.
static bool loadsApart(const Loop &loop, ScalarEvolution &evolution) {
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block) {
      const auto *load = dyn_cast<LoadInst>(&instruction);
      const auto *place =
          load ? dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(
                     const_cast<Value *>(load->getPointerOperand())))
               : nullptr;
      const auto *step =
          place && place->getLoop() == &loop && place->isAffine()
              ? dyn_cast<SCEVConstant>(place->getStepRecurrence(evolution))
              : nullptr;
      if (step && step->getAPInt().abs().ugt(
                      load->getDataLayout().getTypeStoreSize(load->getType())))
        return true;
    }
  return false;
}

/// Whether rows take the place of gathers that LLVM would make, and lanes make
/// none where LLVM may do without. What only some instances load is gathered
/// either way.
static bool shufflesInstead(const LaneRegions &regions,
                            const LaneShapes &shapes, const LaneRows &rows) {
  for (const BasicBlock *block : regions.blocks())
    for (const Instruction &instruction : *block) {
      const Value *pointer = getLoadStorePointerOperand(&instruction);
      if (!pointer || rows.rowOf(instruction))
        continue;
      const int64_t size = instruction.getDataLayout().getTypeStoreSize(
          getLoadStoreType(&instruction));
      const std::optional<int64_t> stride = shapes.stride(pointer);
      const bool isLoad = isa<LoadInst>(instruction);
      if (stride != size && stride != -size && !(isLoad && stride == 0) &&
          !(isLoad && !shapes.isForAll(block)))
        return false;
    }
  return rows.leaveGaps();
}

LaneFinder::Change LaneFinder::change(Loop &loop,
                                      SmallPtrSetImpl<BasicBlock *> &seen) {
  simplifyLoop(&loop, &dominators, &loops, &evolution, &assumptions,
               /*MSSAU=*/nullptr, /*PreserveLCSSA=*/false);
  formLCSSARecursively(loop, dominators, &loops, &evolution);
  if (BasicBlock *exit = loop.getExitBlock())
    dropUnused(*exit);
  PrivateMemory memory(loop, dominators);
  LaneRefusal refusal{"one after another is as fast"};
  std::optional<LaneLoop> lanes =
      describeLaneLoop(loop, loops, memory, evolution, aliases, refusal);
  // LLVM makes vectors of such loops, but gathers elements that lie apart
  // unless something uses those between them as well.
  const bool isLeft = loop.isInnermost() && memory.variables().empty();
  if (isLeft && (!lanes || wanted == 1 || !loadsApart(loop, evolution)))
    return Change::None;
  if (!lanes)
    return refuse(loop, refusal);
  if (memory.hasCopies())
    return memory.expandIntrinsics() ? Change::Prepared : Change::None;
  LaneRegions regions(loop, loops, dominators);
  LaneShapes shapes(regions, lanes->steps, memory, evolution);
  LaneRows rows(regions, shapes, target, evolution, aliases);
  ApartRounds apart(loop, memory, evolution, aliases);
  if (!rows.loopsAlong().empty() && !apart.findApart(rows.accessesAlong()))
    rows = LaneRows(regions, shapes, target, evolution, aliases,
                    /*goAlong=*/false);
  if (isLeft && !shufflesInstead(regions, shapes, rows))
    return Change::None;
  std::optional<JamChoice> jam =
      wanted > 1 || isLeft || !memory.variables().empty()
          ? std::nullopt
          : chooseJam(regions, shapes, evolution, wanted == 1);
  std::optional<LaneChoice> choice;
  if (wanted != 1 && (!jam || !jam->beatsLanes || !rows.loopsAlong().empty()))
    choice = chooseLanes(regions, shapes, rows, target, evolution, wanted,
                         refusal, prepared.contains(loop.getHeader()));
  if (!choice && !jam)
    return refuse(loop, refusal);
  if (choice && !rows.loopsAlong().empty()) {
    Value *isOverlap = apart.emitOverlap();
    if (isOverlap)
      seen.insert(addCopy(loop, *isOverlap, ".overlap", loops, dominators)
                      ->getHeader());
    apart.markApart();
    if (isOverlap)
      return Change::Prepared;
    unrollRows(rows, loops, evolution, dominators, assumptions, target);
    prepared.insert(loop.getHeader());
    return Change::Prepared;
  }
  unsigned count = choice ? choice->numLanes : jam->count;
  remark(RemarkKind::Done, analyses, DEBUG_TYPE, loop,
         Twine(count) + (choice ? " instances run as lanes of a vector"
                                : " instances run in step"));
  ++(choice ? numLaneLoops : numInStep);
  noteInstancesAtOnce(*loop.getHeader()->getParent(), count);
  addStringMetadataToLoop(&loop, remainderMark, 1);
  Value *lastRound = emitLastRound(loop, evolution);
  Value *isConflict = nullptr;
  if (wanted == 0) {
    IRBuilder<> before(loop.getLoopPreheader()->getTerminator());
    isConflict = LaneWalks(regions, shapes, rows, target, evolution)
                     .emitConflict(count, before, evolution);
    Value *isPlain =
        choice && choice->isCertain && !isLeft ? nullptr : form.isPlain();
    isConflict = isConflict && isPlain ? before.CreateOr(isConflict, isPlain)
                 : isPlain             ? isPlain
                                       : isConflict;
  }
  if (choice)
    buildLanes(*lanes, regions, shapes, rows, target, *choice, lastRound,
               isConflict);
  else
    jamInstances(*lanes, regions, shapes, lastRound, isConflict, jam->count);
  return Change::Done;
}

bool LaneFinder::changeNext(SmallPtrSetImpl<BasicBlock *> &seen) {
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!isCandidate(*loop) || !seen.insert(loop->getHeader()).second)
      continue;
    BasicBlock *header = loop->getHeader();
    Change result = change(*loop, seen);
    if (result == Change::Prepared)
      seen.erase(header);
    if (result != Change::None)
      return true;
  }
  return false;
}

/// A switch whose default is never taken seems to leave the loop: one of its
/// cases becomes the default.
bool LaneFinder::dropEmptyDefaults() {
  bool hasChanged = false;
  for (Loop *loop : loops.getLoopsInPreorder())
    for (BasicBlock *block : loop->blocks()) {
      auto *choice = dyn_cast<SwitchInst>(block->getTerminator());
      if (!choice || !choice->defaultDestUnreachable() ||
          choice->getNumCases() == 0 || !isCandidate(*loop))
        continue;
      auto last = std::prev(choice->case_end());
      choice->setDefaultDest(last->getCaseSuccessor());
      choice->removeCase(last);
      hasChanged = true;
    }
  return hasChanged;
}

PreservedAnalyses VectorizeLanes::run(Function &function,
                                      FunctionAnalysisManager &analyses) {
  SmallPtrSet<BasicBlock *, 8> seen, prepared;
  PlainForm form(function);
  bool hasChanged = LaneFinder(function, analyses, form, wanted, prepared)
                        .dropEmptyDefaults();
  if (hasChanged)
    analyses.invalidate(function, PreservedAnalyses::none());
  if (wanted == 0 || wantedOwn != 0)
    hasChanged |= vectorizeOwnLoops(function, analyses, form, wantedOwn);
  while (
      LaneFinder(function, analyses, form, wanted, prepared).changeNext(seen)) {
    hasChanged = true;
    analyses.invalidate(function, PreservedAnalyses::none());
  }
  hasChanged |= wanted == 0 && addPlainTwins(function, analyses, form);
  form.emit();
  // Even what was not changed may have been brought into simple form.
  return hasChanged || !seen.empty() ? PreservedAnalyses::none()
                                     : PreservedAnalyses::all();
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
