//===- OpenMPParts.cpp - Regions that the host runs, as functions ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An iteration of a part begins where threads ask for iterations, with what the
// host has in the variables of a thread there. What an iteration leaves in such
// a variable is one thread's: neither other iterations nor the code after the
// loop may count on it. So such variables get marks in their place, and where
// one is still used in the end, the region is left as it is.
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
/// What an iteration gets from the host.
struct CapturedValue {
  enum class Kind {
    /// What a variable of the thread holds.
    Content,
    /// Where a variable of the thread is.
    Place,
    /// What the code has computed, or a global variable's address.
    Value
  };
  Kind kind = Kind::Value;
  Value *value = nullptr;
  /// The part writes the variable, so no iteration may count on it.
  bool isWritten = false;
  Type *type = nullptr;
};

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
static constexpr StringLiteral passedReason =
    "takes values from one loop to another in variables of its threads";

/// Numbers and pointers are passed as they are.
static bool isScalar(const Type &type) { return type.isSingleValueType(); }

/// What all of an object is, such as the pointer in an iterator.
static Type *contentOf(Type &type, const DataLayout &layout) {
  Type *content = &type;
  while (auto *object = dyn_cast<StructType>(content)) {
    if (object->getNumElements() != 1)
      break;
    content = object->getElementType(0);
  }
  return isScalar(*content) && layout.getTypeSizeInBits(content) ==
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
    return isInside(store) &&
           isReductionList(*getUnderlyingObject(store->getPointerOperand()));
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
  if (isScalar(*type)) {
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
    if (auto *call = dyn_cast<CallInst>(&instruction))
      if (const Function *callee = call->getCalledFunction();
          callee && callee->getName().starts_with(standInName) &&
          isa<GlobalVariable>(call->getArgOperand(0)))
        results.insert(call->getArgOperand(0));
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

/// Only the runtime library was told the numbers of threads.
static void dropNumbers(Function &function) {
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (instruction.use_empty() &&
        calledRuntime(instruction) == "__kmpc_global_thread_num")
      instruction.eraseFromParent();
}

/// What an iteration always sets before it reads it, it needs not get.
void PartMaker::dropUnread(Function &copy) {
  for (auto [index, one] : enumerate(taken)) {
    if (!one.isWritten || !one.type->isPointerTy() ||
        one.kind != CapturedValue::Kind::Place)
      continue;
    SmallVector<Value *> places = {copy.getArg(region.work.arg_size() + index)};
    SmallVector<MemCpyInst *> gets;
    SmallVector<LoadInst *> unused;
    while (!places.empty())
      for (User *user : places.pop_back_val()->users()) {
        if (isa<GetElementPtrInst>(user))
          places.push_back(user);
        else if (auto *get = dyn_cast<MemCpyInst>(user))
          gets.push_back(get);
        else if (auto *load = dyn_cast<LoadInst>(user);
                 load && isInstructionTriviallyDead(load))
          unused.push_back(load); // of a variable that is in registers
      }
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
  Value *id = askForInstance(*copy);
  IRBuilder<> builder(cast<Instruction>(id)->getNextNode());
  SharedLoop &loop = loops.front();
  noteCounter(loop);
  Value *iteration = builder.CreateTrunc(id, loop.type, "iteration");
  WeakTrackingVH known = iteration;
  bool isUnsigned = loop.isUnsigned;
  stateBound(loop, *id);
  runIteration(loop, iteration);
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

//===----------------------------------------------------------------------===//
// The code of the host
//===----------------------------------------------------------------------===//

namespace {
class HostMaker {
public:
  HostMaker(ParallelRegion &region, ArrayRef<SmallVector<CapturedValue>> taken,
            HostRegion &made, PassAnalyses &analyses, Reason &reason)
      : region(region), taken(taken), made(made), analyses(analyses),
        reason(reason) {}

  void run();

private:
  void launchPart(unsigned number);
  void runSolo(const Solo &solo);
  void mark(AllocaInst &variable, Instruction &before);
  void markWritten(Instruction &before,
                   function_ref<bool(const Instruction *)> isInside,
                   const Value *given = nullptr);
  void dropCalls();
  void check();
  void noteSharedAddresses();

  ParallelRegion &region;
  ArrayRef<SmallVector<CapturedValue>> taken;
  HostRegion &made;
  PassAnalyses &analyses;
  Reason &reason;
  ValueToValueMapTy map;
};
} // namespace

static constexpr StringLiteral markName = "openmp.lost",
                               partName = "openmp.part";

/// In place of what one thread has left in a variable.
void HostMaker::mark(AllocaInst &variable, Instruction &before) {
  IRBuilder<> builder(&before);
  Module &module = *before.getModule();
  Type *type = variable.getAllocatedType();
  Function *lost =
      Function::Create(FunctionType::get(type, /*isVarArg=*/false),
                       GlobalValue::ExternalLinkage, markName, &module);
  lost->setDoesNotAccessMemory();
  lost->setDoesNotThrow();
  lost->setWillReturn();
  builder.CreateStore(builder.CreateCall(lost), map.lookup(&variable));
}

/// The list of variables that all threads get from the one that has run some
/// code, which is at its end; null: there is none.
static const Value *givenAfter(const Solo &solo) {
  const auto *asks = cast<Instruction>(*solo.begin->user_begin());
  const auto *branch = cast<BranchInst>(*asks->user_begin());
  constexpr unsigned mostBlocks = 16;
  const BasicBlock *block = branch->getSuccessor(1);
  for (unsigned i = 0; block && i != mostBlocks; ++i) {
    for (const Instruction &instruction : *block) {
      StringRef name = calledRuntime(instruction);
      if (name == "__kmpc_copyprivate")
        return cast<CallInst>(instruction).getArgOperand(3);
      if (!name.empty() && name != "__kmpc_global_thread_num")
        return nullptr;
    }
    block = block->getSingleSuccessor();
  }
  return nullptr;
}

/// `given`: a list of variables that all threads get from the one that runs
/// what is inside.
void HostMaker::markWritten(Instruction &before,
                            function_ref<bool(const Instruction *)> isInside,
                            const Value *given) {
  for (auto &[variable, uses] : region.own) {
    auto isBeyond = [&](const Instruction *user) { return !isInside(user); };
    bool isGiven =
        given && any_of(uses.lists, [&](const StoreInst *store) {
          return getUnderlyingObject(store->getPointerOperand()) == given;
        });
    if (!any_of(uses.writes, isInside) || isGiven ||
        region.partials.contains(variable))
      continue;
    if (none_of(uses.reads, isBeyond) && none_of(uses.writes, isBeyond))
      continue;
    if (isScalar(*variable->getAllocatedType()) && variable->isStaticAlloca())
      mark(*variable, before);
    else if (any_of(uses.reads, isBeyond))
      reason = passedReason;
  }
}

void HostMaker::launchPart(unsigned number) {
  LoopConstruct &part = region.parts[number];
  Function &host = *made.host;
  auto *start = cast<CallInst>(map.lookup(part.loop.start));
  BasicBlock *block = start->getParent();
  IRBuilder<> builder(start);
  SharedLoop here = part.loop;
  here.start = start;
  here.end = map.lookup(part.loop.end);
  Type *i64 = builder.getInt64Ty();
  Value *last = lastIteration(here, builder);
  last = here.isUnsigned ? builder.CreateZExt(last, i64)
                         : builder.CreateSExt(last, i64);
  SmallVector<Value *> arguments = {
      builder.CreateAdd(last, builder.getInt64(1))};
  Function &iteration = *made.parts[number].iteration;
  for (Argument &argument : drop_begin(host.args(), 2))
    arguments.push_back(iteration.getArg(argument.getArgNo())->use_empty()
                            ? cast<Value>(PoisonValue::get(argument.getType()))
                            : &argument);
  for (const CapturedValue &one : taken[number]) {
    if (!one.value) {
      arguments.push_back(PoisonValue::get(one.type));
      continue;
    }
    Value *value = map.lookup(one.value);
    if (!value)
      value = one.value;
    if (one.kind == CapturedValue::Kind::Content)
      value = builder.CreateLoad(one.type, value, one.value->getName());
    arguments.push_back(value);
  }
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  Function *standIn = Function::Create(
      FunctionType::get(builder.getVoidTy(), types, /*isVarArg=*/false),
      GlobalValue::ExternalLinkage, partName, host.getParent());
  standIn->addFnAttr(Attribute::NoDuplicate);
  CallInst *launch = builder.CreateCall(standIn, arguments);
  launch->setDebugLoc(start->getDebugLoc());
  made.launches.push_back(launch);
  markWritten(*start, [&](const Instruction *user) {
    return part.blocks.contains(const_cast<BasicBlock *>(user->getParent()));
  });
  auto *end = cast<BasicBlock>(map.lookup(part.end));
  for (BasicBlock *next : successors(block))
    next->removePredecessor(block);
  for (bool isFirst = false; !isFirst;) {
    Instruction &rest = block->back();
    isFirst = &rest == start;
    if (!rest.use_empty())
      rest.replaceAllUsesWith(PoisonValue::get(rest.getType()));
    rest.eraseFromParent();
  }
  builder.SetInsertPoint(block);
  builder.CreateBr(end);
}

void HostMaker::runSolo(const Solo &solo) {
  auto *begin = cast<CallInst>(map.lookup(solo.begin));
  auto isInside = [&](const Instruction *user) {
    return solo.blocks.contains(const_cast<BasicBlock *>(user->getParent()));
  };
  const Value *given = givenAfter(solo);
  for (BasicBlock *block : solo.blocks)
    for (Instruction &instruction : *block)
      if (calledRuntime(instruction).starts_with("__kmpc_end_"))
        markWritten(*cast<Instruction>(map.lookup(&instruction)), isInside,
                    given);
  begin->replaceAllUsesWith(ConstantInt::get(begin->getType(), 1));
  begin->eraseFromParent();
}

/// One thread waits for nobody, and needs no number.
void HostMaker::dropCalls() {
  for (Instruction &instruction :
       make_early_inc_range(instructions(*made.host))) {
    StringRef name = calledRuntime(instruction);
    if (name == "__kmpc_barrier" || name == "__kmpc_copyprivate" ||
        name == "__kmpc_end_single" || name == "__kmpc_end_master" ||
        name == "__kmpc_end_masked" || name == "__kmpc_flush")
      instruction.eraseFromParent();
  }
}

/// Where what one thread has left is used, the host has something else.
void HostMaker::check() {
  for (const Instruction &instruction : instructions(*made.host)) {
    const auto *call = dyn_cast<CallInst>(&instruction);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    if (callee && callee->getName().starts_with(markName) && !call->use_empty())
      reason = passedReason;
  }
  if (reason.empty())
    reason = findThread(*made.host);
}

void HostMaker::run() {
  made.host = copyWork(region.work, region.work.getReturnType(),
                       region.work.getName() + ".host", {}, &map);
  for (unsigned number = 0; number != region.parts.size(); ++number)
    launchPart(number);
  for (const Solo &solo : region.solos)
    runSolo(solo);
  dropCalls();
  if (!reason.empty())
    return;
  simplify(*made.host, analyses);
  dropNumbers(*made.host);
  check();
  noteSharedAddresses();
}

/// A part may get the address of a variable that the team shares twice, as what
/// the host's code has in a pointer.
void HostMaker::noteSharedAddresses() {
  // The number of iterations, and the arguments of the team but the first two.
  unsigned numOwn = made.host->arg_size() - 1;
  for (auto [handle, part] : zip(made.launches, made.parts)) {
    auto *launch = cast_or_null<CallInst>(handle);
    if (!launch)
      continue;
    for (Value *argument : drop_begin(launch->args(), numOwn)) {
      SmallVector<const Value *> objects;
      if (argument->getType()->isPointerTy())
        getUnderlyingObjects(argument, objects);
      for (const Value *object : objects)
        if (const auto *parameter = dyn_cast<Argument>(object))
          part.passedTwice.push_back(parameter->getArgNo());
    }
  }
}

void openmp::eraseStandIns(Module &module) {
  for (Function &function : make_early_inc_range(module))
    if (function.isDeclaration() && function.use_empty() &&
        (function.getName().starts_with(markName) ||
         function.getName().starts_with(partName)))
      function.eraseFromParent();
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
    HostMaker(region, taken, made, analyses, reason).run();
  if (!reason.empty()) {
    for (Iterations &part : made.parts)
      discard(part.iteration);
    made.parts.clear();
    discard(made.host);
    made.launches.clear();
  }
  eraseStandIns(*region.work.getParent());
  return made;
}
