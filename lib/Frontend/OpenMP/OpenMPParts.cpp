//===- OpenMPParts.cpp - Loops of regions as functions --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An iteration of a part begins where threads ask for iterations, with what the
// host has in the variables of a thread there. What an iteration leaves in such
// a variable is one thread's, so no other iteration may count on it.
//
//===----------------------------------------------------------------------===//

#include "OpenMPRegions.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

namespace {
class PartMaker {
public:
  PartMaker(ParallelRegion &region, unsigned number, PassAnalyses &analyses,
            Reason &reason)
      : region(region), part(region.parts[number]), number(number),
        analyses(analyses), reason(reason), dominators(region.work) {}

  Iterations run();

  /// What the function gets after the arguments of the team; null where it does
  /// not use it.
  SmallVector<CapturedValue> taken;

private:
  bool isInside(const Instruction *instruction) const {
    return part.blocks.contains(
        const_cast<BasicBlock *>(instruction->getParent()));
  }
  bool isAnswer(const Value *variable) const {
    return variable == part.loop.first || variable == part.loop.end ||
           variable == part.loop.stride || variable == part.loop.hasLast;
  }
  bool isFresh(const AllocaInst &variable, const OwnVariable &uses) const;
  Constant *neutralOf(const OwnVariable &uses);
  void take();
  void takeVariable(AllocaInst &variable);
  std::optional<int64_t> knownCount() const;
  void enter(Function &copy, ValueToValueMapTy &map);
  void dropUnread(Function &copy);
  void checkTaken(Function &copy);

  ParallelRegion &region;
  LoopConstruct &part;
  unsigned number;
  PassAnalyses &analyses;
  Reason &reason;
  DominatorTree dominators;
  /// Copies that are joined at the end, with the value they begin with.
  MapVector<AllocaInst *, Constant *> joined;
  /// Variables of the thread that the part has for itself.
  SetVector<AllocaInst *> variables;
};
} // namespace

static constexpr StringLiteral carriedReason =
    "keeps values in variables of its threads from iteration to iteration";
/// What all of an object is, such as the pointer in an iterator.
static Type *contentOf(Type &type, const DataLayout &layout) {
  Type *content = &type;
  while (auto *object = dyn_cast<StructType>(content)) {
    if (object->getNumElements() != 1)
      break;
    content = object->getElementType(0);
  }
  return content->isSingleValueType() &&
                 layout.getTypeSizeInBits(content) ==
                     layout.getTypeAllocSizeInBits(&type)
             ? content
             : &type;
}

/// The variable that a pointer leads to, if the code says so.
static AllocaInst *variableOf(Value *pointer) {
  return dyn_cast<AllocaInst>(getUnderlyingObject(pointer));
}

//===----------------------------------------------------------------------===//
// What an iteration gets
//===----------------------------------------------------------------------===//

/// Whether nothing can be in a variable before an iteration, not even what an
/// iteration before has left: it begins to live there. What is read behind the
/// loop alone, the last iteration must have set.
bool PartMaker::isFresh(const AllocaInst &variable,
                        const OwnVariable &uses) const {
  for (const auto &list : {uses.reads, uses.writes})
    for (const Instruction *user : list)
      if (!isInside(user))
        return false;
  bool isRead =
      uses.isCaptured || any_of(uses.reads, [&](const Instruction *read) {
        return is_contained(part.loop.blocks, read->getParent());
      });
  return !isRead || isTemporary(variable) ||
         any_of(uses.starts, [&](const Instruction *start) {
           return dominators.dominates(part.loop.exits.back().inside,
                                       start->getParent());
         });
}

/// Every thread adds once what it does to its copy around the loop; code of
/// iterations would add it for each of them.
Constant *PartMaker::neutralOf(const OwnVariable &uses) {
  Constant *neutral = nullptr;
  unsigned numOutside = 0;
  for (Instruction *write : uses.writes)
    if (!isInside(write)) {
      auto *store = dyn_cast<StoreInst>(write);
      neutral = store && is_contained(uses.stores, store)
                    ? dyn_cast<Constant>(store->getValueOperand())
                    : nullptr;
      ++numOutside;
    }
  bool isRead = any_of(
      uses.reads, [&](const Instruction *read) { return !isInside(read); });
  return numOutside == 1 && !isRead ? neutral : nullptr;
}

