//===- TaskTables.cpp - What the runtime is told of a task graph ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per structure of sluice-c/TaskGraph.h, fields in the same order.
//
//===----------------------------------------------------------------------===//

#include "TaskTables.h"
#include "../KernelEmitter.h"
#include "InitialValues.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

static Constant *taskDatum(const TaskDatum &datum, Tables &tables,
                           LLVMContext &context) {
  Constant *initial = emitInitial(datum, tables, context);
  if (!initial)
    return nullptr;
  auto dataset = dyn_cast<dfg::DatasetOp>(datum.op);
  bool isPrinted = dataset && dataset.getPrinted();
  return tables.structure(
      {tables.string(datum.name),
       tables.string(spellLocation(datum.op->getLoc())), tables.i32(datum.kind),
       tables.i32(datum.elementKind), tables.i32(datum.elementBits),
       tables.i32(datum.shape.size()), tables.numbers(datum.shape),
       tables.i64(datum.size), initial, tables.i32(datum.numUses),
       tables.i32(isPrinted ? SLUICE_DATA_PRINT : 0)});
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

static Constant *uses(ArrayRef<SluiceTaskUse> list, Tables &tables) {
  SmallVector<Constant *> entries;
  for (const SluiceTaskUse &use : list)
    entries.push_back(
        tables.structure({tables.i32(use.data), tables.i32(use.access)}));
  return tables.array(entries);
}

static Constant *fileNames(std::optional<mlir::ArrayAttr> files,
                           Tables &tables) {
  SmallVector<Constant *> names;
  if (files)
    for (auto file : files->getAsRange<mlir::StringAttr>())
      names.push_back(tables.string(file.getValue()));
  return tables.array(names);
}

/// SluiceTaskArgument; the fields of its view follow its own.
static Constant *taskArguments(ArrayRef<TaskView> views,
                               const TaskDataTable &data, Tables &tables) {
  SmallVector<Constant *> entries;
  for (const TaskView &view : views) {
    uint32_t access = (dfg::reads(view.access) ? SLUICE_ACCESS_IN : 0) |
                      (dfg::writes(view.access) ? SLUICE_ACCESS_OUT : 0);
    entries.push_back(tables.structure(
        {tables.i32(view.datum), tables.i32(access),
         tables.i32(view.shape.size()),
         tables.i32(data[view.datum].elementSize()), tables.i64(view.offset),
         tables.numbers(view.shape), tables.numbers(view.strides)}));
  }
  return tables.array(entries);
}

static Constant *taskRecord(unsigned index, const TaskOrder &order,
                            const ResolvedTask &resolved,
                            const TaskDataTable &data, Tables &tables) {
  dfg::TaskOp task = order.tasks[index];
  std::string kernel = task.getCallee().str();
  if (task.getOf())
    kernel = (*task.getOf() + "." + kernel).str();
  auto countOf = [&](std::optional<mlir::ArrayAttr> files) {
    return tables.i32(files ? files->size() : 0);
  };
  SmallVector<Constant *> variants;
  for (const HalideFunction &variant : resolved.variants)
    variants.push_back(tables.string(variant.text));
  std::vector<SluiceTaskUse> list = data.usesOf(index);
  return tables.structure(
      {tables.string(order.names[index]), tables.string(kernel),
       tables.string(spellLocation(task.getLoc())),
       tables.i32(kindOf(task.getKind())), tables.i32(list.size()),
       uses(list, tables), fileNames(task.getWrittenFiles(), tables),
       countOf(task.getWrittenFiles()),
       tables.i32(std::max<size_t>(variants.size(), 1)), tables.array(variants),
       taskArguments(data.viewsOf(index), data, tables),
       fileNames(task.getReadFiles(), tables),
       tables.i32(data.viewsOf(index).size()), countOf(task.getReadFiles())});
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
  SmallVector<Constant *> datums, records;
  for (const TaskDatum &datum : data.all()) {
    Constant *entry = taskDatum(datum, tables, code.getContext());
    if (!entry)
      return mlir::failure();
    datums.push_back(entry);
  }
  for (unsigned i = 0; i != order.tasks.size(); ++i)
    records.push_back(taskRecord(i, order, resolved[i], data, tables));
  Constant *program = tables.structure(
      {tables.i64(SLUICE_TASK_PROGRAM_MAGIC),
       tables.i32(SLUICE_TASK_PROGRAM_VERSION),
       tables.i32(sizeof(SluiceTaskProgram)),
       tables.i32(sizeof(SluiceTaskData)), tables.i32(sizeof(SluiceTaskRecord)),
       tables.string(facts.name), declarePlan(facts.planName, code),
       tables.array(datums), tables.array(records), tables.i32(datums.size()),
       tables.i32(records.size()),
       facts.prepare ? facts.prepare : tables.null(),
       tables.string(facts.pythonPath),
       tables.i32(facts.isChecked ? SLUICE_TASK_PROGRAM_CHECKED : 0),
       tables.i32(0)});
  // Tables must lie as C lays them out.
  assert(code.getDataLayout().getTypeAllocSize(program->getType()) ==
         sizeof(SluiceTaskProgram));
  GlobalVariable *global = tables.place(program, "sluice_task_program");
  global->setUnnamedAddr(GlobalValue::UnnamedAddr::None);
  global->setLinkage(GlobalValue::ExternalLinkage);
  return mlir::success();
}
