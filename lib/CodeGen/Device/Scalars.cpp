//===- Scalars.cpp - Values of any type, scalar by scalar -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels receive, load and store scalars. This file splits structures, arrays
// and vectors into scalars, and reassembles them.
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"
#include "sluice/Analysis/LargeValues.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

/// Calls `part` for each scalar of `type`, including vector elements, with its
/// offset in bytes. The last index into a vector is the element's index.
static void
forEachScalar(Type *type, const DataLayout &layout, uint64_t offset,
              SmallVectorImpl<unsigned> &path,
              function_ref<void(Type *, uint64_t, ArrayRef<unsigned>)> part) {
  auto element = [&](Type *inner, uint64_t at, unsigned index) {
    path.push_back(index);
    forEachScalar(inner, layout, at, path, part);
    path.pop_back();
  };
  if (auto *structure = dyn_cast<StructType>(type)) {
    const StructLayout *places = layout.getStructLayout(structure);
    for (unsigned i = 0; i != structure->getNumElements(); ++i)
      element(structure->getElementType(i),
              offset + places->getElementOffset(i), i);
    return;
  }
  uint64_t count = 0;
  Type *inner = nullptr;
  if (auto *array = dyn_cast<ArrayType>(type)) {
    count = array->getNumElements();
    inner = array->getElementType();
  } else if (auto *vector = dyn_cast<FixedVectorType>(type)) {
    count = vector->getNumElements();
    inner = vector->getElementType();
  }
  if (!inner)
    return part(type, offset, path);
  for (uint64_t i = 0; i != count; ++i)
    element(inner, offset + i * layout.getTypeAllocSize(inner), i);
}

/// If a path ends in a vector, this is its length up to the vector; otherwise
/// its full length.
static Value *insertPart(IRBuilderBase &b, Value *whole, Value *part,
                         ArrayRef<unsigned> path) {
  if (path.empty())
    return part;
  Type *holder =
      ExtractValueInst::getIndexedType(whole->getType(), path.drop_back());
  if (!holder->isVectorTy())
    return b.CreateInsertValue(whole, part, path);
  ArrayRef<unsigned> outer = path.drop_back();
  Value *vector = outer.empty() ? whole : b.CreateExtractValue(whole, outer);
  vector = b.CreateInsertElement(vector, part, path.back());
  return outer.empty() ? vector : b.CreateInsertValue(whole, vector, outer);
}

static Value *extractPart(IRBuilderBase &b, Value *whole,
                          ArrayRef<unsigned> path) {
  if (path.empty())
    return whole;
  ArrayRef<unsigned> outer = path.drop_back();
  Type *holder = ExtractValueInst::getIndexedType(whole->getType(), outer);
  if (!holder->isVectorTy())
    return b.CreateExtractValue(whole, path);
  Value *vector = outer.empty() ? whole : b.CreateExtractValue(whole, outer);
  return b.CreateExtractElement(vector, path.back());
}

Value *codegen::buildValue(IRBuilderBase &b, Type *type, ScalarPart part) {
  Value *whole = PoisonValue::get(type);
  SmallVector<unsigned> path;
  forEachScalar(type, b.GetInsertBlock()->getDataLayout(), 0, path,
                [&](Type *scalar, uint64_t offset, ArrayRef<unsigned> at) {
                  whole = insertPart(b, whole, part(scalar, offset, at), at);
                });
  return whole;
}

Type *codegen::storedType(Type *type) {
  auto *integer = dyn_cast<IntegerType>(type);
  if (!integer || integer->getBitWidth() > 64)
    return type;
  unsigned bits = PowerOf2Ceil(std::max(8u, integer->getBitWidth()));
  return IntegerType::get(type->getContext(), bits);
}

static Value *addressAt(IRBuilderBase &b, Value *address, uint64_t offset) {
  return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), address, offset);
}

Value *codegen::loadScalars(IRBuilderBase &b, Type *type, Value *address) {
  if (isLargeValue(type)) // See moveLargeValues.
    return b.CreateLoad(type, address);
  return buildValue(
      b, type, [&](Type *scalar, uint64_t offset, ArrayRef<unsigned>) {
        Value *stored =
            b.CreateLoad(storedType(scalar), addressAt(b, address, offset));
        return stored->getType() == scalar ? stored
                                           : b.CreateTrunc(stored, scalar);
      });
}

void codegen::storeScalars(IRBuilderBase &b, Value *value, Value *address) {
  if (isLargeValue(value->getType())) {
    b.CreateStore(value, address);
    return;
  }
  SmallVector<unsigned> path;
  forEachScalar(value->getType(), b.GetInsertBlock()->getDataLayout(), 0, path,
                [&](Type *scalar, uint64_t offset, ArrayRef<unsigned> at) {
                  Value *part = extractPart(b, value, at);
                  if (storedType(scalar) != scalar)
                    part = b.CreateZExt(part, storedType(scalar));
                  b.CreateStore(part, addressAt(b, address, offset));
                });
}

Value *codegen::convertTo(IRBuilderBase &b, Value *value, Type *type) {
  if (value->getType() == type)
    return value;
  if (isLargeValue(type)) {
    BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
    AllocaInst *copy =
        IRBuilder<>(&entry, entry.begin()).CreateAlloca(value->getType());
    b.CreateStore(value, copy);
    return b.CreateLoad(type, copy);
  }
  return buildValue(b, type, [&](Type *, uint64_t, ArrayRef<unsigned> path) {
    return extractPart(b, value, path);
  });
}
