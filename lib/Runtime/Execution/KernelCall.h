//===- KernelCall.h - Calling a kernel ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// User code runs in kernels and may leave them by any exception. Here it is
// caught and becomes an error that names the node.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_EXECUTION_KERNELCALL_H
#define SLUICE_RUNTIME_EXECUTION_KERNELCALL_H

#include "../Plan/Partition.h"
#include "../Plan/TaskTable.h"
#include "../Scheduling/Pool.h"

#include "sluice-c/Plan.h"
#include "sluice/Base/Status.h"

#include <string>
#include <string_view>

namespace sluice {

/// What support functions throw to end a kernel; see sluiceFail.
struct KernelFailure {
  std::string message;
};

/// The error of the exception that is being handled and left a kernel.
/// What ends the thread ends the process. `who` names the node or task.
Status kernelError(Worker &worker, std::string_view who);
Status kernelError(Worker &worker, const SluicePlanNode &node);

/// Runs units of a node; `worker` is the calling thread. False: `error` says
/// why.
inline bool callKernel(Worker &worker, const SluicePlanNode &node,
                       SluiceKernel kernel, const SluiceInvocation &invocation,
                       UnitRange units, Status &error) {
  worker.insideKernel = true;
  try {
    kernel(&invocation, units.begin, units.end);
  } catch (...) {
    error = kernelError(worker, node);
    return false;
  }
  worker.insideKernel = false;
  return true;
}

/// The same for a node whose dimensions are ordered, step after step. The units
/// are whole lanes; see Steps.h.
bool callSteps(Worker &worker, const SluicePlanNode &node, SluiceKernel kernel,
               const SluiceInvocation &invocation, UnitRange units,
               Status &error);

/// Runs units of any node in the order that it asks for.
inline bool callUnits(Worker &worker, const SluicePlanNode &node,
                      SluiceKernel kernel, const SluiceInvocation &invocation,
                      UnitRange units, Status &error) {
  return node.orderedDims
             ? callSteps(worker, node, kernel, invocation, units, error)
             : callKernel(worker, node, kernel, invocation, units, error);
}

/// "task 'sweep' at point (1, 2)"
std::string taskText(const TableTask &task);

/// Runs a task of a table that tests no loop. False: `error` says why.
inline bool callTask(Worker &worker, const TableTask &task, Status &error) {
  worker.insideKernel = true;
  try {
    task.body(task.task, task.views, task.closure);
  } catch (...) {
    error = kernelError(worker, taskText(task));
  }
  worker.insideKernel = false;
  return error.ok();
}

} // namespace sluice

#endif // SLUICE_RUNTIME_EXECUTION_KERNELCALL_H
