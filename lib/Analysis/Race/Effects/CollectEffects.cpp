//===- CollectEffects.cpp - What a leaf reads and writes ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the accesses of a prepared leaf to memory that others may see.
//
//===----------------------------------------------------------------------===//

#include "LeafAddresses.h"
#include "LeafAssumptions.h"
#include "LeafEffects.h"
#include "LeafGuards.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/LeafAtomics.h"
#include "sluice/Analysis/LeafLocks.h"
#include "sluice/Analysis/LeafMemory.h"
#include "sluice/Analysis/LeafReductions.h"
#include "sluice/Analysis/LibraryCalls.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"

#include <set>

using namespace llvm;
using namespace sluice;
using namespace sluice::races;

namespace {
class EffectCollector {
public:
  EffectCollector(Function &leaf, ArrayRef<unsigned> divergentArguments,
                  FunctionAnalysisManager &analyses)
      : leaf(leaf), divergentArguments(divergentArguments),
        layout(leaf.getDataLayout()), analyses(analyses),
        values(leaf, analyses), conditions(leaf, values),
        assumptions(leaf, values),
        library(analyses.getResult<TargetLibraryAnalysis>(leaf)),
        guards(leaf, values, library) {}

  LeafEffects run();

private:
  /// What kinds of access one instruction makes through one pointer.
  struct Use {
    bool isRead = false, isWrite = false, isAtomic = false;
    /// LeafAccess::update.
    StringRef update = {};
  };

  void visit(Instruction &instruction);
  void visitCall(CallBase &call);
  void visitTransfer(MemIntrinsic &transfer);
  void addReduction(CallBase &call, const LeafReduction &reduction);
  void addAccess(Instruction &instruction, Value *pointer, Use use,
                 TypeSize size);
  void addPart(Instruction &instruction, Value *pointer, const Value *object,
               Use use, bool isOnlyObject, const LeafAccess &form);
  void addArguments(CallBase &call, StringRef callee);
  std::optional<Polynomial> countOf(CallBase &call, unsigned argument,
                                    bool isLimit);
  void addLibraryUse(CallBase &call, const LibraryUse &use);
  void addLibraryCall(CallBase &call, const LibraryCall &known);
  void addUnknown(Instruction &instruction, std::string reason);
  void push(Instruction &instruction, LeafAccess access, Use use);
  bool nameMemory(const Value &object, LeafMemory &memory, std::string &reason);
  bool followPointer(const Value &object, LeafAccess &access);
  unsigned mallocNumber(const CallBase &call);
  void collectOutputs();
  std::optional<Polynomial> outputValue(unsigned index);
  void collectOutput(Value *value, unsigned index,
                     std::set<LeafMemory> &memories,
                     SmallPtrSetImpl<Value *> &seen);

  Function &leaf;
  ArrayRef<unsigned> divergentArguments;
  const DataLayout &layout;
  FunctionAnalysisManager &analyses;
  LeafValues values;
  LeafConditions conditions;
  LeafAssumptions assumptions;
  const TargetLibraryInfo &library;
  LeafGuards guards;
  LeafEffects effects;
  std::vector<const Instruction *> origins;
  DenseMap<const CallBase *, unsigned> mallocs;
  /// The current access covers this many bytes from its offset on.
  std::optional<Polynomial> transferLength;
  unsigned numTransfers = 0;
};
} // namespace

unsigned EffectCollector::mallocNumber(const CallBase &call) {
  auto [found, isNew] = mallocs.try_emplace(&call, mallocs.size());
  if (isNew)
    effects.mallocs.push_back(call.getDebugLoc());
  return found->second;
}

/// Whether a call returns the memory of an exception that no other instance
/// has. One that the program kept may be thrown again by several.
static bool isExceptionOfInstance(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  StringRef name = callee ? callee->getName() : StringRef();
  if (name == "__cxa_allocate_exception")
    return true;
  return name == "__cxa_begin_catch" &&
         none_of(*call.getModule(), [](const Function &function) {
           return function.getName().contains("rethrow_exception");
         });
}

/// Whether what is thrown is destroyed by code that is not looked into. The
/// library does that at the end of a `catch`.
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

/// Whether the result points anywhere into what the library keeps.
static bool pointsIntoState(const Value &call) {
  std::optional<LibraryCall> known = libraryCallOf(call);
  return known && known->returnsState;
}

/// The argument into whose memory the result points; null if none is known.
static const Value *returnedBy(const Value &call) {
  std::optional<LibraryCall> known = libraryCallOf(call);
  return known && known->returnedArgument >= 0
             ? cast<CallBase>(call).getArgOperand(known->returnedArgument)
             : nullptr;
}

