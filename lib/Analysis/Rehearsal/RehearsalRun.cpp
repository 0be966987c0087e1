//===- RehearsalRun.cpp - Follows a program's instructions ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A branch that depends on input or on the order of threads may take the other
// way in another run. Code after it is followed, but proves nothing.
//
//===----------------------------------------------------------------------===//

#include "RehearsalRun.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::rehearsal;

void RehearsalRun::stop(std::string reason) {
  doubt(std::move(reason));
  isStopped = true;
}

void RehearsalRun::meetScan(const CallBase &start) {
  ScanKind scan = scanOf(*start.getFunction());
  if (scan == ScanKind::Wrong)
    stop(reasonOf(scan).str());
  else if (scan != ScanKind::None)
    doubt(reasonOf(scan).str());
}

void RehearsalRun::enter(Thread &thread, BasicBlock *next) {
  Frame &frame = thread.frames.back();
  frame.previous = frame.block;
  frame.block = next;
  enterLanes(thread, frame.previous, next);
  uint8_t depends = None;
  if (frame.namedUntil && *frame.namedUntil == next) {
    frame.namedUntil.reset();
    --thread.numNamed;
    depends |= ByThread;
  }
  if (frame.orderedUntil && *frame.orderedUntil == next) {
    frame.orderedUntil.reset();
    --thread.numDoubts;
    depends |= Order;
  }
  if (frame.lastUntil && *frame.lastUntil == next) {
    frame.lastUntil.reset();
    thread.strand = thread.own;
    endOpen(thread);
  }
  erase_if(frame.chosenUntil, [&](const auto &choice) {
    if (choice.first == next)
      depends |= choice.second;
    return choice.first == next;
  });
  SmallVector<std::pair<PHINode *, FollowedNumber>> chosen;
  for (PHINode &phi : next->phis()) {
    FollowedNumber value =
        valueOf(thread, phi.getIncomingValueForBlock(frame.previous));
    value.depends |= depends;
    chosen.push_back({&phi, value});
  }
  for (auto &[phi, value] : chosen)
    frame.values[phi] = value;
  frame.at = next->getFirstNonPHIIt();
}

/// True for a variable whose address no other code has.
static bool isKeptVariable(const Value *pointer) {
  return isa<AllocaInst>(pointer) &&
         all_of(pointer->users(), [&](const User *user) {
           if (const auto *write = dyn_cast<StoreInst>(user))
             return write->getValueOperand() != pointer;
           const auto *instruction = dyn_cast<Instruction>(user);
           return isa<LoadInst>(user) ||
                  (instruction && instruction->isLifetimeStartOrEnd());
         });
}

/// True if a call only prints, and reads no string that another thread may
/// change.
static bool isPrint(const CallBase &call, bool isParallel) {
  const Function *callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration())
    return false;
  StringRef name = callee->getName();
  if (name != "printf" && name != "puts" && name != "fprintf")
    return false;
  return !isParallel || all_of(call.args(), [](const Use &argument) {
    if (!argument->getType()->isPointerTy())
      return true;
    const Value *pointer = argument.get();
    const auto *load = dyn_cast<LoadInst>(pointer);
    const auto *variable =
        dyn_cast<GlobalVariable>(load ? load->getPointerOperand() : pointer);
    return variable &&
           (load ? isOutput(variable->getName()) : variable->isConstant());
  });
}

/// True if code up to `after` changes nothing and reads nothing that another
/// thread may change, so that it does not matter whether it runs.
bool RehearsalRun::isHarmless(const Thread &thread, const BasicBlock *block,
                              const BasicBlock *after) const {
  constexpr unsigned mostBlocks = 12;
  SmallSetVector<const BasicBlock *, 8> blocks;
  for (const BasicBlock *next : successors(block))
    blocks.insert(next);
  for (unsigned i = 0; i != blocks.size(); ++i) {
    const BasicBlock *here = blocks[i];
    if (here == after)
      continue;
    if (here == block || i > mostBlocks)
      return false;
    for (const Instruction &instruction : *here) {
      const auto *call = dyn_cast<CallBase>(&instruction);
      const Function *callee = call ? call->getCalledFunction() : nullptr;
      if (callee && (callee->getName() == "__assert_fail" ||
                     callee->getName() == "abort"))
        break;
      if (instruction.isLifetimeStartOrEnd() ||
          (call && isPrint(*call, isParallel(thread))))
        continue;
      const auto *load = dyn_cast<LoadInst>(&instruction);
      const auto *variable =
          load ? dyn_cast<GlobalVariable>(load->getPointerOperand()) : nullptr;
      bool isQuiet = load && (!isParallel(thread) ||
                              isKeptVariable(load->getPointerOperand()) ||
                              (variable && isOutput(variable->getName())));
      if (instruction.mayReadOrWriteMemory() && !isQuiet)
        return false;
    }
    if (!isa<UnreachableInst>(here->getTerminator()))
      for (const BasicBlock *next : successors(here))
        blocks.insert(next);
  }
  return true;
}

