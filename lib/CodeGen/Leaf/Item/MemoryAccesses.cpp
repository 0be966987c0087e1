//===- MemoryAccesses.cpp - What instructions access ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryAccesses.h"

#include "sluice-c/Check.h"
#include "sluice/Analysis/LeafAtomics.h"
#include "sluice/Analysis/LibraryCalls.h"
#include "sluice/Base/SourcePath.h"
#include "llvm/Demangle/Demangle.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace sluice::codegen {

static Value *number(const Instruction &instruction, uint64_t value) {
  return ConstantInt::get(Type::getInt64Ty(instruction.getContext()), value);
}

static Value *sizeOf(const Instruction &instruction, Type *type) {
  return number(
      instruction,
      instruction.getDataLayout().getTypeStoreSize(type).getFixedValue());
}

static uint32_t atomicKind() {
  return SLUICE_CHECK_READ | SLUICE_CHECK_WRITE | SLUICE_CHECK_ATOMIC;
}

static void addBlock(CallBase &call, Value *source, Value *target, Value *size,
                     SmallVectorImpl<CodeAccess> &accesses) {
  if (source)
    accesses.push_back(
        {&call, source, size, SLUICE_CHECK_READ | SLUICE_CHECK_COPY});
  accesses.push_back(
      {&call, target, size, SLUICE_CHECK_WRITE | SLUICE_CHECK_COPY});
}

static constexpr StringLiteral textSizeName = "sluice.check.text";

bool isTextSize(const Function *function) {
  // Where modules were joined, a number follows.
  return function && function->getName().starts_with(textSizeName);
}

/// The bytes of a text with its zero byte; none at a null pointer. A function
/// of its own, so that it is told from calls of the program.
static FunctionCallee textSize(Module &module) {
  LLVMContext &context = module.getContext();
  Type *i64 = Type::getInt64Ty(context);
  PointerType *ptr = PointerType::getUnqual(context);
  FunctionCallee callee = module.getOrInsertFunction(textSizeName, i64, ptr);
  auto *function = cast<Function>(callee.getCallee());
  if (!function->isDeclaration())
    return callee;
  function->setLinkage(GlobalValue::InternalLinkage);
  function->setMemoryEffects(MemoryEffects::argMemOnly(ModRefInfo::Ref));
  function->setDoesNotThrow();
  function->setWillReturn();
  function->addFnAttr(Attribute::NoInline);
  function->addParamAttr(
      0, Attribute::getWithCaptureInfo(context, CaptureInfo::none()));
  BasicBlock *entry = BasicBlock::Create(context, "", function);
  BasicBlock *count = BasicBlock::Create(context, "", function);
  BasicBlock *none = BasicBlock::Create(context, "", function);
  IRBuilder<> builder(entry);
  builder.CreateCondBr(builder.CreateIsNull(function->getArg(0)), none, count);
  builder.SetInsertPoint(none);
  builder.CreateRet(builder.getInt64(0));
  builder.SetInsertPoint(count);
  Value *length = builder.CreateCall(
      module.getOrInsertFunction("strlen", i64, ptr), {function->getArg(0)});
  builder.CreateRet(builder.CreateAdd(length, builder.getInt64(1)));
  return callee;
}

/// As many bytes as a function of the C library touches there; null if that is
/// not known before it is called.
static Value *bytesOf(CallBase &call, const LibraryUse &use) {
  Type *i64 = Type::getInt64Ty(call.getContext());
  IRBuilder<> builder(&call);
  auto argument = [&](int number) {
    return builder.CreateZExtOrTrunc(call.getArgOperand(number), i64);
  };
  switch (use.size) {
  case LibraryUse::Size::Counted:
    return use.unit < 0
               ? argument(use.count)
               : builder.CreateMul(argument(use.count), argument(use.unit));
  case LibraryUse::Size::Text:
    return builder.CreateCall(textSize(*call.getModule()),
                              {call.getArgOperand(use.count)});
  case LibraryUse::Size::AtMost:
  case LibraryUse::Size::Open:
    break;
  }
  return nullptr;
}

/// Stands for the state that the C library keeps: one byte for each program.
static Value *stateOf(CallBase &call, StringRef state) {
  Module &module = *call.getModule();
  std::string name = libraryStateName(state);
  Type *i8 = Type::getInt8Ty(module.getContext());
  if (GlobalVariable *known = module.getNamedGlobal(name))
    return known;
  return new GlobalVariable(module, i8, /*isConstant=*/false,
                            GlobalValue::LinkOnceODRLinkage,
                            ConstantInt::get(i8, 0), name);
}

