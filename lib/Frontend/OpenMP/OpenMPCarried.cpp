//===- OpenMPCarried.cpp - What goes on from iteration to iteration -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code of one thread may count on what it has done before: iterations that are
// threads of their own cannot.
//
//===----------------------------------------------------------------------===//

#include "OpenMPTeams.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

bool openmp::haveBarriers(Function &work, ArrayRef<SharedLoop> loops) {
  DominatorTree dominators(work);
  SmallVector<Instruction *> barriers;
  for (Instruction &instruction : instructions(work))
    if (calledRuntime(instruction) == "__kmpc_barrier")
      barriers.push_back(&instruction);
  return all_of(seq<size_t>(1, loops.size()), [&](size_t index) {
    return any_of(barriers, [&](Instruction *barrier) {
      return isPotentiallyReachable(loops[index - 1].start, barrier, nullptr,
                                    &dominators) &&
             dominators.dominates(barrier, loops[index].start);
    });
  });
}

bool openmp::hasEarlyBarrier(Function &work, const SharedLoop &loop) {
  DominatorTree dominators(work);
  return any_of(instructions(work), [&](Instruction &instruction) {
    return calledRuntime(instruction) == "__kmpc_barrier" &&
           !isPotentiallyReachable(loop.start, &instruction, nullptr,
                                   &dominators);
  });
}

bool openmp::readsShared(const Instruction &instruction) {
  if (!instruction.mayReadFromMemory() || !calledRuntime(instruction).empty() ||
      isAssumption(instruction))
    return false;
  const Value *pointer = nullptr;
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    pointer = load->getPointerOperand();
  else if (const auto *transfer = dyn_cast<MemTransferInst>(&instruction))
    pointer = transfer->getSource();
  return !pointer || !isa<AllocaInst>(getUnderlyingObject(pointer));
}

Reason openmp::findExchange(Function &work, PassAnalyses &analyses) {
  Reason reason;
  Function *copy = copyWork(work, work.getReturnType(), work.getName());
  std::vector<SharedLoop> loops = findSharedLoops(*copy, reason);
  DenseMap<const BasicBlock *, unsigned> loopOf;
  for (auto [number, loop] : enumerate(loops)) {
    for (BasicBlock *block : loop.blocks)
      loopOf[block] = number + 1;
    loop.start->eraseFromParent();
  }
  // Variables that all threads ask for their iterations with stay in memory.
  SmallPtrSet<const Value *, 16> own;
  for (const SharedLoop &loop : loops)
    for (const Value *variable :
         {loop.first, loop.end, loop.stride, loop.hasLast})
      own.insert(variable);
  for (Instruction &instruction : instructions(*copy)) {
    unsigned loop = loopOf.lookup(instruction.getParent());
    if (auto *variable = dyn_cast<AllocaInst>(&instruction)) {
      if (own.contains(variable) || variable->getName().starts_with(".omp."))
        continue;
      // What a loop leaves in a variable is used in this loop only.
      SmallDenseSet<unsigned, 4> users;
      bool isWritten = false;
      for (const User *use : variable->users()) {
        const auto *place = cast<Instruction>(use);
        if (place->isLifetimeStartOrEnd())
          continue;
        unsigned number = loopOf.lookup(place->getParent());
        users.insert(number);
        isWritten |= number && !isa<LoadInst>(place);
      }
      if (isWritten && users.size() > 1)
        reason = "takes values from one loop to another in variables of its "
                 "threads";
    }
    // What is read between loops may have been written by one of them.
    if (loop == 0 && readsShared(instruction)) {
      AAResults &aliases = analyses.functions.getResult<AAManager>(*copy);
      if (any_of(instructions(*copy), [&](const Instruction &other) {
            return loopOf.lookup(other.getParent()) != 0 &&
                   mayChange(other, instruction, aliases);
          }))
        reason = "reads around its loops what they may write";
    }
  }
  analyses.functions.clear(*copy, copy->getName());
  discard(copy);
  return reason;
}

/// Whether an iteration reads what an earlier one has left in a register.
static bool isCarried(PHINode &start, const SharedLoop &loop) {
  SmallVector<PHINode *> work = {&start};
  SmallPtrSet<PHINode *, 8> seen;
  while (!work.empty()) {
    PHINode *phi = work.pop_back_val();
    if (!seen.insert(phi).second)
      continue;
    for (User *user : phi->users()) {
      auto *place = cast<Instruction>(user);
      if (!is_contained(loop.blocks, place->getParent()))
        continue;
      auto *next = dyn_cast<PHINode>(place);
      if (!next)
        return true;
      work.push_back(next);
    }
  }
  return false;
}

/// How code uses a variable of a thread, in a loop and around it.
struct ThreadVariable {
  bool isSetAround = false, isSetInside = false, isReadInside = false;
  bool isCopy = false;
  /// It begins to live in each iteration.
  bool isNew = false;
  /// Its address is in memory, or is one of several.
  bool isElsewhere = false;

