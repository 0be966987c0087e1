//===- CheckAccesses.cpp - Leaves that report what they access ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls return nothing and change no address, so that what is uniform
// stays uniform and barriers stay where they are. A leaf's own variables are
// left out: no other instance knows them. Functions that were not inlined do
// not know their instance; it is announced before they are called.
//
//===----------------------------------------------------------------------===//

#include "CheckAccesses.h"

#include "MemoryAccesses.h"

#include "../../Tables/ConstantTables.h"
#include "sluice-c/Check.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/LeafLocks.h"
#include "sluice/Analysis/LeafMemory.h"
#include "sluice/Analysis/LibraryCalls.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace sluice::codegen {

static constexpr StringLiteral indexName = "sluice.check.instance";
static constexpr StringLiteral accessName = "sluiceCheckAccess";
static constexpr StringLiteral instanceName = "sluiceCheckInstance";
static constexpr StringLiteral turnName = "sluiceCheckTurn";
/// Marks functions that were instrumented in place.
static constexpr StringLiteral doneAttribute = "sluice-checked";
/// Marks functions that the program may call by pointers.
static constexpr StringLiteral callableAttribute = "sluice-callable";

namespace {

/// The object from which an address was computed.
struct CheckedObject {
  uint32_t kind = SLUICE_CHECK_UNKNOWN;
  std::string name;
  uint32_t access = SLUICE_ACCESS_NONE;
  Value *base = nullptr;
  Value *extent = nullptr;
  bool isPrivate = false;
};

class Instrumenter {
public:
  /// `inputs` empty: a function that does not know its instance.
  Instrumenter(Function &function, ArrayRef<InputPort> inputs)
      : function(function), module(*function.getParent()), inputs(inputs),
        tables(module), builder(function.getContext()), dominators(function) {}

  void runOnLeaf();
  void runOnHelper();

private:
  Function &function;
  Module &module;
  ArrayRef<InputPort> inputs;
  Tables tables;
  IRBuilder<> builder;
  DominatorTree dominators;
  Value *index = nullptr;
  AllocaInst *phase = nullptr;

  void addPhase();
  Value *phaseHere();
  CheckedObject objectOf(const CodeAccess &access);
  Constant *siteOf(const CodeAccess &access, const CheckedObject &object);
  void reportAccess(const CodeAccess &access);
  void reportAssumptions();
  void reportTurns();
  void announceInstance();
  void announceEnds();
};

} // namespace

//===----------------------------------------------------------------------===//
// Objects and places
//===----------------------------------------------------------------------===//

CheckedObject Instrumenter::objectOf(const CodeAccess &access) {
  SmallVector<const Value *> found;
  getUnderlyingObjects(access.address, found, /*LI=*/nullptr,
                       /*MaxLookup=*/0);
  CheckedObject object;
  object.isPrivate = all_of(found, [](const Value *value) {
    auto *global = dyn_cast<GlobalVariable>(value);
    return isa<AllocaInst>(value) || (global && global->isConstant()) ||
           isOfThread(*value);
  });
  if (object.isPrivate || found.size() != 1)
    return object;
  auto *base = const_cast<Value *>(found.front());
  if (auto *argument = dyn_cast<Argument>(base)) {
    unsigned number = argument->getArgNo();
    if (number >= inputs.size())
      return object;
    object.kind = SLUICE_CHECK_ARGUMENT;
    object.name = inputs[number].name;
    object.access = inputs[number].access;
    bool hasSize = number + 1 < function.arg_size() &&
                   function.getArg(number + 1)->getType()->isIntegerTy(64);
    if (hasSize)
      object.extent = function.getArg(number + 1);
  } else if (auto *global = dyn_cast<GlobalVariable>(base)) {
    object.kind = SLUICE_CHECK_GLOBAL;
    object.name = displayName(*global);
    if (!global->isDeclaration())
      object.extent = builder.getInt64(
          module.getDataLayout().getTypeAllocSize(global->getValueType()));
  } else if (hpvmIntrinsicName(*base) == "malloc" &&
             dominators.dominates(cast<Instruction>(base),
                                  access.instruction)) {
    object.kind = SLUICE_CHECK_ALLOCATION;
    object.extent = cast<CallBase>(base)->getArgOperand(0);
  } else {
    return object;
  }
  object.base = base;
  return object;
}

