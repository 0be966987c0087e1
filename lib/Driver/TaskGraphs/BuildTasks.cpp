//===- BuildTasks.cpp - From a task graph to an executable ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From phase 3 on: see TaskProgram.h for what comes before.
//
//===----------------------------------------------------------------------===//

#include "../Link.h"
#include "../Phases.h"
#include "../Programs/DeviceCode.h"
#include "MakeRule.h"
#include "TaskProgram.h"
#include "sluice/Base/Output.h"
#include "sluice/Toolchain/CacheFolder.h"
#include "sluice/Toolchain/Tools.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"

#include <dlfcn.h>
#include <map>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using codegen::PlanModel;

static bool report(mlir::ModuleOp module, Error error) {
  module.emitError(toString(std::move(error)));
  return false;
}

/// Tasks are checked by what they say of their arguments, not by the order of
/// instances; on the host alone.
static BuildOptions taskBuildOptions(const TaskBuildOptions &options) {
  BuildOptions build = options.build;
  build.program.isChecked = false;
  return build;
}

void driver::checkTasksIfAsked(TaskProgram &tasks,
                               const TaskBuildOptions &options) {
  if (options.build.program.isChecked)
    codegen::instrumentTasks(*tasks.program.code);
}

Expected<std::unique_ptr<TargetMachine>>
driver::lowerTaskProgram(TaskProgram &tasks, ArrayRef<PlanModel> models,
                         const TaskBuildOptions &options,
                         codegen::CodeGenOptions &codeGen) {
  codeGen = codeGenOptions(taskBuildOptions(options));
  // Kernels of tasks are compiled for what is known of them already, so no
  // variants are made while programs run.
  codeGen.helper.clear();
  auto machine =
      codegen::createTargetMachine(codeGen.cpu, codeGen.optimizationLevel);
  if (!machine)
    return machine.takeError();
  codeGen.vectorBits = codegen::vectorBitsOf(**machine);
  checkTasksIfAsked(tasks, options);
  if (Error error =
          lowerProgram(tasks.program, models, codeGen,
                       deviceOptions(options.build, models, **machine)))
    return error;
  return std::move(*machine);
}

/// Kernels were compiled as parts of an executable, whose thread-local
/// variables lie at known offsets; those of a library do not.
static void makeShareable(Module &code) {
  if (NamedMDNode *flags = code.getModuleFlagsMetadata()) {
    SmallVector<MDNode *> kept;
    for (MDNode *flag : flags->operands()) {
      auto *name = dyn_cast<MDString>(flag->getOperand(1));
      if (!name || name->getString() != "PIE Level")
        kept.push_back(flag);
    }
    flags->clearOperands();
    for (MDNode *flag : kept)
      flags->addOperand(flag);
  }
  code.setPICLevel(PICLevel::BigPIC);
}

static Error emitTasks(TaskProgram &tasks, ArrayRef<PlanModel> models,
                       const TaskBuildOptions &options, TaskOutput kind,
                       SmallVectorImpl<char> &object) {
  codegen::CodeGenOptions codeGen;
  auto machine = lowerTaskProgram(tasks, models, options, codeGen);
  if (!machine)
    return machine.takeError();
  if (kind == TaskOutput::SharedObject)
    makeShareable(*tasks.program.code);
  return codegen::emitObject(*tasks.program.code, **machine, codeGen, object);
}

//===----------------------------------------------------------------------===//
// Linking
//===----------------------------------------------------------------------===//

namespace {
/// A task as messages of the linking name it: the operations are gone then.
struct TaskPlace {
  mlir::Location place;
  std::string kernel;
};
} // namespace

/// What the linker did not find, with the functions that it saw use it.
using Undefined = std::map<std::string, std::vector<std::string>>;

/// From "undefined symbol: NAME" and the lines ">>> ... FILE:(FUNCTION)" after
/// it.
static Undefined undefinedNames(StringRef messages) {
  Undefined found;
  std::vector<std::string> *users = nullptr;
  while (!messages.empty()) {
    auto [line, rest] = messages.split('\n');
    messages = rest;
    StringRef name = line.split("undefined symbol: ").second;
    if (!name.empty())
      users = &found[name.str()];
    else if (users && line.starts_with(">>>") && line.ends_with(")"))
      users->push_back(line.rsplit('(').second.drop_back().str());
    else if (!line.starts_with(">>>"))
      users = nullptr;
  }
  return found;
}

