//===- Phases.cpp - How programs go through the compiler ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ways through the compiler, side by side, phase by phase. What a phase
// does stands in the file that is named beside it; nothing but the order of
// phases is stated here.
//
//            sources and IR      regions         task graphs
//   check    readProgram         checkRegions    checkTaskGraph
//            checkDeviceNodes
//   build    buildExecutable     buildRegions    buildTaskGraph
//   run      cachedExecutable    (the same)      cachedTaskGraph
//   cc       buildObject
//   graph    readProgram         drawRegions     drawTasks
//            drawGraph
//            reportLeaves
//   print    printStage          emitRegions     printTaskStage
//
// Sources are written in HPVM-C, in Hetero-C++, or in both; LLVM IR joins them
// as they are linked. To run a program is to build it into the cache
// (Cache.cpp, TaskGraphs/CacheTasks.cpp) unless it is there, and to start it.
//
//===----------------------------------------------------------------------===//

#include "Link.h"
#include "MakeRule.h"
#include "Programs/DeviceCode.h"
#include "Programs/ProgramReader.h"
#include "Programs/Stages.h"
#include "Regions/RegionCode.h"
#include "Regions/RegionFindings.h"
#include "Regions/RegionFunctions.h"
#include "Regions/RegionOrder.h"
#include "TaskGraphs/TaskCompilation.h"
#include "mlir/IR/Verifier.h"
#include "sluice/Base/Output.h"
#include "sluice/Base/Progress.h"
#include "sluice/Base/Store.h"
#include "sluice/Base/Text.h"
#include "sluice/Diagnostics/Diagnostics.h"
#include "sluice/Diagnostics/LLVM.h"
#include "sluice/Driver/CheckRegions.h"
#include "sluice/Driver/Flags.h"
#include "sluice/Driver/RegionPrograms.h"
#include "sluice/Frontend/Clang/ObjectJob.h"
#include "sluice/Toolchain/Manifest.h"
#include "sluice/Toolchain/Tools.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using codegen::PlanModel;

/// Says what is wrong; true if nothing is.
static bool isGood(Error error) {
  if (!error)
    return true;
  printError(toString(std::move(error)));
  return false;
}

/// The same at the place of a module.
static bool isGood(Error error, mlir::ModuleOp module) {
  if (!error)
    return true;
  module.emitError(toString(std::move(error)));
  return false;
}

//===----------------------------------------------------------------------===//
// Programs in HPVM-C, Hetero-C++ and LLVM IR
//===----------------------------------------------------------------------===//

/// From files to graphs and code, all checks done.
std::unique_ptr<Program> driver::readProgram(const ProgramOptions &options) {
  Progress progress;
  ProgramReader reader(options, progress);
  return reader.finish(
      reader.readFiles()           // clang, with the readers of calls; IR; MLIR
                                   //   (Frontend/Clang, HPVM/Calls, Hetero,
                                   //   HPVM/IR)
      && reader.linkCode()         // Hetero-C++ and HPVM-C to HPVM IR, linked
                                   //   (Frontend/Sources/LinkUnits.cpp)
      && reader.importGraphs()     // rules; HPVM IR to the dfg dialect
                                   //   (Frontend/HPVM/Import, Rules)
      && reader.addLeafCode()      // of graphs in .mlir files
      && reader.giveThreadLocals() // (Transforms/ThreadLocals)
      && reader.findRaces());      // refuses what may race (Analysis/Race)
}

/// Checks while the program runs are of the graph as it is written, and so is
/// what is debugged without optimisation.
static bool transformForBuild(Program &program, const ProgramOptions &options) {
  transforms::TransformOptions wanted = options.transforms;
  bool isDebugged = debuggingOf(options) == codegen::Debugging::Memory;
  if (options.isChecked || isDebugged)
    wanted.flattenGraphs = wanted.removeDead = wanted.fuseNodes = false;
  if (isDebugged)
    wanted.tileNodes = false;
  return transformProgram(program, wanted);
}

