//===- LiftLoads.h - What all instances of a row load -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM leaves a load in its loop if what the loop stores may be the same place,
// as in d[i][j] = min(d[i][j], d[i][k] + d[k][j]). Instances are independent:
// what one of them reads no other one writes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_LIFTLOADS_H
#define SLUICE_LIB_CODEGEN_LEAF_LIFTLOADS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Moves loads that all instances of a loop do, of one address, before the
/// loop.
class LiftLoads : public llvm::PassInfoMixin<LiftLoads> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_LIFTLOADS_H