/// A function of OpenMP's library.
static bool isOpenMP(StringRef name) {
  return name.starts_with("__kmpc_") || name.starts_with("omp_");
}

/// An error for each name, at the tasks whose kernels need it.
static void reportUndefined(mlir::ModuleOp module, const TaskProgram &tasks,
                            ArrayRef<TaskPlace> places,
                            const Undefined &names) {
  const char *others = "; name the source, object or library that does, by "
                       "addKernelSource, --kernel-source or --link-flag";
  bool hasOpenMP = false;
  for (const auto &[name, users] : names) {
    // There are many, and one flag brings them all.
    if (isOpenMP(name) && std::exchange(hasOpenMP, true))
      continue;
    auto found = tasks.neededBy.find(name);
    std::vector<unsigned> needing;
    if (found != tasks.neededBy.end())
      needing = found->second;
    for (auto [index, place] : enumerate(places))
      if (is_contained(users, place.kernel) && !is_contained(needing, index))
        needing.push_back(unsigned(index));
    const char *way = isOpenMP(name)
                          ? "; --link-flag=-fopenmp links OpenMP's library"
                          : others;
    if (needing.empty()) {
      module.emitError() << "nothing defines '" << demangle(name)
                         << "', which the kernels need" << way;
      continue;
    }
    for (unsigned task : needing)
      mlir::emitError(places[task].place)
          << "'" << places[task].kernel << "' needs '" << demangle(name)
          << "', which nothing defines" << way;
  }
}

/// Links; what is missing becomes an error of the tasks that need it.
static bool linkTasks(mlir::ModuleOp module, const TaskProgram &tasks,
                      ArrayRef<TaskPlace> places, ArrayRef<char> object,
                      LinkOptions options, StringRef output) {
  std::string messages;
  options.messages = &messages;
  append_values(options.flags, "-Wl,--no-demangle");
  if (options.isShared)
    append_values(options.flags, "-Wl,-z,defs",
                  "-Wl,--warn-unresolved-symbols");
  Error error = linkObject(object, options, output);
  Undefined names = undefinedNames(messages);
  // This process may have them.
  bool isFound = false;
  if (options.isShared)
    std::erase_if(names, [&](const auto &entry) {
      bool isHere = dlsym(RTLD_DEFAULT, entry.first.c_str()) != nullptr;
      isFound |= isHere;
      return isHere;
    });
  if (!names.empty()) {
    consumeError(std::move(error));
    if (options.isShared) // in the work folder
      sys::fs::remove(output);
    reportUndefined(module, tasks, places, names);
    return false;
  }
  if (!isFound || error) // with the reasons
    errs() << messages;
  return !error || report(module, std::move(error));
}

static LinkOptions linkOptions(const TaskProgram &tasks,
                               const TaskBuildOptions &options,
                               TaskOutput kind) {
  LinkOptions linking;
  linking.isShared = kind == TaskOutput::SharedObject;
  // Whoever runs the program has no other runtime; Python's side uses its.
  linking.isStatic = !linking.isShared;
  linking.hasPython = tasks.hasPython;
  const Profiling &profiling = options.build.program.profiling;
  linking.isProfiled = profiling.kind == Profiling::Kind::Generate;
  linking.flags = tasks.linkInputs;
  append_range(linking.flags, options.build.program.linkerFlags);
  return linking;
}

