//===- TaskNodes.cpp - From task graphs to graphs of nodes ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task that calls one function becomes one node. A task with its own graph or
// grid becomes that graph or grid, between a node that enters the task and one
// that leaves it.
//
//===----------------------------------------------------------------------===//

#include "GraphTasks.h"
#include "TaskGraphBuilder.h"
#include "TaskLeaf.h"
#include "TaskTables.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

namespace {
class TaskLowering {
public:
  TaskLowering(const TaskOrder &order, ArrayRef<ResolvedTask> resolved,
               mlir::ModuleOp module, Module &code, bool isChecked)
      : order(order), resolved(resolved), module(module), code(code),
        isChecked(isChecked), tables(code), data(module, order) {}

  mlir::LogicalResult run();

private:
  bool addTask(unsigned index);
  bool addCall(const TaskSite &site);
  Function *runnerFor(const TaskSite &site, StringRef name);
  std::string graphName(StringRef wanted);
  Constant *emitPrepare();
  void eraseTasks();

  const TaskOrder &order;
  ArrayRef<ResolvedTask> resolved;
  mlir::ModuleOp module;
  Module &code;
  const bool isChecked;
  Tables tables;
  TaskDataTable data;
  std::optional<TaskGraphBuilder> builder;
  /// By the key of everything that their code depends on.
  StringMap<Function *> runners;
};
} // namespace

/// The graph's own name, unless a function has it, such as the program's
/// "main": roots and functions with the same name would be confused.
std::string TaskLowering::graphName(StringRef wanted) {
  std::string name = wanted.str();
  while (name == "main" || code.getNamedValue(name) ||
         mlir::SymbolTable::lookupSymbolIn(module, name))
    name += ".graph";
  return name;
}

static Function *emitCall(const TaskSite &site) {
  switch (site.op().getKind()) {
  case dfg::TaskKind::C:
    return emitCCall(site);
  case dfg::TaskKind::Halide:
    return emitHalideCall(site);
  case dfg::TaskKind::Python:
  case dfg::TaskKind::Fem:
    return emitPythonCall(site);
  case dfg::TaskKind::HPVM:
    break;
  }
  llvm_unreachable("graphs are no calls");
}

/// Equal tasks share one function around their calls.
Function *TaskLowering::runnerFor(const TaskSite &site, StringRef name) {
  auto [known, isNew] = runners.try_emplace(site.codeKey());
  Function *&runner = known->second;
  if (!isNew && site.isShared) {
    // The code then exists once, and not in every leaf.
    if (runner) {
      runner->addFnAttr(Attribute::NoInline);
      runner->addFnAttr(sharedRunnerAttribute);
    }
    return runner;
  }
  Function *call = emitCall(site);
  return runner = call ? emitRunner(site, name + ".run", call) : nullptr;
}

bool TaskLowering::addCall(const TaskSite &given) {
  TaskSite site = given;
  // Checks distinguish the accesses of tasks by their code.
  site.isShared = !isChecked && !site.codeKey().empty();
  std::string name = builder->kernelName(site, "");
  Function *runner = runnerFor(site, name);
  if (!runner)
    return false;
  emitTaskLeaf(site, name, runner);
  builder->addTaskNode(site, name, order.names[site.index]);
  return true;
}

bool TaskLowering::addTask(unsigned index) {
  TaskSite site{index, order.tasks[index], data, resolved[index], code, tables};
  builder->beginTask(site, order.predecessors[index]);
  if (site.op().getKind() == dfg::TaskKind::HPVM)
    return addGraphTask(site, *builder, order.names[index]);
  if (site.op().getExtents())
    return addGridTask(site, *builder, order.names[index]);
  return addCall(site);
}

