//===- Extremes.h - Greatest and smallest numbers -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The greatest of floating-point numbers is the same in any order, except that
// it may be a zero of either sign, of which the first one counts. LLVM makes
// vectors only where neither zeros nor numbers that are none matter.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_HINTS_EXTREMES_H
#define SLUICE_LIB_CODEGEN_LEAF_HINTS_EXTREMES_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class Loop;
class ScalarEvolution;
} // namespace llvm

namespace sluice::codegen {

/// Whether `ReorderExtremes` changes `loop`, so that LLVM makes vectors of it.
bool looksInAnyOrder(llvm::Loop &loop, llvm::ScalarEvolution &evolution);

/// Lets innermost loops look for their greatest and smallest numbers in any
/// order. If a result is zero, a loop that only looks runs once more, in order;
/// other loops change only if no number can be -0.
class ReorderExtremes : public llvm::PassInfoMixin<ReorderExtremes> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_HINTS_EXTREMES_H
