//===- OpenMPTeams.cpp - The loops of teams -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the runtime library, whose interface is fixed, say what is what; how
// clang arranges blocks between them does not matter.
//
//===----------------------------------------------------------------------===//

#include "OpenMPTeams.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

StringRef openmp::calledRuntime(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || !callee->isDeclaration())
    return {};
  StringRef name = callee->getName();
  for (StringRef start : {"__kmpc_", "omp_", "kmp_", "ompx_", "__tgt_"})
    if (name.starts_with(start))
      return name;
  return {};
}

bool openmp::startsLoop(const Instruction &instruction) {
  StringRef name = calledRuntime(instruction);
  return name.starts_with("__kmpc_for_static_init_") ||
         name.starts_with("__kmpc_dispatch_init_");
}

bool openmp::startsSolo(const Instruction &instruction) {
  StringRef name = calledRuntime(instruction);
  return name == "__kmpc_single" || name == "__kmpc_master" ||
         name == "__kmpc_masked";
}

bool openmp::isReduction(const Instruction &instruction) {
  return calledRuntime(instruction).starts_with("__kmpc_reduce");
}

SmallVector<CallInst *> openmp::reductionCalls(Function &work) {
  SmallVector<CallInst *> calls;
  for (Instruction &instruction : instructions(work))
    if (isReduction(instruction))
      calls.push_back(cast<CallInst>(&instruction));
  return calls;
}

StringRef openmp::calledName(const Value &value) {
  const auto *call = dyn_cast<CallBase>(&value);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee ? callee->getName() : StringRef();
}

bool openmp::isAssumption(const Instruction &instruction) {
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  return intrinsic && intrinsic->isAssumeLikeIntrinsic();
}

BranchInst *openmp::branchBefore(const BasicBlock &block) {
  const BasicBlock *before = block.getSinglePredecessor();
  const auto *branch =
      before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
  return branch && branch->isConditional() ? const_cast<BranchInst *>(branch)
                                           : nullptr;
}

BranchInst *openmp::branchOfSolo(const CallInst &call) {
  auto *asks =
      call.hasOneUse() ? dyn_cast<ICmpInst>(*call.user_begin()) : nullptr;
  auto *branch = asks && asks->hasOneUse()
                     ? dyn_cast<BranchInst>(*asks->user_begin())
                     : nullptr;
  return branch && asks->getPredicate() == ICmpInst::ICMP_NE &&
                 branch->getSuccessor(0)->getSinglePredecessor()
             ? const_cast<BranchInst *>(branch)
             : nullptr;
}

void openmp::walk(Instruction &from, bool isForward,
                  function_ref<bool(Instruction &)> goesOn) {
  SmallPtrSet<const BasicBlock *, 16> seen;
  SmallVector<Instruction *> ways = {&from};
  while (!ways.empty()) {
    Instruction *at = ways.pop_back_val();
    BasicBlock *block = at->getParent();
    while (at && goesOn(*at))
      at = isForward ? at->getNextNode() : at->getPrevNode();
    if (at)
      continue;
    auto add = [&](BasicBlock *next) {
      if (seen.insert(next).second)
        ways.push_back(isForward ? &next->front() : &next->back());
    };
    if (isForward)
      for_each(successors(block), add);
    else
      for_each(predecessors(block), add);
  }
}

Instruction *openmp::nextOnWay(const Instruction &at, bool isForward) {
  const Instruction *next = isForward ? at.getNextNode() : at.getPrevNode();
  const BasicBlock *block = isForward ? at.getParent()->getSingleSuccessor()
                                      : at.getParent()->getSinglePredecessor();
  if (!next && block)
    next = isForward ? &block->front() : &block->back();
  return const_cast<Instruction *>(next);
}

const Value *openmp::onlyStored(const Value &pointer) {
  const auto *variable = dyn_cast<AllocaInst>(&pointer);
  const Value *stored = nullptr;
  if (variable)
    for (const Use &use : variable->uses()) {
      const auto *user = cast<Instruction>(use.getUser());
      const auto *store = dyn_cast<StoreInst>(user);
      if (isa<LoadInst>(user) || isAssumption(*user))
        continue;
      if (stored || !store || use.getOperandNo() != 1)
        return nullptr;
      stored = store->getValueOperand();
    }
  return stored;
}

