//===- GroupContext.cpp - Shared state of fragments -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the group function, a value of the item function is a parameter, a scalar
// on the stack, an element of an array, or recomputed.
//
//===----------------------------------------------------------------------===//

#include "GroupContext.h"

#include "llvm/IR/InlineAsm.h"

using namespace llvm;

namespace sluice::codegen {

std::optional<unsigned> GroupContext::ownIdDimension(const Value *value) const {
  if (!signature.isOwnId(value))
    return std::nullopt;
  return cast<Argument>(value)->getArgNo() -
         signature.id(signature.numLevels - 1, 0);
}

Value *ValueSource::get(Value *value) {
  if (isa<Constant, MetadataAsValue, InlineAsm>(value))
    return value;
  if (Value *result = known.lookup(value))
    return result;
  Value *result = materialize(value);
  known[value] = result;
  return result;
}

Value *ValueSource::materialize(Value *value) {
  if (auto *argument = dyn_cast<Argument>(value)) {
    Argument *own = context.group.getArg(argument->getArgNo());
    std::optional<unsigned> dim = context.ownIdDimension(value);
    if (!dim || !ids[*dim])
      return own;
    IRBuilder<> builder(instancePoint);
    return builder.CreateSExt(ids[*dim], own->getType(), own->getName());
  }
  auto *instruction = cast<Instruction>(value);
  if (Value *memory = context.storage.alloca(instruction))
    return memory;
  if (AllocaInst *scalar = context.storage.scalar(instruction)) {
    IRBuilder<> builder(sharedPoint);
    return builder.CreateLoad(scalar->getAllocatedType(), scalar,
                              instruction->getName());
  }
  if (context.placement[instruction] == PlacementKind::Recomputed)
    return recompute(*instruction);
  IRBuilder<> builder(instancePoint);
  Value *address = context.storage.element(builder, instruction, linearIndex);
  if (isa<AllocaInst>(instruction))
    return address;
  LoadInst *load = builder.CreateLoad(instruction->getType(), address,
                                      instruction->getName());
  load->setMetadata(LLVMContext::MD_access_group, context.accessGroup);
  return load;
}

Value *ValueSource::recompute(Instruction &instruction) {
  Instruction *copy = instruction.clone();
  for (Use &operand : copy->operands()) {
    // Operands are recomputable too, even those without a placement.
    auto *inner = dyn_cast<Instruction>(operand.get());
    bool isPlaced = !inner || known.contains(inner) || isa<AllocaInst>(inner) ||
                    context.placement[inner] != PlacementKind::Local;
    Value *value = isPlaced ? get(operand.get()) : recompute(*inner);
    operand.set(value);
  }
  copy->insertBefore(instancePoint->getIterator());
  copy->setName(instruction.getName());
  return copy;
}

} // namespace sluice::codegen