/// Whether clang has made calls of the runtime library of OpenMP.
static bool usesOpenMP(const Module &code) {
  return any_of(code, [](const Function &function) {
    return function.isDeclaration() &&
           (function.getName().starts_with("__kmpc_") ||
            function.getName().starts_with("omp_"));
  });
}

static LinkOptions linkOptions(const BuildOptions &options, Program &program) {
  LinkOptions linking;
  linking.isStatic = options.isStatic;
  linking.isChecked = options.program.isChecked;
  linking.isProfiled =
      options.program.profiling.kind == codegen::Profiling::Kind::Generate;
  linking.usesOpenMP = usesOpenMP(*program.code);
  linking.flags = options.program.linkerFlags;
  linking.exports = program.exports;
  linking.inputs = program.dependencies;
  linking.dependencies = &program.dependencies;
  return linking;
}

/// From graphs and code to LLVM IR.
static bool lowerToCode(const BuildOptions &options, Program &program,
                        const codegen::CodeGenOptions &codeGen,
                        TargetMachine &machine, Progress &progress) {
  // Flattening, removing, fusing of nodes (Transforms).
  progress.begin("transforming graphs");
  if (!transformForBuild(program, options.program))
    return false;
  // Graphs to plans (CodeGen/PlanModel.cpp).
  std::optional<std::vector<PlanModel>> models = flattenRoots(program);
  if (!models)
    return false;
  // The program in serialised form, for variants; kernels for devices; kernels
  // and plan tables; calls of the host (Programs/Lower.cpp).
  progress.begin("generating code");
  return isGood(lowerProgram(program, *models, codeGen,
                             deviceOptions(options, *models, machine)));
}

/// From graphs and code to optimised LLVM IR.
static bool optimizeCode(const BuildOptions &options, Program &program,
                         codegen::CodeGenOptions &codeGen, Progress &progress) {
  auto machine = prepareTarget(codeGen);
  if (!machine)
    return isGood(machine.takeError());
  if (!lowerToCode(options, program, codeGen, **machine, progress))
    return false;
  // LLVM's passes (CodeGen/Object.cpp).
  progress.begin("optimising code");
  codegen::optimizeProgram(*program.code, **machine, codeGen);
  return true;
}

bool driver::optimizeOnly(Program &program, const BuildOptions &options) {
  Progress progress;
  codegen::CodeGenOptions codeGen = codeGenOptions(options);
  return optimizeCode(options, program, codeGen, progress);
}

/// From graphs and code to an executable.
static bool buildProgram(const BuildOptions &options, Program &program,
                         StringRef output) {
  if (!isGood(checkOutput(output, program.dependencies)))
    return false;
  codegen::CodeGenOptions codeGen = codeGenOptions(options);
  auto machine = prepareTarget(codeGen);
  if (!machine)
    return isGood(machine.takeError());
  Progress progress;
  if (!lowerToCode(options, program, codeGen, **machine, progress))
    return false;
  // LLVM's passes and back end (CodeGen/Object.cpp).
  progress.begin("optimising code");
  SmallVector<char, 0> object;
  if (!isGood(codegen::emitObject(*program.code, **machine, codeGen, object)))
    return false;
  // With the runtime (Link.cpp).
  progress.begin(concat("linking ", quoted(std::string_view(output))));
  return isGood(linkObject(object, linkOptions(options, program), output));
}

bool driver::buildExecutable(const BuildOptions &options, StringRef output,
                             std::vector<std::string> *dependencies) {
  if (hasRegions(options.program))
    return buildRegions(options, output, dependencies);
  if (!isGood(checkOutput(output, options.program.files)))
    return false;
  std::unique_ptr<Program> program = readProgram(options.program);
  if (!program || !buildProgram(options, *program, output))
    return false;
  if (dependencies)
    *dependencies = program->dependencies;
  return true;
}

