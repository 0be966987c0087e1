//===- TaskTables.h - The runtime's tables of a task graph ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Besides the plan, the runtime needs to know which memory the arguments are,
// and how to describe a task that fails.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_TASKS_TASKTABLES_H
#define SLUICE_LIB_CODEGEN_TASKS_TASKTABLES_H

#include "../Tables/ConstantTables.h"
#include "TaskData.h"
#include "sluice/CodeGen/TaskNodes.h"

namespace sluice::codegen {

/// The data in the SluiceTaskProgram besides data and tasks.
struct TaskProgramFacts {
  /// Names of the graph, and of the plan's dfg.graph.
  std::string name, planName, pythonPath;
  llvm::Constant *prepare = nullptr;
  bool isChecked = false;
};

/// The position of an argument in its dataset.
SluiceTaskView viewFields(const TaskDataTable &data, const TaskView &view,
                          Tables &tables);

/// Emits the global `sluice_task_program`.
mlir::LogicalResult emitTaskProgram(const TaskOrder &order,
                                    llvm::ArrayRef<ResolvedTask> resolved,
                                    const TaskDataTable &data,
                                    const TaskProgramFacts &facts,
                                    Tables &tables, llvm::Module &code);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_TASKS_TASKTABLES_H
