//===- CollectCalls.cpp - What calls in a leaf read and write -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the C library access the memory that their manual names.
// Functions without code may access any memory. Transfers, reductions and locks
// access the memory that they are passed.
//
//===----------------------------------------------------------------------===//

#include "EffectsCollector.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/LeafAtomics.h"
#include "sluice/Analysis/LeafLocks.h"
#include "sluice/Analysis/LeafMemory.h"
#include "sluice/Analysis/ReachedCode.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::races;

/// True if the library destroys the thrown object at the end of a `catch`, by
/// code that is not followed.
static bool runsDestructorLater(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee || callee->getName() != "__cxa_throw" || call.arg_size() != 3)
    return false;
  const Value *destructor = call.getArgOperand(2)->stripPointerCasts();
  if (isa<ConstantPointerNull>(destructor))
    return false;
  const auto *function = dyn_cast<Function>(destructor);
  return !function || !function->isDeclaration() ||
         !function->getName().starts_with("_ZNSt");
}

/// A call that may touch all that its arguments point to.
void EffectsCollector::addArguments(CallBase &call, StringRef callee) {
  for (unsigned i = 0; i != call.arg_size(); ++i) {
    Value *argument = call.getArgOperand(i);
    if (!argument->getType()->isPointerTy() || call.doesNotAccessMemory(i))
      continue;
    LeafAccess form;
    form.size = 0;
    form.sides = assumptions.sidesOf(call, *argument);
    form.vouches = assumptions.vouchesOf(call, *argument);
    form.reason =
        ("'" + callee + "' may touch any part of what it is passed").str();
    Use use = {.isRead = true, .isWrite = !call.onlyReadsMemory(i)};
    SmallVector<const Value *> objects;
    getUnderlyingObjects(argument, objects, &values.loops, 0);
    for (const Value *object : objects)
      if (!isa<Function>(object))
        addPart(call, argument, object, use, /*isOnlyObject=*/false, form);
  }
}

/// A number of bytes, or of elements; none if it is unknown, or may exceed all
/// memory, such as `(size_t)-1` for "no limit". `isLimit`: the function may
/// stop earlier, so a negative number is no error.
std::optional<Polynomial>
EffectsCollector::countOf(CallBase &call, unsigned argument, bool isLimit) {
  std::string ignored;
  std::optional<Polynomial> count =
      values.number(call.getArgOperand(argument), /*isSigned=*/false,
                    *call.getParent(), ignored);
  std::optional<int64_t> known = count ? count->asConstant() : std::nullopt;
  if ((known && *known < 0) || (count && isLimit && mayBeHuge(*count)))
    return std::nullopt;
  return count;
}

void EffectsCollector::addLibraryUse(CallBase &call, const LibraryUse &use) {
  using Size = LibraryUse::Size;
  constexpr int64_t largestObject = int64_t(1) << 46;
  Value *pointer = call.getArgOperand(use.argument);
  uint64_t bytes = 0;
  if (use.size == Size::Text)
    bytes = GetStringLength(call.getArgOperand(use.count));
  if (use.isCounted()) {
    std::optional<Polynomial> length =
        countOf(call, use.count, use.size == Size::AtMost);
    if (use.unit >= 0 && length) {
      std::optional<Polynomial> unit =
          countOf(call, use.unit, use.size == Size::AtMost);
      length = unit ? std::optional(*length * *unit) : std::nullopt;
    }
    std::optional<int64_t> known = length ? length->asConstant() : std::nullopt;
    if (known && *known == 0)
      return;
    if (known)
      bytes = *known <= largestObject ? *known : 0;
    else if (length && length->isValid()) {
      transferLength = length;
      bytes = 1;
      ++numTransfers;
    }
  }
  LeafAccess form;
  form.size = bytes;
  form.sides = assumptions.sidesOf(call, *pointer);
  form.vouches = assumptions.vouchesOf(call, *pointer);
  if (bytes == 0)
    form.reason = ("'" + call.getCalledFunction()->getName() +
                   "' may touch any part of what it is passed")
                      .str();
  else if (use.size == Size::AtMost) {
    form.isCertain = false;
    form.reason = ("'" + call.getCalledFunction()->getName() +
                   "' may touch less than it is allowed to")
                      .str();
  }
  SmallVector<const Value *> objects;
  getUnderlyingObjects(pointer, objects, &values.loops, /*MaxLookup=*/0);
  for (const Value *object : objects)
    if (!isa<Function>(object))
      addPart(call, pointer, object,
              {.isRead = use.isRead, .isWrite = use.isWritten},
              objects.size() == 1 && bytes != 0, form);
  transferLength.reset();
}