/// Names what `object` is; false if it is private to the instance or constant.
bool EffectCollector::nameMemory(const Value &object, LeafMemory &memory,
                                 std::string &reason) {
  if (isa<AllocaInst, ConstantPointerNull, UndefValue>(object))
    return false;
  if (const auto *argument = dyn_cast<Argument>(&object)) {
    memory = {LeafMemory::Kind::Parameter, argument->getArgNo(), ""};
    return !argument->hasByValAttr();
  }
  if (const auto *global = dyn_cast<GlobalVariable>(&object)) {
    memory = {LeafMemory::Kind::Global, 0, global->getName().str()};
    return !global->isConstant() && !isOfThread(object);
  }
  if (const auto *call = dyn_cast<CallBase>(&object)) {
    if (hpvmIntrinsicName(*call) == "malloc") {
      memory = {LeafMemory::Kind::Malloc, mallocNumber(*call), ""};
      return true;
    }
    if (isNoAliasCall(call) || isAllocationFn(call, &library) ||
        isOfThread(object) || isExceptionOfInstance(*call))
      return false;
    if (std::optional<LibraryCall> known = libraryCallOf(*call);
        known && known->returnsState) {
      memory = {LeafMemory::Kind::Global, 0,
                libraryStateName(known->states.back().name)};
      return true;
    }
    // Null there says nothing of the result.
    if (const Value *argument = returnedBy(*call))
      if (const Value *into = getUnderlyingObject(argument, /*MaxLookup=*/0);
          !isa<ConstantPointerNull, UndefValue>(into))
        return nameMemory(*into, memory, reason);
    const Function *callee = call->getCalledFunction();
    StringRef name = callee ? callee->getName() : StringRef();
    reason = callee ? "through the pointer that '" + name.str() + "' returns"
                    : "through the pointer that an indirect call returns";
  } else if (isOfThread(object)) {
    return false;
  } else if (isa<LoadInst>(object)) {
    reason = "through a pointer that is loaded from memory";
  } else if (isa<IntToPtrInst>(object)) {
    reason = "through a pointer that is made from an integer";
  } else {
    reason = "through a pointer whose origin is not known";
  }
  memory = {};
  return true;
}

/// Names the memory that a pointer leads to by where it was loaded from; false
/// if that is not known, or says nothing.
bool EffectCollector::followPointer(const Value &object, LeafAccess &access) {
  constexpr unsigned maxDepth = 4;
  const auto *load = dyn_cast<LoadInst>(&object);
  if (!load || !load->isSimple() ||
      !leaf.hasFnAttribute(followsPointersAttribute))
    return false;
  auto *pointer = const_cast<Value *>(load->getPointerOperand());
  const Value *holder = getUnderlyingObject(pointer, /*MaxLookup=*/0);
  std::string ignored;
  if (!followPointer(*holder, access) &&
      (!nameMemory(*holder, access.memory, ignored) ||
       (access.memory.kind != LeafMemory::Kind::Parameter &&
        access.memory.kind != LeafMemory::Kind::Global)))
    return false;
  std::optional<Polynomial> offset =
      values.offset(pointer, holder, *load->getParent(), ignored);
  if (!offset || !offset->isValid() || access.memory.depth == maxDepth) {
    access.memory = {};
    return false;
  }
  access.pointers.push_back(*offset);
  ++access.memory.depth;
  return true;
}

void EffectCollector::push(Instruction &instruction, LeafAccess access,
                           Use use) {
  conditions.describe(*instruction.getParent(), access);
  if (transferLength) {
    // Byte by byte, as a loop around the access.
    Symbol turn;
    turn.kind = Symbol::Kind::Turn;
    turn.index = 1000 + numTransfers;
    for (std::optional<Polynomial> *offset : {&access.offset, &access.followed})
      if (*offset)
        **offset += Polynomial::of(turn);
    access.conditions.push_back({Condition::Kind::NotPositive,
                                 Polynomial::of(turn) - *transferLength + 1,
                                 static_cast<int>(turn.index)});
  }
  access.guards = guards.at(instruction);
  access.place = instruction.getDebugLoc();
  access.origin = &instruction;
  access.isAtomic = use.isAtomic;
  // A write stands for the read of the same place as well.
  access.isWrite = use.isWrite;
  access.update = use.update;
  if (access.memory.kind == LeafMemory::Kind::Unknown)
    effects.isComplete = false;
  effects.accesses.push_back(std::move(access));
  origins.push_back(&instruction);
}

