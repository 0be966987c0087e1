//===- TaskTables.cpp - The runtime's tables of a task graph --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per structure of sluice-c/TaskProgram.h.
//
//===----------------------------------------------------------------------===//

#include "TaskTables.h"
#include "../KernelEmitter.h"
#include "InitialValues.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

/// Nothing after an error.
static std::optional<SluiceTaskData>
taskDatum(const TaskDatum &datum, Tables &tables, LLVMContext &context) {
  Constant *initial = emitInitial(datum, tables, context);
  if (!initial)
    return std::nullopt;
  auto dataset = dyn_cast<dfg::DatasetOp>(datum.op);
  bool isPrinted = dataset && dataset.getPrinted();
  return SluiceTaskData{.name = tables.string(datum.name),
                        .location =
                            tables.string(spellLocation(datum.op->getLoc())),
                        .kind = uint32_t(datum.kind),
                        .elementKind = uint32_t(datum.elementKind),
                        .elementBits = datum.elementBits,
                        .rank = uint32_t(datum.shape.size()),
                        .shape = tables.numbers(datum.shape),
                        .size = datum.size,
                        .initial = Address(initial),
                        .numUses = datum.numUses,
                        .flags = uint32_t(isPrinted ? SLUICE_DATA_PRINT : 0)};
}

static SluiceTaskKind kindOf(dfg::TaskKind kind) {
  switch (kind) {
  case dfg::TaskKind::C:
    return SLUICE_TASK_C;
  case dfg::TaskKind::Halide:
    return SLUICE_TASK_HALIDE;
  case dfg::TaskKind::Python:
    return SLUICE_TASK_PYTHON;
  case dfg::TaskKind::Fem:
    return SLUICE_TASK_FEM;
  case dfg::TaskKind::HPVM:
    return SLUICE_TASK_HPVM;
  }
  llvm_unreachable("all kinds of tasks are covered");
}

static Address fileNames(std::optional<mlir::ArrayAttr> files, Tables &tables) {
  SmallVector<Constant *> names;
  if (files)
    for (auto file : files->getAsRange<mlir::StringAttr>())
      names.push_back(tables.string(file.getValue()));
  return tables.array(names);
}

SluiceTaskView codegen::viewFields(const TaskDataTable &data,
                                   const TaskView &view, Tables &tables) {
  return {.rank = uint32_t(view.shape.size()),
          .elementSize = uint32_t(data[view.datum].elementSize()),
          .offset = view.offset,
          .shape = tables.numbers(view.shape),
          .strides = tables.numbers(view.strides)};
}

static Address taskArguments(ArrayRef<TaskView> views,
                             const TaskDataTable &data, Tables &tables) {
  std::vector<SluiceTaskArgument> entries;
  for (const TaskView &view : views) {
    uint32_t access = (dfg::reads(view.access) ? SLUICE_ACCESS_IN : 0) |
                      (dfg::writes(view.access) ? SLUICE_ACCESS_OUT : 0);
    entries.push_back({.data = view.datum,
                       .access = access,
                       .view = viewFields(data, view, tables)});
  }
  return tables.array(entries);
}

static SluiceTaskRecord taskRecord(unsigned index, const TaskOrder &order,
                                   const ResolvedTask &resolved,
                                   const TaskDataTable &data, bool isOfProcess,
                                   Tables &tables) {
  dfg::TaskOp task = order.tasks[index];
  std::string kernel = task.getCallee().str();
  if (task.getOf() && *task.getOf() != SLUICE_PYTHON_HERE)
    kernel = (*task.getOf() + "." + kernel).str();
  auto countOf = [&](std::optional<mlir::ArrayAttr> files) {
    return uint32_t(files ? files->size() : 0);
  };
  SmallVector<Constant *> variants;
  for (const HalideFunction &variant : resolved.variants)
    variants.push_back(tables.string(variant.text));
  std::vector<SluiceTaskUse> uses = data.usesOf(index);
  return {.name = tables.string(order.names[index]),
          .kernel = tables.string(kernel),
          .location = tables.string(spellLocation(task.getLoc())),
          .kind = uint32_t(kindOf(task.getKind())),
          .numUses = uint32_t(uses.size()),
          .uses = tables.array(uses),
          .writtenFiles = fileNames(task.getWrittenFiles(), tables),
          .numWrittenFiles = countOf(task.getWrittenFiles()),
          .numVariants = uint32_t(std::max<size_t>(variants.size(), 1)),
          .variants = tables.array(variants),
          .arguments = taskArguments(data.viewsOf(index), data, tables),
          .readFiles = fileNames(task.getReadFiles(), tables),
          .numArguments = uint32_t(data.viewsOf(index).size()),
          .numReadFiles = countOf(task.getReadFiles()),
          .flags = uint32_t(task->hasAttr("only_rank0") || isOfProcess
                                ? SLUICE_TASK_ONLY_RANK_0
                                : 0),
          .reserved = 0};
}

/// Variables of kernels that tasks change: each process has its own copy.
static StringSet<> changedVariables(const TaskOrder &order) {
  StringSet<> changed;
  for (const std::vector<TaskState> &states : order.states)
    for (const TaskState &state : states)
      if (dfg::writes(state.access) && state.name != pythonState)
        changed.insert(state.name);
  return changed;
}

static bool usesOneOf(ArrayRef<TaskState> states, const StringSet<> &names) {
  return any_of(states, [&](const TaskState &state) {
    return names.contains(state.name);
  });
}

/// The plan is emitted later.
static Constant *declarePlan(const std::string &name, Module &code) {
  return new GlobalVariable(code, Type::getInt8Ty(code.getContext()),
                            /*isConstant=*/true, GlobalValue::ExternalLinkage,
                            nullptr, "sluice.plan." + name);
}

mlir::LogicalResult codegen::emitTaskProgram(const TaskOrder &order,
                                             ArrayRef<ResolvedTask> resolved,
                                             const TaskDataTable &data,
                                             const TaskProgramFacts &facts,
                                             Tables &tables, Module &code) {
  std::vector<SluiceTaskData> datums;
  std::vector<SluiceTaskRecord> records;
  for (const TaskDatum &datum : data.all()) {
    std::optional<SluiceTaskData> entry =
        taskDatum(datum, tables, code.getContext());
    if (!entry)
      return mlir::failure();
    datums.push_back(*entry);
  }
  const StringSet<> changed = changedVariables(order);
  for (unsigned i = 0; i != order.tasks.size(); ++i)
    records.push_back(taskRecord(i, order, resolved[i], data,
                                 usesOneOf(order.states[i], changed), tables));
  Constant *program = tables.structure(SluiceTaskProgram{
      .head = tables.head<SluiceTaskProgram>(),
      .name = tables.string(facts.name),
      .plan = Address(declarePlan(facts.planName, code)),
      .data = tables.array(datums),
      .tasks = tables.array(records),
      .numData = uint32_t(datums.size()),
      .numTasks = uint32_t(records.size()),
      .prepare = Address(facts.prepare),
      .pythonPath = tables.string(facts.pythonPath),
      .flags = uint32_t(facts.isChecked ? SLUICE_TASK_PROGRAM_CHECKED : 0),
      .reserved = 0});
  GlobalVariable *global = tables.place(program, "sluice_task_program");
  global->setUnnamedAddr(GlobalValue::UnnamedAddr::None);
  global->setLinkage(GlobalValue::ExternalLinkage);
  return mlir::success();
}
