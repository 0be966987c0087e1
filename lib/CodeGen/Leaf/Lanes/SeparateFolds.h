//===- SeparateFolds.h - Folds behind the instances they fold ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What instances fold one after another keeps them from being lanes, although
// all that takes long is done before: a sum needs its order, the values that
// are added do not.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_LANES_SEPARATEFOLDS_H
#define SLUICE_LIB_CODEGEN_LEAF_LANES_SEPARATEFOLDS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Divides a loop over instances that have loops in them, and that hand a value
/// from one to the next, into strips of instances: each strip computes what is
/// handed on nothing of and keeps it in an array, and a loop behind it folds
/// the array in the order of the instances. No operation and no order changes.
class SeparateFolds : public llvm::PassInfoMixin<SeparateFolds> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_LANES_SEPARATEFOLDS_H