/// Adds the accesses of a function of the C library: to the memory that it is
/// passed, and to its state.
void EffectsCollector::addLibraryCall(CallBase &call,
                                      const LibraryCall &known) {
  for (const LibraryUse &use : known.uses)
    addLibraryUse(call, use);
  if (known.touchesEarlier)
    addUnknown(call, ("'" + call.getCalledFunction()->getName() +
                      "' may touch memory that it was passed before")
                         .str());
  for (const LibraryState &state : known.states) {
    LeafAccess access;
    access.memory = {LeafMemory::Kind::Global, 0, libraryStateName(state.name)};
    access.offset = Polynomial(0);
    access.isCertain = state.isCertain;
    if (!state.isCertain)
      access.reason = ("'" + call.getCalledFunction()->getName() +
                       "' need not write it, or nobody may read it")
                          .str();
    push(call, access, {.isRead = true, .isWrite = state.isWritten});
    if (state.isLocked)
      effects.accesses.back().guards.push_back(
          {LeafGuard::Kind::Held, access.memory, Polynomial(0)});
  }
}

/// The results of all copies are folded into all of the memory.
void EffectsCollector::addReduction(CallBase &call,
                                    const LeafReduction &reduction) {
  auto *bytes = dyn_cast<ConstantInt>(reduction.bytes);
  if (!reduction.memory || (bytes && bytes->isZero()))
    return;
  std::string reason;
  TypeSize size = TypeSize::getFixed(bytes ? bytes->getZExtValue() : 0);
  if (!bytes &&
      (transferLength = values.number(reduction.bytes, /*isSigned=*/false,
                                      *call.getParent(), reason))) {
    size = TypeSize::getFixed(1);
    ++numTransfers;
  }
  addAccess(call, call.getArgOperand(0), {.isRead = true, .isWrite = true},
            size);
  transferLength.reset();
}

void EffectsCollector::visitTransfer(MemIntrinsic &transfer) {
  BasicBlock &block = *transfer.getParent();
  Value *length = transfer.getLength();
  TypeSize size = TypeSize::getFixed(0);
  std::string reason;
  if (auto *constant = dyn_cast<ConstantInt>(length)) {
    if (constant->isZero())
      return;
    size = TypeSize::getFixed(constant->getZExtValue());
  } else if ((transferLength =
                  values.number(length, /*isSigned=*/false, block, reason))) {
    size = TypeSize::getFixed(1);
    ++numTransfers;
  }
  addAccess(transfer, transfer.getRawDest(), {.isWrite = true}, size);
  if (auto *copy = dyn_cast<MemTransferInst>(&transfer)) {
    numTransfers += transferLength ? 1 : 0;
    addAccess(transfer, copy->getRawSource(), {.isRead = true}, size);
  }
  transferLength.reset();
}

StringRef races::operatorNamed(StringRef operation) {
  return StringSwitch<StringRef>(operation)
      .Cases({"add", "sub", "inc", "dec", "fadd", "fsub"}, "+")
      .Cases({"min", "umin", "fmin"}, "min")
      .Cases({"max", "umax", "fmax"}, "max")
      .Cases({"and", "or", "xor"}, operation)
      .Default("");
}

/// Functions of language runtimes that touch no memory of the program.
static bool isHarmless(StringRef name) {
  return name.starts_with("__cxa_") || name.starts_with("__gxx_") ||
         name.starts_with("_Unwind") || name == "__clang_call_terminate" ||
         name.starts_with("sluice.") || name == "__errno_location";
}

/// Functions of libm that LLVM does not list; `lgamma` writes a global
/// variable.
static bool isUnlistedMath(StringRef name) {
  return StringSwitch<bool>(name)
      .Cases({"erfc", "erfcf", "erfcl", "j0", "j0f", "j1", "j1f", "jn", "jnf"},
             true)
      .Cases({"y0", "y0f", "y1", "y1f", "yn", "ynf"}, true)
      .Default(false);
}

/// True for functions of the system's libraries that only access the memory
/// that they are passed. Others keep state between calls.
static bool isOfLibrary(const Function &callee,
                        const TargetLibraryInfo &library) {
  LibFunc function;
  if (!callee.isDeclaration())
    return false;
  if (isUnlistedMath(callee.getName()))
    return true;
  return library.getLibFunc(callee, function) && function != LibFunc_strtok &&
         function != LibFunc_ctermid && function != LibFunc_atexit;
}

