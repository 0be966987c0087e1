//===- LaneValues.cpp - Values and instructions for all lanes -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes that are not active compute something all the same, which nobody uses:
// only memory is accessed under a mask, and only divisions could fail.
//
//===----------------------------------------------------------------------===//

#include "LaneValues.h"

#include "LaneLoop.h"
#include "RowShuffles.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace sluice::codegen {

LaneValues::LaneValues(IRBuilder<> &builder, const LaneShapes &shapes,
                       const LaneRows &rows, const TargetTransformInfo &target,
                       unsigned numLanes)
    : builder(builder), shapes(shapes), rows(rows), target(target),
      numLanes(numLanes), entry(builder.GetInsertBlock()) {
  numbers[entry] = 0;
}

BasicBlock *LaneValues::addBlock(const Twine &name) {
  BasicBlock *last = builder.GetInsertBlock();
  BasicBlock *block = BasicBlock::Create(
      builder.getContext(), name, last->getParent(), last->getNextNode());
  numbers.try_emplace(block, numbers.size());
  return block;
}

bool LaneValues::isSince(const Value *value, unsigned count) const {
  const auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction)
    return false;
  auto found = numbers.find(instruction->getParent());
  return found != numbers.end() && found->second >= count;
}

Type *LaneValues::typeOf(const Value &value) const {
  return shapes.isVarying(&value) ? vectorType(value.getType())
                                  : value.getType();
}

Value *LaneValues::allLanes() const {
  return Constant::getAllOnesValue(
      vectorType(Type::getInt1Ty(builder.getContext())));
}

Value *LaneValues::noLane() const {
  return Constant::getNullValue(
      vectorType(Type::getInt1Ty(builder.getContext())));
}

//===----------------------------------------------------------------------===//
// Where values are
//===----------------------------------------------------------------------===//

Value *LaneValues::source(Value *value) const {
  while (Value *other = same.lookup(value))
    value = other;
  return value;
}

Value *LaneValues::scalar(Value *value) const {
  value = source(value);
  assert(!shapes.isVarying(value) && "lanes have values of their own");
  Value *known = emitted.lookup(value);
  return known ? known : value;
}

/// Spreads a scalar right behind its definition, from where all uses see it.
Value *LaneValues::vector(Value *value) {
  value = source(value);
  if (shapes.isVarying(value))
    return emitted.at(value);
  Value *&result = spread[value];
  if (result)
    return result;
  Value *first = scalar(value);
  IRBuilder<>::InsertPointGuard guard(builder);
  if (isSince(first, 0)) {
    auto *definition = cast<Instruction>(first);
    if (auto place = definition->getInsertionPointAfterDef())
      builder.SetInsertPoint(definition->getParent(), *place);
    else // at the end of an open block
      builder.SetInsertPoint(definition->getParent());
  } else {
    builder.SetInsertPoint(entry, entry->getFirstInsertionPt());
  }
  result = builder.CreateVectorSplat(numLanes, first);
  int64_t stride = *shapes.stride(value);
  if (stride == 0)
    return result;
  if (isPrivate(value))
    stride *= numLanes;
  Type *type = first->getType();
  Type *number = type->isPointerTy() ? builder.getInt64Ty() : type;
  SmallVector<Constant *> offsets;
  for (unsigned lane = 0; lane < numLanes; ++lane)
    offsets.push_back(ConstantInt::get(
        number, APInt(64, uint64_t(stride) * lane)
                    .zextOrTrunc(number->getIntegerBitWidth())));
  Value *offset = ConstantVector::get(offsets);
  result = type->isPointerTy()
               ? builder.CreateGEP(builder.getInt8Ty(), first, offset)
               : builder.CreateAdd(result, offset);
  return result;
}

Value *LaneValues::get(Value *value, const Value &like) {
  return shapes.isVarying(&like) ? vector(value) : scalar(value);
}

void LaneValues::set(const Value *value, Value *code) { emitted[value] = code; }

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

static bool isDivision(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
    return true;
  default:
    return false;
  }
}

/// A divisor with which nothing can fail.
static bool isSafeDivisor(const Value *divisor) {
  const auto *number = dyn_cast<ConstantInt>(divisor);
  return number && !number->isZero() && !number->isMinusOne();
}

