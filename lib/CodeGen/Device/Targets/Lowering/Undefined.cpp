//===- Undefined.cpp - Replacing undefined values -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SPIR-V has undefined values but no `freeze`: every use of one may differ. So
// zeros replace them. Where a `freeze` relied on an operation's result, flags
// that may make this result undefined are removed.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace sluice::codegen;

static bool hasUndefined(const Constant &constant) {
  if (isa<UndefValue>(constant))
    return true;
  return isa<ConstantAggregate>(constant) &&
         any_of(constant.operands(), [](const Use &use) {
           return hasUndefined(*cast<Constant>(use));
         });
}

/// The constant, with zeros for its undefined parts.
static Constant *define(Constant &constant) {
  if (isa<UndefValue>(constant))
    return Constant::getNullValue(constant.getType());
  SmallVector<Constant *> elements;
  for (const Use &use : constant.operands()) {
    auto *element = cast<Constant>(use);
    elements.push_back(hasUndefined(*element) ? define(*element) : element);
  }
  if (auto *type = dyn_cast<StructType>(constant.getType()))
    return ConstantStruct::get(type, elements);
  if (auto *type = dyn_cast<ArrayType>(constant.getType()))
    return ConstantArray::get(type, elements);
  return ConstantVector::get(elements);
}

/// The operand of `freeze` must not become poison on the way.
static void forgetPoison(FreezeInst &freeze) {
  SmallSetVector<Instruction *, 16> behind;
  if (auto *operand = dyn_cast<Instruction>(freeze.getOperand(0)))
    behind.insert(operand);
  for (size_t i = 0; i < behind.size(); ++i) {
    behind[i]->dropPoisonGeneratingAnnotations();
    for (Value *operand : behind[i]->operands())
      if (auto *instruction = dyn_cast<Instruction>(operand))
        behind.insert(instruction);
  }
}

void lowering::removeUndefined(Function &function) {
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    for (Use &use : instruction.operands())
      if (auto *constant = dyn_cast<Constant>(use))
        if (hasUndefined(*constant))
          use.set(define(*constant));
    if (auto *freeze = dyn_cast<FreezeInst>(&instruction)) {
      forgetPoison(*freeze);
      freeze->replaceAllUsesWith(freeze->getOperand(0));
      freeze->eraseFromParent();
    }
  }
}
