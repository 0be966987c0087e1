//===- AtomicUpdates.cpp - Atomics with an unused old value ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AtomicUpdates.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace sluice::codegen {

using Op = AtomicRMWInst::BinOp;

ConstantInt *UpdateKind::neutral() const {
  unsigned bits = type->getBitWidth();
  APInt value = APInt::getZero(bits);
  if (operation == Op::And || operation == Op::UMin)
    value = APInt::getAllOnes(bits);
  else if (operation == Op::Min)
    value = APInt::getSignedMaxValue(bits);
  else if (operation == Op::Max)
    value = APInt::getSignedMinValue(bits);
  return ConstantInt::get(type->getContext(), value);
}

static std::optional<Op> combiningOperation(Op operation) {
  switch (operation) {
  case Op::Add:
  case Op::Sub:
    return Op::Add;
  case Op::And:
  case Op::Or:
  case Op::Xor:
  case Op::Min:
  case Op::Max:
  case Op::UMin:
  case Op::UMax:
    return operation;
  default:
    return std::nullopt;
  }
}

std::optional<UpdateKind> updateKindOf(const AtomicRMWInst &atomic) {
  auto *type = dyn_cast<IntegerType>(atomic.getType());
  std::optional<Op> operation = combiningOperation(atomic.getOperation());
  if (!type || !operation || !atomic.use_empty() || ordersMemory(atomic) ||
      atomic.getSyncScopeID() != SyncScope::System)
    return std::nullopt;
  unsigned bits = type->getBitWidth();
  bool isWhole = bits == 8 || bits == 16 || bits == 32 || bits == 64;
  if (!isWhole || atomic.getAlign().value() * 8 < bits)
    return std::nullopt;
  return UpdateKind{*operation, type};
}

Value *emitUpdatedValue(IRBuilderBase &builder, const AtomicRMWInst &update,
                        Value *old) {
  Value *operand = const_cast<Value *>(update.getValOperand());
  switch (update.getOperation()) {
  case Op::Add:
    return builder.CreateAdd(old, operand);
  case Op::Sub:
    return builder.CreateSub(old, operand);
  case Op::And:
    return builder.CreateAnd(old, operand);
  case Op::Or:
    return builder.CreateOr(old, operand);
  case Op::Xor:
    return builder.CreateXor(old, operand);
  case Op::Min:
    return builder.CreateBinaryIntrinsic(Intrinsic::smin, old, operand);
  case Op::Max:
    return builder.CreateBinaryIntrinsic(Intrinsic::smax, old, operand);
  case Op::UMin:
    return builder.CreateBinaryIntrinsic(Intrinsic::umin, old, operand);
  case Op::UMax:
    return builder.CreateBinaryIntrinsic(Intrinsic::umax, old, operand);
  default:
    llvm_unreachable("not an update");
  }
}

AtomicRMWInst *emitUpdate(IRBuilderBase &builder, const UpdateKind &kind,
                          Value *pointer, Value *value) {
  return builder.CreateAtomicRMW(kind.operation, pointer, value, MaybeAlign(),
                                 AtomicOrdering::Monotonic);
}

