//===- CarryLoads.h - Reusing loads of the previous instance ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adjacent instances read the same elements: from[x] of one instance is from[x
// - 1] of the next one. Loading a row's elements once and shuffling them takes
// less time than loads at every offset, most of which cross a cache line
// boundary.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_CARRYLOADS_H
#define SLUICE_LIB_CODEGEN_LEAF_CARRYLOADS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Runs on loops over instances, just before vectorisation.
class CarryLoads : public llvm::PassInfoMixin<CarryLoads> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_CARRYLOADS_H
