//===- Stages.cpp - Stages of compilation as text -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// To show a stage, compiles up to it and prints the result.
//
//===----------------------------------------------------------------------===//

#include "Stages.h"
#include "DeviceCode.h"
#include "sluice/Diagnostics/Diagnostics.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using codegen::PlanModel;

static Error printAssembly(Module &module, TargetMachine &machine) {
  SmallString<0> text;
  raw_svector_ostream os(text);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, os, nullptr,
                                  CodeGenFileType::AssemblyFile))
    return createStringError("this target has no assembly");
  passes.run(module);
  outs() << text;
  return Error::success();
}

static Error printDevice(Program &program, ArrayRef<PlanModel> models,
                         const BuildOptions &options) {
  auto devices = emitDevices(program, options, models);
  if (!devices)
    return devices.takeError();
  if (!*devices)
    return createStringError(
        options.program.isReference || options.program.isChecked
            ? "programs for comparing or checking run on the host"
            : "no node of the program asks for a device; --hint=gpu makes all "
              "of them do so");
  return printDeviceStage(options.print, models, **devices);
}

static bool isDeviceStage(Stage stage) {
  return stage == Stage::Device || stage == Stage::SPIRV || stage == Stage::PTX;
}

Error driver::printLowered(Program &program, MutableArrayRef<PlanModel> models,
                           const BuildOptions &options) {
  if (isDeviceStage(options.print))
    return printDevice(program, models, options);
  codegen::CodeGenOptions codeGen = codeGenOptions(options);
  codeGen.helper.clear();
  Expected<std::unique_ptr<TargetMachine>> machine = prepareTarget(codeGen);
  if (!machine)
    return machine.takeError();
  if (Error error = lowerProgram(program, models, codeGen,
                                 deviceOptions(options, models, **machine)))
    return error;
  if (options.print != Stage::Kernels) {
    codegen::optimizeProgram(*program.code, **machine, codeGen);
    if (options.print == Stage::Assembly)
      return printAssembly(*program.code, **machine);
  }
  program.code->print(outs(), nullptr);
  return Error::success();
}

Error driver::printPlans(Program &program, ArrayRef<PlanModel> models,
                         const BuildOptions &options) {
  auto devices = emitDevices(program, options, models);
  if (!devices)
    return devices.takeError();
  for (size_t i = 0; i != models.size(); ++i)
    codegen::printPlan(models[i], outs(),
                       *devices ? &(*devices)->nodes[i] : nullptr);
  return Error::success();
}

bool driver::describeDeviceNodes(Program &program,
                                 const BuildOptions &options) {
  std::optional<std::vector<PlanModel>> models = flattenRoots(program);
  if (!models)
    return false;
  auto devices = emitDevices(program, options, *models);
  if (!devices) {
    printError(toString(devices.takeError()));
    return false;
  }
  if (!*devices)
    return true;
  Diagnostics diagnostics;
  describeHostNodes(*models, **devices, diagnostics);
  diagnostics.print(errs());
  return true;
}
