//===- OrderedSums.h - Ordered sums in vectorised loops ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sum of floating-point numbers keeps its order. This would make whole loops
// scalar, whatever else they compute, such as the exponentials of a softmax.
// LLVM can vectorise everything except the sum, to which the lanes are added
// one after another; on x86 this must be requested.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_HINTS_ORDEREDSUMS_H
#define SLUICE_LIB_CODEGEN_LEAF_HINTS_ORDEREDSUMS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Lets LLVM vectorise innermost loops with ordered sums if they compute much
/// else. All other loops with such sums stay unchanged: loops that do little
/// but add wait for the additions either way, and products that are added with
/// one rounding would get two.
class OrderedSums : public llvm::PassInfoMixin<OrderedSums> {
public:
  OrderedSums();

  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_HINTS_ORDEREDSUMS_H
