//===- TaskCompilation.cpp - A task graph during compilation --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps that readTasks and lowerTasks call (Phases.cpp).
//
//===----------------------------------------------------------------------===//

#include "TaskCompilation.h"
#include "sluice/Driver/Flags.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

/// Creates a module for this machine's architecture, before its CPU is chosen.
static std::unique_ptr<Module> createCode(LLVMContext &context,
                                          mlir::ModuleOp module) {
  auto machine = codegen::createTargetMachine("x86-64", 2);
  if (!machine) {
    module.emitError(toString(machine.takeError()));
    return nullptr;
  }
  auto code = std::make_unique<Module>("tasks", context);
  code->setTargetTriple((*machine)->getTargetTriple());
  code->setDataLayout((*machine)->createDataLayout());
  return code;
}

/// The undefined names that `kernel` uses, also through its callees.
static std::vector<std::string> namesNeeded(const Function &kernel) {
  std::vector<std::string> names;
  SmallPtrSet<const Value *, 32> seen{&kernel};
  SmallVector<const Value *> open{&kernel};
  auto add = [&](const Value *value) {
    if (isa<Constant>(value) && seen.insert(value).second)
      open.push_back(value);
  };
  while (!open.empty()) {
    const Value *value = open.pop_back_val();
    const auto *global = dyn_cast<GlobalValue>(value);
    if (global && global->isDeclaration() &&
        !global->getName().starts_with("llvm."))
      names.push_back(global->getName().str());
    if (const auto *function = dyn_cast<Function>(value)) {
      for (const Instruction &instruction : instructions(*function))
        for (const Value *operand : instruction.operands())
          add(operand);
      continue;
    }
    for (const Value *operand : cast<User>(value)->operands())
      add(operand);
  }
  return names;
}

static KernelOptions kernelOptions(const TaskBuildOptions &options) {
  const ProgramOptions &program = options.build.program;
  return {.kernelSources = options.kernelSources,
          .folder = options.folder,
          .pythonPath = options.pythonPath,
          .tunedParameters = options.tunedParameters,
          .keepsVariants = options.keepsVariants,
          .isFastFloat = options.isFastFloat,
          .hasRemarks = options.hasRemarks,
          .hasGenerators = options.hasGenerators,
          .isInProcess = options.isInProcess,
          .cpu = program.cpu,
          .compilerFlags = program.compilerFlags,
          .isVersion05 = program.isVersion05,
          .isLegacy = program.isLegacy,
          .linkerFlags = program.linkerFlags,
          .refusalOf = refusalOf};
}

std::unique_ptr<TaskProgram> TaskProgram::create(mlir::ModuleOp module,
                                                 dfg::TaskGraphOp graph) {
  std::unique_ptr<TaskProgram> tasks(new TaskProgram);
  tasks->program.code = createCode(tasks->program.codeContext, module);
  tasks->program.graphs = module;
  if (!tasks->program.code)
    return nullptr;
  tasks->order = inferTaskOrder(graph);
  for (dfg::TaskOp task : tasks->order.tasks) {
    dfg::TaskKind kind = task.getKind();
    tasks->hasHalide |= kind == dfg::TaskKind::Halide;
    tasks->hasPython |=
        kind == dfg::TaskKind::Python || kind == dfg::TaskKind::Fem;
  }
  return tasks;
}

/// Each kind of task reports all of its errors, so that one run shows
/// everything.
bool TaskProgram::findKernels(const TaskBuildOptions &options) {
  const KernelOptions wanted = kernelOptions(options);
  Resolution resolution{
      order, *program.graphs, wanted, *program.code, {}, {}, {}, {}};
  resolution.resolved.resize(order.tasks.size());
  bool isGood = resolveCKernels(resolution);
  for (auto [index, known] : enumerate(order.tasks)) {
    dfg::TaskOp task = known;
    const Function *kernel = program.code->getFunction(task.getCallee());
    if (task.getKind() == dfg::TaskKind::C && kernel)
      for (std::string &name : namesNeeded(*kernel))
        neededBy[std::move(name)].push_back(unsigned(index));
  }
  isGood &= resolveHPVMKernels(resolution);
  isGood &= resolveHalideKernels(resolution);
  isGood &= resolvePythonKernels(resolution);
  // Variables of kernels order tasks in the same way as data.
  if (isGood && !order.tasks.empty())
    order = inferTaskOrder(
        cast<dfg::TaskGraphOp>(order.tasks.front()->getParentOp()),
        findStates(resolution));
  resolved = std::move(resolution.resolved);
  linkInputs = std::move(resolution.linkInputs);
  dependencies = std::move(resolution.dependencies);
  return isGood;
}

bool TaskProgram::transform(const transforms::TransformOptions &options) {
  bool hasGraphs = any_of(resolved, [](const codegen::ResolvedTask &task) {
    return task.root != nullptr;
  });
  return !hasGraphs || transformProgram(program, options);
}

bool TaskProgram::makeNodes(bool isChecked) {
  // Leaves contain copies of the kernels that make HPVM calls.
  append_range(program.unusedNodeFunctions,
               leafCodeKernels(order, *program.code));
  hasGrids = any_of(order.tasks, [](dfg::TaskOp task) {
    return task.getExtents().has_value();
  });
  if (mlir::failed(codegen::lowerTaskGraph(order, resolved, *program.graphs,
                                           *program.code, isChecked)))
    return false;
  // Datasets never share memory, so there is nothing to check at launch.
  for (dfg::GraphOp root : program.getRoots())
    program.races.disjointArguments[root.getSymName().str()] = {};
  return true;
}

bool TaskProgram::checkGrids() {
  return !hasGrids || checkGridRaces(*program.graphs, *program.code);
}
