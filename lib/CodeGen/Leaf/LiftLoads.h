//===- LiftLoads.h - Hoisting loads that a row shares -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM leaves a load in its loop if a store of the loop may access the same
// place, as in d[i][j] = min(d[i][j], d[i][k] + d[k][j]). Instances are
// independent: no instance writes what another one reads.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_LIFTLOADS_H
#define SLUICE_LIB_CODEGEN_LEAF_LIFTLOADS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Moves loads of one address that all instances of a loop execute before the
/// loop.
class LiftLoads : public llvm::PassInfoMixin<LiftLoads> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_LIFTLOADS_H
