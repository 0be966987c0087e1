//===- NarrowWraps.h - Indices that wrap around in few bits -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `in[(i + (3 * i & 7)) & 8191]` has a number of 3 bits that wraps around, in
// one of 13 bits that does. LLVM 22 vectorises such a loop under the condition
// that both do not, and tests it for the wider one alone:
// SCEVWrapPredicate::implies compares steps, not widths. The loop reads the
// wrong elements then.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_NARROWWRAPS_H
#define SLUICE_LIB_CODEGEN_LEAF_NARROWWRAPS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Hides all but the widest of such numbers of a loop from what is assumed
/// about numbers that count. Runs just before vectorisation.
class HideNarrowWraps : public llvm::PassInfoMixin<HideNarrowWraps> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_NARROWWRAPS_H