bool needsActiveLane(const Instruction &instruction, const LaneShapes &shapes) {
  if (const Value *pointer = getLoadStorePointerOperand(&instruction);
      pointer && shapes.ownMemory().contains(pointer))
    return shapes.isUniform(pointer) &&
           !shapes.ownMemory().isAlwaysInside(pointer,
                                              getLoadStoreType(&instruction));
  if (isa<LoadInst>(instruction))
    return shapes.isUniform(&instruction);
  if (const auto *store = dyn_cast<StoreInst>(&instruction))
    return shapes.isUniform(store->getPointerOperand());
  if (isDivision(instruction))
    return shapes.isUniform(&instruction) &&
           !isSafeDivisor(instruction.getOperand(1));
  return instruction.isTerminator() && instruction.getNumSuccessors() > 1 &&
         !shapes.isDivergent(instruction.getParent());
}

void LaneValues::emit(Instruction &instruction, Value *mask) {
  builder.SetCurrentDebugLocation(instruction.getDebugLoc());
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction))
    if (intrinsic->isAssumeLikeIntrinsic())
      return;
  if (auto *store = dyn_cast<StoreInst>(&instruction))
    emitStore(*store, mask);
  else if (isa<GetElementPtrInst>(instruction) && isPrivate(&instruction))
    emitted[&instruction] =
        emitPrivateAddress(cast<GetElementPtrInst>(instruction));
  else if (!shapes.isVarying(&instruction))
    emitScalar(instruction);
  else
    emitted[&instruction] = emitVector(instruction, mask);
}

/// A value that grows evenly from lane to lane is computed for the first lane
/// only. That lane may be inactive, so the result must not have flags that hold
/// for active lanes alone.
void LaneValues::emitScalar(Instruction &instruction) {
  bool isEven = !shapes.isUniform(&instruction);
  if (isEven && instruction.getOpcode() == Instruction::Or) {
    emitted[&instruction] = builder.CreateAdd(
        scalar(instruction.getOperand(0)), scalar(instruction.getOperand(1)));
    return;
  }
  Instruction *copy = instruction.clone();
  for (Use &operand : copy->operands())
    if (!isa<Function>(operand.get()))
      operand.set(scalar(operand.get()));
  if (isEven)
    copy->dropPoisonGeneratingFlags();
  MDNode *type = copy->getMetadata(LLVMContext::MD_tbaa);
  copy->dropUnknownNonDebugMetadata();
  if (type)
    copy->setMetadata(LLVMContext::MD_tbaa, type);
  builder.Insert(copy, instruction.getName());
  emitted[&instruction] = copy;
}

Value *LaneValues::emitVector(Instruction &instruction, Value *mask) {
  if (auto *binary = dyn_cast<BinaryOperator>(&instruction))
    return emitBinary(*binary, mask);
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return emitLoad(*load, mask);
  if (auto *address = dyn_cast<GetElementPtrInst>(&instruction))
    return emitAddress(*address);
  if (auto *call = dyn_cast<CallInst>(&instruction))
    return isa<IntrinsicInst>(call) ? emitCall(*call)
                                    : emitVariant(*call, mask);
  Value *result;
  if (auto *compare = dyn_cast<CmpInst>(&instruction)) {
    result = builder.CreateCmp(compare->getPredicate(),
                               vector(compare->getOperand(0)),
                               vector(compare->getOperand(1)));
  } else if (auto *change = dyn_cast<CastInst>(&instruction)) {
    result =
        builder.CreateCast(change->getOpcode(), vector(change->getOperand(0)),
                           vectorType(change->getType()));
  } else if (auto *select = dyn_cast<SelectInst>(&instruction)) {
    Value *condition = select->getCondition();
    result = builder.CreateSelect(
        shapes.isUniform(condition) ? scalar(condition) : vector(condition),
        vector(select->getTrueValue()), vector(select->getFalseValue()));
  } else if (auto *unary = dyn_cast<UnaryOperator>(&instruction)) {
    result =
        builder.CreateUnOp(unary->getOpcode(), vector(unary->getOperand(0)));
  } else {
    result = builder.CreateFreeze(vector(instruction.getOperand(0)));
  }
  if (auto *made = dyn_cast<Instruction>(result))
    made->copyIRFlags(&instruction);
  return result;
}