/// True if `first`, and all functions that it calls, only use their own memory
/// and memory that they are passed.
static bool staysInArguments(const Function &first) {
  SetVector<const Function *> functions;
  functions.insert(&first);
  auto isOwn = [](const Value *pointer) {
    const Value *object = getUnderlyingObject(pointer, 0);
    const auto *global = dyn_cast<GlobalVariable>(object);
    return isa<Argument, AllocaInst>(object) ||
           (global && global->isConstant());
  };
  for (unsigned i = 0; i != functions.size(); ++i) {
    if (functions[i]->isDeclaration())
      return false;
    for (const Instruction &instruction : instructions(functions[i])) {
      const auto *call = dyn_cast<CallBase>(&instruction);
      const auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
      if ((call && call->doesNotAccessMemory()) ||
          (intrinsic && intrinsic->isAssumeLikeIntrinsic()))
        continue;
      const Function *callee = call ? call->getCalledFunction() : nullptr;
      if (callee && !callee->isDeclaration()) {
        functions.insert(callee);
        if (!all_of(call->args(), [&](const Use &argument) {
              return !argument->getType()->isPtrOrPtrVectorTy() ||
                     isOwn(argument);
            }))
          return false;
        continue;
      }
      const Value *pointer = getLoadStorePointerOperand(&instruction);
      if (pointer ? !isOwn(pointer) : instruction.mayReadOrWriteMemory())
        return false;
    }
  }
  return true;
}

/// Why a function that is called was not looked into.
static const char *whyNotInlined(const Function &callee) {
  if (callee.isDeclaration())
    return "', whose code is elsewhere, may touch any memory";
  if (callsItself(callee))
    return "' calls itself and may touch any memory";
  return "' is not looked into, since it cannot be inlined or the leaf would "
         "become too large with it, and may touch any memory";
}

void EffectsCollector::visitCall(CallBase &call) {
  StringRef name = hpvmIntrinsicName(call);
  if (std::optional<HPVMAtomic> atomic = hpvmAtomicOf(call))
    return addAccess(call, atomic->address,
                     {.isRead = atomic->isRead,
                      .isWrite = atomic->isWritten,
                      .isAtomic = true,
                      .update = operatorNamed(atomic->operation)},
                     layout.getTypeStoreSize(atomic->type));
  if (LockCall kind = lockCallOf(call); kind != LockCall::None &&
                                        kind != LockCall::OnceBegin &&
                                        kind != LockCall::OnceEnd) {
    for (Value *argument : call.args())
      if (argument->getType()->isPointerTy())
        addAccess(call, argument,
                  {.isRead = true, .isWrite = true, .isAtomic = true},
                  TypeSize::getFixed(1));
    return;
  }
  if (name == "malloc")
    mallocNumber(call);
  if (std::optional<LeafReduction> reduction = reductionOf(call))
    return addReduction(call, *reduction);
  if (!name.empty())
    return;
  if (auto *transfer = dyn_cast<MemIntrinsic>(&call))
    return visitTransfer(*transfer);
  // The ends of arrays of variable length touch no memory.
  if (call.getIntrinsicID() == Intrinsic::prefetch ||
      call.getIntrinsicID() == Intrinsic::stacksave ||
      call.getIntrinsicID() == Intrinsic::stackrestore)
    return;
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&call))
    if (intrinsic->isAssumeLikeIntrinsic() || isa<DbgInfoIntrinsic>(intrinsic))
      return;
  if (call.doesNotAccessMemory() || call.onlyAccessesInaccessibleMemory() ||
      call.isInlineAsm())
    return call.isInlineAsm() && !call.doesNotAccessMemory()
               ? addUnknown(call, "inline assembly may touch any memory")
               : void();
  const Function *callee = call.getCalledFunction();
  if (!callee)
    return addUnknown(call, "a function that is not known at compile time is "
                            "called, which may touch any memory");
  if (runsDestructorLater(call))
    return addUnknown(call, "the destructor of what is thrown here may touch "
                            "any memory");
  if (isHarmless(callee->getName()) ||
      (callee->isDeclaration() && callee->doesNotReturn()))
    return;
  std::optional<LibraryCall> known = libraryCallOf(call);
  if (known)
    addLibraryCall(call, *known);
  else
    addArguments(call, callee->getName());
  if (known || call.onlyAccessesArgMemory() ||
      call.onlyAccessesInaccessibleMemOrArgMem() ||
      isOfLibrary(*callee, library) || staysInArguments(*callee)) {
    if (callee->getName() != "qsort" && callee->getName() != "bsearch")
      return;
    auto *compare = dyn_cast<Function>(call.getArgOperand(call.arg_size() - 1));
    if (!compare || !staysInArguments(*compare))
      addUnknown(call, ("'" + callee->getName() +
                        "' calls a function that may touch any memory")
                           .str());
    return;
  }
  const DISubprogram *program = callee->getSubprogram();
  StringRef written = program ? program->getName() : callee->getName();
  addUnknown(call, "'" + written.str() + whyNotInlined(*callee));
}
