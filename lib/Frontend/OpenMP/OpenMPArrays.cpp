//===- OpenMPArrays.cpp - Reductions of arrays ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each thread has a copy of an array that is reduced, sets it to zeros, and
// adds it to the array in the end. An iteration that did so would spend its
// time on that. Since the runtime keeps copies for what nodes declare as
// reductions, iterations update the array itself, and nothing else may they do
// with it.
//
//===----------------------------------------------------------------------===//

#include "OpenMPRegions.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

static constexpr StringLiteral arrayName = "openmp.array";

namespace {
/// An array and the thread's copy of it.
struct ReducedArray {
  AllocaInst *copy = nullptr;
  Value *variable = nullptr, *count = nullptr;
  Type *type = nullptr;
  unsigned op = 0;
  /// The loops that fill the copy, and that join it.
  SmallVector<BasicBlock *, 4> loops = {};
};
} // namespace

/// Whether a variable of a thread is an array.
static bool isArray(const AllocaInst &variable) {
  return variable.getAllocatedType()->isArrayTy() || !variable.isStaticAlloca();
}

/// Where a loop over elements goes on, if it is one block.
static BasicBlock *blockAfter(BasicBlock &loop) {
  auto *branch = dyn_cast<BranchInst>(loop.getTerminator());
  if (!branch || !branch->isConditional() ||
      !is_contained(successors(&loop), &loop))
    return nullptr;
  BasicBlock *after =
      branch->getSuccessor(branch->getSuccessor(0) == &loop ? 1 : 0);
  return after != &loop && after->phis().empty() ? after : nullptr;
}

/// What a loop over the elements of a copy does.
static bool readElementLoop(PHINode &element, ReducedArray &array) {
  BasicBlock &loop = *element.getParent();
  if (!blockAfter(loop) || element.getNumIncomingValues() != 2)
    return false;
  array.loops.push_back(&loop);
  for (Instruction &instruction : loop) {
    auto *store = dyn_cast<StoreInst>(&instruction);
    if (!store || store->getPointerOperand() == &element)
      continue;
    auto *target = dyn_cast<PHINode>(store->getPointerOperand());
    auto *joined = dyn_cast<BinaryOperator>(store->getValueOperand());
    auto *held = joined ? dyn_cast<LoadInst>(joined->getOperand(0)) : nullptr;
    auto *own = joined ? dyn_cast<LoadInst>(joined->getOperand(1)) : nullptr;
    std::optional<unsigned> op;
    if (joined)
      op = joinOf(*joined, /*index=*/1);
    auto *isDone = dyn_cast<ICmpInst>(
        cast<BranchInst>(loop.getTerminator())->getCondition());
    auto *end =
        isDone ? dyn_cast<GetElementPtrInst>(isDone->getOperand(1)) : nullptr;
    if (!target || target->getParent() != &loop || !held || !own || !op ||
        held->getPointerOperand() != target ||
        own->getPointerOperand() != &element ||
        !isPlainNumber(*joined->getType()) || array.variable || !end ||
        end->getNumIndices() != 1 ||
        end->getSourceElementType() != joined->getType())
      return false;
    array.variable = end->getPointerOperand();
    array.count = end->getOperand(1);
    array.type = joined->getType();
    array.op = *op;
    if (!is_contained(target->incoming_values(), array.variable))
      return false;
  }
  return true;
}

/// Finds the loops over a copy: one fills it, one joins it, and one does the
/// same by atomic operations.
static bool readArray(ReducedArray &array) {
  SmallVector<Value *> begins = {array.copy};
  for (User *user : array.copy->users())
    if (auto *begin = dyn_cast<GetElementPtrInst>(user);
        begin && begin->hasAllZeroIndices())
      begins.push_back(begin);
  unsigned numLoops = 0;
  for (Value *begin : begins)
    for (User *user : begin->users())
      if (auto *element = dyn_cast<PHINode>(user)) {
        ++numLoops;
        if (!readElementLoop(*element, array))
          return false;
      }
  return array.variable && numLoops >= 2;
}

CallInst *openmp::startBefore(const CallInst &call,
                              const DominatorTree &dominators) {
  const CallInst *nearest = nullptr;
  for (const Instruction &instruction : instructions(*call.getFunction()))
    if (startsLoop(instruction) && dominators.dominates(&instruction, &call) &&
        (!nearest || dominators.dominates(nearest, &instruction)))
      nearest = cast<CallInst>(&instruction);
  return const_cast<CallInst *>(nearest);
}

/// A pointer into the copy that the thread keeps in a variable, since the array
/// need not begin where the copy does.
static void useDirectly(Value &copy, Function &work,
                        DominatorTree &dominators) {
  SmallVector<AllocaInst *> places;
  for (User *user : copy.users())
    if (isa<GetElementPtrInst>(user))
      for (User *next : user->users())
        if (auto *store = dyn_cast<StoreInst>(next);
            store && store->getValueOperand() == user)
          if (auto *place = dyn_cast<AllocaInst>(store->getPointerOperand());
              place && isAllocaPromotable(place))
            places.push_back(place);
  PromoteMemToReg(places, dominators);
}

