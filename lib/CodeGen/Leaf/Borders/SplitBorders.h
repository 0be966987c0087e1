//===- SplitBorders.h - Separating borders from the inside ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaves that read neighbours compare their ids with the borders of the grid:
// they clamp, wrap around, or leave instances out. In a loop over instances,
// such a comparison has the same result almost everywhere, but prevents LLVM
// from vectorising. So the loop becomes up to three loops, one after another:
//
//   before:  instances at the lower border, with the original code
//   inside:  the code without comparisons
//   after:   instances at the upper border, with the original code
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_BORDERS_SPLITBORDERS_H
#define SLUICE_LIB_CODEGEN_LEAF_BORDERS_SPLITBORDERS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

class SplitBorders : public llvm::PassInfoMixin<SplitBorders> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_BORDERS_SPLITBORDERS_H
