//===- LargeValues.cpp - Structures that stay in memory -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structures with few numbers still go to registers: loops may depend on
// numbers in them, and on the values that all instances share.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/LargeValues.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

#include <optional>

using namespace llvm;
using namespace sluice;

/// The number of scalars in a value, counted up to a little more than `most`.
static uint64_t countNumbers(const Type *type, uint64_t most) {
  if (const auto *array = dyn_cast<ArrayType>(type)) {
    const uint64_t each = countNumbers(array->getElementType(), most);
    const uint64_t count = array->getNumElements();
    return each != 0 && count > most / each ? most + 1 : each * count;
  }
  const auto *structure = dyn_cast<StructType>(type);
  if (!structure)
    return 1;
  uint64_t sum = 0;
  for (const Type *element : structure->elements()) {
    sum += countNumbers(element, most);
    if (sum > most)
      break;
  }
  return sum;
}

bool sluice::hasMoreNumbers(const Type *type, uint64_t most) {
  return type->isAggregateType() && type->isSized() &&
         countNumbers(type, most) > most;
}

bool sluice::isLargeValue(const Type *type) {
  constexpr uint64_t mostInRegisters = 128;
  return hasMoreNumbers(type, mostInRegisters);
}

//===----------------------------------------------------------------------===//
// Hiding
//===----------------------------------------------------------------------===//

Function *HiddenLargeValues::standIn(bool isLoad, Type *type) {
  Function *&known = (isLoad ? loads : stores)[type];
  if (known)
    return known;
  LLVMContext &context = function.getContext();
  Type *pointer = PointerType::getUnqual(context);
  Type *i64 = Type::getInt64Ty(context);
  auto *signature = isLoad ? FunctionType::get(type, {pointer, i64}, false)
                           : FunctionType::get(Type::getVoidTy(context),
                                               {pointer, i64, type}, false);
  known = Function::Create(signature, GlobalValue::ExternalLinkage,
                           isLoad ? "sluice.large.load" : "sluice.large.store",
                           function.getParent());
  known->setMemoryEffects(
      MemoryEffects::argMemOnly(isLoad ? ModRefInfo::Ref : ModRefInfo::Mod));
  known->setDoesNotThrow();
  known->setWillReturn();
  known->setNoSync();
  known->setDoesNotFreeMemory();
  known->addParamAttr(
      0, Attribute::getWithCaptureInfo(context, CaptureInfo::none()));
  return known;
}

HiddenLargeValues::HiddenLargeValues(Function &function) : function(function) {
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    IRBuilder<> builder(&instruction);
    CallInst *call = nullptr;
    if (auto *load = dyn_cast<LoadInst>(&instruction)) {
      if (load->isSimple() && load->getPointerAddressSpace() == 0 &&
          isLargeValue(load->getType()))
        call = builder.CreateCall(standIn(true, load->getType()),
                                  {load->getPointerOperand(),
                                   builder.getInt64(load->getAlign().value())});
    } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
      Value *value = store->getValueOperand();
      if (store->isSimple() && store->getPointerAddressSpace() == 0 &&
          isLargeValue(value->getType()))
        call = builder.CreateCall(standIn(false, value->getType()),
                                  {store->getPointerOperand(),
                                   builder.getInt64(store->getAlign().value()),
                                   value});
    }
    if (!call)
      continue;
    call->copyMetadata(instruction);
    if (!call->getType()->isVoidTy()) {
      call->takeName(&instruction);
      instruction.replaceAllUsesWith(call);
    }
    instruction.eraseFromParent();
  }
}

/// Replaces calls of a stand-in by the code that they stand for.
static void show(Function &hidden) {
  for (User *user : make_early_inc_range(hidden.users())) {
    auto *call = cast<CallInst>(user);
    IRBuilder<> builder(call);
    Value *address = call->getArgOperand(0);
    const Align align(
        cast<ConstantInt>(call->getArgOperand(1))->getZExtValue());
    if (call->getType()->isVoidTy()) {
      builder.CreateAlignedStore(call->getArgOperand(2), address, align)
          ->copyMetadata(*call);
    } else {
      LoadInst *load =
          builder.CreateAlignedLoad(call->getType(), address, align);
      load->copyMetadata(*call);
      load->takeName(call);
      call->replaceAllUsesWith(load);
    }
    call->eraseFromParent();
  }
  hidden.eraseFromParent();
}

