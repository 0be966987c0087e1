//===- SeparateFolds.h - Folds after their instances ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that instances fold one after another prevent the instances from
// becoming lanes, although the expensive work comes before the fold: a sum
// needs its order, but the computation of the added values does not.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_LANES_SEPARATEFOLDS_H
#define SLUICE_LIB_CODEGEN_LEAF_LANES_SEPARATEFOLDS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Applies to a loop over instances that contain loops and pass a value from
/// one instance to the next. Splits it into strips of instances. Each strip
/// computes everything that does not depend on the value passed on and stores
/// it in an array; a loop after it folds the array in the order of the
/// instances. No operation and no order changes.
class SeparateFolds : public llvm::PassInfoMixin<SeparateFolds> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_LANES_SEPARATEFOLDS_H
