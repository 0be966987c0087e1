//===- VectorizeLanes.h - Vectors of instances with loops -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the loops over instances that have loops in them, which LLVM leaves
// alone, for as many instances at once as vectors have lanes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_LANES_VECTORIZELANES_H
#define SLUICE_LIB_CODEGEN_LEAF_LANES_VECTORIZELANES_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Every lane computes what its instance does alone, to the bit.
class VectorizeLanes : public llvm::PassInfoMixin<VectorizeLanes> {
public:
  /// `wanted`: make so many lanes wherever it is possible, or, if it is 1, run
  /// instances in step (JamInstances.h); 0: where it pays.
  explicit VectorizeLanes(unsigned wanted = 0) : wanted(wanted) {}

  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);

private:
  unsigned wanted;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_LANES_VECTORIZELANES_H
