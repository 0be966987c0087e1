//===- KernelPipeline.cpp - Optimisation after lowering -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's -O3 pipeline with one change: loops over instances are kept whole
// until they have been vectorised, and are ordinary loops from then on.
//
//===----------------------------------------------------------------------===//

#include "sluice/CodeGen/KernelPipeline.h"

#include "InstanceLoops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace sluice {

namespace {

/// Ends the protection of instance loops just before vectorisation.
class ReleaseInstanceLoops : public PassInfoMixin<ReleaseInstanceLoops> {
public:
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
    for (Loop *loop : loops.getLoopsInPreorder())
      if (MDNode *id = loop->getLoopID(); isInstanceLoop(id))
        loop->setLoopID(withoutProtection(id));
    return PreservedAnalyses::all();
  }

private:
  static bool isProtection(const Metadata *operand) {
    const auto *property = dyn_cast_or_null<MDNode>(operand);
    const auto *name =
        property && property->getNumOperands() > 0
            ? dyn_cast<MDString>(property->getOperand(0).get())
            : nullptr;
    return name && name->getString() == "llvm.loop.unroll.disable";
  }

  static MDNode *withoutProtection(MDNode *id) {
    SmallVector<Metadata *> operands{nullptr};
    for (const MDOperand &operand : drop_begin(id->operands()))
      if (!isProtection(operand.get()))
        operands.push_back(operand.get());
    MDNode *result = MDNode::getDistinct(id->getContext(), operands);
    result->replaceOperandWith(0, result);
    return result;
  }
};

} // namespace

void optimizeKernels(Module &module, TargetMachine *machine) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PipelineTuningOptions tuning;
  tuning.LoopInterleaving = true;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  PassBuilder builder(machine, tuning);
  builder.registerVectorizerStartEPCallback(
      [](FunctionPassManager &passes, OptimizationLevel) {
        passes.addPass(ReleaseInstanceLoops());
      });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3)
      .run(module, modules);
}

} // namespace sluice