  void read(const Value &pointer, const SharedLoop &loop,
            const DominatorTree &dominators) {
    for (const Use &use : pointer.uses()) {
      auto *user = cast<Instruction>(use.getUser());
      if (isa<GetElementPtrInst, AddrSpaceCastInst>(user)) {
        read(*user, loop, dominators);
        continue;
      }
      bool isInside = is_contained(loop.blocks, user->getParent());
      if (user->isLifetimeStartOrEnd()) {
        isNew |=
            cast<IntrinsicInst>(user)->getIntrinsicID() ==
                Intrinsic::lifetime_start &&
            dominators.dominates(loop.exits.back().inside, user->getParent());
        continue;
      }
      isReadInside |= isInside && !isa<StoreInst, MemSetInst>(user) &&
                      !(isa<MemTransferInst>(user) && use.getOperandNo() == 0);
      if (isa<LoadInst>(user))
        continue;
      // What joins the threads' copies has a list of them.
      if (auto *store = dyn_cast<StoreInst>(user);
          store && use.getOperandNo() == 0) {
        (isListed(*store) ? isCopy : isElsewhere) = true;
        continue;
      }
      isElsewhere |= !isa<StoreInst, MemIntrinsic, ICmpInst>(user);
      if (isa<MemTransferInst>(user) && use.getOperandNo() == 1)
        continue;
      (isInside ? isSetInside : isSetAround) = true;
    }
  }
};

/// Whether a loop may write what pointers in memory lead to.
static bool writesElsewhere(const SharedLoop &loop) {
  for (const BasicBlock *block : loop.blocks)
    for (const Instruction &instruction : *block) {
      if (!instruction.mayWriteToMemory() || isAssumption(instruction) ||
          !calledRuntime(instruction).empty())
        continue;
      const Value *pointer = getLoadStorePointerOperand(&instruction);
      if (const auto *memory = dyn_cast<MemIntrinsic>(&instruction))
        pointer = memory->getDest();
      if (!pointer || !isa<AllocaInst, GlobalVariable, Argument>(
                          getUnderlyingObject(pointer)))
        return true;
    }
  return false;
}

/// Has variables that no loop declares begin with a value of their own. What is
/// not set would be taken for what an earlier iteration sets.
static void setFirstValues(Function &work) {
  Reason reason;
  SmallPtrSet<const BasicBlock *, 16> inside;
  for (const SharedLoop &loop : findSharedLoops(work, reason))
    inside.insert_range(loop.blocks);
  for (Instruction &instruction : make_early_inc_range(work.getEntryBlock())) {
    auto *variable = dyn_cast<AllocaInst>(&instruction);
    if (!variable || variable->isArrayAllocation() ||
        !variable->getAllocatedType()->isSingleValueType() ||
        variable->getName().starts_with(".omp.") ||
        any_of(variable->users(), [&](const User *user) {
          const auto *place = cast<Instruction>(user);
          return place->isLifetimeStartOrEnd() &&
                 inside.contains(place->getParent());
        }))
      continue;
    IRBuilder<> builder(variable->getNextNode());
    builder.CreateStore(
        builder.CreateFreeze(PoisonValue::get(variable->getAllocatedType())),
        variable);
  }
}

Reason openmp::findCarried(Function &work, PassAnalyses &analyses) {
  Reason reason;
  Function *copy = copyWork(work, work.getReturnType(), work.getName());
  removeUnreachableBlocks(*copy);
  // What is passed to these is the library's.
  for (Instruction &instruction : make_early_inc_range(instructions(*copy)))
    if (calledRuntime(instruction).starts_with("__kmpc_doacross_"))
      instruction.eraseFromParent();
  setFirstValues(*copy);
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  passes.addPass(DCEPass()); // which SROA leaves uses for
  passes.run(*copy, analyses.functions);
  analyses.functions.clear(*copy, copy->getName());
  std::vector<SharedLoop> loops =
      findSharedLoops(*copy, reason, /*hasRegisters=*/true);
  DominatorTree dominators(*copy);
  for (const SharedLoop &loop : loops) {
    for (const LoopExit &exit : loop.exits)
      for (PHINode &phi : exit.header->phis()) {
        auto *condition = dyn_cast<User>(exit.branch->getCondition());
        bool isCounter = condition && is_contained(condition->operands(), &phi);
        if (!isCounter && isCarried(phi, loop))
          reason = "keeps values in variables of its threads from iteration to "
                   "iteration";
      }
    for (Instruction &instruction : instructions(*copy)) {
      auto *variable = dyn_cast<AllocaInst>(&instruction);
      if (!variable || variable->getName().starts_with(".omp."))
        continue;
      ThreadVariable uses;
      uses.read(*variable, loop, dominators);
      bool isSetInside =
          uses.isSetInside || (uses.isElsewhere && writesElsewhere(loop));
      // Whether iterations set what they read, is looked at where they stand
      // alone.
      bool isKept = !uses.isNew && !isTemporary(*variable) &&
                    (uses.isReadInside || uses.isElsewhere);
      if ((uses.isSetAround || isKept) && isSetInside && !uses.isCopy)
        reason = "keeps values in variables of its threads from iteration to "
                 "iteration";
    }
  }
  discard(copy);
  return reason;
}
