//===- RehearsalRun.cpp - Follows a program's instructions ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A branch that depends on input or on the order of threads may go elsewhere in
// another run. What is behind it is followed, but proves nothing.
//
//===----------------------------------------------------------------------===//

#include "RehearsalState.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Operator.h"

#include <bit>
#include <cmath>

using namespace llvm;
using namespace sluice;
using namespace sluice::rehearsal;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static uint64_t cut(uint64_t bits, unsigned width) {
  return width >= 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

static int64_t extended(uint64_t bits, unsigned width) {
  return width >= 64 ? int64_t(bits)
                     : int64_t(bits << (64 - width)) >> (64 - width);
}

static double toDouble(uint64_t bits, const Type *type) {
  return type->isFloatTy() ? double(std::bit_cast<float>(uint32_t(bits)))
                           : std::bit_cast<double>(bits);
}

static uint64_t fromDouble(double value, const Type *type) {
  return type->isFloatTy() ? std::bit_cast<uint32_t>(float(value))
                           : std::bit_cast<uint64_t>(value);
}

/// Types of numbers that fit.
static bool isSimple(const Type *type) {
  return (type->isIntegerTy() && type->getIntegerBitWidth() <= 64) ||
         type->isPointerTy() || type->isFloatTy() || type->isDoubleTy();
}

FollowedNumber RehearsalRun::constant(Thread &thread, const Constant &value) {
  if (const auto *number = dyn_cast<ConstantInt>(&value)) {
    if (number->getBitWidth() <= 64)
      return {number->getZExtValue()};
  } else if (const auto *real = dyn_cast<ConstantFP>(&value)) {
    if (isSimple(real->getType()))
      return {real->getValueAPF().bitcastToAPInt().getZExtValue()};
  } else if (value.isNullValue() || isa<UndefValue>(value)) {
    return {};
  } else if (const auto *variable = dyn_cast<GlobalVariable>(&value)) {
    return {globalOf(thread, *variable, /*isThreads=*/false)};
  } else if (const auto *function = dyn_cast<Function>(&value)) {
    return {reinterpret_cast<uint64_t>(function)};
  } else if (const auto *alias = dyn_cast<GlobalAlias>(&value)) {
    return constant(thread, *alias->getAliasee());
  } else if (const auto *expression = dyn_cast<ConstantExpr>(&value)) {
    if (auto *place =
            dyn_cast<GEPOperator>(const_cast<ConstantExpr *>(expression)))
      return addressOf(thread, *place);
    if (expression->isCast()) {
      FollowedNumber made = convert(
          constant(thread, *expression->getOperand(0)), expression->getOpcode(),
          expression->getOperand(0)->getType(), value.getType());
      if (expression->getOpcode() == Instruction::PtrToInt)
        made.depends |= Input | Order;
      return made;
    }
    if (Instruction::isBinaryOp(expression->getOpcode()))
      return binary(expression->getOpcode(), value.getType(),
                    constant(thread, *expression->getOperand(0)),
                    constant(thread, *expression->getOperand(1)));
  }
  stop("it uses constants of unusual types");
  return {};
}

FollowedNumber RehearsalRun::valueOf(Thread &thread, const Value *value) {
  if (const auto *known = dyn_cast<Constant>(value))
    return constant(thread, *known);
  auto &values = thread.frames.back().values;
  auto found = values.find(value);
  if (found == values.end())
    return FollowedNumber();
  FollowedNumber known = found->second;
  // Another thread may run this code.
  if ((known.depends & ByThread) && !isFixed(thread.strand))
    known.depends |= Order;
  return known;
}

FollowedNumber RehearsalRun::addressOf(Thread &thread, GEPOperator &place) {
  FollowedNumber address = valueOf(thread, place.getPointerOperand());
  for (gep_type_iterator at = gep_type_begin(&place),
                         end = gep_type_end(&place);
       at != end; ++at) {
    FollowedNumber index = valueOf(thread, at.getOperand());
    address.depends |= index.depends;
    if (index.depends & OwnNumber)
      address.depends = (address.depends & ~OwnNumber) | Input;
    if (StructType *record = at.getStructTypeOrNull()) {
      address.bits += layout.getStructLayout(record)->getElementOffset(
          unsigned(index.bits));
      continue;
    }
    int64_t number =
        extended(index.bits, at.getOperand()->getType()->getIntegerBitWidth());
    address.bits += uint64_t(number) *
                    at.getSequentialElementStride(layout).getFixedValue();
  }
  return address;
}

FollowedNumber RehearsalRun::convert(const FollowedNumber &value,
                                     unsigned opcode, Type *from, Type *to) {
  FollowedNumber result = value;
  if (!isSimple(from) || !isSimple(to)) {
    stop("it uses numbers of unusual types");
    return {};
  }
  unsigned width = from->isIntegerTy() ? from->getIntegerBitWidth() : 64;
  // Only a longer number is the same one.
  constexpr unsigned ofNumbers = 32;
  if (width < ofNumbers ||
      (opcode != Instruction::SExt && opcode != Instruction::ZExt))
    result.depends = madeOf(result.depends);
  unsigned wide = to->isIntegerTy() ? to->getIntegerBitWidth() : 64;
  switch (opcode) {
  case Instruction::SExt:
    result.bits = cut(uint64_t(extended(value.bits, width)), wide);
    break;
  case Instruction::FPTrunc:
  case Instruction::FPExt:
    result.bits = fromDouble(toDouble(value.bits, from), to);
    break;
  case Instruction::SIToFP:
    result.bits =
        to->isFloatTy()
            ? std::bit_cast<uint32_t>(float(extended(value.bits, width)))
            : fromDouble(double(extended(value.bits, width)), to);
    break;
  case Instruction::UIToFP:
    result.bits = to->isFloatTy() ? std::bit_cast<uint32_t>(float(value.bits))
                                  : fromDouble(double(value.bits), to);
    break;
  case Instruction::FPToSI:
  case Instruction::FPToUI: {
    double real = toDouble(value.bits, from);
    bool isSigned = opcode == Instruction::FPToSI;
    if (!(real > -9.2e18 && real < (isSigned ? 9.2e18 : 1.8e19))) {
      doubt("it converts numbers that do not fit");
      result.bits = 0;
    } else {
      result.bits =
          cut(isSigned || real < 0 ? uint64_t(int64_t(real)) : uint64_t(real),
              wide);
    }
    break;
  }
  default:
    result.bits = cut(value.bits, wide);
  }
  return result;
}

FollowedNumber RehearsalRun::binary(unsigned opcode, Type *type,
                                    const FollowedNumber &left,
                                    const FollowedNumber &right) {
  FollowedNumber result;
  result.depends = left.depends | right.depends;
  if (result.depends & OwnNumber)
    result.depends = (result.depends & ~OwnNumber) | Input;
  if (!isSimple(type)) {
    stop("it uses numbers of unusual types");
    return result;
  }
  if (type->isFloatingPointTy()) {
    auto apply = [&]<typename Real>(Real a, Real b) -> Real {
      switch (opcode) {
      case Instruction::FAdd:
        return a + b;
      case Instruction::FSub:
        return a - b;
      case Instruction::FMul:
        return a * b;
      case Instruction::FDiv:
        return a / b;
      default:
        return std::fmod(a, b);
      }
    };
    result.bits =
        type->isFloatTy()
            ? std::bit_cast<uint32_t>(
                  apply(std::bit_cast<float>(uint32_t(left.bits)),
                        std::bit_cast<float>(uint32_t(right.bits))))
            : std::bit_cast<uint64_t>(apply(std::bit_cast<double>(left.bits),
                                            std::bit_cast<double>(right.bits)));
    return result;
  }
  unsigned width = type->getIntegerBitWidth();
  uint64_t a = left.bits, b = right.bits;
  int64_t signedA = extended(a, width), signedB = extended(b, width);
  bool divides = opcode == Instruction::UDiv || opcode == Instruction::URem ||
                 opcode == Instruction::SDiv || opcode == Instruction::SRem;
  if (divides && (b == 0 || (signedB == -1 && signedA == INT64_MIN))) {
    stop("it divides by zero");
    return result;
  }
  switch (opcode) {
  case Instruction::Add:
    result.bits = a + b;
    break;
  case Instruction::Sub:
    result.bits = a - b;
    break;
  case Instruction::Mul:
    result.bits = a * b;
    break;
  case Instruction::UDiv:
    result.bits = a / b;
    break;
  case Instruction::URem:
    result.bits = a % b;
    break;
  case Instruction::SDiv:
    result.bits = uint64_t(signedA / signedB);
    break;
  case Instruction::SRem:
    result.bits = uint64_t(signedA % signedB);
    break;
  case Instruction::Shl:
    result.bits = b >= width ? 0 : a << b;
    break;
  case Instruction::LShr:
    result.bits = b >= width ? 0 : a >> b;
    break;
  case Instruction::AShr:
    result.bits = uint64_t(signedA >> std::min<uint64_t>(b, 63));
    break;
  case Instruction::And:
    result.bits = a & b;
    break;
  case Instruction::Or:
    result.bits = a | b;
    break;
  case Instruction::Xor:
    result.bits = a ^ b;
    break;
  default:
    stop("it computes in an unusual way");
  }
  result.bits = cut(result.bits, width);
  return result;
}

bool RehearsalRun::compare(const CmpInst &comparison,
                           const FollowedNumber &left,
                           const FollowedNumber &right) {
  Type *type = comparison.getOperand(0)->getType();
  if (!isSimple(type)) {
    stop("it uses numbers of unusual types");
    return false;
  }
  if (isa<FCmpInst>(comparison))
    return FCmpInst::compare(APFloat(toDouble(left.bits, type)),
                             APFloat(toDouble(right.bits, type)),
                             comparison.getPredicate());
  unsigned width = type->isPointerTy() ? 64 : type->getIntegerBitWidth();
  int64_t a = extended(left.bits, width), b = extended(right.bits, width);
  switch (comparison.getPredicate()) {
  case CmpInst::ICMP_EQ:
    return left.bits == right.bits;
  case CmpInst::ICMP_NE:
    return left.bits != right.bits;
  case CmpInst::ICMP_UGT:
    return left.bits > right.bits;
  case CmpInst::ICMP_UGE:
    return left.bits >= right.bits;
  case CmpInst::ICMP_ULT:
    return left.bits < right.bits;
  case CmpInst::ICMP_ULE:
    return left.bits <= right.bits;
  case CmpInst::ICMP_SGT:
    return a > b;
  case CmpInst::ICMP_SGE:
    return a >= b;
  case CmpInst::ICMP_SLT:
    return a < b;
  default:
    return a <= b;
  }
}

/// Whether something is what a task depends on, which is only compared.
static bool isOfDependence(const StoreInst &write) {
  const auto *place = dyn_cast<GEPOperator>(write.getPointerOperand());
  const auto *record =
      place ? dyn_cast<StructType>(place->getSourceElementType()) : nullptr;
  return record && record->hasName() &&
         record->getName().starts_with("struct.kmp_depend_info");
}

/// Where memory is, is different in each run; how far places in the same memory
/// are from each other is not. What it is here proves nothing either way.
static bool isOfDistances(const Value &address) {
  return all_of(address.users(), [](const User *user) {
    if (const auto *comparison = dyn_cast<ICmpInst>(user))
      return comparison->isEquality();
    if (const auto *write = dyn_cast<StoreInst>(user))
      return isOfDependence(*write);
    const auto *distance = dyn_cast<BinaryOperator>(user);
    return distance && distance->getOpcode() == Instruction::Sub &&
           isa<PtrToIntInst>(distance->getOperand(0)) &&
           isa<PtrToIntInst>(distance->getOperand(1));
  });
}

/// Instructions without effects.
FollowedNumber RehearsalRun::compute(Thread &thread, Instruction &instruction) {
  auto operand = [&](unsigned index) {
    return valueOf(thread, instruction.getOperand(index));
  };
  Type *type = instruction.getType();
  if (auto *comparison = dyn_cast<CmpInst>(&instruction)) {
    FollowedNumber left = operand(0), right = operand(1);
    // However many threads there are, all but a few are alike.
    if (comparison->isEquality() && isa<ICmpInst>(comparison) &&
        left.depends == (OwnNumber | ByThread) && right.depends == None &&
        isa<ConstantInt>(instruction.getOperand(1)) && right.bits < 64 &&
        int(right.bits) <= thread.team->mostNamed)
      left.depends = ByThread;
    // Memory that is there no more may be anywhere.
    if (comparison->getOperand(0)->getType()->isPointerTy() &&
        (isDangling(left.bits) || isDangling(right.bits)))
      left.depends |= Input | Order;
    // Which address memory has does not matter, whether it is the same does.
    if (!comparison->isEquality() &&
        comparison->getOperand(0)->getType()->isPointerTy() &&
        !areOfOne(left.bits, right.bits))
      left.depends |= Input | Order;
    return {compare(*comparison, left, right), 0,
            uint8_t(left.depends | right.depends)};
  }
  if (auto *place = dyn_cast<GetElementPtrInst>(&instruction))
    return addressOf(thread, cast<GEPOperator>(*place));
  if (auto *cast = dyn_cast<CastInst>(&instruction)) {
    FollowedNumber made =
        convert(operand(0), cast->getOpcode(), cast->getSrcTy(), type);
    if (isa<PtrToIntInst>(cast) && !isOfDistances(*cast))
      made.depends |= Input | Order;
    return made;
  }
  if (instruction.isBinaryOp()) {
    FollowedNumber left = operand(0), right = operand(1);
    FollowedNumber made = binary(instruction.getOpcode(), type, left, right);
    if (isa<PtrToIntInst>(instruction.getOperand(0)) &&
        isa<PtrToIntInst>(instruction.getOperand(1)) &&
        !areOfOne(left.bits, right.bits))
      made.depends |= Input | Order;
    return made;
  }
  switch (instruction.getOpcode()) {
  case Instruction::FNeg: {
    FollowedNumber value = operand(0);
    value.bits ^= uint64_t(1) << (type->isFloatTy() ? 31 : 63);
    if (!isSimple(type))
      stop("it uses numbers of unusual types");
    return value;
  }
  case Instruction::Select: {
    FollowedNumber choice = operand(0);
    FollowedNumber value = operand(choice.bits & 1 ? 1 : 2);
    value.depends |= madeOf(choice.depends);
    return value;
  }
  case Instruction::Freeze:
    return operand(0);
  case Instruction::ExtractValue: {
    auto &part = cast<ExtractValueInst>(instruction);
    FollowedNumber value = operand(0);
    if (part.getNumIndices() != 1 || *part.idx_begin() > 1)
      stop("it uses values of unusual types");
    return *part.idx_begin() == 0
               ? FollowedNumber{value.bits, 0, value.depends}
               : FollowedNumber{value.high, 0, value.depends};
  }
  case Instruction::InsertValue: {
    auto &part = cast<InsertValueInst>(instruction);
    FollowedNumber value = operand(0), inserted = operand(1);
    if (part.getNumIndices() != 1 || *part.idx_begin() > 1 ||
        !isSimple(part.getOperand(1)->getType()))
      stop("it uses values of unusual types");
    (*part.idx_begin() == 0 ? value.bits : value.high) = inserted.bits;
    value.depends |= inserted.depends;
    return value;
  }
  default:
    stop(std::string("it uses '") + instruction.getOpcodeName() + "'");
    return {};
  }
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

void RehearsalRun::stop(std::string reason) {
  doubt(std::move(reason));
  isStopped = true;
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

/// Nobody else has the address of such a variable.
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

/// Whether code up to `after` uses nothing that somebody may change at the same
/// time, and changes nothing, so that it does not matter if it is run.
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
      if (callee && callee->isDeclaration() &&
          (callee->getName() == "printf" || callee->getName() == "puts" ||
           callee->getName() == "fprintf" ||
           instruction.isLifetimeStartOrEnd()))
        continue;
      const auto *load = dyn_cast<LoadInst>(&instruction);
      bool isQuiet = load && (!isParallel(thread) ||
                              isKeptVariable(load->getPointerOperand()));
      if (instruction.mayReadOrWriteMemory() && !isQuiet)
        return false;
    }
    if (!isa<UnreachableInst>(here->getTerminator()))
      for (const BasicBlock *next : successors(here))
        blocks.insert(next);
  }
  return true;
}

