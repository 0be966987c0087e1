//===- ReleaseLoops.h - The end of loops over instances ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over instances are kept whole until they have been vectorised. From
// then on, they are ordinary loops.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_PIPELINE_RELEASELOOPS_H
#define SLUICE_LIB_CODEGEN_LEAF_PIPELINE_RELEASELOOPS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Ends the protection of instance loops just before vectorisation, but for
/// those that may be unrolled completely after it.
class ReleaseInstanceLoops : public llvm::PassInfoMixin<ReleaseInstanceLoops> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

/// Asks for complete unrolling of the loops around arrays, now that it is
/// known how large they are.
class UnrollArrayLoops : public llvm::PassInfoMixin<UnrollArrayLoops> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

/// Asks for unrolling of instance loops that LLVM leaves as they are only
/// because their number of rounds takes many instructions to compute, as for
/// the bounds of a chunk: they run once for a whole range.
class UnrollInstanceLoops : public llvm::PassInfoMixin<UnrollInstanceLoops> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_PIPELINE_RELEASELOOPS_H
