//===- Coroutines.cpp - Coroutines as ordinary functions ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang leaves the splitting of coroutines to LLVM's passes. These run before
// anything else examines the code: an unsplit coroutine may be neither inlined
// nor cloned.
//
//===----------------------------------------------------------------------===//

#include "Coroutines.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Coroutines/CoroCleanup.h"
#include "llvm/Transforms/Coroutines/CoroEarly.h"
#include "llvm/Transforms/Coroutines/CoroSplit.h"

using namespace llvm;

void sluice::lowerCoroutines(Module &module) {
  if (none_of(module, [](const Function &function) {
        return function.isPresplitCoroutine();
      }))
    return;
  PassBuilder builder;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  ModulePassManager passes;
  passes.addPass(CoroEarlyPass());
  passes.addPass(createModuleToPostOrderCGSCCPassAdaptor(CoroSplitPass()));
  passes.addPass(CoroCleanupPass());
  passes.run(module, modules);
}
