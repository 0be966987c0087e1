//===- SplitValues.cpp - Splitting structures and bit vectors -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The SPIR-V back end fails on structure values that meet in a phi, and does
// not support bit vectors as integers.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice::codegen;

static bool isBits(const Type *type) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  return vector && vector->getElementType()->isIntegerTy(1);
}

/// Moves each bit of the vector to its place in the integer.
static Value *gather(IRBuilder<> &b, Value *bits, Type *type) {
  unsigned size = cast<FixedVectorType>(bits->getType())->getNumElements();
  Type *whole = b.getIntNTy(size);
  Value *result = Constant::getNullValue(whole);
  for (unsigned i = 0; i < size; ++i) {
    Value *bit = b.CreateZExt(b.CreateExtractElement(bits, uint64_t(i)), whole);
    result = b.CreateOr(result, b.CreateShl(bit, i));
  }
  return b.CreateBitCast(result, type);
}

static Value *scatter(IRBuilder<> &b, Value *value, Type *type) {
  unsigned size = cast<FixedVectorType>(type)->getNumElements();
  value = b.CreateBitCast(value, b.getIntNTy(size));
  Value *result = PoisonValue::get(type);
  for (unsigned i = 0; i < size; ++i)
    result = b.CreateInsertElement(
        result, b.CreateTrunc(b.CreateLShr(value, i), b.getInt1Ty()),
        uint64_t(i));
  return result;
}

static Value *splitCast(BitCastInst &cast) {
  IRBuilder<> b(&cast);
  if (isBits(cast.getSrcTy()))
    return gather(b, cast.getOperand(0), cast.getType());
  return scatter(b, cast.getOperand(0), cast.getType());
}

/// Makes a select for each part of a structure.
static Value *splitSelect(IRBuilder<> &b, SelectInst &select, Type *type,
                          SmallVectorImpl<unsigned> &path, Value *result) {
  unsigned size = 0;
  if (auto *structure = dyn_cast<StructType>(type))
    size = structure->getNumElements();
  else if (auto *array = dyn_cast<ArrayType>(type))
    size = unsigned(array->getNumElements());
  else {
    Value *part =
        b.CreateSelect(select.getCondition(),
                       b.CreateExtractValue(select.getTrueValue(), path),
                       b.CreateExtractValue(select.getFalseValue(), path));
    return b.CreateInsertValue(result, part, path);
  }
  for (unsigned i = 0; i < size; ++i) {
    path.push_back(i);
    Type *part = ExtractValueInst::getIndexedType(type, {i});
    result = splitSelect(b, select, part, path, result);
    path.pop_back();
  }
  return result;
}

void lowering::splitValues(Function &function) {
  SmallVector<Instruction *> all;
  for (Instruction &instruction : instructions(function)) {
    bool isWhole = instruction.getType()->isAggregateType() &&
                   isa<PHINode, SelectInst>(instruction);
    auto *cast = dyn_cast<BitCastInst>(&instruction);
    if (isWhole ||
        (cast && isBits(cast->getSrcTy()) != isBits(cast->getType())))
      all.push_back(&instruction);
  }
  for (Instruction *instruction : all) {
    // Memory that holds the structure is split when it is promoted to values
    // again.
    if (auto *phi = dyn_cast<PHINode>(instruction)) {
      DemotePHIToStack(phi);
      continue;
    }
    Value *value = nullptr;
    if (auto *select = dyn_cast<SelectInst>(instruction)) {
      IRBuilder<> b(select);
      SmallVector<unsigned> path;
      Type *type = select->getType();
      value = splitSelect(b, *select, type, path, PoisonValue::get(type));
    } else {
      value = splitCast(*cast<BitCastInst>(instruction));
    }
    instruction->replaceAllUsesWith(value);
    instruction->eraseFromParent();
  }
}