/// The block at which all paths from the current one join.
BasicBlock *RehearsalRun::afterOf(const Frame &frame) {
  auto &tree = dominators[frame.function];
  if (!tree)
    tree = std::make_unique<PostDominatorTree>(*frame.function);
  auto *node = tree->getNode(frame.block);
  auto *dominator = node ? node->getIDom() : nullptr;
  return dominator ? dominator->getBlock() : nullptr;
}

/// Called before a branch.
void RehearsalRun::decide(Thread &thread, Frame &frame,
                          const FollowedNumber &choice) {
  if (choice.depends == None)
    return;
  BasicBlock *after = afterOf(frame);
  // A thread with this number takes the same way in all runs.
  if ((choice.depends & ByThread) && !frame.namedUntil) {
    frame.namedUntil = after;
    if (thread.numNamed++ == 0)
      thread.namedSince = numObjects;
  }
  if (choice.depends == ByThread)
    return;
  if (isa<BranchInst>(frame.block->getTerminator()) &&
      isHarmless(thread, frame.block, after)) {
    if (after)
      frame.chosenUntil.push_back({after, madeOf(choice.depends)});
    else
      frame.resultDepends |= madeOf(choice.depends);
    if (!(choice.depends & Order) || frame.orderedUntil || !after)
      return;
    frame.orderedUntil = after;
    ++thread.numDoubts;
    return;
  }
  doubt(choice.depends & Order
            ? "what it does depends on the order of threads"
            : "what it does depends on its input, or on the number of threads");
  if (!(choice.depends & Order))
    return;
  // A loop that waits for another thread may order code after it.
  SmallPtrSet<const BasicBlock *, 16> seen;
  SmallVector<const BasicBlock *> ways(successors(frame.block));
  constexpr unsigned furthest = 200;
  while (!ways.empty() && !thread.hasWaited && seen.size() < furthest) {
    const BasicBlock *here = ways.pop_back_val();
    thread.hasWaited = here == frame.block;
    if (here != after && seen.insert(here).second)
      append_range(ways, successors(here));
  }
  thread.hasWaited |= seen.size() >= furthest;
  if (frame.orderedUntil)
    return;
  frame.orderedUntil = after;
  ++thread.numDoubts;
}

void RehearsalRun::push(Thread &thread, Function &function,
                        ArrayRef<FollowedNumber> arguments, CallBase *call) {
  constexpr size_t deepest = 2000;
  if (function.isDeclaration() || function.isVarArg() ||
      function.arg_size() > arguments.size() || thread.frames.size() > deepest)
    return stop("it calls '" + function.getName().str() + "'");
  Frame &frame = thread.frames.emplace_back();
  frame.function = &function;
  frame.block = &function.getEntryBlock();
  frame.at = frame.block->begin();
  frame.call = call;
  for (Argument &argument : function.args()) {
    FollowedNumber value = arguments[argument.getArgNo()];
    if (Type *type = argument.getParamByValType()) {
      uint64_t bytes = layout.getTypeAllocSize(type);
      uint64_t own = allocate(bytes, argument.getName().str(), &thread);
      thread.frames.back().variables.push_back(own);
      objects[own].made = &argument;
      copy(thread, {own}, value, bytes, &*frame.at);
      value = {own};
    }
    thread.frames.back().values[&argument] = value;
  }
}