void EffectCollector::addPart(Instruction &instruction, Value *pointer,
                              const Value *object, Use use, bool isOnlyObject,
                              const LeafAccess &form) {
  LeafAccess access = form;
  std::string reason;
  if (!followPointer(*object, access)) {
    access.pointers.clear();
    if (!nameMemory(*object, access.memory, reason))
      return;
  }
  if (returnedBy(*object) || pointsIntoState(*object)) {
    isOnlyObject = false;
    access.reason = "a function of the library says where in it";
  }
  if (access.memory.kind != LeafMemory::Kind::Unknown && access.size > 0) {
    const BasicBlock &block = *instruction.getParent();
    if (isOnlyObject)
      access.offset = values.offset(pointer, object, block, reason);
    else
      reason = "it may point to one of several objects";
    std::string ignored;
    if (access.offset)
      reason.clear();
    else if (isOnlyObject)
      access.followed = values.offset(pointer, object, block, ignored,
                                      /*followsLoads=*/true);
  }
  if (access.reason.empty())
    access.reason = reason;
  push(instruction, std::move(access), use);
}

void EffectCollector::addAccess(Instruction &instruction, Value *pointer,
                                Use use, TypeSize size) {
  LeafAccess form;
  form.size = size.isScalable() ? 0 : size.getFixedValue();
  form.sides = assumptions.sidesOf(instruction, *pointer);
  form.vouches = assumptions.vouchesOf(instruction, *pointer);
  SmallVector<const Value *> objects;
  getUnderlyingObjects(pointer, objects, &values.loops, /*MaxLookup=*/0);
  for (const Value *object : objects)
    addPart(instruction, pointer, object, use, objects.size() == 1, form);
}

void EffectCollector::addUnknown(Instruction &instruction, std::string reason) {
  LeafAccess access;
  access.isUnknownCode = true;
  access.reason = std::move(reason);
  push(instruction, std::move(access), {.isRead = true, .isWrite = true});
}