bool driver::buildTaskProgram(mlir::ModuleOp module,
                              const TaskBuildOptions &options, TaskOutput kind,
                              StringRef output,
                              std::vector<std::string> *dependencies) {
  std::unique_ptr<TaskProgram> tasks = TaskProgram::resolve(module, options);
  if (!tasks)
    return false;
  std::vector<TaskPlace> places;
  for (dfg::TaskOp task : tasks->order.tasks)
    places.push_back({task.getLoc(), task.getCallee().str()});
  if (!tasks->lower(options))
    return false;
  if (kind == TaskOutput::Executable)
    codegen::addTaskMain(*tasks->program.code);
  std::optional<std::vector<PlanModel>> models = flattenRoots(tasks->program);
  if (!models)
    return false;
  SmallVector<char, 0> object;
  if (Error error = emitTasks(*tasks, *models, options, kind, object))
    return report(module, std::move(error));
  const Profiling &profiling = options.build.program.profiling;
  if (profiling.kind == Profiling::Kind::Use)
    tasks->dependencies.push_back(profiling.file);
  LinkOptions linking = linkOptions(*tasks, options, kind);
  linking.inputs = tasks->dependencies;
  linking.dependencies = &tasks->dependencies;
  if (!linkTasks(module, *tasks, places, object, linking, output))
    return false;
  if (dependencies)
    *dependencies = tasks->dependencies;
  return true;
}

static bool printTaskStage(mlir::ModuleOp module,
                           const TaskBuildOptions &options) {
  Stage stage = options.build.print;
  if (stage == Stage::Tasks) {
    if (!selectTaskGraph(module, options.root))
      return false;
    module->print(outs());
    return true;
  }
  if (stage == Stage::Canonical) {
    module.emitError("the stages of a task graph are graph, rdir, dfg, "
                     "transformed, plan, device, spirv, ptx, kernels, llvm "
                     "and asm");
    return false;
  }
  if (stage == Stage::Regions) {
    dfg::TaskGraphOp graph = selectTaskGraph(module, options.root);
    if (graph)
      outs() << printTaskRegions(inferTaskOrder(graph));
    return graph != nullptr;
  }
  std::unique_ptr<TaskProgram> tasks = TaskProgram::resolve(module, options);
  if (!tasks || !tasks->lower(options))
    return false;
  if (stage == Stage::Graph || stage == Stage::Transformed) {
    module->print(outs());
    return true;
  }
  std::optional<std::vector<PlanModel>> models = flattenRoots(tasks->program);
  if (!models)
    return false;
  BuildOptions build = taskBuildOptions(options);
  if (stage == Stage::Plan) {
    Error error = printPlans(tasks->program, *models, build);
    return !error || report(module, std::move(error));
  }
  codegen::addTaskMain(*tasks->program.code);
  checkTasksIfAsked(*tasks, options);
  Error error = printLowered(tasks->program, *models, build);
  return !error || report(module, std::move(error));
}

bool driver::checkTaskGraph(mlir::ModuleOp module,
                            const TaskBuildOptions &options) {
  // What a kernel wants of its arguments, and whether its instances race, is
  // known when the task is a node.
  mlir::OwningOpRef<mlir::ModuleOp> copy(module.clone());
  std::unique_ptr<TaskProgram> tasks = TaskProgram::resolve(*copy, options);
  return tasks && tasks->lower(options) &&
         (!options.hasRemarks ||
          describeDeviceNodes(tasks->program, options.build));
}

/// Makes the executable; `files` receives what it was made from.
static bool buildExecutable(mlir::ModuleOp module,
                            const TaskBuildOptions &options, StringRef output,
                            std::vector<std::string> &files) {
  // Remarks are for those who ask now; and a cache may be out of reach.
  std::string folder;
  if (options.hasRemarks || !prepareCacheFolder("taskgraphs", folder).ok())
    return buildTaskProgram(module, options, TaskOutput::Executable, output,
                            &files);
  CachedFile program = cachedTaskGraph(module, options, /*isShared=*/false);
  if (program.path.empty())
    return false;
  files = program.inputs;
  Status status = checkOutput(output.str(), files);
  if (status.ok())
    status = copyToOutput(program.path, program.size, output.str(),
                          /*isProgram=*/true);
  return status.ok() || report(module, createStringError(status.message()));
}

bool driver::buildTaskGraph(mlir::ModuleOp module,
                            const TaskBuildOptions &options, StringRef output) {
  if (options.build.print != Stage::None)
    return printTaskStage(module, options);
  std::vector<std::string> files;
  if (!::buildExecutable(module, options, output, files))
    return false;
  if (options.dependencyFile.empty())
    return true;
  Error error = writeMakeRule(options.dependencyFile, output, files);
  return !error || report(module, std::move(error));
}
