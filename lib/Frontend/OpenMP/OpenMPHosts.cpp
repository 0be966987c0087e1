//===- OpenMPHosts.cpp - Code around loops that the host runs -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an iteration leaves in a variable of its thread is one thread's: the
// code after the loop may not count on it. So such variables get marks in their
// place, and where one is still used in the end, the region is left as it is.
//
//===----------------------------------------------------------------------===//

#include "OpenMPRegions.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

static constexpr StringLiteral passedReason =
    "takes values from one loop to another in variables of its threads";

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
  constexpr unsigned mostBlocks = 16;
  const BasicBlock *block = branchOfSolo(*solo.begin)->getSuccessor(1);
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
    if (variable->getAllocatedType()->isSingleValueType() &&
        variable->isStaticAlloca())
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
  SmallVector<Value *> arguments = {countIterations(here, builder)};
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
  if (any_of(instructions(*made.host), [](const Instruction &instruction) {
        return calledName(instruction).starts_with(markName) &&
               !instruction.use_empty();
      }))
    reason = passedReason;
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

void openmp::makeHost(ParallelRegion &region,
                      ArrayRef<SmallVector<CapturedValue>> taken,
                      HostRegion &made, PassAnalyses &analyses,
                      Reason &reason) {
  HostMaker(region, taken, made, analyses, reason).run();
}
