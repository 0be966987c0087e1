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
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
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

Value *openmp::countIterations(const SharedLoop &loop, IRBuilder<> &builder) {
  Value *last = builder.CreateIntCast(lastIteration(loop, builder),
                                      builder.getInt64Ty(), !loop.isUnsigned);
  return builder.CreateAdd(last, builder.getInt64(1));
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

Value *openmp::runIteration(SharedLoop &loop) {
  auto *id = cast<Instruction>(askForInstance(*loop.start->getFunction()));
  noteCounter(loop);
  IRBuilder<> builder(id->getNextNode());
  Value *iteration = builder.CreateTrunc(id, loop.type, "iteration");
  stateBound(loop, *id);
  builder.SetInsertPoint(loop.start);
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
  return iteration;
}

void openmp::eraseEnds(Function &work) {
  for (Instruction &instruction : make_early_inc_range(instructions(work))) {
    StringRef name = calledRuntime(instruction);
    if (name == "__kmpc_for_static_fini" || name == "__kmpc_barrier" ||
        name.starts_with("__kmpc_dispatch_fini_") ||
        name == "__kmpc_dispatch_deinit" || name == "__kmpc_doacross_init" ||
        name == "__kmpc_doacross_fini")
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
  return !isAssumption(instruction) &&
         (instruction.mayHaveSideEffects() ||
          (isa<LoadInst>(instruction) && instruction.isVolatile()));
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
  // A store of what is there already is one that other threads may meet.
  simplify(*around, analyses, /*keepsStores=*/true);
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
  std::optional<int64_t> known;
  for (const BasicBlock &block : function) {
    const auto *end = dyn_cast<ReturnInst>(block.getTerminator());
    if (!end)
      continue;
    const auto *result = dyn_cast<ConstantInt>(end->getReturnValue());
    if (!result || (known && *known != result->getSExtValue()))
      return std::nullopt;
    known = result->getSExtValue();
  }
  return known;
}

Reason openmp::findThread(Function &function) {
  if (function.getArg(0)->use_empty() && function.getArg(1)->use_empty())
    return {};
  for (const Instruction &instruction : instructions(function))
    if (StringRef name = calledRuntime(instruction); !name.empty())
      return "uses '" + name.str() + "'";
  return "asks which thread it is";
}

/// The iterations of one loop are counted where the library is asked for them,
/// or those of the loop in it. `counted`: what has become of the team's code.
static Function *makeCount(Function &work, unsigned index, bool isInner,
                           PassAnalyses &analyses, ValueToValueMapTy &counted,
                           Reason &reason) {
  Type *i64 = Type::getInt64Ty(work.getContext());
  Function *count =
      copyWork(work, i64, work.getName() + ".iterations", {}, &counted);
  std::vector<SharedLoop> loops = findSharedLoops(*count, reason);
  for (auto [number, loop] : enumerate(loops))
    if (number != index)
      skipLoop(loop);
  SharedLoop &loop = loops[index];
  IRBuilder<> builder(loop.start);
  Value *iterations =
      isInner ? innerIterations(loop, builder) : countIterations(loop, builder);
  if (!iterations) {
    reason = "has 'ordered' in an unusual way";
    iterations = builder.getInt64(0);
  }
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
  Value *self =
      callByName(builder, "llvm.hpvm.getNode", builder.getPtrTy(), {});
  return callByName(builder, "llvm.hpvm.getNodeInstanceID.x",
                    builder.getInt64Ty(), {self});
}

//===----------------------------------------------------------------------===//
// Around a loop
//===----------------------------------------------------------------------===//

namespace {
/// What a thread may do while others run iterations of a loop: no barrier is
/// between. And the barriers behind the loop.
struct LoopVicinity {
  explicit LoopVicinity(CallInst &start);

  SmallPtrSet<const Instruction *, 32> code;
  SmallVector<WeakVH> ends;
};
} // namespace

static bool isPlainBarrier(const Instruction &instruction) {
  return calledRuntime(instruction) == "__kmpc_barrier";
}

LoopVicinity::LoopVicinity(CallInst &start) {
  for (bool isForward : {true, false})
    walk(start, isForward, [&](Instruction &at) {
      if (!isPlainBarrier(at)) {
        code.insert(&at);
        return true;
      }
      if (isForward)
        ends.push_back(&at);
      return false;
    });
}

/// What follows a barrier behind the loop is not done while iterations run. It
/// stays where threads join what they have summed up.
static SmallVector<WeakVH> findLoopEnds(const SharedLoop &loop) {
  LoopVicinity near(*loop.start);
  for (const WeakVH &end : near.ends)
    for (const BasicBlock *block :
         depth_first(cast<Instruction>(end)->getParent()))
      for (const Instruction &instruction : *block)
        if (isReduction(instruction) &&
            (block != cast<Instruction>(end)->getParent() ||
             cast<Instruction>(end)->comesBefore(&instruction)))
          return {};
  return std::move(near.ends);
}

static void cutAt(ArrayRef<WeakVH> ends) {
  for (const WeakVH &handle : ends) {
    auto *end = cast_or_null<Instruction>(handle);
    if (!end)
      continue;
    BasicBlock *block = end->getParent();
    block->splitBasicBlock(end->getIterator());
    block->getTerminator()->eraseFromParent();
    IRBuilder<>(block).CreateRetVoid();
  }
}

/// Whether a value is for the library, or goes into what clang has computed
/// before a loop for its directive.
static bool isForDirective(const Value &value, unsigned depth = 4) {
  return any_of(value.users(), [&](const User *user) {
    if (const auto *store = dyn_cast<StoreInst>(user))
      return store->getValueOperand() == &value &&
             store->getPointerOperand()->getName().starts_with(
                 ".capture_expr.");
    if (isa<CallInst>(user))
      return !calledRuntime(*cast<CallInst>(user)).empty();
    return depth != 0 && isa<BinaryOperator, CastInst>(user) &&
           isForDirective(*user, depth - 1);
  });
}

/// Whether an access is one to the numbers that a thread gets.
static bool isOfNumbers(const Instruction &access) {
  const Value *place = getLoadStorePointerOperand(&access);
  const auto *parameter =
      place ? dyn_cast<Argument>(getUnderlyingObject(place)) : nullptr;
  return parameter && parameter->getArgNo() < 2;
}

/// Marks accesses around a loop that meet none of its iterations: a barrier is
/// between, or they only tell how many iterations there are and who gets them,
/// which the host asks before. Returns the others that read what is not the
/// thread's own.
static SmallVector<Instruction *> markApart(Function &work,
                                            const SharedLoop &loop,
                                            const ValueToValueMapTy &counted,
                                            const ValueToValueMapTy &copied) {
  const LoopVicinity near(*loop.start);
  SmallVector<Instruction *> reads;
  for (Instruction &instruction : instructions(work)) {
    if (!instruction.mayReadOrWriteMemory() ||
        is_contained(loop.blocks, instruction.getParent()))
      continue;
    const Value *count = counted.lookup(&instruction);
    Value *copy = copied.lookup(&instruction);
    if (near.code.contains(&instruction) && !isForDirective(instruction) &&
        !isa_and_nonnull<Instruction>(count)) {
      if (readsShared(instruction) && !isOfNumbers(instruction))
        reads.push_back(&instruction);
    } else if (isa_and_nonnull<Instruction>(copy)) {
      cast<Instruction>(copy)->setMetadata(apartMetadata,
                                           MDNode::get(work.getContext(), {}));
    }
  }
  return reads;
}

/// Whether a loop may write what some code around it reads.
static bool mayWriteRead(Function &work, const SharedLoop &loop,
                         ArrayRef<Instruction *> reads,
                         PassAnalyses &analyses) {
  if (reads.empty())
    return false;
  AAResults &aliases = analyses.functions.getResult<AAManager>(work);
  const bool isRead = any_of(loop.blocks, [&](const BasicBlock *block) {
    return any_of(*block, [&](const Instruction &write) {
      return any_of(reads, [&](const Instruction *read) {
        return mayChange(write, *read, aliases);
      });
    });
  });
  analyses.functions.clear(work, work.getName());
  return isRead;
}

void openmp::discard(Iterations &iterations) {
  discard(iterations.iteration);
  discard(iterations.count);
  discard(iterations.innerCount);
}

Iterations openmp::makeIterations(Function &work, ArrayRef<SharedLoop> known,
                                  unsigned index, PassAnalyses &analyses,
                                  Reason &reason) {
  Iterations iterations;
  ValueToValueMapTy counted, copied;
  SmallVector<Instruction *> reads;
  iterations.count =
      makeCount(work, index, /*isInner=*/false, analyses, counted, reason);
  const unsigned inOrder = loopsWithSinks(work).value_or(1);
  iterations.hasSinks = loopsWithSinks(work).has_value();
  if (reason.empty() && inOrder == 2) {
    ValueToValueMapTy map;
    iterations.innerCount =
        makeCount(work, index, /*isInner=*/true, analyses, map, reason);
  }
  if (reason.empty()) {
    iterations.known = knownResult(*iterations.count);
    iterations.iteration = copyWork(work, work.getReturnType(),
                                    work.getName() + ".iteration", {}, &copied);
    reads = markApart(work, known[index], counted, copied);
  }
  if (reason.empty()) {
    std::vector<SharedLoop> loops =
        findSharedLoops(*iterations.iteration, reason);
    SmallVector<WeakVH> ends;
    if (reason.empty())
      ends = findLoopEnds(loops[index]);
    iterations.reductions = rewriteReductions(*iterations.iteration, reason);
    if (known.size() > 1 && !iterations.reductions.empty())
      reason = "reduces in one of several loops";
    if (reason.empty()) {
      BasicBlock *start = loops[index].start->getParent();
      bool isUnsigned = loops[index].isUnsigned;
      WeakTrackingVH number = runIteration(loops[index]);
      for (auto [place, loop] : enumerate(loops))
        if (place != index)
          skipLoop(loop);
      cutAt(ends);
      removeUnreachableBlocks(*iterations.iteration);
      takeWayTo(*start);
      eraseEnds(*iterations.iteration);
      simplifyIteration(*iterations.iteration, analyses, iterations.reductions);
      reason = takeOrder(*iterations.iteration, inOrder, analyses);
      if (reason.empty())
        reason = findReducedInOrder(iterations);
      // A thread without an iteration reads it, too, and may meet the only one.
      // Joins of copies are not the program's, and calls that do more are left.
      const int64_t count = iterations.known.value_or(0);
      const bool joins = !iterations.reductions.empty();
      erase_if(reads, [&](const Instruction *read) {
        const Value *needed = copied.lookup(read);
        const auto *call = dyn_cast<CallBase>(read);
        const bool isRead = isa<LoadInst, MemTransferInst>(read) ||
                            (call && call->onlyReadsMemory());
        return joins || count > 1 || !isRead ||
               (count != 1 && isa<LoadInst>(read) && needed);
      });
      iterations.meetsIdle = mayWriteRead(work, known[index], reads, analyses);
      settleBounds(*iterations.iteration);
      if (number)
        iterations.most = widenCounters(*iterations.iteration, *number,
                                        isUnsigned, iterations.known);
      if (reason.empty())
        reason = findThread(*iterations.iteration);
    }
  }
  if (!reason.empty())
    discard(iterations);
  return iterations;
}
