//===- InstanceStorage.cpp - Memory for values across fragments -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays on the stack disappear if LLVM can keep all elements in registers;
// therefore each small array gets its own alloca.
//
//===----------------------------------------------------------------------===//

#include "InstanceStorage.h"
#include "InstanceLoops.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace sluice::codegen {

/// The maximum number of stack bytes for all arrays of one group.
static constexpr uint64_t maximumStack = 64 * 1024;
static constexpr uint64_t arrayAlignment = 64;

static uint64_t bytesPerInstance(const Instruction &value) {
  const DataLayout &layout = value.getDataLayout();
  const auto *alloca = dyn_cast<AllocaInst>(&value);
  if (!alloca)
    return layout.getTypeAllocSize(value.getType());
  uint64_t size = alloca->getAllocationSize(layout)->getFixedValue();
  return alignTo(std::max<uint64_t>(size, 1), alloca->getAlign());
}

InstanceStorage::InstanceStorage(IRBuilderBase &builder, Function &item,
                                 Function &group,
                                 const ItemSignature &signature,
                                 const Skeleton &skeleton,
                                 const ValuePlacement &placement,
                                 const BoxCapacity &capacity)
    : group(group) {
  std::optional<uint64_t> numInstances = 1;
  for (unsigned dim = 0; dim < 3; ++dim) {
    Value *count = group.getArg(signature.count(dim));
    extents.push_back(capacity[dim] ? builder.getInt64(*capacity[dim]) : count);
    numInstances = numInstances && capacity[dim]
                       ? std::optional(*numInstances * *capacity[dim])
                       : std::nullopt;
  }
  SmallVector<const Instruction *> needArrays;
  for (Instruction &value : instructions(item)) {
    auto *alloca = dyn_cast<AllocaInst>(&value);
    PlacementKind where = placement[&value];
    if (alloca && !placement.isExpanded(alloca) && alloca->isStaticAlloca())
      allocas[alloca] = cast<AllocaInst>(builder.Insert(alloca->clone()));
    else if (where == PlacementKind::Shared || where == PlacementKind::Scalar)
      scalars[&value] = builder.CreateAlloca(value.getType());
    else if (where == PlacementKind::PerInstance ||
             (alloca && alloca->isStaticAlloca()))
      needArrays.push_back(&value);
  }
  createArrays(builder, needArrays, numInstances,
               group.getArg(signature.scratch()));
}

void InstanceStorage::createArrays(IRBuilderBase &builder,
                                   ArrayRef<const Instruction *> values,
                                   std::optional<uint64_t> numInstances,
                                   Value *scratch) {
  uint64_t total = 0;
  for (const Instruction *value : values)
    total += bytesPerInstance(*value);
  bool onStack = numInstances && *numInstances <= maximumStack &&
                 *numInstances * total <= maximumStack;

  Value *count =
      builder.CreateMul(builder.CreateMul(extents[0], extents[1]), extents[2]);
  for (const Instruction *value : values) {
    uint64_t stride = bytesPerInstance(*value);
    Type *type = isa<AllocaInst>(value) ? nullptr : value->getType();
    if (onStack) {
      Type *element = type ? type : ArrayType::get(builder.getInt8Ty(), stride);
      AllocaInst *memory =
          builder.CreateAlloca(ArrayType::get(element, *numInstances), nullptr,
                               value->getName() + ".instances");
      memory->setAlignment(Align(arrayAlignment));
      markInstanceArray(*memory);
      arrays[value] = {memory, type, stride};
      continue;
    }
    arrays[value] = {scratch, type, stride};
    scratchSizes.push_back(stride);
    Value *bytes = builder.CreateMul(count, builder.getInt64(stride));
    uint64_t mask = arrayAlignment - 1;
    Value *rounded =
        builder.CreateAnd(builder.CreateAdd(bytes, builder.getInt64(mask)),
                          builder.getInt64(~mask));
    scratch = builder.CreateInBoundsPtrAdd(scratch, rounded);
  }
}

Value *InstanceStorage::element(IRBuilderBase &builder, const Value *value,
                                Value *linearIndex) const {
  const Array &array = arrays.at(value);
  if (array.type)
    return builder.CreateInBoundsGEP(array.type, array.base, linearIndex);
  return builder.CreateInBoundsPtrAdd(
      array.base,
      builder.CreateNSWMul(linearIndex, builder.getInt64(array.stride)));
}

Value *InstanceStorage::linearIndex(IRBuilderBase &builder,
                                    ArrayRef<Value *> index) const {
  Value *result = index[2];
  for (unsigned dim = 2; dim-- > 0;) {
    result = builder.CreateMul(result, extents[dim], "", true, true);
    result = builder.CreateAdd(result, index[dim], "", true, true);
  }
  return result;
}

void InstanceStorage::promoteScalars() {
  SmallVector<AllocaInst *> promotable;
  for (Instruction &instruction : group.getEntryBlock())
    if (auto *alloca = dyn_cast<AllocaInst>(&instruction))
      if (is_contained(make_second_range(scalars), alloca))
        promotable.push_back(alloca);
  DominatorTree dominators(group);
  PromoteMemToReg(promotable, dominators);
  scalars.clear();
}

} // namespace sluice::codegen
