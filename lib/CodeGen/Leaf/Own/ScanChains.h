//===- ScanChains.h - Carried minima and maxima as vectors ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM makes no vectors of loops whose rounds need a value of the round before,
// unless that value is wanted only after the last round. Minima and maxima can
// be found for several rounds at once, even with a constant added each round.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_OWN_SCANCHAINS_H
#define SLUICE_LIB_CODEGEN_LEAF_OWN_SCANCHAINS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Runs innermost loops as vectors in which each round stores
///
///   x = min(x + c, q)
///
/// with a constant c >= 0 and a limit q that does not depend on x, or the same
/// with a maximum and c <= 0: rows of tables of distances, running minima. The
/// value x of the round before may be loaded from where that round stored it.
class ScanChains : public llvm::PassInfoMixin<ScanChains> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_OWN_SCANCHAINS_H
