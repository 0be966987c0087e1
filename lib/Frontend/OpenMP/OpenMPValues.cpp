//===- OpenMPValues.cpp - What is the same for all iterations -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of a team get the addresses of the variables that they share, and
// read them again and again. A variable that no iteration writes has one value,
// which the host reads before the launch: the race check then knows what it
// points to, and kernels keep it in a register.
//
//===----------------------------------------------------------------------===//

#include "OpenMPTeams.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

/// Whether nobody else gets to know the address of a variable of the host:
/// teams get it, which use it as a parameter.
static bool isKept(const Value &variable) {
  SmallVector<const Value *> work = {&variable};
  while (!work.empty()) {
    const Value *pointer = work.pop_back_val();
    for (const Use &use : pointer->uses()) {
      const auto *user = dyn_cast<Instruction>(use.getUser());
      if (!user)
        return false;
      if (isa<LoadInst>(user) || user->isLifetimeStartOrEnd() ||
          isa<MemIntrinsic>(user) || isa<ICmpInst>(user))
        continue;
      if (isa<StoreInst>(user) && use.getOperandNo() == 1)
        continue;
      if (isa<GetElementPtrInst>(user)) {
        work.push_back(user);
        continue;
      }
      const auto *call = dyn_cast<CallBase>(user);
      if (!call)
        return false;
      if (calledRuntime(*call) == "__kmpc_fork_call" ||
          (call->getCalledFunction() &&
           call->getCalledFunction()->getName().contains(".omp_outlined")))
        continue;
      if (!call->isArgOperand(&use) ||
          !call->doesNotCapture(call->getArgOperandNo(&use)))
        return false;
    }
  }
  return true;
}

void openmp::noteDistinct(Function &iteration, const CallBase &fork) {
  // The call names the team's function before what it passes.
  for (unsigned i = 3; i != fork.arg_size(); ++i) {
    Argument &parameter = *iteration.getArg(i - 1);
    const Value *passed = fork.getArgOperand(i);
    if (parameter.getType()->isPointerTy() && isa<AllocaInst>(passed) &&
        isKept(*passed) && !PointerMayBeCaptured(&parameter, false))
      parameter.addAttr(Attribute::NoAlias);
  }
}

/// What the only assignment to a variable of the host stores in it.
static const Value *onlyValueOf(const Value &variable) {
  const Value *stored = nullptr;
  for (const User *user : variable.users()) {
    const auto *store = dyn_cast<StoreInst>(user);
    if (store && store->getPointerOperand() == &variable) {
      if (stored)
        return nullptr;
      stored = store->getValueOperand();
    } else if (isa<GetElementPtrInst, MemIntrinsic>(user)) {
      return nullptr;
    }
  }
  return stored;
}

const Value *openmp::objectOf(const Value &pointer) {
  const Value *object = &pointer;
  for (unsigned i = 0; i != 16; ++i) {
    object = getUnderlyingObject(object);
    if (isa<AllocaInst, GlobalVariable>(object) || isNoAliasCall(object))
      return object;
    const auto *load = dyn_cast<LoadInst>(object);
    const auto *variable =
        load ? dyn_cast<AllocaInst>(load->getPointerOperand()) : nullptr;
    const Value *stored =
        variable && isKept(*variable) ? onlyValueOf(*variable) : nullptr;
    // Teams may set it as well, but not where the load was moved to the host.
    if (!stored)
      return nullptr;
    object = stored;
  }
  return nullptr;
}

namespace {
class LoadMover {
public:
  LoadMover(Function &iteration, PassAnalyses &analyses)
      : iteration(iteration), analyses(analyses) {}

  SmallVector<Instruction *> run();

private:
  bool isKnown(const Value *address) const;
  bool isSafe(const LoadInst &load);
  bool isChanged(const LoadInst &load);
  void move(Instruction &instruction);

  Function &iteration;
  PassAnalyses &analyses;
  SetVector<Instruction *> moved;
};
} // namespace

