//===- Build.cpp - From a program to an executable ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The phases in order:
//   1. read the files: clang, IR, MLIR            (Program.cpp)
//   2. check the rules and import graphs          (Frontend/HPVM)
//      and refuse races                           (Races.cpp, Analysis)
//   3. transform the graphs                       (Transform.cpp, Transforms)
//   4. flatten every root graph to a plan model   (CodeGen/PlanModel)
//   5. keep the program for variants              (Serialize.cpp)
//   6. emit kernels for devices, if asked for     (DeviceCode.cpp,
//                                                 CodeGen/Device)
//   7. emit kernels and plan tables               (CodeGen/PlanEmitter)
//   8. lower the host's calls                     (CodeGen/HostCalls)
//   9. optimise and write an object file          (CodeGen/Object)
//  10. link with the runtime                      (Link.cpp)
//
// Programs over regions take another way: RegionModule.cpp, RegionBuild.cpp.
//
//===----------------------------------------------------------------------===//

#include "sluice/Driver/Build.h"
#include "Link.h"
#include "Phases.h"
#include "Programs/DeviceCode.h"
#include "sluice/Base/Seal.h"
#include "sluice/Diagnostics/Diagnostics.h"
#include "sluice/Driver/Flags.h"
#include "sluice/Driver/Regions.h"
#include "sluice/Toolchain/Tools.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using codegen::PlanModel;

static bool report(Error error) {
  handleAllErrors(std::move(error), [](const ErrorInfoBase &info) {
    printError(info.message());
  });
  return false;
}

Vectorization
driver::vectorizationOf(const std::vector<std::string> &compilerFlags) {
  Vectorization wanted;
  for (StringRef flag : compilerFlags) {
    if (flag == "-fvectorize" || flag == "-fno-vectorize")
      wanted.ofLoops = !flag.starts_with("-fno-");
    if (flag == "-fslp-vectorize" || flag == "-fno-slp-vectorize")
      wanted.ofStraightCode = !flag.starts_with("-fno-");
  }
  return wanted;
}

codegen::CodeGenOptions driver::codeGenOptions(const BuildOptions &options) {
  codegen::CodeGenOptions result;
  result.cpu =
      cpuWithFeatures(options.program.cpu, options.program.compilerFlags);
  result.optimizationLevel = options.program.optimizationLevel;
  result.vectorization = vectorizationOf(options.program.compilerFlags);
  result.profiling = options.program.profiling;
  result.isReference = options.program.isReference;
  result.isChecked = options.program.isChecked;
  if (!result.isReference && !result.isChecked) {
    result.helper = variantHelper();
    result.helperStamp = fileStamp(result.helper);
  }
  return result;
}

/// Phase 4.
std::optional<std::vector<PlanModel>> driver::flattenRoots(Program &program) {
  std::vector<PlanModel> models;
  bool failed = false;
  for (dfg::GraphOp root : program.getRoots()) {
    auto pairs = program.races.disjointArguments.find(root.getSymName().str());
    mlir::FailureOr<PlanModel> model = codegen::flatten(
        root, *program.code,
        pairs == program.races.disjointArguments.end() ? nullptr
                                                       : &pairs->second);
    if (mlir::failed(model))
      failed = true;
    else
      models.push_back(std::move(*model));
  }
  if (failed)
    return std::nullopt;
  return models;
}

/// Phase 3. Checks while the program runs are of the graph as it is written.
static bool transformForBuild(Program &program, const ProgramOptions &options) {
  transforms::TransformOptions wanted = options.transforms;
  if (options.isChecked)
    wanted.flattenGraphs = wanted.removeDead = wanted.fuseNodes = false;
  return transformProgram(program, wanted);
}

