//===- PartLoads.h - Loads from one of two rows -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM sinks loads of both ways of a branch into one load of a chosen address,
// and gathers what the lanes of a vector have chosen. Where lanes choose
// between two rows, two loads under masks take a fraction of that time.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_HINTS_PARTLOADS_H
#define SLUICE_LIB_CODEGEN_LEAF_HINTS_PARTLOADS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Makes of a load from one of two places, as data say, two loads under
/// conditions, where both places move from element to element with the rounds:
/// vectors load both rows under masks rather than gather.
class PartLoads : public llvm::PassInfoMixin<PartLoads> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_HINTS_PARTLOADS_H