/// Functions of the C library, as its manual says what they touch.
static bool addLibraryCall(CallBase &call,
                           SmallVectorImpl<CodeAccess> &accesses) {
  std::optional<LibraryCall> known = libraryCallOf(call);
  if (!known)
    return false;
  auto kindOf = [](bool isRead, bool isWritten) {
    return (isRead ? SLUICE_CHECK_READ : 0) |
           (isWritten ? SLUICE_CHECK_WRITE : 0);
  };
  // As blocks do, they read before they write.
  for (bool isWritten : {false, true})
    for (const LibraryUse &use : known->uses)
      if (use.isWritten == isWritten)
        if (Value *bytes = bytesOf(call, use))
          accesses.push_back({&call, call.getArgOperand(use.argument), bytes,
                              uint32_t(kindOf(use.isRead, use.isWritten) |
                                       SLUICE_CHECK_COPY)});
  for (const LibraryState &state : known->states)
    if (!state.isLocked && state.isCertain)
      accesses.push_back({&call, stateOf(call, state.name), number(call, 1),
                          uint32_t(kindOf(true, state.isWritten))});
  return true;
}

/// The library of C++ is not instrumented: its member functions use the object
/// they are called for, and write it unless they are const.
static bool isLibraryMember(const CallBase &call, bool &isConst) {
  const Function *callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || call.arg_empty())
    return false;
  isConst = callee->getName().starts_with("_ZNKSt");
  return (isConst || callee->getName().starts_with("_ZNSt")) &&
         call.getParamDereferenceableBytes(0) != 0;
}

static void addCall(CallBase &call, SmallVectorImpl<CodeAccess> &accesses) {
  if (std::optional<HPVMAtomic> atomic = hpvmAtomicOf(call)) {
    uint32_t kind = SLUICE_CHECK_ATOMIC;
    kind |= atomic->isRead ? SLUICE_CHECK_READ : 0;
    kind |= atomic->isWritten ? SLUICE_CHECK_WRITE : 0;
    accesses.push_back(
        {&call, atomic->address, sizeOf(call, atomic->type), kind});
    return;
  }
  bool isConst;
  if (!addLibraryCall(call, accesses) && isLibraryMember(call, isConst))
    accesses.push_back(
        {&call, call.getArgOperand(0),
         number(call, call.getParamDereferenceableBytes(0)),
         uint32_t(isConst ? SLUICE_CHECK_READ : SLUICE_CHECK_WRITE) |
             SLUICE_CHECK_COPY});
}

static void addAccesses(Instruction &instruction,
                        SmallVectorImpl<CodeAccess> &accesses) {
  if (auto *load = dyn_cast<LoadInst>(&instruction)) {
    uint32_t kind =
        SLUICE_CHECK_READ | (load->isAtomic() ? SLUICE_CHECK_ATOMIC : 0);
    accesses.push_back({load, load->getPointerOperand(),
                        sizeOf(*load, load->getType()), kind});
  } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
    uint32_t kind =
        SLUICE_CHECK_WRITE | (store->isAtomic() ? SLUICE_CHECK_ATOMIC : 0);
    accesses.push_back({store, store->getPointerOperand(),
                        sizeOf(*store, store->getValueOperand()->getType()),
                        kind});
  } else if (auto *update = dyn_cast<AtomicRMWInst>(&instruction)) {
    accesses.push_back({update, update->getPointerOperand(),
                        sizeOf(*update, update->getType()), atomicKind()});
  } else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    accesses.push_back(
        {exchange, exchange->getPointerOperand(),
         sizeOf(*exchange, exchange->getNewValOperand()->getType()),
         atomicKind()});
  } else if (auto *block = dyn_cast<MemIntrinsic>(&instruction)) {
    auto *copy = dyn_cast<MemTransferInst>(block);
    addBlock(*block, copy ? copy->getRawSource() : nullptr, block->getRawDest(),
             block->getLength(), accesses);
  } else if (auto *call = dyn_cast<CallBase>(&instruction)) {
    addCall(*call, accesses);
  }
}

SmallVector<CodeAccess> findMemoryAccesses(Function &function) {
  SmallVector<CodeAccess> accesses;
  if (isTextSize(&function))
    return accesses;
  for (Instruction &instruction : instructions(function))
    addAccesses(instruction, accesses);
  return accesses;
}

std::string displayName(const GlobalVariable &global) {
  StringRef name = global.getName();
  if (StringRef state = libraryStateOf(name); !state.empty())
    return ("of '" + state + "' in the C library").str();
  if (name.consume_front("sluice.global."))
    name = name.split('.').second;
  else
    name.consume_front("sluice.dataset.");
  return demangle(name);
}

std::string placeText(const Instruction &instruction) {
  const DebugLoc &place = instruction.getDebugLoc();
  if (!place || !place->getLine())
    return ("in '" + instruction.getFunction()->getName() + "'").str();
  return sourcePath(place->getDirectory(), place->getFilename()) + ":" +
         std::to_string(place->getLine()) + ":" +
         std::to_string(place->getColumn());
}

} // namespace sluice::codegen
