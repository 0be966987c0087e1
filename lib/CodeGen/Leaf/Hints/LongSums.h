//===- LongSums.h - Sums that LLVM must not take apart ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's reduction of strength tries to hold each subset of the terms of an
// address in a register. Loops over the rest of a row begin where all loops
// before them end, at a sum of up to a dozen terms: thousands of subsets for
// each access.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_HINTS_LONGSUMS_H
#define SLUICE_LIB_CODEGEN_LEAF_HINTS_LONGSUMS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Makes sums of many terms outside innermost loops one term, by freezing them.
class CloseLongSums : public llvm::PassInfoMixin<CloseLongSums> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_HINTS_LONGSUMS_H
