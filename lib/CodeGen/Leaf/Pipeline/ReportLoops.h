//===- ReportLoops.h - Which leaves have become vectors ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The answer to "is this leaf a vector?", without a look at machine code.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_PIPELINE_REPORTLOOPS_H
#define SLUICE_LIB_CODEGEN_LEAF_PIPELINE_REPORTLOOPS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Reports for each leaf, at its line, whether its instances run as vectors.
/// Changes nothing. Runs after LLVM's vectorisers.
class ReportLoops : public llvm::PassInfoMixin<ReportLoops> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_PIPELINE_REPORTLOOPS_H
