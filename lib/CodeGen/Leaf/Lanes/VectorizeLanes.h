//===- VectorizeLanes.h - Vectors of instances with loops -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs loops over instances that contain loops, which LLVM does not vectorise,
// for as many instances at once as vectors have lanes; those of which LLVM
// would gather every so many elements; and loops of leaves that contain loops,
// if that takes less time (OwnLoops.h).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_LANES_VECTORIZELANES_H
#define SLUICE_LIB_CODEGEN_LEAF_LANES_VECTORIZELANES_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Every lane computes exactly what its instance computes alone, bit for bit.
class VectorizeLanes : public llvm::PassInfoMixin<VectorizeLanes> {
public:
  /// `wanted`: the number of lanes to use wherever possible. If 1, runs
  /// instances in step (JamInstances.h). If 0, vectorises where it pays off.
  /// `wantedOwn`: the same number for rounds of a leaf's own loops
  /// (OwnLoops.h).
  explicit VectorizeLanes(unsigned wanted = 0, unsigned wantedOwn = 0)
      : wanted(wanted), wantedOwn(wantedOwn) {}

  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);

private:
  unsigned wanted, wantedOwn;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_LANES_VECTORIZELANES_H
