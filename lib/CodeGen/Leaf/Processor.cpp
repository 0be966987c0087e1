//===- Processor.cpp - For what processor all functions are ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaves and host code were compiled for the baseline; kernels have what the
// processor offers, which is not always what LLVM takes by itself.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/TargetAttributes.h"
#include "sluice/CodeGen/KernelPipeline.h"

#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace sluice::codegen {

/// Whether vectors of 512 bits pay. LLVM prefers 256 on all of Intel's
/// processors, because the first ones with AVX-512 slow down their clock for
/// longer vectors; those since Ice Lake hardly do. Measured on a later one over
/// 50 sizes of applications: 1.13 times as fast with one worker, matrix
/// products 2.2; at worst 0.92, where divisions are all that a loop waits for.
static bool prefersWideVectors(const TargetMachine &machine) {
  return machine.getMCSubtargetInfo()->checkFeatures("+avx512vl,+avx512vbmi2");
}

void compileFor(Module &module, const TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  bool isWide = prefersWideVectors(machine);
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    if (function.getFnAttribute("tune-cpu").getValueAsString() == "generic")
      function.removeFnAttr("tune-cpu");
    if (isWide && !function.hasFnAttribute(vectorWidthAttribute))
      function.addFnAttr(vectorWidthAttribute, "512");
  }
}

} // namespace sluice::codegen
