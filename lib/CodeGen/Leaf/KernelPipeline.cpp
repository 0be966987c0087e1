//===- KernelPipeline.cpp - Optimisation after lowering -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's -O3 pipeline with the passes of Pipeline/LeafPasses.def in it: loops
// over instances are kept whole until they have been vectorised, and are
// ordinary loops from then on.
//
//===----------------------------------------------------------------------===//

#include "sluice/CodeGen/KernelPipeline.h"
#include "sluice/CodeGen/LeafPasses.h"

#include "Hints/LlvmOptions.h"
#include "Pipeline/PassObservers.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/PGOOptions.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

namespace sluice::codegen {

/// Unrolls the loops for which sluice-unroll-array-loops asks, and tidies up.
static void addUnrolling(FunctionPassManager &passes) {
  passes.addPass(LoopUnrollPass(
      LoopUnrollOptions(/*OptLevel=*/3, /*OnlyWhenForced=*/true)));
  passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                                 /*UseMemorySSA=*/true));
}

static OptimizationLevel levelOf(unsigned number) {
  static const OptimizationLevel levels[] = {
      OptimizationLevel::O0, OptimizationLevel::O1, OptimizationLevel::O2,
      OptimizationLevel::O3};
  return levels[std::min(number, 3u)];
}

static std::optional<PGOOptions> optionsOf(const Profiling &profiling) {
  if (profiling.kind == Profiling::Kind::None)
    return std::nullopt;
  bool counts = profiling.kind == Profiling::Kind::Generate;
  return PGOOptions(profiling.file, /*CSProfileGenFile=*/"",
                    /*ProfileRemappingFile=*/"", /*MemoryProfile=*/"",
                    counts ? PGOOptions::IRInstr : PGOOptions::IRUse,
                    PGOOptions::NoCSAction, PGOOptions::ColdFuncOpt::Default,
                    /*DebugInfoForProfiling=*/false,
                    /*PseudoProbeForProfiling=*/false,
                    counts && profiling.isAtomic);
}

/// The rows of the table that a pipeline runs. Passes that make vectors easier
/// need a processor whose vectors are known.
static LeafPassOptions passOptions(const TargetMachine *machine, unsigned level,
                                   const Vectorization &vectorization) {
  bool isFast = machine && level >= 2;
  return {.isOptimized = level != 0,
          .carriesLoads = isFast && vectorization.ofLoops,
          .splitsBorders = isFast && vectorization.splitsBorders(),
          .makesLanes = isFast && vectorization.makesLanes(),
          .numLanes = vectorization.numLanes,
          .numOwnLanes = vectorization.numOwnLanes};
}

/// LLVM calls the functions of some points without optimisation, too.
static void addToPipeline(PassBuilder &builder,
                          const LeafPassOptions &options) {
  builder.registerPipelineStartEPCallback(
      [=](ModulePassManager &passes, OptimizationLevel) {
        addLeafPasses(passes, LeafPoint::PipelineStart, options);
      });
  builder.registerPipelineEarlySimplificationEPCallback(
      [=](ModulePassManager &passes, OptimizationLevel, ThinOrFullLTOPhase) {
        addLeafPasses(passes, LeafPoint::EarlySimplification, options);
      });
  builder.registerPeepholeEPCallback(
      [=](FunctionPassManager &passes, OptimizationLevel) {
        addLeafPasses(passes, LeafPoint::Peephole, options);
      });
  builder.registerVectorizerStartEPCallback(
      [=](FunctionPassManager &passes, OptimizationLevel) {
        addLeafPasses(passes, LeafPoint::VectorizerStart, options);
      });
  builder.registerVectorizerEndEPCallback(
      [=](FunctionPassManager &passes, OptimizationLevel) {
        addLeafPasses(passes, LeafPoint::VectorizerEnd, options);
        if (options.isOptimized)
          addUnrolling(passes);
      });
  builder.registerOptimizerLastEPCallback(
      [=](ModulePassManager &passes, OptimizationLevel, ThinOrFullLTOPhase) {
        addLeafPasses(passes, LeafPoint::OptimizerLast, options);
      });
}

void optimizeKernels(Module &module, TargetMachine *machine, unsigned level,
                     Vectorization vectorization, const Profiling &profiling) {
  // Of rows of instances LLVM would compare all bytes at once: parts of rows of
  // one array would always seem to overlap.
  setLlvmOption("hoist-runtime-checks", "false");
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PipelineTuningOptions tuning;
  tuning.LoopInterleaving = true;
  tuning.LoopVectorization = vectorization.ofLoops;
  tuning.SLPVectorization = vectorization.ofStraightCode;
  PassInstrumentationCallbacks callbacks;
  PassObservers observers(module, callbacks);
  PassBuilder builder(machine, tuning, optionsOf(profiling), &callbacks);
  addToPipeline(builder, passOptions(machine, level, vectorization));
  TargetLibraryInfoImpl library(module.getTargetTriple());
  library.addVectorizableFunctionsFromVecLib(vectorization.library,
                                             module.getTargetTriple());
  functions.registerPass([&] { return TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  (level == 0 ? builder.buildO0DefaultPipeline(OptimizationLevel::O0)
              : builder.buildPerModuleDefaultPipeline(levelOf(level)))
      .run(module, modules);
}

} // namespace sluice::codegen
