//===- OpenMPIterations.cpp - The code of one iteration -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime library's answers are put into copies of a team's code: one
// iteration, for the code of a node; none, for what stands around the loops.
// What counts the iterations ends where the library would be asked.
//
//===----------------------------------------------------------------------===//

#include "OpenMPTeams.h"

#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

Value *openmp::lastIteration(const SharedLoop &loop, IRBuilder<> &builder) {
  if (loop.next)
    return loop.start->getArgOperand(4);
  return builder.CreateLoad(loop.type, loop.end);
}

/// Of a loop whose iterations this code does not run.
static void skipLoop(SharedLoop &loop) {
  for (LoopExit &exit : loop.exits) {
    IRBuilder<> builder(exit.branch);
    exit.inside->removePredecessor(exit.branch->getParent());
    builder.CreateBr(exit.outside);
    exit.branch->eraseFromParent();
  }
  if (loop.next) {
    loop.next->replaceAllUsesWith(ConstantInt::get(loop.next->getType(), 0));
    loop.next->eraseFromParent();
  }
  loop.start->eraseFromParent();
}

void openmp::runIteration(SharedLoop &loop, Value *iteration) {
  IRBuilder<> builder(loop.start);
  Value *last = lastIteration(loop, builder);
  Value *isLast = builder.CreateZExt(
      builder.CreateICmpEQ(iteration,
                           builder.CreateZExtOrTrunc(last, loop.type)),
      builder.getInt32Ty());
  if (loop.next)
    builder.SetInsertPoint(loop.next);
  builder.CreateStore(iteration, loop.first);
  builder.CreateStore(iteration, loop.end);
  builder.CreateStore(ConstantInt::get(loop.type, 1), loop.stride);
  builder.CreateStore(isLast, loop.hasLast);
  if (loop.next) {
    loop.next->replaceAllUsesWith(ConstantInt::get(loop.next->getType(), 1));
    loop.next->eraseFromParent();
  }
  loop.start->eraseFromParent();
  for (LoopExit &exit : loop.exits) {
    for (BasicBlock *latch : exit.latches)
      latch->getTerminator()->replaceSuccessorWith(exit.header, exit.outside);
    IRBuilder<> after(exit.branch);
    after.CreateBr(exit.inside);
    exit.branch->eraseFromParent();
  }
}

void openmp::eraseEnds(Function &work) {
  for (Instruction &instruction : make_early_inc_range(instructions(work))) {
    StringRef name = calledRuntime(instruction);
    if (name == "__kmpc_for_static_fini" || name == "__kmpc_dispatch_deinit" ||
        name == "__kmpc_barrier")
      instruction.eraseFromParent();
  }
}

/// Where the number of iterations is known to be positive, the code up to the
/// loop is on its way there.
static void takeWayTo(BasicBlock &start) {
  Function &function = *start.getParent();
  DominatorTree dominators(function);
  SmallVector<BranchInst *> branches;
  for (DomTreeNode *node = dominators.getNode(&start)->getIDom(); node;
       node = node->getIDom())
    if (auto *branch = dyn_cast<BranchInst>(node->getBlock()->getTerminator());
        branch && branch->isConditional())
      branches.push_back(branch);
  for (BranchInst *branch : branches) {
    SmallVector<BasicBlock *, 2> ways;
    for (BasicBlock *next : successors(branch))
      if (dominators.dominates(next, &start))
        ways.push_back(next);
    // A way that joins others again decides nothing, and one that comes back,
    // as a loop does, is on the way.
    if (ways.size() != 1 || !ways.front()->getSinglePredecessor() ||
        any_of(successors(branch), [&](BasicBlock *next) {
          return next != ways.front() &&
                 is_contained(depth_first(next), &start);
        }))
      continue;
    for (BasicBlock *next : successors(branch))
      if (next != ways.front())
        next->removePredecessor(branch->getParent());
    IRBuilder<> builder(branch);
    builder.CreateBr(ways.front());
    branch->eraseFromParent();
  }
}

bool openmp::hasEffect(const Instruction &instruction) {
  if (const auto *store = dyn_cast<StoreInst>(&instruction))
    return store->isVolatile() || store->isAtomic() ||
           !isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand()));
  if (const auto *memory = dyn_cast<MemIntrinsic>(&instruction))
    return !isa<AllocaInst>(getUnderlyingObject(memory->getDest()));
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
      intrinsic && intrinsic->isAssumeLikeIntrinsic())
    return false;
  return instruction.mayHaveSideEffects() ||
         (isa<LoadInst>(instruction) && instruction.isVolatile());
}

Reason openmp::findWorkAround(Function &work, PassAnalyses &analyses) {
  Reason reason;
  Function *around = copyWork(work, Type::getVoidTy(work.getContext()),
                              work.getName() + ".around");
  std::vector<SharedLoop> loops = findSharedLoops(*around, reason);
  if (reason.empty())
    reason = findReducedAround(*around, loops);
  for (SharedLoop &loop : loops)
    skipLoop(loop);
  dropReductions(*around);
  eraseEnds(*around);
  simplify(*around, analyses);
  for (const Instruction &instruction : instructions(*around))
    if (reason.empty() && hasEffect(instruction)) {
      StringRef name = calledRuntime(instruction);
      reason = name.empty() ? "does something beside its loops"
                            : "uses '" + name.str() + "'";
    }
  discard(around);
  return reason;
}