bool ordersMemory(const Instruction &instruction) {
  if (instruction.isVolatile() || isa<FenceInst>(instruction))
    return true;
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return isStrongerThanMonotonic(load->getOrdering());
  if (const auto *store = dyn_cast<StoreInst>(&instruction))
    return isStrongerThanMonotonic(store->getOrdering());
  if (const auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
    return isStrongerThanMonotonic(atomic->getOrdering());
  if (const auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return isStrongerThanMonotonic(exchange->getSuccessOrdering()) ||
           isStrongerThanMonotonic(exchange->getFailureOrdering());
  return false;
}

bool isRuntimeCall(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  return callee && callee->isDeclaration() &&
         is_contained({"sluiceMalloc", "sluiceGroupMalloc", "sluiceGroupFree",
                       "sluiceFail"},
                      callee->getName());
}

//===----------------------------------------------------------------------===//
// Functions that only access their arguments
//===----------------------------------------------------------------------===//

/// Whether `pointer` points into an argument's memory, to a constant, or to the
/// function's own memory.
static bool isKnownMemory(const Value *pointer) {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(pointer, objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  return all_of(objects, [](const Value *object) {
    if (const auto *global = dyn_cast<GlobalVariable>(object))
      return global->isConstant();
    return isa<Argument, AllocaInst, ConstantPointerNull, UndefValue>(object) ||
           isNoAliasCall(object);
  });
}

using Functions = SmallSetVector<const Function *, 8>;

/// Adds the callee to `reached` if it must be examined.
static bool isContainedCall(const CallBase &call, Functions &reached) {
  if (isRuntimeCall(call))
    return true;
  const Function *callee = call.getCalledFunction();
  if (!callee || isa<InvokeInst, CallBrInst>(call))
    return false;
  for (const Use &argument : call.args())
    if (argument->getType()->isPointerTy() && !isKnownMemory(argument))
      return false;
  if (!callee->isDeclaration()) {
    reached.insert(callee);
    return !callee->isInterposable();
  }
  if (callee->isIntrinsic())
    return call.onlyAccessesInaccessibleMemOrArgMem() && !call.mayThrow();
  // Such as what stands for accesses to large values while passes run.
  bool isAccess = call.onlyAccessesArgMemory() && callee->hasNoSync() &&
                  callee->hasFnAttribute(Attribute::WillReturn);
  return (isAccess || call.doesNotAccessMemory()) && !call.mayThrow();
}

static bool isContained(const Instruction &instruction, Functions &reached) {
  if (ordersMemory(instruction))
    return false;
  if (const auto *call = dyn_cast<CallBase>(&instruction))
    return isContainedCall(*call, reached);
  if (!instruction.mayReadOrWriteMemory() && !instruction.mayThrow())
    return true;
  const Value *pointer = getLoadStorePointerOperand(&instruction);
  if (const auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
    pointer = atomic->getPointerOperand();
  else if (const auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    pointer = exchange->getPointerOperand();
  return pointer && isKnownMemory(pointer);
}

bool ContainedFunctions::contains(const Function &function) {
  if (function.isDeclaration() || function.isInterposable())
    return false;
  Functions reached;
  reached.insert(&function);
  for (unsigned i = 0; i != reached.size(); ++i) {
    if (known.contains(reached[i]))
      continue;
    for (const Instruction &instruction : instructions(reached[i]))
      if (!isContained(instruction, reached))
        return false;
  }
  known.insert(reached.begin(), reached.end());
  return true;
}

static bool followPointer(Value &pointer, function_ref<bool(Use &)> accept,
                          SmallPtrSetImpl<const Value *> &visited) {
  if (!visited.insert(&pointer).second)
    return true;
  return all_of(pointer.uses(), [&](Use &use) {
    User *user = use.getUser();
    if (isa<ICmpInst>(user))
      return true;
    if (isa<GetElementPtrInst, PHINode, SelectInst>(user))
      return user->getType()->isPointerTy() &&
             followPointer(*user, accept, visited);
    auto *call = dyn_cast<CallInst>(user);
    Function *callee = call ? call->getCalledFunction() : nullptr;
    if (callee && !callee->isDeclaration())
      return call->isArgOperand(&use) &&
             call->getArgOperandNo(&use) < callee->arg_size() &&
             followPointer(*callee->getArg(call->getArgOperandNo(&use)), accept,
                           visited);
    return accept(use);
  });
}

bool followPointer(Value &pointer, function_ref<bool(Use &)> accept) {
  SmallPtrSet<const Value *, 16> visited;
  return followPointer(pointer, accept, visited);
}

bool hasOnlyUpdates(Value &pointer, std::optional<UpdateKind> &kind,
                    function_ref<void(AtomicRMWInst &)> found) {
  return followPointer(pointer, [&](Use &use) {
    auto *atomic = dyn_cast<AtomicRMWInst>(use.getUser());
    std::optional<UpdateKind> own =
        atomic ? updateKindOf(*atomic) : std::nullopt;
    if (!own || use.get() != atomic->getPointerOperand() ||
        (kind && !(*kind == *own)))
      return false;
    kind = own;
    found(*atomic);
    return true;
  });
}

} // namespace sluice::codegen