/// Where all ways from here come together again.
BasicBlock *RehearsalRun::afterOf(const Frame &frame) {
  auto &tree = dominators[frame.function];
  if (!tree)
    tree = std::make_unique<PostDominatorTree>(*frame.function);
  auto *node = tree->getNode(frame.block);
  auto *dominator = node ? node->getIDom() : nullptr;
  return dominator ? dominator->getBlock() : nullptr;
}

/// Before a branch.
void RehearsalRun::decide(Thread &thread, Frame &frame,
                          const FollowedNumber &choice) {
  if (choice.depends == None)
    return;
  BasicBlock *after = afterOf(frame);
  // A thread that has this number goes this way in all runs.
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
  // Who has gone around until others have come so far may be behind them.
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
  // Also with what is learnt, in all.
  constexpr uint64_t mostSteps = 20000000, mostInAll = 40000000;
  while (!isStopped && thread.state == Thread::State::Runs &&
         thread.frames.size() > depth) {
    if (++numSteps > mostSteps || learnt.numSteps + numSteps > mostInAll)
      return stop("it takes too long to follow");
    Frame &frame = thread.frames.back();
    if (numSteps > sliceEnd && depth == 0)
      return;
    Instruction &instruction = *frame.at;
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
    // What it holds before it is written is not known.
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
    // Who fails tries again until nobody is in between.
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
      // An exchange that nobody disturbs has no other outcome.
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
