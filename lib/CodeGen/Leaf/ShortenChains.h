//===- ShortenChains.h - Shorter chains of loop-carried minima --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of distances and scores compute each element from the previous one:
// the time of a round is that of the instructions between the two.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_SHORTENCHAINS_H
#define SLUICE_LIB_CODEGEN_LEAF_SHORTENCHAINS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Rewrites minima and maxima of a loop-carried value, such as `v = min(min(v,
/// a) + 1, b)`, so that each round adds only one addition and one minimum to
/// the dependence chain: `v = min(v + 1, min(a + 1, b))`. All computations use
/// twice the width, where nothing overflows, so results are the same. Runs
/// last, since other passes prefer the short form.
class ShortenChains : public llvm::PassInfoMixin<ShortenChains> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_SHORTENCHAINS_H
