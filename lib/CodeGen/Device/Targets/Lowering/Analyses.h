//===- Analyses.h - Analysis managers of LLVM's passes ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Analysis managers refer to each other and must be destroyed in the order in
// which they are declared here.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_TARGETS_LOWERING_ANALYSES_H
#define SLUICE_LIB_CODEGEN_DEVICE_TARGETS_LOWERING_ANALYSES_H

#include "llvm/Passes/PassBuilder.h"

namespace sluice::codegen::lowering {

struct Analyses {
  explicit Analyses(llvm::TargetMachine *machine = nullptr) : builder(machine) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graphs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graphs, modules);
  }

  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
};

} // namespace sluice::codegen::lowering

#endif // SLUICE_LIB_CODEGEN_DEVICE_TARGETS_LOWERING_ANALYSES_H