/// Whether the host knows an address: a constant distance from a variable, or
/// from what it has read.
bool LoadMover::isKnown(const Value *address) const {
  while (const auto *place = dyn_cast<GetElementPtrInst>(address)) {
    if (moved.contains(const_cast<GetElementPtrInst *>(place)))
      return true;
    if (!place->hasAllConstantIndices())
      return false;
    address = place->getPointerOperand();
  }
  if (const auto *constant = dyn_cast<ConstantExpr>(address))
    address = constant->stripInBoundsConstantOffsets();
  if (const auto *global = dyn_cast<GlobalVariable>(address))
    return !global->isThreadLocal();
  if (const auto *instruction = dyn_cast<Instruction>(address))
    return moved.contains(const_cast<Instruction *>(instruction));
  return isa<Argument>(address);
}

/// Each iteration reads it, before anything could keep it from that; or there
/// is memory for certain.
bool LoadMover::isSafe(const LoadInst &load) {
  if (load.getParent() == &iteration.getEntryBlock() &&
      all_of(make_range(std::as_const(iteration).getEntryBlock().begin(),
                        load.getIterator()),
             [](const Instruction &before) {
               return isGuaranteedToTransferExecutionToSuccessor(&before);
             }))
    return true;
  const DataLayout &layout = iteration.getParent()->getDataLayout();
  APInt offset(64, 0);
  const Value *base =
      load.getPointerOperand()->stripAndAccumulateConstantOffsets(
          layout, offset, /*AllowNonInbounds=*/true);
  uint64_t size = layout.getTypeStoreSize(load.getType());
  bool canBeNull = false, canBeFreed = false;
  uint64_t known =
      base->getPointerDereferenceableBytes(layout, canBeNull, canBeFreed);
  return !offset.isNegative() && !canBeNull &&
         offset.getZExtValue() + size <= known;
}

bool LoadMover::isChanged(const LoadInst &load) {
  AAResults &aliases = analyses.functions.getResult<AAManager>(iteration);
  MemoryLocation location = MemoryLocation::get(&load);
  return any_of(instructions(iteration), [&](Instruction &other) {
    if (!other.mayWriteToMemory() || other.isLifetimeStartOrEnd())
      return false;
    const auto *call = dyn_cast<CallBase>(&other);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    if (callee && callee->getName().starts_with("llvm.hpvm.getNode"))
      return false;
    return isModSet(aliases.getModRefInfo(&other, location));
  });
}

void LoadMover::move(Instruction &instruction) {
  if (moved.contains(&instruction))
    return;
  if (auto *address = dyn_cast<GetElementPtrInst>(
          getLoadStorePointerOperand(&instruction)
              ? getLoadStorePointerOperand(&instruction)
              : instruction.getOperand(0)))
    move(*address);
  BasicBlock &entry = iteration.getEntryBlock();
  if (moved.empty())
    instruction.moveBefore(entry, entry.begin());
  else
    instruction.moveAfter(moved.back());
  moved.insert(&instruction);
}

SmallVector<Instruction *> LoadMover::run() {
  for (bool changed = true; changed;) {
    changed = false;
    for (Instruction &instruction :
         make_early_inc_range(instructions(iteration))) {
      auto *load = dyn_cast<LoadInst>(&instruction);
      if (!load || !load->isSimple() || moved.contains(load) ||
          !(load->getType()->isPointerTy() || load->getType()->isIntegerTy() ||
            load->getType()->isFloatTy() || load->getType()->isDoubleTy()) ||
          !isKnown(load->getPointerOperand()) || !isSafe(*load) ||
          isChanged(*load))
        continue;
      // The same may have been read before.
      Instruction *same = nullptr;
      for (Instruction *other : moved)
        if (other->isIdenticalTo(load))
          same = other;
      if (same) {
        load->replaceAllUsesWith(same);
        load->eraseFromParent();
      } else {
        // What holds in some iteration, may not hold before.
        load->dropUBImplyingAttrsAndMetadata();
        move(*load);
      }
      changed = true;
      break;
    }
  }
  analyses.functions.clear(iteration, iteration.getName());
  return SmallVector<Instruction *>(moved.begin(), moved.end());
}

SmallVector<WeakVH> openmp::moveLoadsToHost(Function &iteration,
                                            PassAnalyses &analyses) {
  SmallVector<Instruction *> moved = LoadMover(iteration, analyses).run();
  return SmallVector<WeakVH>(moved.begin(), moved.end());
}