Value *LaneValues::emitBinary(BinaryOperator &binary, Value *mask) {
  Value *right = vector(binary.getOperand(1));
  if (mask && isDivision(binary) && !isSafeDivisor(binary.getOperand(1)))
    right = builder.CreateSelect(mask, right,
                                 ConstantInt::get(right->getType(), 1));
  Value *result = builder.CreateBinOp(binary.getOpcode(),
                                      vector(binary.getOperand(0)), right);
  if (auto *made = dyn_cast<Instruction>(result))
    made->copyIRFlags(&binary);
  return result;
}

Value *LaneValues::emitAddress(GetElementPtrInst &address) {
  Value *base = address.getPointerOperand();
  SmallVector<Value *> indices;
  bool hasVector = false;
  auto operand = [&](Value *value) {
    bool isOne = shapes.isUniform(value);
    hasVector |= !isOne;
    return isOne ? scalar(value) : vector(value);
  };
  Value *start = operand(base);
  for (Value *index : address.indices())
    indices.push_back(operand(index));
  if (!hasVector) // uniform parts whose sum is not known to be
    start = vector(base);
  return builder.CreateGEP(address.getSourceElementType(), start, indices, "",
                           address.getNoWrapFlags());
}

Value *LaneValues::emitCall(CallInst &call) {
  Intrinsic::ID id = call.getIntrinsicID();
  SmallVector<Type *> types;
  if (isVectorIntrinsicWithOverloadTypeAtArg(id, -1, &target))
    types.push_back(vectorType(call.getType()));
  SmallVector<Value *> operands;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    Value *operand = call.getArgOperand(i);
    bool isScalar = isVectorIntrinsicWithScalarOpAtArg(id, i, &target);
    operands.push_back(isScalar ? scalar(operand) : vector(operand));
    if (isVectorIntrinsicWithOverloadTypeAtArg(id, i, &target))
      types.push_back(operands.back()->getType());
  }
  Function *function = Intrinsic::getOrInsertDeclaration(
      builder.GetInsertBlock()->getModule(), id, types);
  CallInst *result = builder.CreateCall(function, operands);
  result->copyIRFlags(&call);
  return result;
}

