//===- ChosenLoads.h - Loads from one of two addresses ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In `y > 0 ? from[i - width] : here`, where `here` is from[i], all instances
// of a row choose the same address. One load from the right address for the row
// needs neither masks nor a copy of the loop.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_BORDERS_CHOSENLOADS_H
#define SLUICE_LIB_CODEGEN_LEAF_BORDERS_CHOSENLOADS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Runs on loops over instances, before loops are copied for such conditions.
class ChooseLoads : public llvm::PassInfoMixin<ChooseLoads> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_BORDERS_CHOSENLOADS_H
