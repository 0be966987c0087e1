//===- PromoteUpdates.cpp - Atomic updates in registers -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing in the loop may access the memory or order it: then no other code can
// distinguish many relaxed updates from one. The end of the loop only updates
// values that changed, so memory that no round updates is not touched.
//
//===----------------------------------------------------------------------===//

#include "PromoteUpdates.h"

#include "AtomicUpdates.h"

#include "sluice/CodeGen/RangeFunction.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

#define DEBUG_TYPE "sluice-promote-updates"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numPromoted,
                         "Addresses whose atomic updates a loop collects");

namespace sluice::codegen {

namespace {

/// Updates of one address in one loop.
struct UpdateGroup {
  Value *pointer;
  UpdateKind kind;
  SmallVector<AtomicRMWInst *> updates;
};

class Promotion {
public:
  Promotion(Function &function, FunctionAnalysisManager &analyses)
      : function(function),
        dominators(analyses.getResult<DominatorTreeAnalysis>(function)),
        loops(analyses.getResult<LoopAnalysis>(function)),
        assumptions(analyses.getResult<AssumptionAnalysis>(function)),
        aliases(analyses.getResult<AAManager>(function)) {}

  bool run() {
    SmallVector<Loop *, 4> outerFirst = loops.getLoopsInPreorder();
    for (Loop *loop : reverse(outerFirst))
      promoteIn(*loop);
    return hasChanged;
  }

private:
  Function &function;
  DominatorTree &dominators;
  LoopInfo &loops;
  AssumptionCache &assumptions;
  AAResults &aliases;
  ContainedFunctions containedFunctions;
  bool hasChanged = false;

  SmallVector<UpdateGroup> findGroups(Loop &loop);
  bool isHarmless(CallBase &call, const UpdateGroup &group);
  bool isHarmless(Instruction &instruction, const UpdateGroup &group);
  bool mayPromote(Loop &loop, const UpdateGroup &group);
  void promoteIn(Loop &loop);
  void promote(Loop &loop, const UpdateGroup &group);
};

} // namespace

/// All updates of addresses that `loop`, which has a preheader, does not
/// change.
SmallVector<UpdateGroup> Promotion::findGroups(Loop &loop) {
  SmallVector<UpdateGroup> groups;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block) {
      auto *update = dyn_cast<AtomicRMWInst>(&instruction);
      std::optional<UpdateKind> kind =
          update ? updateKindOf(*update) : std::nullopt;
      if (!kind ||
          !loop.makeLoopInvariant(update->getPointerOperand(), hasChanged))
        continue;
      auto *group = find_if(groups, [&](const UpdateGroup &known) {
        return known.kind == *kind &&
               known.pointer == update->getPointerOperand();
      });
      if (group == groups.end()) {
        groups.push_back({update->getPointerOperand(), *kind, {}});
        group = &groups.back();
      }
      group->updates.push_back(update);
    }
  return groups;
}

static MemoryLocation locationOf(const UpdateGroup &group) {
  return MemoryLocation::get(group.updates.front());
}

/// A function that belongs to the loop, such as one for the border of a tile,
/// may make updates of the same kind.
bool Promotion::isHarmless(CallBase &call, const UpdateGroup &group) {
  if (isRuntimeCall(call))
    return true;
  Function *callee = call.getCalledFunction();
  if (callee && !callee->isDeclaration() && isa<CallInst>(call) &&
      containedFunctions.contains(*callee))
    return all_of(call.args(), [&](const Use &argument) {
      if (!argument->getType()->isPointerTy() ||
          aliases.isNoAlias(MemoryLocation::getBeforeOrAfter(argument),
                            locationOf(group)))
        return true;
      std::optional<UpdateKind> kind = group.kind;
      unsigned number = call.getArgOperandNo(&argument);
      return number < callee->arg_size() &&
             hasOnlyUpdates(*callee->getArg(number), kind);
    });
  // Unknown functions may order memory for other threads.
  bool isKnown =
      call.onlyAccessesInaccessibleMemOrArgMem() || call.onlyReadsMemory();
  return isKnown && !call.mayThrow() &&
         !isModOrRefSet(aliases.getModRefInfo(&call, locationOf(group)));
}