/// A call that may touch all that its arguments point to.
void EffectCollector::addArguments(CallBase &call, StringRef callee) {
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

/// A number of bytes, or of elements; none if it is not known, or may be one
/// that no memory has, as `(size_t)-1` for "whatever there is". `isLimit`: the
/// function stops earlier, so that its being negative is no error.
std::optional<Polynomial>
EffectCollector::countOf(CallBase &call, unsigned argument, bool isLimit) {
  std::string ignored;
  std::optional<Polynomial> count =
      values.number(call.getArgOperand(argument), /*isSigned=*/false,
                    *call.getParent(), ignored);
  std::optional<int64_t> known = count ? count->asConstant() : std::nullopt;
  if ((known && *known < 0) || (count && isLimit && mayBeHuge(*count)))
    return std::nullopt;
  return count;
}

void EffectCollector::addLibraryUse(CallBase &call, const LibraryUse &use) {
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

/// A function of the C library: what it is passed, and what it keeps.
void EffectCollector::addLibraryCall(CallBase &call, const LibraryCall &known) {
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
void EffectCollector::addReduction(CallBase &call,
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

void EffectCollector::visitTransfer(MemIntrinsic &transfer) {
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

/// The operator of an atomic operation that commutes with its like.
static StringRef operatorNamed(StringRef operation) {
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

/// Functions of the system's libraries that touch nothing but what they are
/// passed; others keep something from one call to the next.
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

/// True if `first`, with all that it calls, uses no memory but its own and what
/// it is passed.
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

/// Whether calls lead from a function back to it.
static bool callsItself(const Function &function) {
  SmallPtrSet<const Function *, 8> seen;
  SmallVector<const Function *> worklist{&function};
  while (!worklist.empty())
    for (const Instruction &instruction :
         instructions(worklist.pop_back_val())) {
      auto *call = dyn_cast<CallBase>(&instruction);
      const Function *callee = call ? call->getCalledFunction() : nullptr;
      if (callee == &function)
        return true;
      if (callee && seen.insert(callee).second)
        worklist.push_back(callee);
    }
  return false;
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

void EffectCollector::visitCall(CallBase &call) {
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

void EffectCollector::visit(Instruction &instruction) {
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return addAccess(*load, load->getPointerOperand(),
                     {.isRead = true, .isAtomic = load->isAtomic()},
                     layout.getTypeStoreSize(load->getType()));
  if (auto *store = dyn_cast<StoreInst>(&instruction))
    return addAccess(
        *store, store->getPointerOperand(),
        {.isWrite = true, .isAtomic = store->isAtomic()},
        layout.getTypeStoreSize(store->getValueOperand()->getType()));
  if (auto *update = dyn_cast<AtomicRMWInst>(&instruction))
    return addAccess(*update, update->getPointerOperand(),
                     {.isRead = true,
                      .isWrite = true,
                      .isAtomic = true,
                      .update = operatorNamed(AtomicRMWInst::getOperationName(
                          update->getOperation()))},
                     layout.getTypeStoreSize(update->getType()));
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return addAccess(
        *exchange, exchange->getPointerOperand(),
        {.isRead = true, .isWrite = true, .isAtomic = true},
        layout.getTypeStoreSize(exchange->getNewValOperand()->getType()));
  if (auto *call = dyn_cast<CallBase>(&instruction))
    visitCall(*call);
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

/// Adds what field `index` of `value`, or `value` itself, may point to.
void EffectCollector::collectOutput(Value *value, unsigned index,
                                    std::set<LeafMemory> &memories,
                                    SmallPtrSetImpl<Value *> &seen) {
  if (!seen.insert(value).second)
    return;
  if (value->getType()->isPointerTy() && !isa<PHINode, SelectInst>(value)) {
    const Value *object = value->stripPointerCasts();
    std::string reason;
    LeafMemory memory;
    const auto *call = dyn_cast<CallBase>(object);
    const auto *global = dyn_cast<GlobalVariable>(object);
    if (nameMemory(*object, memory, reason))
      memories.insert(memory);
    else if (call && !isOfThread(*object))
      memories.insert({LeafMemory::Kind::Malloc, mallocNumber(*call), ""});
    else if (!isa<ConstantPointerNull, UndefValue>(object) &&
             !(global && global->isConstant()))
      memories.insert(LeafMemory());
    return;
  }
  if (auto *insert = dyn_cast<InsertValueInst>(value)) {
    if (insert->getIndices()[0] == index && insert->getNumIndices() == 1)
      return collectOutput(insert->getInsertedValueOperand(), index, memories,
                           seen);
    return collectOutput(insert->getAggregateOperand(), index, memories, seen);
  }
  if (auto *constant = dyn_cast<Constant>(value)) {
    if (Constant *field = constant->getAggregateElement(index))
      collectOutput(field, index, memories, seen);
    return;
  }
  if (auto *phi = dyn_cast<PHINode>(value)) {
    for (Value *incoming : phi->incoming_values())
      collectOutput(incoming, index, memories, seen);
    return;
  }
  if (auto *select = dyn_cast<SelectInst>(value)) {
    collectOutput(select->getTrueValue(), index, memories, seen);
    return collectOutput(select->getFalseValue(), index, memories, seen);
  }
  memories.insert(LeafMemory());
}

/// The value of output `index`, if every return gives the same one.
std::optional<Polynomial> EffectCollector::outputValue(unsigned index) {
  std::optional<Polynomial> common;
  for (BasicBlock &block : leaf) {
    auto *result = dyn_cast<ReturnInst>(block.getTerminator());
    if (!result)
      continue;
    Value *field = FindInsertedValue(result->getReturnValue(), {index});
    std::string reason;
    std::optional<Polynomial> value =
        field ? values.number(field, /*isSigned=*/true, block, reason)
              : std::nullopt;
    if (!value || !value->isValid() || (common && !(*common == *value)) ||
        value->containsAny([](const Symbol &symbol) {
          return symbol.kind != Symbol::Kind::Argument;
        }))
      return std::nullopt;
    common = value;
  }
  return common;
}

void EffectCollector::collectOutputs() {
  auto *type = dyn_cast<StructType>(leaf.getReturnType());
  if (!type)
    return;
  for (unsigned index = 0; index != type->getNumElements(); ++index) {
    std::set<LeafMemory> memories;
    if (type->getElementType(index)->isPointerTy())
      for (BasicBlock &block : leaf)
        if (auto *result = dyn_cast<ReturnInst>(block.getTerminator())) {
          SmallPtrSet<Value *, 8> seen;
          collectOutput(result->getReturnValue(), index, memories, seen);
        }
    effects.outputs.emplace_back(memories.begin(), memories.end());
    effects.values.push_back(outputValue(index));
  }
}

LeafEffects EffectCollector::run() {
  for (Instruction &instruction : instructions(leaf))
    if (values.dominators.isReachableFromEntry(instruction.getParent()))
      visit(instruction);
  collectOutputs();
  effects.vouches = assumptions.getVouches();
  effects.numDisjointCalls = assumptions.numDisjointCalls();
  effects.numParameters = leaf.arg_size();
  effects.counters = findCounters(leaf, values);
  effects.hasBarrier = mayExecuteBarrier(leaf);
  if (effects.hasBarrier)
    findIntervals(leaf, effects, origins, divergentArguments, analyses);
  return std::move(effects);
}

LeafEffects races::collectEffects(Function &leaf,
                                  ArrayRef<unsigned> divergentArguments,
                                  FunctionAnalysisManager &analyses) {
  return EffectCollector(leaf, divergentArguments, analyses).run();
}