HiddenLargeValues::~HiddenLargeValues() {
  for (auto &all : {loads, stores})
    for (auto [type, hidden] : all)
      show(*hidden);
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

bool sluice::isOnlyRead(const Value &address, const Instruction *except,
                        MaybeAlign most) {
  SmallVector<const Value *> worklist{&address};
  SmallPtrSet<const Value *, 8> seen{&address};
  while (!worklist.empty())
    for (const Use &use : worklist.pop_back_val()->uses()) {
      const auto *user = dyn_cast<Instruction>(use.getUser());
      if (!user)
        return false;
      if (user == except)
        continue;
      if (const auto *load = dyn_cast<LoadInst>(user)) {
        if (load->isVolatile() || (most && load->getAlign() > *most))
          return false;
        continue;
      }
      if (user->isLifetimeStartOrEnd() || isa<ICmpInst>(user))
        continue;
      if (const auto *copy = dyn_cast<MemTransferInst>(user);
          copy && use.getOperandNo() == 1 && !copy->isVolatile() &&
          !(most && copy->getSourceAlign().valueOrOne() > *most))
        continue;
      if (!isa<GetElementPtrInst, PHINode, SelectInst>(user))
        return false;
      if (seen.insert(user).second)
        worklist.push_back(user);
    }
  return true;
}

/// The number at an offset in a value, and the path to it.
static const Type *numberAt(const DataLayout &layout, Type *type,
                            uint64_t offset, SmallVectorImpl<unsigned> &path) {
  while (type->isAggregateType()) {
    if (auto *array = dyn_cast<ArrayType>(type)) {
      type = array->getElementType();
      const uint64_t size = layout.getTypeAllocSize(type);
      if (size == 0 || offset / size >= array->getNumElements())
        return nullptr;
      path.push_back(offset / size);
      offset %= size;
      continue;
    }
    auto *structure = cast<StructType>(type);
    const StructLayout *fields = layout.getStructLayout(structure);
    if (offset >= fields->getSizeInBytes())
      return nullptr;
    const unsigned index = fields->getElementContainingOffset(offset);
    path.push_back(index);
    offset -= fields->getElementOffset(index);
    type = structure->getElementType(index);
  }
  return offset == 0 ? type : nullptr;
}

/// Replaces loads of numbers at known offsets of `memory`, which contains
/// `value`.
static void readFrom(Argument &value, AllocaInst &memory) {
  const DataLayout &layout = memory.getDataLayout();
  SmallVector<Instruction *> worklist{&memory};
  SmallVector<LoadInst *> loads;
  while (!worklist.empty())
    for (User *user : worklist.pop_back_val()->users())
      if (auto *load = dyn_cast<LoadInst>(user))
        loads.push_back(load);
      else if (auto *address = dyn_cast<GetElementPtrInst>(user))
        worklist.push_back(address);
  for (LoadInst *load : loads) {
    APInt offset(64, 0);
    SmallVector<unsigned> path;
    if (load->getType()->isAggregateType() ||
        load->getPointerOperand()->stripAndAccumulateConstantOffsets(
            layout, offset, /*AllowNonInbounds=*/false) != &memory ||
        offset.isNegative() ||
        numberAt(layout, value.getType(), offset.getZExtValue(), path) !=
            load->getType())
      continue;
    load->replaceAllUsesWith(
        IRBuilder<>(load).CreateExtractValue(&value, path, load->getName()));
    RecursivelyDeleteTriviallyDeadInstructions(load);
  }
}

void sluice::readLargeParameters(Function &function) {
  if (function.isDeclaration())
    return;
  BasicBlock &entry = function.getEntryBlock();
  for (Instruction &instruction : make_early_inc_range(entry)) {
    auto *store = dyn_cast<StoreInst>(&instruction);
    auto *value =
        store ? dyn_cast<Argument>(store->getValueOperand()) : nullptr;
    auto *memory =
        value ? dyn_cast<AllocaInst>(store->getPointerOperand()) : nullptr;
    if (!memory || store->isVolatile() || !isLargeValue(value->getType()) ||
        !isOnlyRead(*memory, store))
      continue;
    readFrom(*value, *memory);
    if (all_of(memory->users(), [&](const User *user) {
          return user == store ||
                 cast<Instruction>(user)->isLifetimeStartOrEnd();
        })) {
      for (User *user : make_early_inc_range(memory->users()))
        if (user != store)
          cast<Instruction>(user)->eraseFromParent();
      store->eraseFromParent();
      memory->eraseFromParent();
    }
  }
}