bool Promotion::isHarmless(Instruction &instruction, const UpdateGroup &group) {
  if (!instruction.mayReadOrWriteMemory() && !instruction.mayThrow())
    return true;
  if (ordersMemory(instruction))
    return false;
  if (auto *call = dyn_cast<CallBase>(&instruction))
    return isHarmless(*call, group);
  if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
    if (updateKindOf(*atomic) == group.kind)
      return true;
  return !instruction.mayThrow() &&
         !isModOrRefSet(aliases.getModRefInfo(&instruction, locationOf(group)));
}

bool Promotion::mayPromote(Loop &loop, const UpdateGroup &group) {
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block)
      if (!isHarmless(instruction, group))
        return false;
  return true;
}

void Promotion::promoteIn(Loop &loop) {
  bool hasUpdate = any_of(loop.blocks(), [](BasicBlock *block) {
    return any_of(*block, [](const Instruction &instruction) {
      const auto *atomic = dyn_cast<AtomicRMWInst>(&instruction);
      return atomic && updateKindOf(*atomic);
    });
  });
  if (!hasUpdate)
    return;
  hasChanged |= simplifyLoop(&loop, &dominators, &loops, /*SE=*/nullptr,
                             &assumptions, /*MSSAU=*/nullptr,
                             /*PreserveLCSSA=*/false);
  SmallVector<BasicBlock *> exits;
  loop.getUniqueExitBlocks(exits);
  bool isUsual =
      loop.getLoopPreheader() && loop.hasDedicatedExits() && !exits.empty() &&
      none_of(exits, [](BasicBlock *exit) { return exit->isEHPad(); });
  if (!isUsual)
    return;
  for (const UpdateGroup &group : findGroups(loop))
    if (mayPromote(loop, group))
      promote(loop, group);
}

void Promotion::promote(Loop &loop, const UpdateGroup &group) {
  hasChanged = true;
  ++numPromoted;
  Type *type = group.kind.type;
  ConstantInt *neutral = group.kind.neutral();
  BasicBlock &entry = function.getEntryBlock();
  IRBuilder<> builder(&entry, entry.getFirstInsertionPt());
  AllocaInst *slot = builder.CreateAlloca(type, nullptr, "collected");
  builder.SetInsertPoint(loop.getLoopPreheader()->getTerminator());
  builder.CreateStore(neutral, slot);

  DebugLoc place = group.updates.front()->getDebugLoc();
  for (AtomicRMWInst *update : group.updates) {
    builder.SetInsertPoint(update);
    Value *old = builder.CreateLoad(type, slot);
    builder.CreateStore(emitUpdatedValue(builder, *update, old), slot);
    update->eraseFromParent();
  }

  DomTreeUpdater updater(dominators, DomTreeUpdater::UpdateStrategy::Eager);
  SmallVector<BasicBlock *> exits;
  loop.getUniqueExitBlocks(exits);
  for (BasicBlock *exit : exits) {
    BasicBlock::iterator at = exit->getFirstInsertionPt();
    builder.SetInsertPoint(exit, at);
    builder.SetCurrentDebugLocation(place);
    Value *value = builder.CreateLoad(type, slot);
    Instruction *then = SplitBlockAndInsertIfThen(
        builder.CreateICmpNE(value, neutral), at, /*Unreachable=*/false,
        /*BranchWeights=*/nullptr, &updater, &loops);
    builder.SetInsertPoint(then);
    builder.SetCurrentDebugLocation(place);
    emitUpdate(builder, group.kind, group.pointer, value);
  }
  PromoteMemToReg(slot, dominators, &assumptions);
}

PreservedAnalyses PromoteUpdates::run(Function &function,
                                      FunctionAnalysisManager &analyses) {
  if (!function.hasFnAttribute(collectsUpdatesAttribute))
    return PreservedAnalyses::all();
  bool hasUpdate = any_of(instructions(function), [](const Instruction &i) {
    const auto *atomic = dyn_cast<AtomicRMWInst>(&i);
    return atomic && updateKindOf(*atomic);
  });
  if (!hasUpdate || !Promotion(function, analyses).run())
    return PreservedAnalyses::all();
  return PreservedAnalyses::none();
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