/// Passes Sluice's workers and its error reporting to Halide.
Constant *TaskLowering::emitPrepare() {
  if (none_of(order.tasks, [](dfg::TaskOp task) {
        return task.getKind() == dfg::TaskKind::Halide;
      }))
    return nullptr;
  LLVMContext &context = code.getContext();
  auto *type = FunctionType::get(Type::getVoidTy(context), false);
  Function *function = Function::Create(type, GlobalValue::InternalLinkage,
                                        "sluice.prepare", code);
  IRBuilder<> b(BasicBlock::Create(context, "entry", function));
  auto set = [&](StringRef setter, ArrayRef<StringRef> names) {
    SmallVector<Value *> functions;
    for (StringRef name : names)
      functions.push_back(code.getOrInsertFunction(name, type).getCallee());
    SmallVector<Type *> types(names.size(), b.getPtrTy());
    // The previous settings are ignored.
    Type *result =
        names.size() == 1 ? static_cast<Type *>(b.getPtrTy()) : b.getVoidTy();
    b.CreateCall(code.getOrInsertFunction(
                     setter, FunctionType::get(result, types, false)),
                 functions);
  };
  set("halide_set_error_handler", {"sluiceHalideError"});
  set("halide_set_custom_parallel_runtime",
      {"sluiceHalideParFor", "sluiceHalideDoTask", "sluiceHalideDoLoopTask",
       "sluiceHalideParallelTasks", "sluiceHalideSemaphoreInit",
       "sluiceHalideSemaphoreTryAcquire", "sluiceHalideSemaphoreRelease"});
  b.CreateRetVoid();
  return function;
}

/// Datasets that nodes of other graphs use stay.
void TaskLowering::eraseTasks() {
  DenseSet<mlir::Attribute> kept;
  module.walk([&](dfg::UseDatasetOp use) {
    kept.insert(use.getDatasetAttr().getAttr());
  });
  for (mlir::Operation &op : make_early_inc_range(*module.getBody())) {
    bool isData = isa<dfg::DatasetOp, dfg::ScalarOp, dfg::ObjectOp>(op) &&
                  !kept.contains(mlir::SymbolTable::getSymbolName(&op));
    if (isData ||
        isa<dfg::TaskGraphOp, dfg::KernelSourceOp, dfg::HalideKernelOp>(op))
      op.erase();
  }
}

mlir::LogicalResult TaskLowering::run() {
  auto graphs = module.getOps<dfg::TaskGraphOp>();
  if (!hasSingleElement(graphs))
    return module.emitError("expected one task graph in the module");
  dfg::TaskGraphOp graph = *graphs.begin();
  TaskProgramFacts facts;
  facts.name = graph.getSymName().str();
  facts.pythonPath = graph.getPythonPath().value_or("").str();
  mlir::SymbolTable::setSymbolName(graph, facts.name + ".tasks");
  facts.planName = graphName(facts.name);
  builder.emplace(module, graph.getLoc(), facts.planName, data);
  bool isGood = true;
  for (unsigned i = 0; i != order.tasks.size(); ++i)
    isGood &= addTask(i);
  builder->finish();
  if (!isGood)
    return mlir::failure();
  facts.prepare = emitPrepare();
  facts.isChecked = isChecked;
  if (failed(emitTaskProgram(order, resolved, data, facts, tables, code)))
    return mlir::failure();
  eraseTasks();
  return mlir::success();
}

mlir::LogicalResult codegen::lowerTaskGraph(const TaskOrder &order,
                                            ArrayRef<ResolvedTask> resolved,
                                            mlir::ModuleOp module, Module &code,
                                            bool isChecked) {
  return TaskLowering(order, resolved, module, code, isChecked).run();
}

void codegen::addTaskMain(Module &code) {
  // A kernel's file may have a main function for its own tests.
  if (Function *other = code.getFunction("main")) {
    other->setName("main.of-kernels");
    if (!other->isDeclaration())
      other->setLinkage(GlobalValue::InternalLinkage);
  }
  LLVMContext &context = code.getContext();
  IRBuilder<> b(context);
  Type *i32 = b.getInt32Ty(), *ptr = b.getPtrTy();
  Function *function =
      Function::Create(FunctionType::get(i32, {i32, ptr}, false),
                       GlobalValue::ExternalLinkage, "main", code);
  b.SetInsertPoint(BasicBlock::Create(context, "entry", function));
  FunctionCallee callee = code.getOrInsertFunction(
      "sluiceTaskMain", FunctionType::get(i32, {ptr, i32, ptr}, false));
  b.CreateRet(b.CreateCall(callee, {code.getNamedGlobal("sluice_task_program"),
                                    function->getArg(0), function->getArg(1)}));
}
