//===- LowerTasks.cpp - The code of task graphs ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Differences from programs: kernels are already compiled for the known values,
// checks are in tasks, and a library can be made.
//
//===----------------------------------------------------------------------===//

#include "../Programs/DeviceCode.h"
#include "../Programs/Stages.h"
#include "TaskCompilation.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using codegen::PlanModel;

BuildOptions driver::taskBuildOptions(const TaskBuildOptions &options) {
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
driver::lowerTaskProgram(TaskProgram &tasks, MutableArrayRef<PlanModel> models,
                         const TaskBuildOptions &options,
                         codegen::CodeGenOptions &codeGen) {
  codeGen = codeGenOptions(taskBuildOptions(options));
  // Matches how kernels are compiled (Frontend/Kernels/C).
  codeGen.math.mayFuse = false;
  // Kernels of tasks are already compiled for the known values, so programs
  // make no variants while they run.
  codeGen.helper.clear();
  auto machine = prepareTarget(codeGen);
  if (!machine)
    return machine.takeError();
  checkTasksIfAsked(tasks, options);
  if (Error error =
          lowerProgram(tasks.program, models, codeGen,
                       deviceOptions(options.build, models, **machine)))
    return error;
  return std::move(*machine);
}

void driver::makeShareable(Module &code) {
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

void driver::hideKernels(TaskProgram &tasks, const TaskBuildOptions &options) {
  const ProgramOptions &program = options.build.program;
  // Objects and libraries may use functions and variables of the sources.
  if (!tasks.linkInputs.empty() || !program.linkerFlags.empty() ||
      program.isDebuggable ||
      program.profiling.kind != codegen::Profiling::Kind::None)
    return;
  internalizeModule(*tasks.program.code, [](const GlobalValue &value) {
    StringRef name = value.getName();
    return !value.hasExternalLinkage() || name == "main" ||
           name.starts_with("sluice") || name.starts_with("llvm.") ||
           name.starts_with("__");
  });
}

/// The functions that call `function`.
static SmallVector<Function *> callersOf(const Function &function) {
  SmallVector<Function *> callers;
  for (const User *user : function.users())
    if (const auto *call = dyn_cast<CallBase>(user))
      callers.push_back(const_cast<Function *>(call->getFunction()));
  return callers;
}

static void leaveAlone(Function &function) {
  function.removeFnAttr(Attribute::AlwaysInline);
  function.removeFnAttr(Attribute::InlineHint);
  function.addFnAttr(Attribute::NoInline);
  function.addFnAttr(Attribute::OptimizeNone);
}

void driver::leaveCallsAlone(Module &code) {
  // A small number of calls is already as fast as possible.
  constexpr unsigned many = 16, small = 80;
  for (Function &runner : code) {
    if (!runner.hasFnAttribute(codegen::sharedRunnerAttribute) ||
        !runner.hasNUsesOrMore(many))
      continue;
    for (Function *part : callersOf(runner)) {
      if (part->getInstructionCount() > small)
        continue;
      leaveAlone(*part);
      for (Function *kernel : callersOf(*part))
        if (kernel->getInstructionCount() <= small)
          leaveAlone(*kernel);
    }
  }
}

static bool report(mlir::ModuleOp module, Error error) {
  module.emitError(toString(std::move(error)));
  return false;
}

bool driver::printTaskStage(mlir::ModuleOp module,
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
  std::unique_ptr<TaskProgram> tasks = readTasks(module, options);
  if (!tasks || !lowerTasks(*tasks, options))
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