/// Phases 5 to 8; the module is LLVM IR for the whole program afterwards.
Error driver::lowerProgram(
    Program &program, ArrayRef<PlanModel> models,
    const codegen::CodeGenOptions &options,
    const std::optional<codegen::DeviceOptions> &device) {
  std::string code;
  if (!options.helper.empty()) {
    program.exports =
        codegen::exportMutableGlobals(*program.code, program.getLeaves());
    // What variants do would not be counted.
    if (options.profiling.kind != Profiling::Kind::Generate) {
      raw_string_ostream os(code);
      writeProgram(program, os);
    }
  }
  std::vector<Function *> nodeFunctions = program.getNodeFunctions();
  std::optional<codegen::DeviceProgram> devices;
  if (device) {
    auto emitted = codegen::emitDeviceProgram(*program.code, models, *device);
    if (!emitted)
      return emitted.takeError();
    devices = std::move(*emitted);
  }
  Expected<std::vector<GlobalVariable *>> plans = codegen::emitPlans(
      *program.code, models, code, options, devices ? &*devices : nullptr);
  if (!plans)
    return plans.takeError();
  DenseMap<Function *, GlobalVariable *> plansOfRoots;
  for (auto [model, plan] : zip(models, *plans)) {
    dfg::GraphOp root = model.root;
    if (Function *function = program.code->getFunction(root.getSymName()))
      plansOfRoots[function] = plan;
  }
  // Bodies first: they hold calls that no host call lowering knows.
  codegen::dropNodeFunctions(*program.code, nodeFunctions);
  if (Error error = codegen::lowerHostCalls(*program.code, plansOfRoots))
    return error;
  std::string problem;
  raw_string_ostream os(problem);
  if (verifyModule(*program.code, &os))
    return createStringError("the generated code is not valid, which is a "
                             "defect of sluice: " +
                             problem);
  return Error::success();
}

/// Phases 3 to 9. On success `object` holds the object file.
static bool compile(const BuildOptions &options, Program &program,
                    SmallVectorImpl<char> &object) {
  codegen::CodeGenOptions codeGen = codeGenOptions(options);
  Expected<std::unique_ptr<TargetMachine>> machine =
      codegen::createTargetMachine(codeGen.cpu, codeGen.optimizationLevel);
  if (!machine)
    return report(machine.takeError());
  codeGen.vectorBits = codegen::vectorBitsOf(**machine);
  if (!transformForBuild(program, options.program))
    return false;
  std::optional<std::vector<PlanModel>> models = flattenRoots(program);
  if (!models)
    return false;
  if (Error error = lowerProgram(program, *models, codeGen,
                                 deviceOptions(options, *models, **machine)))
    return report(std::move(error));
  if (Error error =
          codegen::emitObject(*program.code, **machine, codeGen, object))
    return report(std::move(error));
  return true;
}

static bool buildProgram(const BuildOptions &options, Program &program,
                         StringRef output) {
  SmallVector<char, 0> object;
  if (Error error = checkOutput(output, program.dependencies))
    return report(std::move(error));
  if (!compile(options, program, object))
    return false;
  LinkOptions linking;
  linking.isStatic = options.isStatic;
  linking.isChecked = options.program.isChecked;
  linking.isProfiled =
      options.program.profiling.kind == Profiling::Kind::Generate;
  linking.flags = options.program.linkerFlags;
  linking.exports = program.exports;
  linking.inputs = program.dependencies;
  linking.dependencies = &program.dependencies;
  if (Error error = linkObject(object, linking, output))
    return report(std::move(error));
  return true;
}