void RehearsalRun::leave(Thread &thread, std::optional<FollowedNumber> result) {
  while (!thread.lanes.empty() &&
         thread.lanes.back().depth == thread.frames.size())
    endLanes(thread);
  Frame frame = std::move(thread.frames.back());
  thread.frames.pop_back();
  if (frame.orderedUntil) {
    --thread.numDoubts;
    if (result)
      result->depends |= Order;
  }
  if (frame.lastUntil) {
    thread.strand = thread.own;
    endOpen(thread);
  }
  if (thread.frames.size() < thread.lastDepth)
    thread.lastFlag = 0;
  if (result)
    result->depends |= frame.resultDepends;
  if (frame.namedUntil) {
    --thread.numNamed;
    if (result)
      result->depends |= ByThread;
  }
  for (uint64_t variable : frame.variables)
    release(thread, variable, nullptr);
  if (!frame.call || thread.frames.empty())
    return;
  Frame &caller = thread.frames.back();
  if (result && !frame.call->getType()->isVoidTy())
    caller.values[frame.call] = *result;
  if (auto *invoke = dyn_cast<InvokeInst>(frame.call))
    enter(thread, invoke->getNormalDest());
  else
    ++caller.at;
}

FollowedNumber RehearsalRun::callNow(Thread &thread, Function &function,
                                     ArrayRef<FollowedNumber> arguments) {
  size_t depth = thread.frames.size();
  push(thread, function, arguments, nullptr);
  if (!isStopped)
    execute(thread, depth);
  if (!isStopped && thread.frames.size() != depth)
    stop("a task waits for others");
  return {};
}

void RehearsalRun::execute(Thread &thread, size_t depth) {
  // The limit for all attempts together.
  const uint64_t mostInAll = 2 * mostSteps;
  while (!isStopped && thread.state == Thread::State::Runs &&
         thread.frames.size() > depth) {
    if (++numSteps > mostSteps || learnt.numSteps + numSteps > mostInAll)
      return stop("it takes too long to follow");
    Frame &frame = thread.frames.back();
    if (numSteps > sliceEnd && depth == 0)
      return;
    Instruction &instruction = *frame.at;
    here = &instruction;
    step(thread, frame, instruction);
  }
}

