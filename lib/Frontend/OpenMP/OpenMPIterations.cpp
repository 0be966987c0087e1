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
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static void makeOrdinary(Function &function) {
  function.setLinkage(GlobalValue::InternalLinkage);
  function.setComdat(nullptr);
  for (Attribute::AttrKind kind :
       {Attribute::OptimizeNone, Attribute::NoInline, Attribute::AlwaysInline,
        Attribute::NoReturn})
    function.removeFnAttr(kind);
}

/// Makes registers of the variables that hold parameters.
static void promoteParameters(Function &work) {
  DominatorTree dominators(work);
  for (bool changed = true; changed;) {
    SmallVector<AllocaInst *> variables;
    for (Instruction &instruction : work.getEntryBlock()) {
      auto *variable = dyn_cast<AllocaInst>(&instruction);
      if (!variable || !isAllocaPromotable(variable))
        continue;
      unsigned numStores = 0;
      bool holdsParameter = false;
      for (const User *user : variable->users())
        if (const auto *store = dyn_cast<StoreInst>(user)) {
          ++numStores;
          holdsParameter = isa<Argument>(store->getValueOperand()) &&
                           store->getParent() == variable->getParent();
        }
      if (numStores == 1 && holdsParameter)
        variables.push_back(variable);
    }
    changed = !variables.empty();
    if (changed)
      PromoteMemToReg(variables, dominators);
  }
}

/// What C++ calls for bounds and iterators, beside the loops: small functions
/// whose code is here.
static CallBase *findSmallCall(Function &work) {
  constexpr unsigned mostInstructions = 100;
  DominatorTree dominators(work);
  LoopInfo loops(dominators);
  for (Instruction &instruction : instructions(work)) {
    auto *call = dyn_cast<CallBase>(&instruction);
    Function *callee = call ? call->getCalledFunction() : nullptr;
    if (callee && !callee->isDeclaration() && !callee->isInterposable() &&
        !callee->hasFnAttribute(Attribute::NoInline) &&
        !callee->hasFnAttribute(Attribute::OptimizeNone) &&
        callee->getInstructionCount() <= mostInstructions &&
        !loops.getLoopFor(call->getParent()))
      return call;
  }
  return nullptr;
}

static void inlineSmallCalls(Function &work) {
  constexpr unsigned mostCalls = 100;
  for (unsigned i = 0; i != mostCalls; ++i) {
    CallBase *call = findSmallCall(work);
    InlineFunctionInfo info;
    if (!call || !InlineFunction(*call, info).isSuccess())
      return;
  }
}

/// With debug information, clang makes two functions: one with the parameters
/// that the runtime library passes, which calls one with those of the source.
Function *openmp::copyTeam(Function &outlined) {
  ValueToValueMapTy map;
  Function *work = CloneFunction(&outlined, map);
  work->setName(outlined.getName() + ".team");
  makeOrdinary(*work);
  for (bool changed = true; changed;) {
    changed = false;
    for (Instruction &instruction : make_early_inc_range(instructions(work))) {
      auto *call = dyn_cast<CallInst>(&instruction);
      Function *callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || callee->isDeclaration() ||
          !callee->getName().starts_with(
              outlined.getName().split(".omp_outlined").first) ||
          !callee->getName().contains(".omp_outlined_debug__"))
        continue;
      callee->removeFnAttr(Attribute::NoInline);
      InlineFunctionInfo info;
      if (InlineFunction(*call, info).isSuccess()) {
        changed = true;
        break;
      }
    }
  }
  inlineSmallCalls(*work);
  promoteParameters(*work);
  return work;
}