const Value *openmp::onlyAssigned(const Value &pointer) {
  const Value *stored = nullptr;
  for (const User *user : pointer.users())
    if (const auto *store = dyn_cast<StoreInst>(user)) {
      if (stored || store->getPointerOperand() != &pointer)
        return nullptr;
      stored = store->getValueOperand();
    }
  return stored;
}

SmallVector<Use *> openmp::usesOfObject(Value &pointer) {
  SmallVector<Use *> uses;
  SmallVector<Value *> places = {&pointer};
  for (unsigned i = 0; i != places.size(); ++i)
    for (Use &use : places[i]->uses())
      if (isa<GetElementPtrInst>(use.getUser()))
        places.push_back(use.getUser());
      else
        uses.push_back(&use);
  return uses;
}

bool openmp::mayChange(const Instruction &write, const Instruction &read,
                       AAResults &aliases) {
  if (!write.mayWriteToMemory() || !calledRuntime(write).empty() ||
      isAssumption(write))
    return false;
  const auto *transfer = dyn_cast<MemTransferInst>(&read);
  std::optional<MemoryLocation> place =
      transfer ? MemoryLocation::getForSource(transfer)
               : MemoryLocation::getOrNone(&read);
  return !place || isModSet(aliases.getModRefInfo(&write, *place));
}

CallInst *openmp::callByName(IRBuilder<> &builder, StringRef name, Type *result,
                             ArrayRef<Value *> arguments) {
  SmallVector<Type *> types;
  for (const Value *argument : arguments)
    types.push_back(argument->getType());
  Module &module = *builder.GetInsertBlock()->getModule();
  return builder.CreateCall(
      module.getOrInsertFunction(
          name, FunctionType::get(result, types, /*isVarArg=*/false)),
      arguments);
}

bool openmp::inlineCall(CallBase &call) {
  InlineFunctionInfo info;
  return InlineFunction(call, info).isSuccess();
}

