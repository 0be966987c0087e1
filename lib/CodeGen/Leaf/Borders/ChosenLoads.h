//===- ChosenLoads.h - Loads of one of two addresses ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `y > 0 ? from[i - width] : here`, where `here` is from[i], is decided by all
// instances of a row alike. One load, of the address that is right for the row,
// does without masks and without a copy of the loop.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_BORDERS_CHOSENLOADS_H
#define SLUICE_LIB_CODEGEN_LEAF_BORDERS_CHOSENLOADS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// In loops over instances, before loops are copied for such conditions.
class ChooseLoads : public llvm::PassInfoMixin<ChooseLoads> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_BORDERS_CHOSENLOADS_H