void PartMaker::takeVariable(AllocaInst &variable) {
  const OwnVariable &uses = region.own.find(&variable)->second;
  if (region.partials.contains(&variable)) {
    taken.push_back(
        {CapturedValue::Kind::Place, &variable, false, variable.getType()});
    return;
  }
  auto isHere = [&](const Instruction *user) { return isInside(user); };
  bool isJoined = any_of(uses.lists, [&](const StoreInst *store) {
    return isInside(store) && isListed(*store);
  });
  if (isJoined) {
    Constant *neutral = neutralOf(uses);
    if (!neutral)
      reason = "reduces around its loop";
    joined[&variable] = neutral;
    variables.insert(&variable);
    return;
  }
  bool isWritten = any_of(uses.writes, isHere) || uses.isCaptured;
  if (isAnswer(&variable)) {
    variables.insert(&variable);
    if (&variable == part.loop.end)
      taken.push_back(
          {CapturedValue::Kind::Content, &variable, false, part.loop.type});
    return;
  }
  if (!variable.isStaticAlloca()) {
    if (isWritten)
      reason = carriedReason;
    taken.push_back(
        {CapturedValue::Kind::Place, &variable, isWritten, variable.getType()});
    return;
  }
  if (isFresh(variable, uses)) {
    variables.insert(&variable);
    return;
  }
  Type *type = variable.getAllocatedType();
  if (!uses.isCaptured)
    type = contentOf(*type, variable.getDataLayout());
  if (type->isSingleValueType()) {
    variables.insert(&variable);
    taken.push_back({CapturedValue::Kind::Content, &variable, isWritten, type});
    return;
  }
  if (isWritten)
    variables.insert(&variable);
  taken.push_back(
      {CapturedValue::Kind::Place, &variable, isWritten, variable.getType()});
}

void PartMaker::take() {
  SetVector<Value *> used;
  for (BasicBlock *block : part.blocks)
    for (Instruction &instruction : *block)
      for (Value *operand : instruction.operands())
        if (auto *value = dyn_cast<Instruction>(operand);
            value && !isInside(value))
          used.insert(value);
  for (BasicBlock *block : part.blocks)
    for (Instruction &instruction : *block)
      if (any_of(instruction.users(), [&](const User *user) {
            return !isInside(cast<Instruction>(user));
          }))
        reason = "shares a loop in an unusual way";
  for (Value *value : used) {
    if (auto *variable = dyn_cast<AllocaInst>(value)) {
      takeVariable(*variable);
      continue;
    }
    if (value->getType()->isTokenTy() || value->getType()->isVoidTy() ||
        (value->getType()->isPointerTy() && variableOf(value)))
      reason = "shares a loop in an unusual way";
    taken.push_back(
        {CapturedValue::Kind::Value, value, false, value->getType()});
  }
  // Results of reductions are arguments of nodes.
  SetVector<Value *> results;
  for (Instruction &instruction : *part.begin)
    if (calledName(instruction).starts_with(standInName) &&
        isa<GlobalVariable>(instruction.getOperand(0)))
      results.insert(instruction.getOperand(0));
  for (BasicBlock *block : part.blocks)
    for (Instruction &instruction : *block)
      if (auto *store = dyn_cast<StoreInst>(&instruction);
          store && !joined.empty() && !is_contained(part.loop.blocks, block))
        if (auto *global = dyn_cast<GlobalVariable>(store->getPointerOperand());
            global && !global->isThreadLocal())
          results.insert(global);
  for (Value *result : results)
    taken.push_back(
        {CapturedValue::Kind::Value, result, false, result->getType()});
}

