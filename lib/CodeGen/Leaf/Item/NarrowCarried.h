//===- NarrowCarried.h - Wide numbers that loops carry ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The best of a few elements is often remembered by a `long`, which is a copy
// of the loop's counter. One such number of 64 bits halves the vectors that
// everything else is computed in.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_ITEM_NARROWCARRIED_H
#define SLUICE_LIB_CODEGEN_LEAF_ITEM_NARROWCARRIED_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Carries numbers of 64 bits in 32 where they are chosen among such as fit.
class NarrowCarried : public llvm::PassInfoMixin<NarrowCarried> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_ITEM_NARROWCARRIED_H
