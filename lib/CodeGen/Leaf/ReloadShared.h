//===- ReloadShared.h - Reloading values of the previous round --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For x[i - 1] + x[i], LLVM keeps x[i] for the next round, where it is x[i -
// 1]. This saves a load but makes each round depend on the previous one:
// vectors must be shuffled together, and the end of a row cannot run under a
// mask. Instances are independent, so each may load its own values.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_RELOADSHARED_H
#define SLUICE_LIB_CODEGEN_LEAF_RELOADSHARED_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Reloads values that loops over instances keep from the previous round.
class ReloadShared : public llvm::PassInfoMixin<ReloadShared> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_RELOADSHARED_H