/// How many iterations there are, if all paths set the same number.
std::optional<int64_t> PartMaker::knownCount() const {
  const Value *last = nullptr;
  if (part.loop.next) {
    last = part.loop.start->getArgOperand(4);
  } else {
    for (const User *user : part.loop.end->users())
      if (const auto *store = dyn_cast<StoreInst>(user);
          store && !isInside(store)) {
        if (last)
          return std::nullopt;
        last = store->getValueOperand();
      }
  }
  const auto *number = dyn_cast_or_null<ConstantInt>(last);
  if (!number || number->getBitWidth() > 64)
    return std::nullopt;
  int64_t count = number->getSExtValue();
  return count >= 0 && count < std::numeric_limits<int32_t>::max()
             ? std::optional(count + 1)
             : std::nullopt;
}

//===----------------------------------------------------------------------===//
// The code of an iteration
//===----------------------------------------------------------------------===//

/// Has the copy of a team's code begin and end with the part.
void PartMaker::enter(Function &copy, ValueToValueMapTy &map) {
  LLVMContext &context = copy.getContext();
  auto *begin = cast<BasicBlock>(map.lookup(part.begin));
  SmallPtrSet<const BasicBlock *, 16> inside;
  for (BasicBlock *block : part.blocks)
    inside.insert(cast<BasicBlock>(map.lookup(block)));
  BasicBlock *end = BasicBlock::Create(context, "openmp.end", &copy);
  IRBuilder<> builder(end);
  builder.CreateRetVoid();
  auto *after = cast<BasicBlock>(map.lookup(part.end));
  for (BasicBlock *block : part.blocks)
    cast<BasicBlock>(map.lookup(block))
        ->getTerminator()
        ->replaceSuccessorWith(after, end);
  BasicBlock *entry =
      BasicBlock::Create(context, "openmp.begin", &copy, &copy.getEntryBlock());
  builder.SetInsertPoint(entry);
  builder.CreateBr(begin);
  builder.SetInsertPoint(entry->getTerminator());
  for (AllocaInst *variable : variables) {
    auto *own = cast<AllocaInst>(map.lookup(variable));
    own->moveBefore(entry->getTerminator()->getIterator());
    // It lives as long as the iteration.
    for (User *user : make_early_inc_range(own->users()))
      if (auto *call = cast<Instruction>(user); call->isLifetimeStartOrEnd())
        call->eraseFromParent();
  }
  for (auto [variable, neutral] : joined)
    builder.CreateStore(neutral, map.lookup(variable));
  const DataLayout &layout = copy.getDataLayout();
  for (auto [index, one] : enumerate(taken)) {
    Argument *argument = copy.getArg(region.work.arg_size() + index);
    Value *here = map.lookup(one.value);
    if (!here)
      here = one.value;
    argument->setName(plainName(one.value->getName()));
    if (one.kind == CapturedValue::Kind::Content)
      builder.CreateStore(argument, here);
    else if (auto *variable = dyn_cast<AllocaInst>(one.value);
             variable && variables.contains(variable))
      builder.CreateMemCpy(here, variable->getAlign(), argument,
                           variable->getAlign(),
                           *variable->getAllocationSize(layout));
    else
      here->replaceUsesWithIf(argument, [&](Use &use) {
        auto *user = dyn_cast<Instruction>(use.getUser());
        return user && inside.contains(user->getParent());
      });
    if (auto partial = region.partials.find(dyn_cast<AllocaInst>(one.value));
        partial != region.partials.end())
      declarePartial(builder, argument, partial->second);
  }
  removeUnreachableBlocks(copy);
}

