//===- AskedVectors.h - Loops that the user wants as vectors ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `#pragma clang loop vectorize(enable)` and `#pragma omp simd reduction` allow
// sums and products of a loop in any order. LLVM reads that from the loop,
// whose marks do not survive what becomes of leaves: flags of instructions do.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_HINTS_ASKEDVECTORS_H
#define SLUICE_LIB_CODEGEN_LEAF_HINTS_ASKEDVECTORS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Allows any order to the sums and products that such loops, in simple form,
/// carry from round to round and use for nothing else. The loops then no longer
/// ask for vectors, so that LLVM does not warn that it made none.
class AllowAskedOrders : public llvm::PassInfoMixin<AllowAskedOrders> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_HINTS_ASKEDVECTORS_H
