//===- KernelCall.h - Calling a kernel ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// User code runs in kernels and may throw any exception. Here exceptions are
// caught and become errors that name the node.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_EXECUTION_KERNELCALL_H
#define SLUICE_RUNTIME_EXECUTION_KERNELCALL_H

#include "../Plan/Partition.h"
#include "../Plan/TaskTable.h"
#include "../Scheduling/Pool.h"

#include "sluice-c/Plan.h"
#include "sluice/Base/Status.h"

#include <atomic>
#include <string>
#include <string_view>
#include <utility>

namespace sluice {

/// The exception with which support functions end a kernel; see sluiceFail.
struct KernelFailure {
  std::string message;
};

/// The error for the current exception, which has left code of the program.
/// Exceptions that end the thread end the process. `who` names the code.
Status exceptionError(std::string_view who);
/// The same for a kernel that `worker` ran.
Status kernelError(Worker &worker, std::string_view who);
Status kernelError(Worker &worker, const SluicePlanNode &node);

/// Runs units of a node; `worker` is the calling thread. If it fails, returns
/// false and sets `error`.
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

/// The same for a node with ordered dimensions, step by step. The units are
/// whole lanes; see Steps.h.
bool callSteps(Worker &worker, const SluicePlanNode &node, SluiceKernel kernel,
               const SluiceInvocation &invocation, UnitRange units,
               Status &error);

/// Runs units of any node in the required order.
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
  const char *place; ///< the meaning of `at`
  int32_t rank;      ///< of `at`
  const int64_t *at;
};
std::string textOf(const UserCode &code);
/// The code of a task of a table. Valid as long as the task.
UserCode codeOf(const TableTask &task);
inline std::string taskText(const TableTask &task) {
  return textOf(codeOf(task));
}

/// The program's code that this thread runs, for handlers that report it when a
/// signal ends the process; null: none.
struct RunningCode {
  const TableTask *task;
  const UserCode *code; ///< outside of tasks
};
extern constinit thread_local RunningCode runningCode;
/// A problem of that code that a check has found before it ends; null: none. A
/// thread that the code has started may set it.
extern constinit thread_local std::atomic<const char *> runningProblem;

/// From now on, a crash of the program's code reports the running code, unless
/// the signal has another handler. On a rank MPI handles it, but does not know
/// tasks.
void sayWhatCrashes(bool isRank);

/// Runs code outside of tasks. Exceptions become errors.
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

/// Runs a task of a table that tests no loop. If it fails, returns false and
/// sets `error`.
inline bool callTask(Worker &worker, const TableTask &task, Status &error) {
  worker.insideKernel = true;
  // A waiting task may run other tasks.
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
