//===- Generate.cpp - Running one of LLVM's back ends ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets up LLVM's target machine for a device and runs it.
//
//===----------------------------------------------------------------------===//

#include "Generate.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice::codegen;

Expected<std::unique_ptr<TargetMachine>>
lowering::createMachine(StringRef tripleText, StringRef chip,
                        StringRef features, unsigned optimizationLevel) {
  Triple triple(tripleText);
  std::string problem;
  const Target *target = TargetRegistry::lookupTarget(triple, problem);
  if (!target)
    return createStringError(problem);
  std::unique_ptr<MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!chip.empty() && !subtarget->isCPUStringValid(chip))
    return createStringError("unknown chip '" + chip +
                             "'; known are sm_75, sm_80, sm_90 and others");
  TargetOptions options;
  // Never fuse operations that are separate in the module.
  options.AllowFPOpFusion = FPOpFusion::Strict;
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, chip, features, options, std::nullopt, std::nullopt,
      optimizationLevel >= 3   ? CodeGenOptLevel::Aggressive
      : optimizationLevel == 0 ? CodeGenOptLevel::None
                               : CodeGenOptLevel::Default));
  if (!machine)
    return createStringError("cannot generate code for " + tripleText);
  return std::move(machine);
}

void lowering::setTarget(Module &module, TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
}

Expected<std::string> lowering::generate(Module &module, TargetMachine &machine,
                                         CodeGenFileType type) {
  std::string problem;
  raw_string_ostream os(problem);
  if (verifyModule(module, &os))
    return createStringError("the lowered module is wrong: " + problem);
  SmallString<0> output;
  raw_svector_ostream stream(output);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return createStringError("this back end cannot write such files");
  passes.run(module);
  return output.str().str();
}
