//===- MaskRemainders.h - Remainders of rows in masked vectors --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instances of a row beyond its whole vectors would run one after another.
// If rows are short, this takes as long as the whole vectors.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_MASKREMAINDERS_H
#define SLUICE_LIB_CODEGEN_LEAF_MASKREMAINDERS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Splits loops over instances into one for whole vectors and one for the
/// remainder, and requests masked vectors for the second. Applies on processors
/// that mask elements of any size, to loops of plain operations with contiguous
/// accesses from instance to instance.
class MaskRemainders : public llvm::PassInfoMixin<MaskRemainders> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_MASKREMAINDERS_H