Value *LaneValues::emitVariant(CallInst &call, Value *mask) {
  SmallVector<Value *> operands;
  for (Value *operand : call.args()) {
    // Lanes that take no part have no numbers that want a slow path.
    Value *all = vector(operand);
    operands.push_back(
        mask ? builder.CreateSelect(mask, all,
                                    Constant::getNullValue(all->getType()))
             : all);
  }
  if (Function *variant = variantFor(call, numLanes)) {
    CallInst *result = builder.CreateCall(variant, operands);
    if (isa<FPMathOperator>(result))
      result->copyIRFlags(&call);
    return result;
  }
  Value *result = PoisonValue::get(vectorType(call.getType()));
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    SmallVector<Value *> ofLane;
    for (Value *operand : operands)
      ofLane.push_back(builder.CreateExtractElement(operand, lane));
    result = builder.CreateInsertElement(
        result, builder.CreateCall(call.getCalledFunction(), ofLane), lane);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

int LaneValues::direction(const Value *pointer, Type *element) const {
  std::optional<int64_t> stride = shapes.stride(pointer);
  int64_t size = entry->getDataLayout().getTypeAllocSize(element);
  if (stride == size)
    return 1;
  return stride == -size ? -1 : 0;
}

Value *LaneValues::lowest(Value *pointer, Type *element, int direction) {
  Value *first = scalar(pointer);
  return direction > 0 ? first
                       : builder.CreateConstGEP1_64(
                             element, first, uint64_t(1 - int64_t(numLanes)));
}

static void keepType(Instruction &access, const Instruction &original) {
  access.setMetadata(LLVMContext::MD_tbaa,
                     original.getMetadata(LLVMContext::MD_tbaa));
}

Value *LaneValues::emitLoad(LoadInst &load, Value *mask) {
  Value *pointer = load.getPointerOperand();
  if (isPrivate(pointer))
    return emitPrivateLoad(load, mask);
  const LaneRow *row = rows.rowOf(load);
  const bool isFirstOn = mask == running;
  if (row && (!mask || (isFirstOn && !row->period())))
    return emitRowLoad(load, *row, mask);
  VectorType *type = vectorType(load.getType());
  int side = direction(pointer, load.getType());
  if (side == 0) {
    Value *places = vector(pointer);
    CallInst *gather = builder.CreateMaskedGather(
        type, isFirstOn ? placesOf(places, mask) : places, load.getAlign(),
        mask && !isFirstOn ? mask : allLanes());
    keepType(*gather, load);
    return gather;
  }
  Value *address = lowest(pointer, load.getType(), side);
  if (mask && side < 0)
    mask = builder.CreateVectorReverse(mask);
  Instruction *result =
      mask ? cast<Instruction>(
                 builder.CreateMaskedLoad(type, address, load.getAlign(), mask))
           : builder.CreateAlignedLoad(type, address, load.getAlign());
  keepType(*result, load);
  return side < 0 ? builder.CreateVectorReverse(result) : result;
}

/// Lanes that write to one place do so in their order.
void LaneValues::emitStore(StoreInst &store, Value *mask) {
  Value *pointer = store.getPointerOperand(), *value = store.getValueOperand();
  if (isPrivate(pointer)) {
    emitPrivateStore(store, mask);
    return;
  }
  if (shapes.isUniform(pointer) && shapes.isUniform(value)) {
    emitScalar(store);
    return;
  }
  if (const LaneRow *row = mask ? nullptr : rows.rowOf(store)) {
    emitRowStore(store, *row);
    return;
  }
  Value *code = vector(value);
  int side = direction(pointer, value->getType());
  if (side == 0) {
    keepType(*builder.CreateMaskedScatter(code, vector(pointer),
                                          store.getAlign(),
                                          mask ? mask : allLanes()),
             store);
    return;
  }
  Value *address = lowest(pointer, value->getType(), side);
  if (side < 0) {
    code = builder.CreateVectorReverse(code);
    mask = mask ? builder.CreateVectorReverse(mask) : nullptr;
  }
  Instruction *result =
      mask ? cast<Instruction>(builder.CreateMaskedStore(
                 code, address, store.getAlign(), mask))
           : builder.CreateAlignedStore(code, address, store.getAlign());
  keepType(*result, store);
}

/// Where the first element of a row is, in one lane or in all.
Value *LaneValues::placeOf(const LaneRow &row) {
  Value *pointer = getLoadStorePointerOperand(row.anchor);
  return builder.CreateGEP(builder.getInt8Ty(),
                           row.stride ? scalar(pointer) : vector(pointer),
                           builder.getInt64(uint64_t(row.offset)));
}

/// Lanes that are off get the place of the first one.
Value *LaneValues::placesOf(Value *pointers, Value *mask) {
  if (!mask)
    return pointers;
  Value *first = builder.CreateExtractElement(pointers, uint64_t(0));
  return builder.CreateSelect(mask, pointers,
                              builder.CreateVectorSplat(numLanes, first));
}

/// The first of the row loads for all of them.
Value *LaneValues::emitRowLoad(LoadInst &load, const LaneRow &row,
                               Value *mask) {
  if (&load == row.anchor) {
    Value *place = placeOf(row);
    RowShuffles shuffles(builder, row,
                         row.stride ? place : placesOf(place, mask), numLanes,
                         rows.registerBytes(), mask);
    for (auto [access, value] : zip_equal(row.accesses, shuffles.load()))
      emitted[access] = value;
  }
  return emitted.at(&load);
}

/// The last of the row stores for all of them.
void LaneValues::emitRowStore(StoreInst &store, const LaneRow &row) {
  if (&store != row.anchor)
    return;
  SmallVector<Value *> all;
  for (Instruction *access : row.accesses)
    all.push_back(vector(cast<StoreInst>(access)->getValueOperand()));
  RowShuffles(builder, row, placeOf(row), numLanes, rows.registerBytes())
      .store(all);
}

//===----------------------------------------------------------------------===//
// Memory of each lane's own
//===----------------------------------------------------------------------===//

/// The alignment of vectors of elements that are aligned to `align`.
static Align vectorAlign(Align align, unsigned numLanes) {
  bool isWhole = isPowerOf2_32(numLanes);
  return isWhole ? Align(std::min<uint64_t>(align.value() * numLanes, 64))
                 : align;
}

/// The alignment of an element that is interleaved with those of other lanes.
static Align elementAlign(Align align, Type *type, const DataLayout &layout) {
  return commonAlignment(align, layout.getTypeStoreSize(type).getFixedValue());
}

void LaneValues::setVariables(ArrayRef<AllocaInst *> own) {
  const PrivateMemory &memory = shapes.ownMemory();
  for (auto [variable, lanes] : zip_equal(memory.variables(), own))
    emitted[variable] = lanes;
  for (GetElementPtrInst *address : memory.addressesBefore())
    emitted[address] = emitPrivateAddress(*address);
}

/// The first lane's address, or those of all lanes, but for what is added for
/// the number of the lane.
Value *LaneValues::emitPrivateAddress(GetElementPtrInst &address) {
  const DataLayout &layout = address.getDataLayout();
  unsigned bits = layout.getIndexTypeSizeInBits(address.getType());
  SmallMapVector<Value *, APInt, 4> variable;
  APInt constant(bits, 0);
  [[maybe_unused]] bool isKnown = cast<GEPOperator>(address).collectOffset(
      layout, bits, variable, constant);
  assert(isKnown && "offsets in private memory are known");
  bool isOne = !shapes.isVarying(&address);
  auto operand = [&](Value *value) {
    return isOne ? scalar(value) : vector(value);
  };
  Type *number = builder.getIntNTy(bits);
  Type *type = isOne ? number : vectorType(number);
  Value *result = operand(address.getPointerOperand());
  for (auto &[index, scale] : variable) {
    Value *offset =
        builder.CreateMul(builder.CreateSExtOrTrunc(operand(index), type),
                          ConstantInt::get(type, scale * numLanes));
    result = builder.CreateGEP(builder.getInt8Ty(), result, offset);
  }
  return builder.CreateGEP(builder.getInt8Ty(), result,
                           ConstantInt::get(number, constant * numLanes));
}

Value *LaneValues::privatePlaces(Value *pointer, Type *type) {
  uint64_t size = entry->getDataLayout().getTypeStoreSize(type);
  SmallVector<Constant *> offsets;
  for (unsigned lane = 0; lane < numLanes; ++lane)
    offsets.push_back(builder.getInt64(lane * size));
  return builder.CreateGEP(builder.getInt8Ty(), vector(pointer),
                           ConstantVector::get(offsets));
}

/// Lanes that are not active may read something that nobody uses.
Value *LaneValues::emitPrivateLoad(LoadInst &load, Value *mask) {
  Value *pointer = load.getPointerOperand();
  VectorType *type = vectorType(load.getType());
  if (shapes.isUniform(pointer)) {
    LoadInst *result = builder.CreateAlignedLoad(
        type, scalar(pointer), vectorAlign(load.getAlign(), numLanes));
    keepType(*result, load);
    return result;
  }
  CallInst *gather = builder.CreateMaskedGather(
      type, privatePlaces(pointer, load.getType()),
      elementAlign(load.getAlign(), load.getType(), load.getDataLayout()),
      mask ? mask : allLanes());
  keepType(*gather, load);
  return gather;
}

/// Writes the old values of inactive lanes again; the memory is private.
void LaneValues::emitPrivateStore(StoreInst &store, Value *mask) {
  Value *pointer = store.getPointerOperand();
  Value *code = vector(store.getValueOperand());
  Type *type = store.getValueOperand()->getType();
  if (!shapes.isUniform(pointer)) {
    keepType(*builder.CreateMaskedScatter(
                 code, privatePlaces(pointer, type),
                 elementAlign(store.getAlign(), type, store.getDataLayout()),
                 mask ? mask : allLanes()),
             store);
    return;
  }
  Value *address = scalar(pointer);
  Align align = vectorAlign(store.getAlign(), numLanes);
  if (mask) {
    // The old value may have another type.
    LoadInst *before =
        builder.CreateAlignedLoad(code->getType(), address, align);
    code = builder.CreateSelect(mask, code, before);
  }
  keepType(*builder.CreateAlignedStore(code, address, align), store);
}

} // namespace sluice::codegen