Constant *Instrumenter::siteOf(const CodeAccess &access,
                               const CheckedObject &object) {
  return tables.place(
      tables.structure(SluiceCheckSite{
          .location = tables.string(placeText(*access.instruction)),
          .object = tables.string(object.name),
          .kind = uint32_t(access.kind),
          .objectKind = object.kind,
          .access = object.access,
          .reserved = 0}),
      "sluice.site");
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static FunctionCallee accessFunction(Module &module) {
  LLVMContext &context = module.getContext();
  Type *ptr = PointerType::getUnqual(context), *i64 = Type::getInt64Ty(context);
  FunctionCallee callee = module.getOrInsertFunction(
      accessName, Type::getVoidTy(context), ptr, ptr, i64, i64, i64, ptr, i64);
  // Variables whose addresses are not captured stay private.
  for (unsigned pointer : {0, 1, 5})
    cast<Function>(callee.getCallee())
        ->addParamAttr(pointer, Attribute::getWithCaptureInfo(
                                    context, CaptureInfo::none()));
  return callee;
}

/// Counts the barriers that the instance has passed.
void Instrumenter::addPhase() {
  SmallVector<Instruction *> barriers;
  for (Instruction &instruction : instructions(function))
    if (hpvmIntrinsicName(instruction) == "barrier")
      barriers.push_back(&instruction);
  if (barriers.empty())
    return;
  builder.SetInsertPoint(&*function.getEntryBlock().begin());
  phase = builder.CreateAlloca(builder.getInt64Ty(), nullptr, "phase");
  builder.CreateStore(builder.getInt64(0), phase);
  for (Instruction *barrier : barriers) {
    builder.SetInsertPoint(barrier->getNextNode());
    Value *passed = builder.CreateLoad(builder.getInt64Ty(), phase);
    builder.CreateStore(builder.CreateAdd(passed, builder.getInt64(1)), phase);
  }
}

Value *Instrumenter::phaseHere() {
  if (!phase)
    return builder.getInt64(0);
  return builder.CreateLoad(builder.getInt64Ty(), phase);
}

void Instrumenter::reportAccess(const CodeAccess &access) {
  builder.SetInsertPoint(access.instruction);
  CheckedObject object = objectOf(access);
  if (object.isPrivate)
    return;
  Value *base =
      object.base ? object.base : ConstantPointerNull::get(builder.getPtrTy());
  Value *extent = object.extent
                      ? builder.CreateZExt(object.extent, builder.getInt64Ty())
                      : builder.getInt64(UINT64_MAX);
  Value *size = builder.CreateZExt(access.size, builder.getInt64Ty());
  builder.CreateCall(accessFunction(module),
                     {siteOf(access, object), access.address, size, index,
                      phaseHere(), base, extent});
}

/// Also reports what the leaf assumes about its pointers. (The functions that
/// it calls may assume nothing.)
void Instrumenter::reportAssumptions() {
  SmallVector<CallBase *> assumptions;
  for (Instruction &instruction : instructions(function))
    if (hpvmIntrinsicName(instruction).starts_with("assume."))
      assumptions.push_back(cast<CallBase>(&instruction));
  Type *ptr = builder.getPtrTy(), *i64 = builder.getInt64Ty();
  for (CallBase *call : assumptions) {
    if (hpvmIntrinsicName(*call) == "assume.ordered") {
      FunctionCallee callee = module.getOrInsertFunction(
          "sluiceCheckOrdered", builder.getVoidTy(), ptr, i64, ptr, i64);
      builder.SetInsertPoint(call);
      builder.CreateCall(
          callee,
          {siteOf({call, nullptr, nullptr, /*kind=*/0}, CheckedObject()), index,
           call->getArgOperand(0), call->getArgOperand(1)});
      call->eraseFromParent();
      continue;
    }
    FunctionCallee callee =
        module.getOrInsertFunction("sluiceCheckDisjoint", builder.getVoidTy(),
                                   ptr, i64, i64, ptr, i64, ptr, i64);
    for (unsigned pointer : {0, 3, 5})
      cast<Function>(callee.getCallee())
          ->addParamAttr(pointer,
                         Attribute::getWithCaptureInfo(function.getContext(),
                                                       CaptureInfo::none()));
    builder.SetInsertPoint(call);
    SmallVector<Value *> arguments = {
        siteOf({call, nullptr, nullptr, /*kind=*/0}, CheckedObject()), index,
        phaseHere()};
    append_range(arguments, call->args());
    builder.CreateCall(callee, arguments);
    call->eraseFromParent();
  }
}

/// Locks, and guards of statics: which is held, and who initialises.
void Instrumenter::reportTurns() {
  SmallVector<CallBase *> turns;
  for (Instruction &instruction : instructions(function))
    if (LockCall kind = lockCallOf(instruction);
        kind != LockCall::None && kind != LockCall::Wait)
      turns.push_back(cast<CallBase>(&instruction));
  Type *i32 = builder.getInt32Ty();
  FunctionCallee callee =
      module.getOrInsertFunction(turnName, builder.getVoidTy(),
                                 builder.getPtrTy(), i32, builder.getInt64Ty());
  for (CallBase *call : turns) {
    LockCall kind = lockCallOf(*call);
    bool isLock = kind == LockCall::Lock || kind == LockCall::LockShared ||
                  kind == LockCall::TryLock;
    bool isAfter = isLock || kind == LockCall::OnceBegin;
    std::optional<BasicBlock::iterator> after =
        call->getInsertionPointAfterDef();
    if (isAfter && !after)
      continue;
    builder.SetInsertPoint(isAfter ? &**after : call);
    builder.SetCurrentDebugLocation(call->getDebugLoc());
    Value *turn = builder.getInt32(
        isLock                        ? SLUICE_CHECK_LOCKED
        : kind == LockCall::Unlock    ? SLUICE_CHECK_UNLOCKED
        : kind == LockCall::OnceBegin ? SLUICE_CHECK_INITIALIZES
                                      : SLUICE_CHECK_INITIALIZED);
    if (kind == LockCall::OnceBegin)
      turn = builder.CreateSelect(builder.CreateIsNotNull(call), turn,
                                  builder.getInt32(0));
    if (kind == LockCall::TryLock)
      turn = builder.CreateSelect(builder.CreateIsNull(call), turn,
                                  builder.getInt32(0));
    builder.CreateCall(callee, {call->getArgOperand(0), turn, index});
  }
}

/// Calls that may run code which does not know its instance: functions of the
/// program, and those of libraries, which may call such ones, as `qsort` does
/// and the end of a `catch`.
static bool entersHelper(const Instruction &instruction) {
  auto *call = dyn_cast<CallBase>(&instruction);
  if (!call || call->isInlineAsm() || isa<IntrinsicInst>(call))
    return false;
  const Function *callee = call->getCalledFunction();
  if (isTextSize(callee))
    return false;
  if (!callee || !callee->isDeclaration())
    return true;
  return !callee->hasFnAttribute(Attribute::NoCallback) &&
         !callee->doesNotAccessMemory() &&
         !callee->getName().starts_with("sluice") &&
         hpvmIntrinsicName(instruction).empty();
}

void Instrumenter::announceInstance() {
  FunctionCallee announce =
      module.getOrInsertFunction(instanceName, builder.getVoidTy(),
                                 builder.getInt64Ty(), builder.getInt64Ty());
  SmallVector<Instruction *> calls;
  for (Instruction &instruction : instructions(function))
    if (entersHelper(instruction))
      calls.push_back(&instruction);
  for (Instruction *call : calls) {
    builder.SetInsertPoint(call);
    builder.CreateCall(announce, {index, phaseHere()});
  }
}

/// How many barriers there were in all: what one-to-one edges order depends on
/// it.
void Instrumenter::announceEnds() {
  if (!phase)
    return;
  FunctionCallee announce =
      module.getOrInsertFunction(instanceName, builder.getVoidTy(),
                                 builder.getInt64Ty(), builder.getInt64Ty());
  for (BasicBlock &block : function)
    if (isa<ReturnInst>(block.getTerminator())) {
      builder.SetInsertPoint(block.getTerminator());
      builder.SetCurrentDebugLocation(cast<Instruction>(index)->getDebugLoc());
      builder.CreateCall(announce, {index, phaseHere()});
    }
}

void Instrumenter::runOnLeaf() {
  SmallVector<CodeAccess> accesses = findMemoryAccesses(function);
  FunctionCallee indexFunction =
      module.getOrInsertFunction(indexName, builder.getInt64Ty());
  builder.SetInsertPoint(&*function.getEntryBlock().getFirstInsertionPt());
  index = builder.CreateCall(indexFunction);
  // Calls in functions with debug information need a place.
  if (DISubprogram *program = function.getSubprogram())
    cast<CallInst>(index)->setDebugLoc(
        DILocation::get(function.getContext(), program->getLine(), 0, program));
  addPhase();
  announceInstance();
  for (const CodeAccess &access : accesses)
    reportAccess(access);
  reportAssumptions();
  reportTurns();
  announceEnds();
  if (phase) // It dominates its uses.
    phase->moveBefore(function.getEntryBlock().begin());
}

void Instrumenter::runOnHelper() {
  index = builder.getInt64(SLUICE_CHECK_CURRENT);
  for (const CodeAccess &access : findMemoryAccesses(function))
    reportAccess(access);
  reportTurns();
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// The functions that `leaf` calls, or hands to a library; with an indirect
/// call, all that it could be.
static void instrumentHelpers(Function &leaf) {
  SmallVector<Function *> worklist{&leaf};
  SmallPtrSet<Function *, 16> seen{&leaf};
  auto add = [&](Function *function) {
    if (function && !function->isDeclaration() &&
        !function->getName().starts_with("llvm.") &&
        seen.insert(function).second)
      worklist.push_back(function);
  };
  while (!worklist.empty()) {
    Function *function = worklist.pop_back_val();
    for (Instruction &instruction : instructions(*function)) {
      if (!entersHelper(instruction))
        continue;
      add(cast<CallBase>(instruction).getCalledFunction());
      for (Value *argument : cast<CallBase>(instruction).args())
        add(dyn_cast<Function>(argument->stripPointerCasts()));
      if (cast<CallBase>(instruction).getCalledFunction())
        continue;
      for (Function &candidate : *leaf.getParent())
        if (candidate.hasFnAttribute(callableAttribute))
          add(&candidate);
    }
    if (function == &leaf || function->hasFnAttribute(doneAttribute))
      continue;
    function->addFnAttr(doneAttribute);
    // Code that a library has as well is that of the program from now on.
    if (function->hasAvailableExternallyLinkage()) {
      function->setLinkage(GlobalValue::InternalLinkage);
      function->setVisibility(GlobalValue::DefaultVisibility);
      function->setComdat(nullptr);
    }
    Instrumenter(*function, {}).runOnHelper();
  }
}

/// Removes the reports of functions that were instrumented before they were
/// inlined here, and those of the leaf itself, if another one may call it: the
/// leaf reports all of its accesses anew, as an instance that it knows.
static void removeReports(Function &leaf) {
  SmallVector<CallBase *> reports, texts;
  for (Instruction &instruction : instructions(leaf))
    if (auto *call = dyn_cast<CallBase>(&instruction))
      if (const Function *callee = call->getCalledFunction()) {
        if (callee->getName() == accessName || callee->getName() == turnName)
          reports.push_back(call);
        if (isTextSize(callee))
          texts.push_back(call);
      }
  for (CallBase *report : reports) {
    if (auto *invoke = dyn_cast<InvokeInst>(report))
      report = changeToCall(invoke);
    report->eraseFromParent();
  }
  // Only sizes for the reports were computed from these calls.
  for (CallBase *text : texts) {
    text->replaceAllUsesWith(PoisonValue::get(text->getType()));
    text->eraseFromParent();
  }
}

void noteCallableFunctions(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration() && function.hasAddressTaken())
      function.addFnAttr(callableAttribute);
}

void instrumentAccesses(Function &leaf, ArrayRef<InputPort> inputs) {
  removeReports(leaf);
  Instrumenter(leaf, inputs).runOnLeaf();
  instrumentHelpers(leaf);
}

CallInst *findInstanceIndex(Function &function) {
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallInst>(&instruction))
      if (Function *callee = call->getCalledFunction())
        if (callee->getName() == indexName)
          return call;
  return nullptr;
}

} // namespace sluice::codegen