//===----------------------------------------------------------------------===//
// Sources of programs that others link
//===----------------------------------------------------------------------===//

/// From a source to graphs and code, as readProgram. None if clang can do the
/// rest as well.
static std::optional<std::unique_ptr<Program>>
readUnit(const ProgramOptions &options, Progress &progress) {
  std::unique_ptr<Program> program; // goes after what the reader has of it
  ProgramReader reader(options, progress);
  reader.readFiles();
  if (!reader.areSourcesGood())
    return reader.finish(false);
  bool callsGraphs = reader.callsGraphs();
  if (!callsGraphs && !reader.startsTeams())
    return std::nullopt;
  program = reader.finish(reader.linkCode() && reader.importGraphs() &&
                          reader.addLeafCode() && reader.giveThreadLocals() &&
                          reader.findRaces());
  if (callsGraphs || reader.refusesRaces())
    return program;
  if (!program)
    printWarning("clang alone compiles " +
                 quoted(std::string_view(options.files.front())));
  if (!program || (program->getRoots().empty() && !program->openMP.isImproved))
    return std::nullopt;
  return program;
}

std::optional<bool> driver::buildObject(const BuildOptions &options,
                                        const ObjectJob &job) {
  Progress progress;
  std::optional<std::unique_ptr<Program>> program =
      readUnit(options.program, progress);
  if (!program)
    return std::nullopt;
  if (!*program)
    return false;
  codegen::CodeGenOptions codeGen = codeGenOptions(options);
  // Variables that the object does not describe would only slow passes down.
  if (codeGen.debugging == codegen::Debugging::Lines)
    stripNonLineTableDebugInfo(*(*program)->code);
  if (!optimizeCode(options, **program, codeGen, progress))
    return false;
  // Clang's back end (Frontend/Clang/ObjectJob.cpp).
  Module &code = *(*program)->code;
  codegen::fillEmptyFunctions(code);
  SmallString<0> object;
  if (!isGood(emitObject(
          job, code, codeGen.debugging != codegen::Debugging::Memory, object)))
    return false;
  if (job.output == "-") {
    outs() << object.str();
    outs().flush();
    if (std::error_code error = outs().error()) {
      outs().clear_error();
      return isGood(createStringError("cannot write the standard output: " +
                                      error.message()));
    }
    return true;
  }
  Status status = writeOutput(job.output, std::string_view(object.str()));
  return status.ok() || isGood(createStringError(status.message()));
}

bool driver::checkDeviceNodes(Program &program, const BuildOptions &options) {
  return transformForBuild(program, options.program) &&
         describeDeviceNodes(program, options);
}

