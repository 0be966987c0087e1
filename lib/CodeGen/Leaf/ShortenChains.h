//===- ShortenChains.h - Minima that go from round to round -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of distances and scores compute each element from the one before it:
// the time of a round is that of the instructions between these two.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_SHORTENCHAINS_H
#define SLUICE_LIB_CODEGEN_LEAF_SHORTENCHAINS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Rewrites minima and maxima of a value that goes from round to round, such as
/// `v = min(min(v, a) + 1, b)`, so that one addition and one minimum stand
/// between a round and the next: `v = min(v + 1, min(a + 1, b))`. All are
/// numbers of twice the width, where nothing overflows, so results are the
/// same. Runs last: other passes prefer the short form.
class ShortenChains : public llvm::PassInfoMixin<ShortenChains> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_SHORTENCHAINS_H
