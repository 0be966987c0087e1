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
#include <utility>

namespace sluice {

/// What support functions throw to end a kernel; see sluiceFail.
struct KernelFailure {
  std::string message;
};

/// The error of the exception that is being handled and left code of the
/// program. What ends the thread ends the process. `who` names the code.
Status exceptionError(std::string_view who);
/// The same for a kernel that `worker` ran.
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

/// Code of the program, as messages name it: "task 'sweep' at point (1, 2)",
/// "the fold of task 'sum'", "the coloring of partition 'p' at color (3)".
struct UserCode {
  const char *what;
  const char *name;
  const char *place; ///< what `at` is
  int32_t rank;      ///< of `at`
  const int64_t *at;
};
std::string textOf(const UserCode &code);
/// Of a task of a table. Lives no longer than that.
UserCode codeOf(const TableTask &task);
inline std::string taskText(const TableTask &task) {
  return textOf(codeOf(task));
}

/// What of the program this thread runs, for who must say it when a signal ends
/// the process; null: nothing.
struct RunningCode {
  const TableTask *task;
  const UserCode *code; ///< beside tasks
};
extern constinit thread_local RunningCode runningCode;

/// From now on, a crash of code of the program says what ran, where nobody else
/// handles the signal; on a rank MPI does, but knows of no task.
void sayWhatCrashes(bool isRank);

/// Runs code beside tasks. What leaves it becomes an error.
template <typename Function>
Status callUserCode(const UserCode &code, Function &&function) {
  Status status;
  const UserCode *before = std::exchange(runningCode.code, &code);
  try {
    function();
  } catch (...) {
    status = exceptionError(textOf(code));
  }
  runningCode.code = before;
  return status;
}

/// Runs a task of a table that tests no loop. False: `error` says why.
inline bool callTask(Worker &worker, const TableTask &task, Status &error) {
  worker.insideKernel = true;
  // A task that waits may run others.
  const RunningCode before = std::exchange(runningCode, {&task, nullptr});
  try {
    task.body(task.task, task.views, task.closure);
  } catch (...) {
    error = kernelError(worker, taskText(task));
  }
  runningCode = before;
  worker.insideKernel = false;
  return error.ok();
}

} // namespace sluice

#endif // SLUICE_RUNTIME_EXECUTION_KERNELCALL_H