/// Whether a thread joins its copies each time that it has run a loop, before
/// it begins with anything else.
static bool joinsAtOnce(CallInst &start, const CallInst &call) {
  bool isFirst = true;
  walk(*start.getNextNode(), /*isForward=*/true, [&](Instruction &at) {
    isFirst &= !startsLoop(at) && !startsSolo(at);
    return isFirst && &at != &call;
  });
  return isFirst;
}

/// Whether only the iterations of a loop use a copy, but for lists of copies:
/// code of one thread, and other loops, would have the copy of their thread.
static bool isUsedInside(AllocaInst &copy, const SharedLoop &loop) {
  return all_of(usesOfObject(copy), [&](const Use *use) {
    const auto *user = cast<Instruction>(use->getUser());
    const auto *store = dyn_cast<StoreInst>(user);
    return (store && use->getOperandNo() == 0 && isListed(*store)) ||
           isa<ICmpInst>(user) || user->isLifetimeStartOrEnd() ||
           is_contained(loop.blocks, user->getParent());
  });
}

/// Has iterations update the array itself.
static Reason updateInPlace(ReducedArray &array, CallInst &start,
                            DominatorTree &dominators) {
  Function &work = *start.getFunction();
  for (Value *value : {array.variable, array.count})
    if (auto *instruction = dyn_cast<Instruction>(value);
        instruction && !dominators.dominates(instruction, &start))
      return "reduces arrays";
  for (BasicBlock *loop : array.loops)
    for (BasicBlock *before : SmallVector<BasicBlock *>(predecessors(loop)))
      if (before != loop) {
        loop->removePredecessor(before, /*KeepOneInputPHIs=*/true);
        before->getTerminator()->replaceSuccessorWith(loop, blockAfter(*loop));
      }
  removeUnreachableBlocks(work);
  dominators.recalculate(work);
  useDirectly(*array.copy, work, dominators);
  Reason unusual;
  std::vector<SharedLoop> loops = findSharedLoops(work, unusual);
  auto loop = find_if(
      loops, [&](const SharedLoop &one) { return one.start == &start; });
  if (!unusual.empty())
    return unusual;
  if (loop == loops.end() || !isUsedInside(*array.copy, *loop))
    return "reduces around its loop";
  SmallVector<GetElementPtrInst *> others;
  for (Use &use : make_early_inc_range(array.copy->uses())) {
    auto *user = cast<Instruction>(use.getUser());
    if (user->isLifetimeStartOrEnd()) {
      user->eraseFromParent();
      continue;
    }
    if (auto *store = dyn_cast<StoreInst>(user);
        store && use.getOperandNo() == 0) {
      if (!isListed(*store))
        return "reduces arrays";
      store->eraseFromParent();
      continue;
    }
    if (auto *variable = dyn_cast<Instruction>(array.variable);
        variable && !dominators.dominates(variable, user))
      return "reduces arrays";
    if (auto *place = dyn_cast<GetElementPtrInst>(user);
        place && dominators.dominates(place, &start))
      others.push_back(place);
    use.set(array.variable);
  }
  array.copy->eraseFromParent();
  IRBuilder<> builder(start.getNextNode());
  uint64_t size = work.getDataLayout().getTypeStoreSize(array.type);
  IRBuilder<> before(&start);
  Value *bytes = before.CreateMul(
      before.CreateSExtOrTrunc(array.count, before.getInt64Ty()),
      before.getInt64(size));
  FunctionCallee declares = work.getParent()->getOrInsertFunction(
      arrayName, builder.getVoidTy(), builder.getPtrTy(), builder.getInt64Ty(),
      builder.getInt32Ty());
  // It touches nothing, and stays where it is.
  cast<Function>(declares.getCallee())->setOnlyAccessesInaccessibleMemory();
  builder.CreateCall(declares,
                     {array.variable, bytes, builder.getInt32(array.op)});
  // Iterations get one pointer to the array.
  for (GetElementPtrInst *place : others) {
    Instruction *here = place->clone();
    builder.Insert(here);
    place->replaceUsesWithIf(here, [&](Use &use) {
      auto *user = cast<Instruction>(use.getUser());
      return user != here && dominators.dominates(&start, user);
    });
  }
  return {};
}

