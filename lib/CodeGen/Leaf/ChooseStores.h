//===- ChooseStores.h - Turning conditional stores into selects -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Without masked store instructions, a conditional store is a branch for each
// instance, even in vectors.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_CHOOSESTORES_H
#define SLUICE_LIB_CODEGEN_LEAF_CHOOSESTORES_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// If an instance has just loaded the value that it conditionally overwrites,
/// it stores the loaded value otherwise:
///
///   if (through < best[i]) best[i] = through;
///
/// Since the instance reads the element in any case, no other instance may
/// write it. Applies to loops over instances, on processors without masked
/// stores.
class ChooseStores : public llvm::PassInfoMixin<ChooseStores> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_CHOOSESTORES_H