void openmp::simplify(Function &function, PassAnalyses &analyses) {
  removeUnreachableBlocks(function);
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(SimplifyCFGPass());
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(ADCEPass());
  passes.addPass(SimplifyCFGPass());
  analyses.functions.clear(function, function.getName());
  passes.run(function, analyses.functions);
  analyses.functions.clear(function, function.getName());
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

static constexpr StringLiteral counterName = "openmp.counter";

/// The last iteration of a loop, where the library is asked.
static Value *lastIteration(const SharedLoop &loop, IRBuilder<> &builder) {
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

/// A loop's variable never wraps around, so one of a small type has the number
/// that it was computed from. Clang sets it before anything else in an
/// iteration.
static void noteCounter(const SharedLoop &loop) {
  for (Instruction &instruction : *loop.exits.back().inside) {
    auto *store = dyn_cast<StoreInst>(&instruction);
    if (!store)
      continue;
    if (auto *counter = dyn_cast<TruncInst>(store->getValueOperand()))
      counter->setName(counterName);
    return;
  }
}

/// What a number may be. `iteration`: the number of the iteration, which is
/// in `all`.
static ConstantRange rangeOf(const Value &value, const Value &iteration,
                             const ConstantRange &all, unsigned depth = 0) {
  constexpr unsigned mostDepth = 8;
  unsigned bits = value.getType()->getIntegerBitWidth();
  if (&value == &iteration)
    return all;
  if (const auto *known = dyn_cast<ConstantInt>(&value))
    return ConstantRange(known->getValue());
  auto rangeOfOperand = [&](const Value *operand) {
    return rangeOf(*operand, iteration, all, depth + 1);
  };
  if (depth < mostDepth) {
    if (const auto *cast = dyn_cast<CastInst>(&value);
        cast && cast->getSrcTy()->isIntegerTy())
      return rangeOfOperand(cast->getOperand(0))
          .castOp(cast->getOpcode(), bits);
    if (const auto *operation = dyn_cast<BinaryOperator>(&value)) {
      ConstantRange left = rangeOfOperand(operation->getOperand(0));
      ConstantRange right = rangeOfOperand(operation->getOperand(1));
      // What is never said to wrap around may do so.
      unsigned flags = 0;
      if (const auto *bounded = dyn_cast<OverflowingBinaryOperator>(&value)) {
        if (bounded->hasNoSignedWrap())
          flags |= OverflowingBinaryOperator::NoSignedWrap;
        if (bounded->hasNoUnsignedWrap())
          flags |= OverflowingBinaryOperator::NoUnsignedWrap;
      }
      return left.overflowingBinaryOp(operation->getOpcode(), right, flags);
    }
  }
  return ConstantRange::getFull(bits);
}

/// Whether an extension gives the number that a counter was cut from. One that
/// is not negative is in the counter's type, so an extension by zeros keeps it.
/// An extension by the sign keeps what has none in the smaller type, too.
static bool keepsNumber(const CastInst &extension, const ConstantRange &range) {
  unsigned bits = extension.getSrcTy()->getIntegerBitWidth();
  APInt largest = range.getSignedMax(), smallest = range.getSignedMin();
  return isa<ZExtInst>(extension)
             ? smallest.isNonNegative()
             : largest.isSignedIntN(bits) && smallest.isSignedIntN(bits);
}

/// Only clang knows whether a counter has a sign, and a program may read it
/// either way. Of an int, whose numbers may be too many only in theory, the
/// host asks before the launch: returned is how many are right.
static std::optional<int64_t> widenCounters(Function &iteration,
                                            const Value &number,
                                            bool isUnsigned,
                                            std::optional<int64_t> count) {
  unsigned bits = number.getType()->getIntegerBitWidth();
  ConstantRange all = ConstantRange::getFull(bits);
  if (count && *count > 0 && isUIntN(bits - 1, *count))
    all = ConstantRange(APInt(bits, 0), APInt(bits, *count));
  else if (!isUnsigned)
    all = ConstantRange(APInt(bits, 0), APInt::getSignedMinValue(bits));
  SmallVector<CastInst *> extended;
  for (Instruction &instruction : instructions(iteration))
    if (auto *cast = dyn_cast<CastInst>(&instruction);
        cast && isa<ZExtInst, SExtInst>(cast) &&
        isa<TruncInst>(cast->getOperand(0)) &&
        cast->getOperand(0)->getName().starts_with(counterName))
      extended.push_back(cast);
  // One that is read in both ways says nothing.
  bool hasBoth =
      any_of(extended, [](CastInst *cast) { return isa<ZExtInst>(cast); }) &&
      any_of(extended, [](CastInst *cast) { return isa<SExtInst>(cast); });
  std::optional<int64_t> most;
  for (CastInst *cast : extended) {
    IRBuilder<> builder(cast);
    Value *whole = llvm::cast<TruncInst>(cast->getOperand(0))->getOperand(0);
    if (!keepsNumber(*cast, rangeOf(*whole, number, all))) {
      if (hasBoth || cast->getSrcTy()->getIntegerBitWidth() < 32)
        continue;
      uint64_t right = 0;
      for (unsigned bit = std::min(bits, 63U) - 1; bit-- > 0;) {
        uint64_t tried = right | uint64_t(1) << bit;
        ConstantRange some(APInt(bits, 0), APInt(bits, tried));
        if (keepsNumber(*cast, rangeOf(*whole, number, some)))
          right = tried;
      }
      if (right == 0)
        continue;
      most = std::min<int64_t>(right, most.value_or(right));
    }
    cast->replaceAllUsesWith(
        builder.CreateIntCast(whole, cast->getType(), isa<SExtInst>(cast)));
  }
  return most;
}

/// Runs one iteration: into each loop once, and out of it behind that.
static void runIteration(SharedLoop &loop, Value *iteration) {
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

/// What follows the loops means nothing to an iteration.
static void eraseEnds(Function &work) {
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

//===----------------------------------------------------------------------===//
// Copies with answers
//===----------------------------------------------------------------------===//

/// Erases a function that proved to be of no use.
static void discard(Function *&function) {
  if (function)
    function->eraseFromParent();
  function = nullptr;
}

/// A copy of a team's code with another type of result.
static Function *copyWork(Function &work, Type *result, const Twine &name) {
  auto *type = FunctionType::get(result, work.getFunctionType()->params(),
                                 /*isVarArg=*/false);
  Function *copy = Function::Create(type, GlobalValue::InternalLinkage, name,
                                    work.getParent());
  ValueToValueMapTy map;
  for (auto [from, to] : zip(work.args(), copy->args())) {
    to.setName(from.getName());
    map[&from] = &to;
  }
  SmallVector<ReturnInst *> returns;
  CloneFunctionInto(copy, &work, map, CloneFunctionChangeType::LocalChangesOnly,
                    returns);
  makeOrdinary(*copy);
  if (!result->isVoidTy())
    for (ReturnInst *end : returns) {
      IRBuilder<> builder(end);
      builder.CreateRet(Constant::getNullValue(result));
      end->eraseFromParent();
    }
  return copy;
}

/// Whether an instruction matters to others than the function that it is in.
static bool hasEffect(const Instruction &instruction) {
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

/// Why code needs the thread that runs it.
static Reason findThread(Function &function) {
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

/// Between two loops, all threads must have waited for each other: what the
/// loops do at the same time is not looked at.
static bool haveBarriers(Function &work, ArrayRef<SharedLoop> loops) {
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

/// Whether threads wait for each other before the first loop: what they read
/// before that is as it was.
static bool hasEarlyBarrier(Function &work, const SharedLoop &loop) {
  DominatorTree dominators(work);
  return any_of(instructions(work), [&](Instruction &instruction) {
    return calledRuntime(instruction) == "__kmpc_barrier" &&
           !isPotentiallyReachable(loop.start, &instruction, nullptr,
                                   &dominators);
  });
}

/// Whether code reads what is not the thread's own.
static bool readsShared(const Instruction &instruction) {
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  if (!instruction.mayReadFromMemory() || !calledRuntime(instruction).empty() ||
      instruction.isLifetimeStartOrEnd() ||
      (intrinsic && intrinsic->isAssumeLikeIntrinsic()))
    return false;
  const Value *pointer = nullptr;
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    pointer = load->getPointerOperand();
  else if (const auto *transfer = dyn_cast<MemTransferInst>(&instruction))
    pointer = transfer->getSource();
  return !pointer || !isa<AllocaInst>(getUnderlyingObject(pointer));
}

/// Every iteration runs the code around its loop anew. With several loops, that
/// must give what it gave before the first one, and nothing may go from loop to
/// loop through the threads' own variables.
static Reason findExchange(Function &work, PassAnalyses &analyses) {
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
      SmallPtrSet<const BasicBlock *, 4> users;
      bool isWritten = false;
      unsigned user = 0;
      bool isShared = false;
      for (const User *use : variable->users()) {
        const auto *place = cast<Instruction>(use);
        if (place->isLifetimeStartOrEnd())
          continue;
        bool isLoad = isa<LoadInst>(place);
        unsigned number = loopOf.lookup(place->getParent());
        if (number) {
          isWritten |= !isLoad;
          isShared |= user && user != number;
          user = number;
        }
      }
      // What a loop leaves in a variable is used in this loop only.
      bool isUsedAround = any_of(variable->users(), [&](const User *use) {
        const auto *place = cast<Instruction>(use);
        return !place->isLifetimeStartOrEnd() &&
               loopOf.lookup(place->getParent()) == 0;
      });
      if (isWritten && (isShared || isUsedAround))
        reason = "takes values from one loop to another in variables of its "
                 "threads";
    }
    // What is read between loops may have been written by one of them.
    if (loop == 0 && readsShared(instruction)) {
      AAResults &aliases = analyses.functions.getResult<AAManager>(*copy);
      auto *load = dyn_cast<LoadInst>(&instruction);
      auto *transfer = dyn_cast<MemTransferInst>(&instruction);
      std::optional<MemoryLocation> location;
      if (load)
        location = MemoryLocation::get(load);
      else if (transfer)
        location = MemoryLocation::getForSource(transfer);
      // What other calls read, is not asked.
      bool isChanged = any_of(instructions(*copy), [&](Instruction &other) {
        return loopOf.lookup(other.getParent()) != 0 &&
               other.mayWriteToMemory() && calledRuntime(other).empty() &&
               (!location ||
                isModSet(aliases.getModRefInfo(&other, *location)));
      });
      if (isChanged)
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
  bool isSetAround = false, isSetInside = false, isCopy = false;
  /// Its address is in memory, or is one of several.
  bool isElsewhere = false;

  void read(const Value &pointer, const SharedLoop &loop) {
    for (const Use &use : pointer.uses()) {
      auto *user = cast<Instruction>(use.getUser());
      if (isa<LoadInst>(user) || user->isLifetimeStartOrEnd())
        continue;
      if (isa<GetElementPtrInst, AddrSpaceCastInst>(user)) {
        read(*user, loop);
        continue;
      }
      // What joins the threads' copies has a list of them.
      if (auto *store = dyn_cast<StoreInst>(user);
          store && use.getOperandNo() == 0) {
        (isReductionList(*getUnderlyingObject(store->getPointerOperand()))
             ? isCopy
             : isElsewhere) = true;
        continue;
      }
      isElsewhere |= !isa<StoreInst, MemIntrinsic, ICmpInst>(user);
      if (isa<MemTransferInst>(user) && use.getOperandNo() == 1)
        continue;
      (is_contained(loop.blocks, user->getParent()) ? isSetInside
                                                    : isSetAround) = true;
    }
  }
};

/// Whether a loop may write what pointers in memory lead to.
static bool writesElsewhere(const SharedLoop &loop) {
  for (const BasicBlock *block : loop.blocks)
    for (const Instruction &instruction : *block) {
      if (!instruction.mayWriteToMemory() ||
          instruction.isLifetimeStartOrEnd() ||
          !calledRuntime(instruction).empty())
        continue;
      const Value *pointer = getLoadStorePointerOperand(&instruction);
      if (const auto *memory = dyn_cast<MemIntrinsic>(&instruction))
        pointer = memory->getDest();
      else if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
               intrinsic && intrinsic->isAssumeLikeIntrinsic())
        continue;
      if (!pointer || !isa<AllocaInst, GlobalVariable, Argument>(
                          getUnderlyingObject(pointer)))
        return true;
    }
  return false;
}

/// Iterations of one thread may count on what earlier ones have left in its
/// variables, as a generator of random numbers does. Iterations that are
/// threads of their own cannot.
static Reason findCarried(Function &work, PassAnalyses &analyses) {
  Reason reason;
  Function *copy = copyWork(work, work.getReturnType(), work.getName());
  removeUnreachableBlocks(*copy);
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  passes.addPass(DCEPass()); // which SROA leaves uses for
  passes.run(*copy, analyses.functions);
  analyses.functions.clear(*copy, copy->getName());
  std::vector<SharedLoop> loops =
      findSharedLoops(*copy, reason, /*hasRegisters=*/true);
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
      uses.read(*variable, loop);
      bool isSetInside =
          uses.isSetInside || (uses.isElsewhere && writesElsewhere(loop));
      if (uses.isSetAround && isSetInside && !uses.isCopy)
        reason = "keeps values in variables of its threads from iteration to "
                 "iteration";
    }
  }
  discard(copy);
  return reason;
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
      IRBuilder<> builder(&*iterations.iteration->getEntryBlock().begin());
      Module &module = *work.getParent();
      Value *self = builder.CreateCall(
          module.getOrInsertFunction("llvm.hpvm.getNode", builder.getPtrTy()));
      Value *id = builder.CreateCall(
          module.getOrInsertFunction("llvm.hpvm.getNodeInstanceID.x",
                                     builder.getInt64Ty(), builder.getPtrTy()),
          {self});
      noteCounter(loops[index]);
      BasicBlock *start = loops[index].start->getParent();
      Value *iteration =
          builder.CreateTrunc(id, loops[index].type, "iteration");
      WeakTrackingVH number = iteration;
      bool isUnsigned = loops[index].isUnsigned;
      for (auto [place, loop] : enumerate(loops))
        place == index ? runIteration(loop, iteration) : skipLoop(loop);
      removeUnreachableBlocks(*iterations.iteration);
      takeWayTo(*start);
      eraseEnds(*iterations.iteration);
      simplify(*iterations.iteration, analyses);
      if (number)
        iterations.most =
            widenCounters(*iterations.iteration, *number, isUnsigned,
                          knownResult(*iterations.count));
      reason = findThread(*iterations.iteration);
    }
  }
  if (!reason.empty()) {
    discard(iterations.iteration);
    discard(iterations.count);
  }
  return iterations;
}