Reason openmp::reduceArraysInPlace(Function &work) {
  bool changed = false;
  for (CallInst *call : reductionCalls(work)) {
    DominatorTree dominators(work);
    unsigned numArrays = 0;
    for (Value *copy : copiesIn(*call)) {
      auto *variable = dyn_cast<AllocaInst>(copy);
      if (!variable || !isArray(*variable))
        continue;
      ReducedArray array{.copy = variable};
      CallInst *start = startBefore(*call, dominators);
      if (!start || !readArray(array))
        return "reduces arrays";
      if (!joinsAtOnce(*start, *call))
        return "reduces around its loop";
      if (Reason reason = updateInPlace(array, *start, dominators);
          !reason.empty())
        return reason;
      ++numArrays;
    }
    if (numArrays == 0)
      continue;
    changed = true;
    auto *number = cast<ConstantInt>(call->getArgOperand(2));
    if (number->getZExtValue() == numArrays) {
      call->replaceAllUsesWith(ConstantInt::get(call->getType(), 0));
      call->eraseFromParent();
      continue;
    }
    call->setArgOperand(2,
                        ConstantInt::get(number->getType(),
                                         number->getZExtValue() - numArrays));
    // The lengths of arrays are in the list, too.
    for (Instruction &instruction : make_early_inc_range(instructions(work)))
      if (auto *store = dyn_cast<StoreInst>(&instruction);
          store && isa<IntToPtrInst>(store->getValueOperand()))
        store->eraseFromParent();
  }
  if (!changed)
    return {};
  removeUnreachableBlocks(work);
  bool hasOthers = any_of(instructions(work), [](const Instruction &place) {
    const auto *variable = dyn_cast<AllocaInst>(&place);
    return variable && !variable->isStaticAlloca();
  });
  if (hasOthers)
    return {};
  // Nothing is on the stack that could go.
  for (Instruction &instruction : make_early_inc_range(instructions(work)))
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction)) {
      if (call->getIntrinsicID() == Intrinsic::stacksave)
        call->replaceAllUsesWith(PoisonValue::get(call->getType()));
      if (call->getIntrinsicID() == Intrinsic::stacksave ||
          call->getIntrinsicID() == Intrinsic::stackrestore)
        call->eraseFromParent();
    }
  return {};
}

/// Has code that updates elements by `a * b + element` do so in two steps,
/// which clang leaves open.
static void splitProducts(Value &place) {
  SmallVector<IntrinsicInst *> products;
  for (const Use *use : usesOfObject(place)) {
    const User *user = use->getUser();
    auto *call =
        isa<LoadInst>(user) && user->hasOneUse()
            ? dyn_cast<IntrinsicInst>(const_cast<User *>(*user->user_begin()))
            : nullptr;
    if (call && call->getIntrinsicID() == Intrinsic::fmuladd &&
        call->getArgOperand(2) == user)
      products.push_back(call);
  }
  for (IntrinsicInst *product : products) {
    IRBuilder<> builder(product);
    builder.setFastMathFlags(product->getFastMathFlags());
    Value *sum =
        builder.CreateFAdd(builder.CreateFMul(product->getArgOperand(0),
                                              product->getArgOperand(1)),
                           product->getArgOperand(2));
    product->replaceAllUsesWith(sum);
    product->eraseFromParent();
  }
}

/// Whether all that code does with an array is to update elements.
static bool isOnlyUpdated(Value &array, unsigned op, Type *&type) {
  return all_of(usesOfObject(array), [&](const Use *use) {
    const auto *user = cast<Instruction>(use->getUser());
    const Value *place = use->get();
    const auto *load = dyn_cast<LoadInst>(user);
    const auto *store = dyn_cast<StoreInst>(user);
    const BinaryOperator *update = nullptr;
    if (load && load->hasOneUse())
      update = dyn_cast<BinaryOperator>(*load->user_begin());
    else if (store && use->getOperandNo() == 1)
      update = dyn_cast<BinaryOperator>(store->getValueOperand());
    if (!update || !update->hasOneUse() || !isPlainNumber(*update->getType()) ||
        (type && type != update->getType()))
      return load && load->use_empty();
    type = update->getType();
    bool isLess = update->getOpcode() == Instruction::Sub ||
                  update->getOpcode() == Instruction::FSub;
    const auto *end = dyn_cast<StoreInst>(*update->user_begin());
    const auto *left = dyn_cast<LoadInst>(update->getOperand(0));
    const auto *right = dyn_cast<LoadInst>(update->getOperand(1));
    auto isHeld = [&](const LoadInst *held) {
      return held && end && held->hasOneUse() && held->isSimple() &&
             held->getPointerOperand() == place;
    };
    return end && end->isSimple() && end->getPointerOperand() == place &&
           (isHeld(left) || (!isLess && isHeld(right))) &&
           joinOf(*update, /*index=*/0) == op;
  });
}

void openmp::takeArrays(Function &iteration, std::vector<Reduction> &reductions,
                        Reason &reason) {
  for (Instruction &instruction :
       make_early_inc_range(instructions(iteration))) {
    if (calledName(instruction) != arrayName)
      continue;
    auto *call = cast<CallInst>(&instruction);
    Reduction reduction;
    reduction.variable = call->getArgOperand(0);
    reduction.bytes = call->getArgOperand(1);
    reduction.op = cast<ConstantInt>(call->getArgOperand(2))->getZExtValue();
    call->eraseFromParent();
    splitProducts(*reduction.variable);
    if (!isa<Argument>(reduction.variable) ||
        !isa<Argument, ConstantInt>(reduction.bytes) ||
        !isOnlyUpdated(*reduction.variable, reduction.op, reduction.type))
      reason = "does more with a reduced array than to update it";
    else if (reduction.type)
      reductions.push_back(reduction);
  }
}
