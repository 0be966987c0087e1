//===- Object.cpp - Optimising modules, writing object files --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target machine of a build: its vectors, the passes that run on a whole
// module once kernels exist, and the object file.
//
//===----------------------------------------------------------------------===//

#include "Leaf/LargeMemory.h"

#include "sluice/CodeGen/CodeGen.h"
#include "sluice/CodeGen/KernelPipeline.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/PassTimingInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

Expected<std::unique_ptr<TargetMachine>>
codegen::createTargetMachine(StringRef cpu, unsigned optimizationLevel) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  InitializeNativeTargetAsmParser();
  Triple triple(sys::getDefaultTargetTriple());
  std::string problem;
  const Target *target = TargetRegistry::lookupTarget(triple, problem);
  if (!target)
    return createStringError(problem);
  std::unique_ptr<MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, "", ""));
  // "x86-64-v2,+avx2": a CPU, and additional features.
  auto [name, extra] = cpu.split(',');
  cpu = name;
  if (cpu != "native" && !subtarget->isCPUStringValid(cpu))
    return createStringError("unknown CPU '" + cpu +
                             "'; clang --print-supported-cpus lists them");
  std::string features;
  if (cpu == "native") {
    cpu = sys::getHostCPUName();
    for (const auto &[feature, isOn] : sys::getHostCPUFeatures())
      features += (features.empty() ? "" : ",") +
                  std::string(isOn ? "+" : "-") + feature.str();
  }
  if (!extra.empty())
    features += (features.empty() ? "" : ",") + extra.str();
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Standard;
  options.UseInitArray = true;
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, cpu, features, options, Reloc::PIC_, std::nullopt,
      optimizationLevel >= 3 ? CodeGenOptLevel::Aggressive
                             : CodeGenOptLevel::Default));
  if (!machine)
    return createStringError("cannot generate code for " + triple.str());
  return std::move(machine);
}

unsigned codegen::vectorBitsOf(const TargetMachine &machine) {
  const MCSubtargetInfo &subtarget = *machine.getMCSubtargetInfo();
  if (subtarget.checkFeatures("+avx512f"))
    return 512;
  return subtarget.checkFeatures("+avx") ? 256 : 128;
}

bool codegen::fusesMultiplyAdd(const TargetMachine &machine) {
  return machine.getMCSubtargetInfo()->checkFeatures("+fma");
}

void codegen::removeUnused(Module &module) {
  ModuleAnalysisManager analyses;
  PassBuilder builder;
  builder.registerModuleAnalyses(analyses);
  FunctionAnalysisManager functions;
  builder.registerFunctionAnalyses(functions);
  analyses.registerPass(
      [&] { return FunctionAnalysisManagerModuleProxy(functions); });
  functions.registerPass(
      [&] { return ModuleAnalysisManagerFunctionProxy(analyses); });
  GlobalDCEPass().run(module, analyses);
}

void codegen::optimizeProgram(Module &module, TargetMachine &machine,
                              const CodeGenOptions &options) {
  // Leaves and host code were compiled for the baseline; from here on, one CPU
  // applies to all functions.
  compileFor(module, machine);
  // Without optimisation, nothing else removes functions that were inlined or
  // copied. They may call functions that only exist between two steps of code
  // generation.
  removeUnused(module);
  moveLargeValues(module);
  if (options.debugging == Debugging::Memory) {
    for (Function &function : module) {
      keepVariablesInMemory(function);
      // With this attribute, gdb finds the locations of the parameters.
      if (!function.isDeclaration())
        function.addFnAttr("frame-pointer", "all");
    }
    machine.setOptLevel(CodeGenOptLevel::None);
  }
  optimizeKernels(module, &machine, options.optimizationLevel,
                  options.vectorization, options.profiling);
}

void codegen::fillEmptyFunctions(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    // Otherwise, all code before it may disappear as well.
    Instruction *end = function.getEntryBlock().getTerminator();
    if (!isa<UnreachableInst>(end))
      continue;
    const auto *call = dyn_cast_or_null<CallInst>(end->getPrevNode());
    if (!call || isa<IntrinsicInst>(call) || call->isInlineAsm())
      IRBuilder<>(end).CreateIntrinsic(Intrinsic::trap, {});
  }
}

Error codegen::emitObject(Module &module, TargetMachine &machine,
                          const CodeGenOptions &options,
                          SmallVectorImpl<char> &object) {
  optimizeProgram(module, machine, options);
  fillEmptyFunctions(module);
  raw_svector_ostream os(object);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, os, nullptr,
                                  CodeGenFileType::ObjectFile))
    return createStringError("this target cannot write object files");
  passes.run(module);
  if (TimePassesIsEnabled)
    reportAndResetTimings();
  return Error::success();
}
