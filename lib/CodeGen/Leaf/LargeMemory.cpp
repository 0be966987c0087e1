//===- LargeMemory.cpp - Copying large values in memory -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. Functions with large parameters get their addresses instead.
// 2. For each large value, some memory contains it from its definition on: the
//    memory it was loaded from, if that does not change, or a copy. Stores of
//    the value, and uses of its parts, read this memory.
// 3. A variable that is only a copy of unchanged memory is replaced by that
//    memory.
//
// Values that are merged at phis stay as they are.
//
//===----------------------------------------------------------------------===//

#include "LargeMemory.h"

#include "sluice/Analysis/LargeValues.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace sluice::codegen {

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static void markInvariant(LoadInst &load) {
  load.setMetadata(LLVMContext::MD_invariant_load,
                   MDNode::get(load.getContext(), {}));
}

static bool isInvariant(const LoadInst &load) {
  return load.hasMetadata(LLVMContext::MD_invariant_load);
}

static bool isDirectCall(const Use &use, const Function &function) {
  const auto *call = dyn_cast<CallBase>(use.getUser());
  return call && call->isCallee(&use) &&
         call->getFunctionType() == function.getFunctionType();
}

/// The attributes of a function or a call whose large parameters have become
/// addresses.
static AttributeList withAddresses(const AttributeList &attributes,
                                   const FunctionType &old,
                                   LLVMContext &context) {
  SmallVector<AttributeSet> parameters;
  for (unsigned i = 0; i != old.getNumParams(); ++i)
    parameters.push_back(isLargeValue(old.getParamType(i))
                             ? AttributeSet()
                             : attributes.getParamAttrs(i));
  return AttributeList::get(context, attributes.getFnAttrs(),
                            attributes.getRetAttrs(), parameters);
}

/// The address of a value for a call.
static Value *addressFor(Value *value, CallBase &call) {
  if (auto *load = dyn_cast<LoadInst>(value); load && isInvariant(*load))
    return load->getPointerOperand();
  Function &caller = *call.getFunction();
  IRBuilder<> entry(&caller.getEntryBlock(), caller.getEntryBlock().begin());
  AllocaInst *copy = entry.CreateAlloca(value->getType());
  IRBuilder<>(&call).CreateStore(value, copy);
  return copy;
}

static void giveAddresses(CallBase &call, Function &callee,
                          const FunctionType &old) {
  SmallVector<Value *> arguments;
  for (Value *argument : call.args())
    arguments.push_back(isLargeValue(argument->getType())
                            ? addressFor(argument, call)
                            : argument);
  SmallVector<OperandBundleDef> bundles;
  call.getOperandBundlesAsDefs(bundles);
  CallBase *other;
  if (auto *invoke = dyn_cast<InvokeInst>(&call)) {
    other = InvokeInst::Create(&callee, invoke->getNormalDest(),
                               invoke->getUnwindDest(), arguments, bundles, "",
                               call.getIterator());
  } else {
    auto *plain =
        CallInst::Create(&callee, arguments, bundles, "", call.getIterator());
    plain->setTailCallKind(CallInst::TCK_None);
    other = plain;
  }
  other->setCallingConv(call.getCallingConv());
  other->setAttributes(
      withAddresses(call.getAttributes(), old, call.getContext()));
  other->copyMetadata(call);
  if (!call.getType()->isVoidTy()) {
    other->takeName(&call);
    call.replaceAllUsesWith(other);
  }
  call.eraseFromParent();
}