/// What an iteration always sets before it reads it, it needs not get.
void PartMaker::dropUnread(Function &copy) {
  for (auto [index, one] : enumerate(taken)) {
    if (!one.isWritten || !one.type->isPointerTy() ||
        one.kind != CapturedValue::Kind::Place)
      continue;
    SmallVector<MemCpyInst *> gets;
    SmallVector<LoadInst *> unused;
    for (const Use *use :
         usesOfObject(*copy.getArg(region.work.arg_size() + index)))
      if (auto *get = dyn_cast<MemCpyInst>(use->getUser()))
        gets.push_back(get);
      else if (auto *load = dyn_cast<LoadInst>(use->getUser());
               load && isInstructionTriviallyDead(load))
        unused.push_back(load); // of a variable that is in registers
    for (LoadInst *load : unused)
      load->eraseFromParent();
    for (MemCpyInst *get : gets) {
      auto *variable = dyn_cast<AllocaInst>(get->getDest());
      if (variable && setsBeforeReading(*variable, *get, analyses))
        get->eraseFromParent();
    }
    for (Instruction &instruction : make_early_inc_range(instructions(copy)))
      if (isInstructionTriviallyDead(&instruction) &&
          isa<GetElementPtrInst>(instruction))
        instruction.eraseFromParent();
  }
}

/// Which arguments are used, shows what iterations count on.
void PartMaker::checkTaken(Function &copy) {
  for (auto [index, one] : enumerate(taken)) {
    if (copy.getArg(region.work.arg_size() + index)->use_empty())
      one.value = nullptr;
    else if (one.isWritten)
      reason = carriedReason;
  }
}

Iterations PartMaker::run() {
  Iterations iterations;
  take();
  if (!reason.empty())
    return iterations;
  SmallVector<Type *> types;
  for (const CapturedValue &one : taken)
    types.push_back(one.type);
  ValueToValueMapTy map;
  Function *&copy = iterations.iteration;
  copy = copyWork(region.work, region.work.getReturnType(),
                  region.work.getName() + ".part" + Twine(number), types, &map);
  enter(*copy, map);
  std::vector<SharedLoop> loops = findSharedLoops(*copy, reason);
  if (reason.empty() && loops.size() != 1)
    reason = "shares a loop in an unusual way";
  if (reason.empty())
    iterations.reductions = rewriteReductions(*copy, reason);
  if (!reason.empty()) {
    discard(copy);
    return iterations;
  }
  bool isUnsigned = loops.front().isUnsigned;
  WeakTrackingVH known = runIteration(loops.front());
  removeUnreachableBlocks(*copy);
  eraseEnds(*copy);
  simplifyIteration(*copy, analyses, iterations.reductions);
  reason = takeOrder(*copy, /*loops=*/1, analyses);
  settleBounds(*copy);
  iterations.known = knownCount();
  if (known)
    iterations.most =
        widenCounters(*copy, *known, isUnsigned, iterations.known);
  // Once a region has begun, there is no other code to fall back to.
  if (iterations.most &&
      (!iterations.known || *iterations.known > *iterations.most))
    reason = "may have more iterations than its counters can count";
  dropNumbers(*copy);
  dropUnread(*copy);
  checkTaken(*copy);
  takeArrays(*copy, iterations.reductions, reason);
  if (reason.empty())
    takePartials(*copy, analyses, iterations.reductions, reason);
  if (reason.empty())
    reason = findReducedInOrder(iterations);
  if (reason.empty())
    reason = findThread(*copy);
  if (!reason.empty())
    discard(copy);
  return iterations;
}

HostRegion openmp::makeHostRegion(ParallelRegion &region,
                                  PassAnalyses &analyses, Reason &reason) {
  HostRegion made;
  std::vector<SmallVector<CapturedValue>> taken;
  for (unsigned number = 0; number != region.parts.size() && reason.empty();
       ++number) {
    PartMaker maker(region, number, analyses, reason);
    made.parts.push_back(maker.run());
    taken.push_back(std::move(maker.taken));
  }
  if (reason.empty())
    makeHost(region, taken, made, analyses, reason);
  if (!reason.empty()) {
    for (Iterations &part : made.parts)
      discard(part);
    made.parts.clear();
    discard(made.host);
    made.launches.clear();
  }
  eraseStandIns(*region.work.getParent());
  return made;
}
