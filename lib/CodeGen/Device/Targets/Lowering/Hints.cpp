//===- Hints.cpp - Removing optimiser hints -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Not all translators support intrinsics such as assumptions, and they have no
// use after the last optimiser.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace sluice::codegen;

/// The replacement for the call; null if the call has no value. `isHint` is
/// false for calls with an effect.
static Value *valueOf(IntrinsicInst &call, bool &isHint) {
  isHint = true;
  Type *type = call.getType();
  switch (call.getIntrinsicID()) {
  case Intrinsic::assume:
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::invariant_end:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::dbg_declare:
  case Intrinsic::dbg_value:
  case Intrinsic::dbg_label:
  case Intrinsic::dbg_assign:
  case Intrinsic::sideeffect:
  case Intrinsic::donothing:
    return nullptr;
  case Intrinsic::invariant_start:
    return Constant::getNullValue(type);
  case Intrinsic::expect:
  case Intrinsic::expect_with_probability:
  case Intrinsic::launder_invariant_group:
  case Intrinsic::strip_invariant_group:
  case Intrinsic::ssa_copy:
    return call.getArgOperand(0);
  case Intrinsic::is_constant:
    return ConstantInt::getBool(type, isa<Constant>(call.getArgOperand(0)));
  case Intrinsic::objectsize:
    // Unknown: the least or the greatest size, depending on the second operand.
    return cast<ConstantInt>(call.getArgOperand(1))->isOne()
               ? Constant::getNullValue(type)
               : Constant::getAllOnesValue(type);
  default:
    isHint = false;
    return nullptr;
  }
}

void lowering::removeHints(Function &function) {
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    if (!call)
      continue;
    bool isHint = false;
    Value *value = valueOf(*call, isHint);
    if (!isHint)
      continue;
    if (value)
      call->replaceAllUsesWith(value);
    call->eraseFromParent();
  }
}