bool driver::printStage(const BuildOptions &options) {
  if (hasRegions(options.program))
    return isGood(createStringError(
        "--print shows the stages of dataflow graphs; a program over regions "
        "is shown by --emit=c++, and checked by 'sluice check'"));
  if (options.print == Stage::Tasks)
    return isGood(createStringError(
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
  return isGood(options.print == Stage::Plan
                    ? printPlans(*program, *models, options)
                    : printLowered(*program, *models, options));
}

//===----------------------------------------------------------------------===//
// Programs over regions
//===----------------------------------------------------------------------===//

std::optional<ProofState>
driver::checkRegions(const RegionCheckOptions &options, raw_ostream &os) {
  Progress progress;
  size_t number = 0;
  auto begin = [&](StringRef phase, StringRef text) {
    progress.begin((text + " '" + options.file + "'").str(), ++number, 3);
    if (options.onPhase)
      options.onPhase(phase);
  };
  begin("read", "reading");
  // Lives until the process ends: freeing a large module takes long.
  RegionFile &file = *new RegionFile;
  if (!file.read(options.file)) // (Regions/RegionFile.cpp)
    return std::nullopt;
  begin("import", "building the graphs of"); // (RDIR/Modules/ImportModule.cpp)
  rdir::ImportedModule &imported = *rdir::importModule(*file.module).release();
  begin("check", "checking"); // (RDIR/Checks, RDIR/Modules/CheckModule.cpp)
  rdir::ModuleCheck check = rdir::checkModule(imported);
  progress.finish();
  printFindings(check, /*hasRemarks=*/true); // (Regions/RegionFindings.cpp)
  if (check.hasErrors())
    return std::nullopt;
  if (!(options.checkCode ? options.checkCode() : canBeProgram(file)))
    return std::nullopt;
  ProofState state = printProof(imported, check, os);
  if (!options.hasOrder)
    return state;
  if (options.onPhase)
    options.onPhase("order");
  printOrders(imported, check, os); // (RDIR/Order)
  return state;
}

/// From files to a program in order, all checks done.
std::unique_ptr<CheckedRegions>
driver::readRegions(const ProgramOptions &options,
                    const codegen::LoweringOptions &lowering) {
  auto regions = std::make_unique<CheckedRegions>();
  regions->path = moduleOfRegions(options);
  Progress progress;
  progress.begin(concat("reading and checking ", quoted(regions->path)));
  bool isRead =
      !regions->path.empty() &&
      regions->file.read(regions->path) &&   // (Regions/RegionFile.cpp)
      checkRegionModule(*regions) &&         // (RDIR/Modules/CheckModule.cpp)
      lowerRegionModule(*regions, lowering); // in order (CodeGen/Regions)
  return isRead ? std::move(regions) : nullptr;
}

static codegen::CodeGenOptions codeGenOf(const ProgramOptions &program) {
  codegen::CodeGenOptions codeGen;
  codeGen.cpu = cpuWithFeatures(program.cpu, program.compilerFlags);
  codeGen.optimizationLevel = program.optimizationLevel;
  codeGen.vectorization = vectorizationOf(program.compilerFlags);
  codeGen.profiling = program.profiling;
  codeGen.debugging = debuggingOf(program);
  return codeGen;
}

bool driver::checkRegionCode(const BuildOptions &options) {
  codegen::CodeGenOptions codeGen = codeGenOf(options.program);
  auto machine = prepareTarget(codeGen);
  if (!machine)
    return isGood(machine.takeError());
  std::unique_ptr<CheckedRegions> regions = readRegions(options.program);
  if (!regions)
    return false;
  LLVMContext context;
  printMessagesOf(context);
  std::vector<std::string> files;
  std::unique_ptr<Module> code =
      compileRegions(options.program, *regions, **machine, context, files);
  return code && checkAccesses(*regions, *code); // (Regions/RegionCode.cpp)
}

bool driver::buildRegions(const BuildOptions &options, StringRef output,
                          std::vector<std::string> *dependencies) {
  const ProgramOptions &program = options.program;
  codegen::CodeGenOptions codeGen = codeGenOf(program);
  auto machine = prepareTarget(codeGen);
  if (!machine)
    return isGood(machine.takeError());
  if (!isGood(checkOutput(output, program.files)))
    return false;

  std::unique_ptr<CheckedRegions> regions = readRegions(program);
  if (!regions)
    return false;
  Progress progress;
  progress.begin("compiling tasks");
  // The table of the program and the code of its tasks, linked before they are
  // optimised (Regions/RegionCode.cpp).
  LLVMContext context;
  printMessagesOf(context);
  std::vector<std::string> files;
  std::unique_ptr<Module> code =
      compileRegions(program, *regions, **machine, context, files);
  if (!code)
    return false;
  if (options.isShared)
    shareRegions(*code);
  if (codeGen.profiling.kind == codegen::Profiling::Kind::Use)
    files.push_back(codeGen.profiling.file);
  // LLVM's passes and back end, and the linker, as for other programs.
  progress.begin("optimising code");
  SmallVector<char, 0> object;
  Error error = codegen::emitObject(*code, **machine, codeGen, object);
  if (!error) {
    progress.begin(concat("linking ", quoted(std::string_view(output))));
    LinkOptions linking;
    linking.isStatic = options.isStatic;
    linking.isSimulated = options.isSimulated;
    linking.isShared = options.isShared;
    linking.isProfiled =
        codeGen.profiling.kind == codegen::Profiling::Kind::Generate;
    linking.hasPython = !regions->program.pythonFunctions.empty();
    linking.flags = program.linkerFlags;
    // Reports missing functions now, not when the object is opened.
    if (options.isShared)
      linking.flags.push_back("-Wl,-z,defs");
    linking.inputs = files;
    linking.dependencies = &files;
    error = linkObject(object, linking, output);
  }
  if (error) {
    Diagnostics missing;
    checkTaskFunctions(regions->program, *code, program.linkerFlags,
                       /*isLinked=*/true, missing);
    missing.print(errs());
    return isGood(std::move(error));
  }
  if (dependencies)
    *dependencies = files;
  return true;
}

bool driver::emitRegions(const ProgramOptions &options, const EmitOptions &emit,
                         StringRef output) {
  bool isTraced =
      emit.language == SourceLanguage::Legion && emit.legion.hasStaticTraces;
  std::unique_ptr<CheckedRegions> regions =
      readRegions(options, {.hasDependences = isTraced});
  if (!regions)
    return false;
  // (CodeGen/Regions, CodeGen/Legion, CodeGen/StarPU)
  if (!canEmit(*regions, emit)) // (Regions/RegionCode.cpp)
    return false;
  std::string text = sourceText(regions->program, emit);
  if (!isGood(checkOutput(output, options.files)))
    return false;
  if (output.empty()) {
    outs() << text;
    return true;
  }
  Status status = writeOutput(output.str(), text);
  return status.ok() || isGood(createStringError(status.message()));
}

//===----------------------------------------------------------------------===//
// Task graphs
//===----------------------------------------------------------------------===//

/// From a module to tasks whose kernels are known, all checks of them done.
std::unique_ptr<TaskProgram>
driver::readTasks(mlir::ModuleOp module, const TaskBuildOptions &options) {
  if (mlir::failed(mlir::verify(module)))
    return nullptr;
  // The only graph, or the one that is named (TaskGraphs/SelectTasks.cpp).
  dfg::TaskGraphOp graph = selectTaskGraph(module, options.root);
  if (!graph)
    return nullptr;
  graph.setSerial(graph.getSerial() || options.isSerial);
  // Which task waits for which (Analysis/Tasks).
  std::unique_ptr<TaskProgram> tasks = TaskProgram::create(module, graph);
  if (!tasks)
    return nullptr;
  Progress progress;
  progress.begin("compiling kernels");
  // C, HPVM, Halide, Python and finite elements (Frontend/Kernels); and whether
  // tasks race that are not in order. All is said at once.
  bool isFine = tasks->findKernels(options);
  isFine &= sluice::checkTaskGraph(tasks->order, options.hasRemarks);
  return isFine ? std::move(tasks) : nullptr;
}

/// From tasks to graphs of nodes and their code, as of any other program.
bool driver::lowerTasks(TaskProgram &tasks, const TaskBuildOptions &options) {
  const ProgramOptions &program = options.build.program;
  mlir::ModuleOp module = *tasks.program.graphs;
  if (program.hint)
    applyHint(module, *program.hint);
  // Those of HPVM tasks (Transforms); and tasks become nodes (CodeGen/Tasks).
  if (!tasks.transform(program.transforms) ||
      !tasks.makeNodes(program.isChecked))
    return false;
  if (program.hint) // now tasks of all kinds are nodes
    applyHint(module, *program.hint);
  return tasks.checkGrids(); // (Frontend/Kernels/C/CGridRaces.cpp)
}

bool driver::checkTaskGraph(mlir::ModuleOp module,
                            const TaskBuildOptions &options) {
  // What a kernel wants of its arguments, and whether its instances race, is
  // known when the task is a node.
  mlir::OwningOpRef<mlir::ModuleOp> copy(module.clone());
  std::unique_ptr<TaskProgram> tasks = readTasks(*copy, options);
  return tasks && lowerTasks(*tasks, options) &&
         (!options.hasRemarks ||
          describeDeviceNodes(tasks->program, options.build));
}

/// From a module to an executable or a shared object.
bool driver::buildTaskProgram(mlir::ModuleOp module,
                              const TaskBuildOptions &options, TaskOutput kind,
                              StringRef output,
                              std::vector<std::string> *dependencies) {
  std::unique_ptr<TaskProgram> tasks = readTasks(module, options);
  if (!tasks)
    return false;
  std::vector<TaskPlace> places = placesOf(*tasks);
  Progress progress;
  progress.begin("making nodes of tasks");
  if (!lowerTasks(*tasks, options))
    return false;
  if (kind == TaskOutput::Executable)
    codegen::addTaskMain(*tasks->program.code); // (CodeGen/Tasks)
  std::optional<std::vector<PlanModel>> models = flattenRoots(tasks->program);
  if (!models)
    return false;
  // As programs from files, but for variants (TaskGraphs/LowerTasks.cpp).
  progress.begin("generating code");
  codegen::CodeGenOptions codeGen;
  auto machine = lowerTaskProgram(*tasks, *models, options, codeGen);
  if (!machine)
    return isGood(machine.takeError(), module);
  if (kind == TaskOutput::SharedObject)
    makeShareable(*tasks->program.code);
  hideKernels(*tasks, options);
  leaveCallsAlone(*tasks->program.code);
  progress.begin("optimising code");
  SmallVector<char, 0> object;
  if (!isGood(
          codegen::emitObject(*tasks->program.code, **machine, codeGen, object),
          module))
    return false;
  const codegen::Profiling &profiling = options.build.program.profiling;
  if (profiling.kind == codegen::Profiling::Kind::Use)
    tasks->dependencies.push_back(profiling.file);
  // With the runtime, Python's side, and what has the kernels
  // (TaskGraphs/LinkTasks.cpp).
  progress.begin(concat("linking ", quoted(std::string_view(output))));
  if (!linkTasks(module, *tasks, places, object, options, kind, output))
    return false;
  if (dependencies)
    *dependencies = tasks->dependencies;
  return true;
}

/// Makes the executable by way of the cache; `files` receives what it was made
/// from.
static bool buildTaskExecutable(mlir::ModuleOp module,
                                const TaskBuildOptions &options,
                                StringRef output,
                                std::vector<std::string> &files) {
  // Remarks are for those who ask now; and a cache may be out of reach.
  if (options.hasRemarks || options.build.program.showsPasses ||
      !Store::open(StoreKind::Programs).ok())
    return buildTaskProgram(module, options, TaskOutput::Executable, output,
                            &files);
  CachedFile program = cachedTaskGraph(module, options, /*isShared=*/false);
  if (program.path.empty())
    return false;
  files = program.inputs;
  Status status = sluice::checkOutput(output.str(), files);
  if (status.ok())
    status = copyToOutput(program.path, program.size, output.str(),
                          /*isProgram=*/true);
  return status.ok() || isGood(createStringError(status.message()), module);
}

bool driver::buildTaskGraph(mlir::ModuleOp module,
                            const TaskBuildOptions &options, StringRef output) {
  if (options.build.print != Stage::None)
    return printTaskStage(module, options);
  std::vector<std::string> files;
  if (!buildTaskExecutable(module, options, output, files))
    return false;
  if (options.dependencyFile.empty())
    return true;
  files = filesOfUser(files);
  MakeRule rule;
  rule.targets.push_back(nameForMake(output));
  rule.files = files;
  return isGood(writeMakeRule(options.dependencyFile, rule), module);
}
