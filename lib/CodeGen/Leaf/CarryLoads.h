//===- CarryLoads.h - What the instance before has loaded -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neighbours read the same elements: from[x] of one instance is from[x - 1] of
// the next one. One load of a row's elements and shuffles take less time than
// loads at every offset, most of which lie across two cache lines.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_CARRYLOADS_H
#define SLUICE_LIB_CODEGEN_LEAF_CARRYLOADS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// In loops over instances, just before they are vectorised.
class CarryLoads : public llvm::PassInfoMixin<CarryLoads> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_CARRYLOADS_H
