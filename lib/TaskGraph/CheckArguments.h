//===- CheckArguments.h - Checks of a task's arguments --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks each argument when its task is created, so that the message refers to
// the place of the call.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_TASKGRAPH_CHECKARGUMENTS_H
#define SLUICE_LIB_TASKGRAPH_CHECKARGUMENTS_H

#include "sluice/TaskGraph/Model.h"

namespace sluice {

/// Adds arguments and dependences to a task with a kernel; wrong ones are added
/// to the graph's problems instead.
void addArguments(TaskImpl &task, const Arguments &arguments);
void addDependencies(TaskImpl &task, const std::vector<Task *> &dependencies);

} // namespace sluice

#endif // SLUICE_LIB_TASKGRAPH_CHECKARGUMENTS_H
