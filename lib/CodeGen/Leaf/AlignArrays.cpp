//===- AlignArrays.cpp - Variables on the lines of vectors ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function with such a variable aligns its stack once per call. Variables of
// one vector stay as they are: LLVM aligns those that it makes itself.
//
//===----------------------------------------------------------------------===//

#include "AlignArrays.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#define DEBUG_TYPE "sluice-align-arrays"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numAligned, "Variables aligned for vectors");

namespace sluice::codegen {

/// No cache line is wider.
static constexpr uint64_t lineBytes = 64;

PreservedAnalyses AlignArrays::run(Function &function,
                                   FunctionAnalysisManager &) {
  const DataLayout &layout = function.getDataLayout();
  bool hasChanged = false;
  for (Instruction &instruction : instructions(function)) {
    const Value *pointer = getLoadStorePointerOperand(&instruction);
    if (!pointer || !getLoadStoreType(&instruction)->isVectorTy())
      continue;
    TypeSize size = layout.getTypeStoreSize(getLoadStoreType(&instruction));
    // Any number of steps may lead from the variable to the address.
    auto *variable = const_cast<AllocaInst *>(
        dyn_cast<AllocaInst>(getUnderlyingObject(pointer, /*MaxLookup=*/0)));
    if (size.isScalable() || !variable || !variable->isStaticAlloca() ||
        variable->isUsedWithInAlloca())
      continue;
    uint64_t bytes = std::min(llvm::bit_floor(size.getFixedValue()), lineBytes);
    std::optional<TypeSize> whole = variable->getAllocationSize(layout);
    if (variable->getAlign() >= bytes || !whole || whole->isScalable() ||
        whole->getFixedValue() <= bytes)
      continue;
    variable->setAlignment(Align(bytes));
    ++numAligned;
    hasChanged = true;
  }
  if (!hasChanged)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
