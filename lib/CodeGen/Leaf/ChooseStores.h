//===- ChooseStores.h - Stores under a condition as choices -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Without instructions that store some elements of a vector, a store under a
// condition is a branch for each instance, even in vectors.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_CHOOSESTORES_H
#define SLUICE_LIB_CODEGEN_LEAF_CHOOSESTORES_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Where an instance has just loaded what it overwrites under a condition, it
/// stores what it loaded otherwise:
///
///   if (through < best[i]) best[i] = through;
///
/// As it reads the element in any case, no other instance may write it. Done
/// for loops over instances and processors that cannot store under a mask.
class ChooseStores : public llvm::PassInfoMixin<ChooseStores> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_CHOOSESTORES_H
