//===- PassAnalyses.h - What LLVM's passes want to know ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running one of LLVM's passes by hand needs the same dozen lines in several
// libraries; they are here.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_LEAF_PASSANALYSES_H
#define SLUICE_ANALYSIS_LEAF_PASSANALYSES_H

#include "llvm/Passes/PassBuilder.h"

namespace sluice {

/// The analyses that passes may ask for, of functions and of whole modules.
/// Their managers refer to each other and must be destroyed in the order in
/// which they stand here.
struct PassAnalyses {
  explicit PassAnalyses(llvm::PipelineTuningOptions tuning = {})
      : builder(/*TM=*/nullptr, tuning) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }

  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
};

} // namespace sluice

#endif // SLUICE_ANALYSIS_LEAF_PASSANALYSES_H
