//===- ReloadShared.h - What two instances load -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of x[i - 1] + x[i], LLVM keeps x[i] for the next round, where it is x[i - 1].
// That saves a load, but ties each round to the one before: vectors must be
// shuffled together, and the end of a row cannot run under a mask. Instances
// are independent, so they may as well load on their own.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_RELOADSHARED_H
#define SLUICE_LIB_CODEGEN_LEAF_RELOADSHARED_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Loads anew what loops over instances keep from the round before.
class ReloadShared : public llvm::PassInfoMixin<ReloadShared> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_RELOADSHARED_H