void openmp::dropNumbers(Function &function) {
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (instruction.use_empty() &&
        calledRuntime(instruction) == "__kmpc_global_thread_num")
      instruction.eraseFromParent();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Whether a condition asks if there are more iterations: it compares with the
/// last one, or looks at what the runtime library has answered.
static bool asksForIterations(const Value *condition, const SharedLoop &loop) {
  const auto *comparison = dyn_cast<ICmpInst>(condition);
  if (!comparison)
    return false;
  return any_of(comparison->operands(), [&](const Value *operand) {
    if (const auto *sum = dyn_cast<BinaryOperator>(operand))
      operand = sum->getOperand(0);
    const auto *load = dyn_cast<LoadInst>(operand);
    return (load && load->getPointerOperand() == loop.end) ||
           (loop.next && operand == loop.next);
  });
}

static bool findExits(SharedLoop &shared, LoopInfo &loops, bool hasRegisters) {
  SetVector<BasicBlock *> blocks;
  const Loop *around = nullptr;
  for (Loop *loop : loops.getLoopsInPreorder()) {
    SmallVector<BasicBlock *> exiting;
    loop->getExitingBlocks(exiting);
    for (BasicBlock *block : exiting) {
      auto *branch = dyn_cast<BranchInst>(block->getTerminator());
      if (!branch || !branch->isConditional() ||
          loops.getLoopFor(block) != loop ||
          !asksForIterations(branch->getCondition(), shared))
        continue;
      // Clang writes two loops where it depends which of them is run.
      if (around && !around->contains(loop))
        return false;
      around = loop;
      LoopExit exit{.branch = branch, .header = loop->getHeader()};
      exit.inside = branch->getSuccessor(0);
      exit.outside = branch->getSuccessor(1);
      if (loop->contains(exit.outside))
        std::swap(exit.inside, exit.outside);
      loop->getLoopLatches(exit.latches);
      // Variables are in memory: nothing flows along edges.
      if (!hasRegisters &&
          (!exit.outside->phis().empty() || !exit.header->phis().empty()))
        return false;
      shared.exits.push_back(exit);
      blocks.insert_range(loop->blocks());
    }
  }
  append_range(shared.blocks, blocks);
  return !shared.exits.empty() && shared.exits.size() <= 2;
}

/// Whether iterations are counted from zero; a team that shares a part of a
/// loop with other teams begins elsewhere.
static bool beginsAtZero(const SharedLoop &loop) {
  if (loop.next) {
    const auto *first = dyn_cast<ConstantInt>(loop.start->getArgOperand(3));
    return first && first->isZero();
  }
  return all_of(loop.first->users(), [&](const User *user) {
    const auto *store = dyn_cast<StoreInst>(user);
    if (!store || is_contained(loop.blocks, store->getParent()))
      return true;
    const auto *first = dyn_cast<ConstantInt>(store->getValueOperand());
    return first && first->isZero();
  });
}

/// The call that asks for more of what `start` began.
static CallInst *findNext(const CallInst &start,
                          const DominatorTree &dominators) {
  std::string name = start.getCalledFunction()->getName().str();
  name.replace(name.find("_init"), 5, "_next");
  const Function *next = start.getModule()->getFunction(name);
  CallInst *found = nullptr;
  if (next)
    for (const User *user : next->users())
      if (auto *call = dyn_cast<CallInst>(user);
          call && call->getFunction() == start.getFunction() &&
          call->getArgOperand(0) == start.getArgOperand(0) &&
          dominators.dominates(&start, call)) {
        // The nearest one: loops stand one after the other.
        if (found && dominators.dominates(found, call))
          continue;
        if (found && !dominators.dominates(call, found))
          return nullptr;
        found = const_cast<CallInst *>(call);
      }
  return found;
}

/// Whether variables get the values of the last iteration, and this may be an
/// iteration that does nothing: where inner bounds depend on outer counters,
/// clang counts up to the largest bounds, and skips what is beyond the others.
static bool mayLoseLast(const SharedLoop &loop) {
  if (none_of(loop.blocks, [](const BasicBlock *block) {
        return block->getName().starts_with("omp.body.next");
      }))
    return false;
  return any_of(loop.hasLast->users(), [](const User *user) {
    if (!isa<LoadInst>(user))
      return false;
    const auto *branch = dyn_cast<BranchInst>(
        cast<LoadInst>(user)->getParent()->getTerminator());
    return branch && branch->isConditional() &&
           branch->getSuccessor(0)->getName().starts_with(
               ".omp.lastprivate.then");
  });
}

std::vector<SharedLoop> openmp::findSharedLoops(Function &work, Reason &reason,
                                                bool hasRegisters) {
  DominatorTree dominators(work);
  LoopInfo loops(dominators);
  std::vector<SharedLoop> found;
  for (Instruction &instruction : instructions(work)) {
    StringRef name = calledRuntime(instruction);
    bool isStatic = name.consume_front("__kmpc_for_static_init_");
    if (!isStatic && !name.consume_front("__kmpc_dispatch_init_"))
      continue;
    SharedLoop loop{.start = cast<CallInst>(&instruction)};
    loop.isUnsigned = name.ends_with("u");
    loop.type =
        IntegerType::get(work.getContext(), name.starts_with("8") ? 64 : 32);
    CallInst *answer = loop.start;
    if (!isStatic) {
      answer = loop.next = findNext(*loop.start, dominators);
      if (!answer) {
        reason = "shares a loop in an unusual way";
        return {};
      }
    }
    unsigned first = isStatic ? 3 : 2;
    loop.hasLast = answer->getArgOperand(first);
    loop.first = answer->getArgOperand(first + 1);
    loop.end = answer->getArgOperand(first + 2);
    loop.stride = answer->getArgOperand(first + 3);
    loop.isRepeated = loops.getLoopFor(loop.start->getParent()) != nullptr;
    bool hasTwin = any_of(
        found, [&](const SharedLoop &other) { return other.end == loop.end; });
    if (hasTwin || !findExits(loop, loops, hasRegisters) ||
        !beginsAtZero(loop)) {
      reason = "shares a loop in an unusual way";
      return {};
    }
    if (mayLoseLast(loop)) {
      reason = "uses 'lastprivate' for loops whose bounds depend on each other";
      return {};
    }
    found.push_back(std::move(loop));
  }
  return found;
}