bool RehearsalRun::step(Thread &thread, Frame &frame,
                        Instruction &instruction) {
  auto next = [&](FollowedNumber value) {
    frame.values[&instruction] = value;
    ++frame.at;
    return true;
  };
  auto operand = [&](unsigned index) {
    return valueOf(thread, instruction.getOperand(index));
  };
  switch (instruction.getOpcode()) {
  case Instruction::Alloca: {
    auto &variable = cast<AllocaInst>(instruction);
    uint64_t bytes = layout.getTypeAllocSize(variable.getAllocatedType());
    FollowedNumber count = operand(0);
    if (count.depends)
      doubt("how much memory it uses depends on its input");
    uint64_t begin =
        allocate(bytes * count.bits, variable.getName().str(), &thread);
    // A new variable has an unknown value. Clang passes a number to a team in a
    // longer variable, of which only the number is used.
    if (!variable.getName().contains(".casted"))
      objects[begin].depends.assign(objects[begin].size, Input);
    objects[begin].made = &variable;
    frame.variables.push_back(begin);
    objects[begin].variable = &variable;
    return next({begin});
  }
  case Instruction::Load: {
    auto &read = cast<LoadInst>(instruction);
    FollowedNumber value =
        load(thread, operand(0), read.getType(), &read, read.isAtomic());
    if (read.getType()->isIntegerTy())
      value.bits = cut(value.bits, read.getType()->getIntegerBitWidth());
    return next(value);
  }
  case Instruction::Store: {
    auto &write = cast<StoreInst>(instruction);
    Type *type = write.getValueOperand()->getType();
    if (!isSimple(type))
      stop("it uses numbers of unusual types");
    FollowedNumber value = operand(0);
    if (isa<Constant>(write.getValueOperand()) && isOfDependence(write))
      value.depends = None;
    store(thread, operand(1), value, type, &write, write.isAtomic());
    ++frame.at;
    return true;
  }
  case Instruction::AtomicRMW: {
    auto &update = cast<AtomicRMWInst>(instruction);
    Type *type = update.getType();
    FollowedNumber address = operand(0), value = operand(1);
    FollowedNumber old =
        load(thread, address, type, &update, /*isAtomic=*/true);
    FollowedNumber made = value;
    unsigned width = type->isIntegerTy() ? type->getIntegerBitWidth() : 64;
    bool isLess = extended(old.bits, width) < extended(value.bits, width);
    switch (update.getOperation()) {
    case AtomicRMWInst::Xchg:
      break;
    case AtomicRMWInst::Add:
      made = binary(Instruction::Add, type, old, value);
      break;
    case AtomicRMWInst::Sub:
      made = binary(Instruction::Sub, type, old, value);
      break;
    case AtomicRMWInst::And:
      made = binary(Instruction::And, type, old, value);
      break;
    case AtomicRMWInst::Or:
      made = binary(Instruction::Or, type, old, value);
      break;
    case AtomicRMWInst::Xor:
      made = binary(Instruction::Xor, type, old, value);
      break;
    case AtomicRMWInst::FAdd:
      made = binary(Instruction::FAdd, type, old, value);
      break;
    case AtomicRMWInst::FSub:
      made = binary(Instruction::FSub, type, old, value);
      break;
    case AtomicRMWInst::Max:
      made = isLess ? value : old;
      break;
    case AtomicRMWInst::Min:
      made = isLess ? old : value;
      break;
    default:
      stop("it uses an unusual atomic operation");
    }
    made.depends = old.depends | value.depends;
    if (update.getOperation() != AtomicRMWInst::Xchg)
      made.depends = madeOf(made.depends);
    store(thread, address, made, type, &update, /*isAtomic=*/true);
    return next(old);
  }
  case Instruction::AtomicCmpXchg: {
    auto &exchange = cast<AtomicCmpXchgInst>(instruction);
    Type *type = exchange.getNewValOperand()->getType();
    FollowedNumber old =
        load(thread, operand(0), type, &exchange, /*isAtomic=*/true);
    FollowedNumber wanted = operand(1);
    bool isSame = old.bits == wanted.bits;
    FollowedNumber made = isSame ? operand(2) : old;
    made.depends = madeOf(made.depends | old.depends | wanted.depends);
    store(thread, operand(0), made, type, &exchange, /*isAtomic=*/true);
    // A failed exchange is repeated until no other thread interferes.
    FollowedNumber result{old.bits, isSame,
                          madeOf(old.depends | wanted.depends)};
    if (any_of(exchange.users(), [](const User *user) {
          const auto *part = dyn_cast<ExtractValueInst>(user);
          return part && part->getIndices().front() == 1;
        }))
      for (User *user : exchange.users())
        if (auto *part = dyn_cast<ExtractValueInst>(user);
            part && part->getIndices().front() == 1 && !isSame)
          result.depends |= Order;
    return next(result);
  }
  case Instruction::Fence:
    ++frame.at;
    return true;
  case Instruction::Br: {
    auto &branch = cast<BranchInst>(instruction);
    unsigned index = 0;
    if (branch.isConditional()) {
      FollowedNumber choice = valueOf(thread, branch.getCondition());
      // An exchange without interference always succeeds.
      const auto *part = dyn_cast<ExtractValueInst>(branch.getCondition());
      bool isRetry = part && choice.bits &&
                     isa<AtomicCmpXchgInst>(part->getAggregateOperand()) &&
                     branch.getSuccessor(1) == frame.block;
      if (!isRetry)
        decide(thread, frame, choice);
      index = choice.bits & 1 ? 0 : 1;
      const auto *question = dyn_cast<ICmpInst>(branch.getCondition());
      const auto *flag =
          question ? dyn_cast<LoadInst>(question->getOperand(0)) : nullptr;
      if (index == 0 && flag && thread.lastFlag != 0 && !frame.lastUntil &&
          valueOf(thread, flag->getPointerOperand()).bits == thread.lastFlag)
        beginLast(thread, frame);
    }
    enter(thread, branch.getSuccessor(index));
    return true;
  }
  case Instruction::Switch: {
    auto &choice = cast<SwitchInst>(instruction);
    FollowedNumber value = valueOf(thread, choice.getCondition());
    decide(thread, frame, value);
    auto *number = ConstantInt::get(
        cast<IntegerType>(choice.getCondition()->getType()), value.bits);
    enter(thread, choice.findCaseValue(number)->getCaseSuccessor());
    return true;
  }
  case Instruction::Ret: {
    auto *value = cast<ReturnInst>(instruction).getReturnValue();
    std::optional<FollowedNumber> result;
    if (value)
      result = operand(0);
    leave(thread, result);
    return true;
  }
  case Instruction::Call:
  case Instruction::Invoke:
    return call(thread, frame, cast<CallBase>(instruction));
  case Instruction::Unreachable:
    stop("it ends in an unusual way");
    return true;
  default:
    return next(compute(thread, instruction));
  }
}
