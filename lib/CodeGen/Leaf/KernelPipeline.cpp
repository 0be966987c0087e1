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

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace sluice {

namespace {

/// Ends the protection of instance loops just before vectorisation. Where the
/// loops work on an array that fits into the vector registers, they are to be
/// unrolled completely after it, so that the array becomes registers.
class ReleaseInstanceLoops : public PassInfoMixin<ReleaseInstanceLoops> {
public:
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
    auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
    auto &target = analyses.getResult<TargetIRAnalysis>(function);
    SmallPtrSet<Loop *, 16> unrolled;
    for (Instruction &instruction : function.getEntryBlock())
      if (auto *array = dyn_cast<AllocaInst>(&instruction))
        if (isInstanceArray(*array) && fitsRegisters(*array, target))
          collectLoops(*array, loops, evolution, unrolled);
    for (Loop *loop : loops.getLoopsInPreorder())
      if (MDNode *id = loop->getLoopID(); isInstanceLoop(id))
        loop->setLoopID(released(id, unrolled.contains(loop)));
    return PreservedAnalyses::all();
  }

private:
  /// Instructions that the loops around one array may grow to.
  static constexpr unsigned unrollBudget = 3000;

  static bool fitsRegisters(const AllocaInst &array,
                            const TargetTransformInfo &target) {
    std::optional<TypeSize> size =
        array.getAllocationSize(array.getDataLayout());
    uint64_t width =
        target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
            .getFixedValue() /
        8;
    uint64_t number = target.getNumberOfRegisters(
        target.getRegisterClassForType(/*Vector=*/true));
    return size && size->getFixedValue() <= width * number;
  }

  /// Adds the instance loops around all uses of `array`, if all of them can be
  /// unrolled.
  static void collectLoops(const AllocaInst &array, LoopInfo &loops,
                           ScalarEvolution &evolution,
                           SmallPtrSetImpl<Loop *> &unrolled) {
    SmallPtrSet<Loop *, 16> found;
    unsigned cost = 0;
    SmallVector<const Value *> worklist{&array};
    while (!worklist.empty())
      for (const User *user : worklist.pop_back_val()->users()) {
        const auto *instruction = cast<Instruction>(user);
        if (isa<GetElementPtrInst>(instruction))
          worklist.push_back(instruction);
        Loop *loop = loops.getLoopFor(instruction->getParent());
        unsigned rounds = 1;
        for (; loop && isInstanceLoop(loop->getLoopID());
             loop = loop->getParentLoop()) {
          unsigned own = evolution.getSmallConstantTripCount(loop);
          if (own == 0)
            return;
          rounds *= own;
          if (found.insert(loop).second && loop->isInnermost())
            cost += size(*loop) * rounds;
        }
      }
    // Vectorisation divides the rounds of the loops along x.
    if (cost <= unrollBudget * 8)
      unrolled.insert_range(found);
  }

  static unsigned size(const Loop &loop) {
    unsigned result = 0;
    for (const BasicBlock *block : loop.blocks())
      result += block->size();
    return result;
  }

  static bool isProtection(const Metadata *operand) {
    const auto *property = dyn_cast_or_null<MDNode>(operand);
    const auto *name =
        property && property->getNumOperands() > 0
            ? dyn_cast<MDString>(property->getOperand(0).get())
            : nullptr;
    return name && name->getString() == "llvm.loop.unroll.disable";
  }

  static MDNode *released(MDNode *id, bool unroll) {
    LLVMContext &context = id->getContext();
    SmallVector<Metadata *> operands{nullptr};
    for (const MDOperand &operand : drop_begin(id->operands()))
      if (!isProtection(operand.get()))
        operands.push_back(operand.get());
    if (unroll)
      operands.push_back(MDNode::get(
          context, MDString::get(context, "llvm.loop.unroll.full")));
    MDNode *result = MDNode::getDistinct(context, operands);
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
