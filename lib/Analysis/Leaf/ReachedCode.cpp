//===- ReachedCode.cpp - The functions that code may call -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/ReachedCode.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace sluice {

SetVector<const Function *> reachedFrom(const Function &function,
                                        ReachedBy by) {
  SetVector<const Function *> reached;
  reached.insert(&function);
  for (unsigned i = 0; i != reached.size(); ++i)
    for (const Instruction &instruction : instructions(reached[i]))
      if (by == ReachedBy::Name) {
        for (const Value *operand : instruction.operands())
          if (const auto *named = dyn_cast<Function>(operand))
            reached.insert(named);
      } else if (const auto *call = dyn_cast<CallBase>(&instruction)) {
        if (const Function *callee = call->getCalledFunction())
          reached.insert(callee);
      }
  return reached;
}

bool anyReached(const Function &function,
                function_ref<bool(const Instruction &)> isSuch, ReachedBy by) {
  return any_of(reachedFrom(function, by), [&](const Function *reached) {
    return any_of(instructions(reached), isSuch);
  });
}

bool callsItself(const Function &function) {
  return anyReached(function, [&](const Instruction &instruction) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    return call && call->getCalledFunction() == &function;
  });
}

} // namespace sluice