std::optional<int64_t> openmp::knownResult(const Function &function) {
  const auto *end =
      dyn_cast<ReturnInst>(function.getEntryBlock().getTerminator());
  const auto *result =
      end ? dyn_cast<ConstantInt>(end->getReturnValue()) : nullptr;
  return result ? std::optional(result->getSExtValue()) : std::nullopt;
}

Reason openmp::findThread(Function &function) {
  if (function.getArg(0)->use_empty() && function.getArg(1)->use_empty())
    return {};
  for (const Instruction &instruction : instructions(function))
    if (StringRef name = calledRuntime(instruction); !name.empty())
      return "uses '" + name.str() + "'";
  return "asks which thread it is";
}

/// The iterations of one loop are counted where the library is asked for them.
static Function *makeCount(Function &work, unsigned index,
                           PassAnalyses &analyses, Reason &reason) {
  Type *i64 = Type::getInt64Ty(work.getContext());
  Function *count = copyWork(work, i64, work.getName() + ".iterations");
  std::vector<SharedLoop> loops = findSharedLoops(*count, reason);
  for (auto [number, loop] : enumerate(loops))
    if (number != index)
      skipLoop(loop);
  SharedLoop &loop = loops[index];
  IRBuilder<> builder(loop.start);
  Value *last = lastIteration(loop, builder);
  last = loop.isUnsigned ? builder.CreateZExt(last, i64)
                         : builder.CreateSExt(last, i64);
  Value *iterations = builder.CreateAdd(last, builder.getInt64(1));
  BasicBlock *block = loop.start->getParent();
  block->splitBasicBlock(loop.start->getIterator());
  block->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(block);
  builder.CreateRet(iterations);
  removeUnreachableBlocks(*count);
  dropReductions(*count);
  eraseEnds(*count);
  simplify(*count, analyses);
  for (const Instruction &instruction : instructions(*count))
    if (hasEffect(instruction))
      reason = "does something before its loop";
  if (reason.empty())
    reason = findThread(*count);
  return count;
}

Value *openmp::askForInstance(Function &iteration) {
  IRBuilder<> builder(&*iteration.getEntryBlock().begin());
  Module &module = *iteration.getParent();
  Value *self = builder.CreateCall(
      module.getOrInsertFunction("llvm.hpvm.getNode", builder.getPtrTy()));
  return builder.CreateCall(
      module.getOrInsertFunction("llvm.hpvm.getNodeInstanceID.x",
                                 builder.getInt64Ty(), builder.getPtrTy()),
      {self});
}

Iterations openmp::makeIterations(Function &work, unsigned index,
                                  PassAnalyses &analyses, Reason &reason) {
  Iterations iterations;
  std::vector<SharedLoop> known = findSharedLoops(work, reason);
  if (!reason.empty())
    return iterations;
  reason = findCarried(work, analyses);
  if (reason.empty() && !haveBarriers(work, known))
    reason = "does not wait between its loops";
  if (reason.empty() &&
      (known.size() > 1 || hasEarlyBarrier(work, known.front())))
    reason = findExchange(work, analyses);
  if (reason.empty())
    iterations.count = makeCount(work, index, analyses, reason);
  if (reason.empty()) {
    iterations.iteration =
        copyWork(work, work.getReturnType(), work.getName() + ".iteration");
    std::vector<SharedLoop> loops =
        findSharedLoops(*iterations.iteration, reason);
    iterations.reductions = rewriteReductions(*iterations.iteration, reason);
    if (known.size() > 1 && !iterations.reductions.empty())
      reason = "reduces in one of several loops";
    if (reason.empty()) {
      Value *id = askForInstance(*iterations.iteration);
      noteCounter(loops[index]);
      BasicBlock *start = loops[index].start->getParent();
      IRBuilder<> builder(cast<Instruction>(id)->getNextNode());
      Value *iteration =
          builder.CreateTrunc(id, loops[index].type, "iteration");
      WeakTrackingVH number = iteration;
      bool isUnsigned = loops[index].isUnsigned;
      stateBound(loops[index], *id);
      for (auto [place, loop] : enumerate(loops))
        place == index ? runIteration(loop, iteration) : skipLoop(loop);
      removeUnreachableBlocks(*iterations.iteration);
      takeWayTo(*start);
      eraseEnds(*iterations.iteration);
      simplifyIteration(*iterations.iteration, analyses, iterations.reductions,
                        start);
      settleBounds(*iterations.iteration);
      iterations.known = knownResult(*iterations.count);
      if (number)
        iterations.most = widenCounters(*iterations.iteration, *number,
                                        isUnsigned, iterations.known);
      reason = findThread(*iterations.iteration);
    }
  }
  if (!reason.empty()) {
    discard(iterations.iteration);
    discard(iterations.count);
  }
  return iterations;
}
