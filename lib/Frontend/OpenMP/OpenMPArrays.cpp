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

/// How sluice_reduce names an operator; none: it does not.
static std::optional<unsigned> operatorOf(const BinaryOperator &operation) {
  switch (operation.getOpcode()) {
  case Instruction::Add:
  case Instruction::FAdd:
    return 0;
  case Instruction::Mul:
  case Instruction::FMul:
    return 1;
  case Instruction::And:
    return 4;
  case Instruction::Or:
    return 5;
  case Instruction::Xor:
    return 6;
  default:
    return std::nullopt;
  }
}

static bool isElement(const Type &type) {
  return type.isFloatTy() || type.isDoubleTy() || type.isIntegerTy(32) ||
         type.isIntegerTy(64);
}

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
      op = operatorOf(*joined);
    auto *isDone = dyn_cast<ICmpInst>(
        cast<BranchInst>(loop.getTerminator())->getCondition());
    auto *end =
        isDone ? dyn_cast<GetElementPtrInst>(isDone->getOperand(1)) : nullptr;
    if (!target || target->getParent() != &loop || !held || !own || !op ||
        held->getPointerOperand() != target ||
        own->getPointerOperand() != &element ||
        !isElement(*joined->getType()) || array.variable || !end ||
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

/// The loop that a thread has run before it joins its copies.
static CallInst *startBefore(CallInst &call, DominatorTree &dominators) {
  CallInst *nearest = nullptr;
  for (Instruction &instruction : instructions(*call.getFunction())) {
    StringRef name = calledRuntime(instruction);
    if ((name.starts_with("__kmpc_for_static_init_") ||
         name.starts_with("__kmpc_dispatch_init_")) &&
        dominators.dominates(&instruction, &call) &&
        (!nearest || dominators.dominates(nearest, &instruction)))
      nearest = cast<CallInst>(&instruction);
  }
  return nearest;
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

/// Whether code begins that others than the iterations of a loop run.
static bool beginsOther(const Instruction &instruction) {
  StringRef name = calledRuntime(instruction);
  return name.starts_with("__kmpc_for_static_init_") ||
         name.starts_with("__kmpc_dispatch_init_") || name == "__kmpc_single" ||
         name == "__kmpc_master" || name == "__kmpc_masked";
}

/// Whether a thread joins its copies each time that it has run a loop, before
/// it begins with anything else.
static bool joinsAtOnce(CallInst &start, const CallInst &call) {
  SmallPtrSet<const BasicBlock *, 16> seen;
  SmallVector<const Instruction *> ways = {start.getNextNode()};
  while (!ways.empty()) {
    const Instruction *at = ways.pop_back_val();
    while (at != &call && !at->isTerminator()) {
      if (beginsOther(*at))
        return false;
      at = at->getNextNode();
    }
    if (at != &call)
      for (const BasicBlock *next : successors(at))
        if (seen.insert(next).second)
          ways.push_back(&next->front());
  }
  return true;
}

/// Whether only the iterations of a loop use a copy, but for lists of copies:
/// code of one thread, and other loops, would have the copy of their thread.
static bool isUsedInside(const Value &pointer, const SharedLoop &loop) {
  return all_of(pointer.uses(), [&](const Use &use) {
    const auto *user = cast<Instruction>(use.getUser());
    if (isa<GetElementPtrInst>(user))
      return isUsedInside(*user, loop);
    const auto *store = dyn_cast<StoreInst>(user);
    bool isListed =
        store && use.getOperandNo() == 0 &&
        isReductionList(*getUnderlyingObject(store->getPointerOperand()));
    return isListed || isa<ICmpInst>(user) || user->isLifetimeStartOrEnd() ||
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
      if (!isReductionList(*getUnderlyingObject(store->getPointerOperand())))
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
  SmallVector<CallInst *> calls;
  for (Instruction &instruction : instructions(work))
    if (calledRuntime(instruction).starts_with("__kmpc_reduce"))
      calls.push_back(cast<CallInst>(&instruction));
  bool changed = false;
  for (CallInst *call : calls) {
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
static void splitProducts(const Value &place) {
  SmallVector<IntrinsicInst *> products;
  SmallVector<const Value *> places = {&place};
  for (unsigned i = 0; i != places.size(); ++i)
    for (const User *user : places[i]->users()) {
      if (isa<GetElementPtrInst>(user))
        places.push_back(user);
      if (!isa<LoadInst>(user) || !user->hasOneUse())
        continue;
      auto *call =
          dyn_cast<IntrinsicInst>(const_cast<User *>(*user->user_begin()));
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
static bool isOnlyUpdated(const Value &place, unsigned op, Type *&type) {
  return all_of(place.uses(), [&](const Use &use) {
    const auto *user = cast<Instruction>(use.getUser());
    if (isa<GetElementPtrInst>(user))
      return isOnlyUpdated(*user, op, type);
    const auto *load = dyn_cast<LoadInst>(user);
    const auto *store = dyn_cast<StoreInst>(user);
    const BinaryOperator *update = nullptr;
    if (load && load->hasOneUse())
      update = dyn_cast<BinaryOperator>(*load->user_begin());
    else if (store && use.getOperandNo() == 1)
      update = dyn_cast<BinaryOperator>(store->getValueOperand());
    if (!update || !update->hasOneUse() || !isElement(*update->getType()) ||
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
             held->getPointerOperand() == &place;
    };
    return end && end->isSimple() && end->getPointerOperand() == &place &&
           (isHeld(left) || (!isLess && isHeld(right))) &&
           (isLess ? op == 0 : operatorOf(*update) == op);
  });
}

void openmp::takeArrays(Function &iteration, std::vector<Reduction> &reductions,
                        Reason &reason) {
  for (Instruction &instruction :
       make_early_inc_range(instructions(iteration))) {
    auto *call = dyn_cast<CallInst>(&instruction);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || callee->getName() != arrayName)
      continue;
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