bool driver::buildExecutable(const BuildOptions &options, StringRef output,
                             std::vector<std::string> *dependencies) {
  if (hasRegions(options.program))
    return buildRegions(options, output, dependencies);
  if (Error error = checkOutput(output, options.program.files))
    return report(std::move(error));
  std::unique_ptr<Program> program = readProgram(options.program);
  if (!program || !buildProgram(options, *program, output))
    return false;
  if (dependencies)
    *dependencies = program->dependencies;
  return true;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

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

Error driver::printLowered(Program &program, ArrayRef<PlanModel> models,
                           const BuildOptions &options) {
  if (isDeviceStage(options.print))
    return printDevice(program, models, options);
  codegen::CodeGenOptions codeGen = codeGenOptions(options);
  codeGen.helper.clear();
  Expected<std::unique_ptr<TargetMachine>> machine =
      codegen::createTargetMachine(codeGen.cpu, codeGen.optimizationLevel);
  if (!machine)
    return machine.takeError();
  codeGen.vectorBits = codegen::vectorBitsOf(**machine);
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

bool driver::printStage(const BuildOptions &options) {
  if (hasRegions(options.program))
    return report(createStringError(
        "--print shows the stages of dataflow graphs; a program over regions "
        "is shown by --emit=c++, and checked by 'sluice check'"));
  if (options.print == Stage::Tasks)
    return report(createStringError(
        "--print=graph shows a task graph, and there is none; --print=dfg "
        "shows graphs of nodes"));
  ProgramOptions reading = options.program;
  reading.printsRegions = options.print == Stage::Regions;
  std::unique_ptr<Program> program = readProgram(reading);
  if (!program || options.print == Stage::Regions)
    return program != nullptr;
  if (options.print == Stage::Canonical) {
    program->code->print(outs(), nullptr);
    return true;
  }
  if (options.print == Stage::Graph) {
    program->graphs->print(outs());
    return true;
  }
  if (!transformForBuild(*program, options.program))
    return false;
  if (options.print == Stage::Transformed) {
    program->graphs->print(outs());
    return true;
  }
  std::optional<std::vector<PlanModel>> models = flattenRoots(*program);
  if (!models)
    return false;
  Error error = options.print == Stage::Plan
                    ? printPlans(*program, *models, options)
                    : printLowered(*program, *models, options);
  return !error || report(std::move(error));
}

bool driver::describeDeviceNodes(Program &program,
                                 const BuildOptions &options) {
  std::optional<std::vector<PlanModel>> models = flattenRoots(program);
  if (!models)
    return false;
  auto devices = emitDevices(program, options, *models);
  if (!devices)
    return report(devices.takeError());
  if (!*devices)
    return true;
  Diagnostics diagnostics;
  describeHostNodes(*models, **devices, diagnostics);
  diagnostics.print(errs());
  return true;
}

bool driver::checkDeviceNodes(Program &program, const BuildOptions &options) {
  return transformForBuild(program, options.program) &&
         describeDeviceNodes(program, options);
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

/// Keeps the variant's kernel and what it calls; shared data is declared only.
static void keepOnlyVariant(Program &program) {
  Module &module = *program.code;
  for (Function &function : module)
    if (!function.isDeclaration() && function.getName() != "sluice_variant") {
      function.setComdat(nullptr);
      function.setLinkage(GlobalValue::InternalLinkage);
    }
  for (const char *name : {"llvm.global_ctors", "llvm.global_dtors",
                           "llvm.used", "llvm.compiler.used"})
    if (GlobalVariable *global = module.getNamedGlobal(name))
      global->eraseFromParent();
  for (GlobalVariable &global : module.globals()) {
    if (global.isDeclaration() || global.isConstant())
      continue;
    // One copy, in the program.
    global.setInitializer(nullptr);
    global.setComdat(nullptr);
    global.setLinkage(GlobalValue::ExternalLinkage);
  }
}

Error driver::buildVariant(StringRef code,
                           const codegen::VariantRequest &request,
                           const codegen::CodeGenOptions &options,
                           StringRef output) {
  Expected<std::unique_ptr<Program>> program = readSerializedProgram(code);
  if (!program)
    return program.takeError();
  Expected<std::unique_ptr<TargetMachine>> machine =
      codegen::createTargetMachine(options.cpu, options.optimizationLevel);
  if (!machine)
    return machine.takeError();
  StringRef rootName = StringRef(request.node).split('/').first;
  for (dfg::GraphOp root : (*program)->getRoots()) {
    mlir::FailureOr<PlanModel> model =
        codegen::flatten(root, *(*program)->code);
    if (mlir::failed(model))
      return createStringError("the program cannot be flattened");
    if (model->name != rootName)
      continue;
    Module &module = *(*program)->code;
    codegen::CodeGenOptions codeGen = options;
    codeGen.vectorBits = codegen::vectorBitsOf(**machine);
    if (Error error = codegen::emitVariant(module, *model, request, codeGen))
      return error;
    // Everything but the variant goes: host code, other leaves.
    std::vector<Function *> others = (*program)->getNodeFunctions();
    codegen::dropNodeFunctions(module, others);
    keepOnlyVariant(**program);
    codegen::removeUnused(module);
    const DenseMap<Function *, GlobalVariable *> noPlans;
    if (Error error = codegen::lowerHostCalls(module, noPlans))
      return error;
    SmallVector<char, 0> object;
    if (Error error = codegen::emitObject(module, **machine, options, object))
      return error;
    Expected<std::string> library = temporaryPath(".so");
    if (!library)
      return library.takeError();
    FileRemover remover(*library);
    LinkOptions linking;
    linking.isVariant = true;
    if (Error error = linkObject(object, linking, *library))
      return error;
    Status status = sealInto(*library, output.str(), /*isProgram=*/true);
    return status.ok() ? Error::success() : createStringError(status.message());
  }
  return createStringError("the program has no graph '" + rootName + "'");
}
