//===- GraphTasks.h - Tasks that are graphs or grids ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task may be an HPVM graph, or a C function with one instance per point.
// Both become nodes of the plan like other tasks, but several of them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_TASKS_GRAPHTASKS_H
#define SLUICE_LIB_CODEGEN_TASKS_GRAPHTASKS_H

#include "TaskGraphBuilder.h"

namespace sluice::codegen {

/// Adds the nodes of an HPVM task; false after an error.
bool addGraphTask(const TaskSite &site, TaskGraphBuilder &builder,
                  llvm::StringRef name);
/// Adds the nodes of a C task with one instance per point of a grid; false
/// after an error.
bool addGridTask(const TaskSite &site, TaskGraphBuilder &builder,
                 llvm::StringRef name);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_TASKS_GRAPHTASKS_H
