//===- NarrowWraps.h - Indices that wrap around in few bits -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `in[(i + (3 * i & 7)) & 8191]` contains a number of 3 bits that wraps around,
// inside one of 13 bits that wraps around too. LLVM 22 vectorises such a loop
// under the condition that neither wraps, but only tests the wider one:
// SCEVWrapPredicate::implies compares steps, not widths. The loop then reads
// the wrong elements.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_NARROWWRAPS_H
#define SLUICE_LIB_CODEGEN_LEAF_NARROWWRAPS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Hides all but the widest of these numbers in a loop from the assumptions
/// about counting numbers. Runs just before vectorisation.
class HideNarrowWraps : public llvm::PassInfoMixin<HideNarrowWraps> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_NARROWWRAPS_H