/// Turns the large parameters into addresses of memory that does not change.
static void takeAddresses(Function &function) {
  LLVMContext &context = function.getContext();
  FunctionType *old = function.getFunctionType();
  if (old->isVarArg() || none_of(old->params(), isLargeValue))
    return;
  SmallVector<Type *> parameters;
  for (Type *type : old->params())
    parameters.push_back(isLargeValue(type) ? PointerType::getUnqual(context)
                                            : type);
  Function *other = Function::Create(
      FunctionType::get(old->getReturnType(), parameters, false),
      function.getLinkage(), function.getAddressSpace());
  function.getParent()->getFunctionList().insert(function.getIterator(), other);
  other->copyAttributesFrom(&function);
  other->setAttributes(withAddresses(function.getAttributes(), *old, context));
  other->setComdat(function.getComdat());
  other->copyMetadata(&function, 0);
  other->takeName(&function);
  other->splice(other->begin(), &function);
  const DataLayout &layout = function.getDataLayout();
  IRBuilder<> builder(&other->getEntryBlock(),
                      other->getEntryBlock().getFirstInsertionPt());
  for (auto [from, to] : zip(function.args(), other->args())) {
    to.takeName(&from);
    if (from.getType() == to.getType()) {
      from.replaceAllUsesWith(&to);
      continue;
    }
    to.addAttr(Attribute::NoAlias);
    to.addAttr(Attribute::ReadOnly);
    to.addAttr(Attribute::getWithCaptureInfo(context, CaptureInfo::none()));
    const Align align = layout.getABITypeAlign(from.getType());
    to.addAttr(Attribute::getWithAlignment(context, align));
    LoadInst *value = builder.CreateAlignedLoad(from.getType(), &to, align);
    markInvariant(*value);
    from.replaceAllUsesWith(value);
  }
  SmallVector<CallBase *> calls;
  for (Use &use : function.uses())
    if (isDirectCall(use, function))
      calls.push_back(cast<CallBase>(use.getUser()));
  for (CallBase *call : calls)
    giveAddresses(*call, *other, *old);
  function.replaceAllUsesWith(other);
  function.eraseFromParent();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

namespace {
class LargeMemory {
public:
  explicit LargeMemory(Function &function)
      : function(function), layout(function.getDataLayout()) {}

  void run();

private:
  bool isLarge(const Value *value) { return isLargeValue(value->getType()); }
  uint64_t sizeOf(const Value *value) {
    return layout.getTypeStoreSize(value->getType());
  }
  Align alignOf(const Value *value) {
    return layout.getABITypeAlign(value->getType());
  }
  AllocaInst *makeCopy(Type *type) {
    BasicBlock &entry = function.getEntryBlock();
    return IRBuilder<>(&entry, entry.begin()).CreateAlloca(type);
  }
  Value *addressOf(Value *memory, Type *type, ArrayRef<unsigned> path,
                   IRBuilder<> &builder);
  bool isUnchanged(const LoadInst &load);
  void copyTo(Value *to, Align align, Value *value, IRBuilder<> &builder);
  Value *memoryOf(Value *value);
  Value *memoryOfLoad(LoadInst &load);
  Value *memoryOfInsert(InsertValueInst &insert);
  bool copyAtOnce(StoreInst &store);
  bool isCopyOfUnchanged(AllocaInst &variable);

  Function &function;
  const DataLayout &layout;
  DenseMap<Value *, Value *> known;
  /// Loads that may be read in place, since the memory does not change.
  SmallPtrSet<Value *, 4> unchanged;
};
} // namespace

Value *LargeMemory::addressOf(Value *memory, Type *type,
                              ArrayRef<unsigned> path, IRBuilder<> &builder) {
  SmallVector<Value *> indices{builder.getInt64(0)};
  for (unsigned index : path)
    indices.push_back(builder.getInt32(index));
  return builder.CreateInBoundsGEP(
      builder.getInt8Ty(), memory,
      builder.getInt64(layout.getIndexedOffsetInType(type, indices)));
}

/// Whether a use can see the result of a write, but not the load after it.
static bool mayMeet(const Instruction &write, const Instruction &use,
                    const LoadInst &load) {
  auto *block = const_cast<BasicBlock *>(load.getParent());
  if (write.getParent() == block) {
    if (write.comesBefore(&load)) // The load comes in between.
      return use.getParent() == block && use.comesBefore(&load);
    return use.getParent() != block || write.comesBefore(&use) ||
           use.comesBefore(&load);
  }
  if (use.getParent() == block)
    return use.comesBefore(&load);
  SmallPtrSet<BasicBlock *, 1> excluded{block};
  return isPotentiallyReachable(&write, &use, &excluded);
}

/// Whether loaded memory is unchanged wherever the value is used: a variable
/// without writes in between.
bool LargeMemory::isUnchanged(const LoadInst &load) {
  const Value *variable = getUnderlyingObject(load.getPointerOperand());
  if (!isa<AllocaInst>(variable))
    return false;
  SmallVector<const Instruction *> writes;
  SmallVector<const Value *> worklist{variable};
  SmallPtrSet<const Value *, 8> seen{variable};
  constexpr unsigned manyUses = 500;
  for (unsigned count = 0; !worklist.empty();)
    for (const Use &use : worklist.pop_back_val()->uses()) {
      const auto *user = dyn_cast<Instruction>(use.getUser());
      if (!user || ++count > manyUses)
        return false;
      if (const auto *read = dyn_cast<LoadInst>(user)) {
        if (read->isVolatile())
          return false;
      } else if (isa<StoreInst>(user)) {
        if (use.getOperandNo() != 1)
          return false;
        writes.push_back(user);
      } else if (user->isLifetimeStartOrEnd()) {
        writes.push_back(user);
      } else if (isa<MemIntrinsic>(user)) {
        if (use.getOperandNo() == 0)
          writes.push_back(user);
      } else if (isa<GetElementPtrInst, PHINode, SelectInst>(user)) {
        if (seen.insert(user).second)
          worklist.push_back(user);
      } else if (!isa<ICmpInst>(user)) {
        return false;
      }
    }
  for (const User *user : load.users())
    for (const Instruction *write : writes)
      if (mayMeet(*write, *cast<Instruction>(user), load))
        return false;
  return true;
}

/// True if the uses are of parts of the value, or of the value itself.
static bool isUsedInPlace(const LoadInst &load) {
  return all_of(load.users(), [](const User *user) {
    return isa<StoreInst>(user) ||
           (isa<ExtractValueInst>(user) && !isLargeValue(user->getType()));
  });
}

Value *LargeMemory::memoryOfLoad(LoadInst &load) {
  if (isInvariant(load) || (isUsedInPlace(load) && isUnchanged(load))) {
    unchanged.insert(&load);
    return load.getPointerOperand();
  }
  AllocaInst *copy = makeCopy(load.getType());
  IRBuilder<> builder(load.getNextNode());
  builder.SetCurrentDebugLocation(load.getDebugLoc());
  builder.CreateMemCpy(copy, copy->getAlign(), load.getPointerOperand(),
                       load.getAlign(), sizeOf(&load));
  return copy;
}

/// The memory of the operand that is inserted into may be reused, if it has no
/// other uses.
Value *LargeMemory::memoryOfInsert(InsertValueInst &insert) {
  Value *whole = insert.getAggregateOperand();
  IRBuilder<> builder(&insert);
  Value *memory;
  if (isa<InsertValueInst>(whole) && whole->hasOneUse() &&
      cast<Instruction>(whole)->getParent() == insert.getParent()) {
    memory = memoryOf(whole);
  } else {
    memory = makeCopy(insert.getType());
    copyTo(memory, alignOf(&insert), whole, builder);
  }
  Value *part = insert.getInsertedValueOperand();
  Value *at = addressOf(memory, insert.getType(), insert.getIndices(), builder);
  if (isLarge(part))
    copyTo(at, Align(1), part, builder);
  else
    builder.CreateAlignedStore(part, at, Align(1));
  return memory;
}

/// Memory that contains the value wherever the value is available.
Value *LargeMemory::memoryOf(Value *value) {
  if (Value *memory = known.lookup(value))
    return memory;
  Value *memory;
  if (auto *constant = dyn_cast<Constant>(value)) {
    auto *global = new GlobalVariable(*function.getParent(), value->getType(),
                                      /*isConstant=*/true,
                                      GlobalValue::PrivateLinkage, constant);
    global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    memory = global;
  } else if (auto *load = dyn_cast<LoadInst>(value); load && load->isSimple()) {
    memory = memoryOfLoad(*load);
  } else if (auto *insert = dyn_cast<InsertValueInst>(value)) {
    memory = memoryOfInsert(*insert);
  } else if (auto *extract = dyn_cast<ExtractValueInst>(value)) {
    Value *whole = memoryOf(extract->getAggregateOperand());
    IRBuilder<> builder(extract);
    memory = addressOf(whole, extract->getAggregateOperand()->getType(),
                       extract->getIndices(), builder);
  } else {
    memory = makeCopy(value->getType());
    if (auto *made = dyn_cast<Instruction>(value))
      IRBuilder<>(made->getParent(), *made->getInsertionPointAfterDef())
          .CreateStore(value, memory);
    else
      IRBuilder<>(&function.getEntryBlock(),
                  function.getEntryBlock().getFirstInsertionPt())
          .CreateStore(value, memory);
  }
  known[value] = memory;
  return memory;
}

void LargeMemory::copyTo(Value *to, Align align, Value *value,
                         IRBuilder<> &builder) {
  if (isa<UndefValue>(value)) // Poison, too.
    return;
  if (auto *constant = dyn_cast<Constant>(value);
      constant && constant->isNullValue()) {
    builder.CreateMemSet(to, builder.getInt8(0), sizeOf(value), align);
    return;
  }
  Value *memory = memoryOf(value);
  Align from(1);
  if (auto *load = dyn_cast<LoadInst>(value))
    from = load->getAlign();
  // A variable may be stored back to where it was loaded from.
  if (unchanged.contains(value))
    builder.CreateMemMove(to, align, memory, from, sizeOf(value));
  else
    builder.CreateMemCpy(to, align, memory, from, sizeOf(value));
}

/// Handles a load for a single store that follows it, without a write in
/// between.
bool LargeMemory::copyAtOnce(StoreInst &store) {
  auto *load = dyn_cast<LoadInst>(store.getValueOperand());
  if (!load || !load->isSimple() || !load->hasOneUse() ||
      load->getParent() != store.getParent())
    return false;
  for (Instruction *between = load->getNextNode(); between != &store;
       between = between->getNextNode())
    if (between->mayWriteToMemory())
      return false;
  IRBuilder<> builder(&store);
  builder.CreateMemMove(store.getPointerOperand(), store.getAlign(),
                        load->getPointerOperand(), load->getAlign(),
                        sizeOf(load));
  store.eraseFromParent();
  load->eraseFromParent();
  return true;
}

/// Replaces a variable that is only read and contains a copy of unchanged
/// memory.
bool LargeMemory::isCopyOfUnchanged(AllocaInst &variable) {
  MemTransferInst *copy = nullptr;
  for (User *user : variable.users())
    if (auto *found = dyn_cast<MemTransferInst>(user);
        found && found->getRawDest() == &variable) {
      if (copy)
        return false;
      copy = found;
    }
  auto size = variable.getAllocationSize(layout);
  if (!copy || copy->isVolatile() || !size || variable.getAddressSpace() != 0)
    return false;
  auto *from = dyn_cast<Argument>(copy->getRawSource());
  auto *length = dyn_cast<ConstantInt>(copy->getLength());
  if (!from || !from->hasNoAliasAttr() ||
      !from->hasAttribute(Attribute::ReadOnly) || !length ||
      length->getZExtValue() != size->getFixedValue() ||
      !isOnlyRead(variable, copy, from->getParamAlign()))
    return false;
  for (User *user : make_early_inc_range(variable.users()))
    if (user == copy || cast<Instruction>(user)->isLifetimeStartOrEnd())
      cast<Instruction>(user)->eraseFromParent();
  variable.replaceAllUsesWith(from);
  return true;
}

void LargeMemory::run() {
  SmallVector<StoreInst *> stores;
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (auto *store = dyn_cast<StoreInst>(&instruction);
        store && store->isSimple() && isLarge(store->getValueOperand()) &&
        !copyAtOnce(*store))
      stores.push_back(store);
  SmallVector<ExtractValueInst *> parts;
  for (Instruction &instruction : instructions(function))
    if (auto *part = dyn_cast<ExtractValueInst>(&instruction);
        part && isLarge(part->getAggregateOperand()) && !isLarge(part))
      parts.push_back(part);
  // Copies are made while all writes are still where `isUnchanged` expects
  // them.
  for (StoreInst *store : stores)
    if (!isa<Constant>(store->getValueOperand()))
      memoryOf(store->getValueOperand());
  for (ExtractValueInst *part : parts)
    memoryOf(part->getAggregateOperand());
  SmallVector<WeakTrackingVH> dead;
  for (ExtractValueInst *part : parts) {
    Value *whole = part->getAggregateOperand();
    IRBuilder<> builder(part);
    Value *at = addressOf(memoryOf(whole), whole->getType(), part->getIndices(),
                          builder);
    LoadInst *number = builder.CreateAlignedLoad(part->getType(), at, Align(1));
    number->takeName(part);
    part->replaceAllUsesWith(number);
    dead.push_back(whole);
    part->eraseFromParent();
  }
  for (StoreInst *store : stores) {
    IRBuilder<> builder(store);
    copyTo(store->getPointerOperand(), store->getAlign(),
           store->getValueOperand(), builder);
    dead.push_back(store->getValueOperand());
    store->eraseFromParent();
  }
  for (WeakTrackingVH &value : dead)
    if (auto *instruction = dyn_cast_or_null<Instruction>(value))
      RecursivelyDeleteTriviallyDeadInstructions(instruction);
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (isLarge(&instruction))
      RecursivelyDeleteTriviallyDeadInstructions(&instruction);
  SmallVector<AllocaInst *> variables;
  for (Instruction &instruction : instructions(function))
    if (auto *variable = dyn_cast<AllocaInst>(&instruction))
      variables.push_back(variable);
  for (AllocaInst *variable : variables)
    if (isCopyOfUnchanged(*variable))
      variable->eraseFromParent();
}

void moveLargeValues(Function &function) { LargeMemory(function).run(); }

void moveLargeValues(Module &module) {
  for (Function &function : make_early_inc_range(module))
    if (!function.isDeclaration())
      takeAddresses(function);
  for (Function &function : module)
    if (!function.isDeclaration())
      moveLargeValues(function);
}

} // namespace sluice::codegen
