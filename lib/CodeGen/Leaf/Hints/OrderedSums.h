//===- OrderedSums.h - Sums in order beside vector work ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sum of floating-point numbers keeps its order, and with it whole loops
// would stay scalar, whatever else they compute: the exponentials of a softmax.
// LLVM can make vectors of all but the sum, to which the lanes are added one
// after another; on x86 it has to be asked for that.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_HINTS_ORDEREDSUMS_H
#define SLUICE_LIB_CODEGEN_LEAF_HINTS_ORDEREDSUMS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Lets LLVM make vectors of innermost loops with sums in order where much else
/// is computed. All other loops with such sums stay as they are: those that do
/// little but add wait for the additions either way, and products that are
/// added with one rounding would become two roundings.
class OrderedSums : public llvm::PassInfoMixin<OrderedSums> {
public:
  OrderedSums();

  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_HINTS_ORDEREDSUMS_H
