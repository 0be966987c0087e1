//===- CollectOutputs.cpp - What a leaf hands on --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An output that is a pointer leads to memory that later nodes touch, and one
// that is a number may be their extent. Both are found in what the leaf
// returns.
//
//===----------------------------------------------------------------------===//

#include "EffectsCollector.h"
#include "sluice/Analysis/LeafMemory.h"

#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::races;

/// Adds what field `index` of `value`, or `value` itself, may point to.
void EffectsCollector::collectOutput(Value *value, unsigned index,
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
std::optional<Polynomial> EffectsCollector::outputValue(unsigned index) {
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

void EffectsCollector::collectOutputs() {
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
