//===- Tasks.h - What a task graph's order is -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks wait for those that `after` names, and for earlier ones that use the
// same elements of a dataset, scalar or object, the same file, or the same
// state outside of their arguments, one of the two writing. Everything else may
// run at the same time. The result is then checked as any other graph is: tasks
// over regions (Regions.h).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_TASKS_H
#define SLUICE_ANALYSIS_TASKS_H

#include "sluice/Analysis/Regions.h"
#include "sluice/DFG/DFG.h"

#include <string>
#include <vector>

namespace sluice {

/// Task `after` waits for `before`; both are indices in creation order.
struct TaskEdge {
  enum class Reason {
    ReadAfterWrite,
    WriteAfterRead,
    WriteAfterWrite,
    File,
    State,  ///< what their kernels keep outside of their arguments
    Stated, ///< `after` names it, and nothing else asks for it
    Serial  ///< the graph says so, and nothing else does
  };
  unsigned before = 0, after = 0;
  Reason reason = Reason::Stated;
  /// Name of the dataset, file or state; empty where stated or serial.
  std::string data;
  /// `after` names it, whatever the data says.
  bool isStated = false;
};

/// Something outside of its arguments and files that a task uses: a variable of
/// its kernel, or of a library.
struct TaskState {
  /// As messages name it: "the variable 'counter'".
  std::string name;
  dfg::Access access = dfg::Access::InOut;
};

/// By task.
using TaskStates = std::vector<std::vector<TaskState>>;

/// What the kernels of all Python and finite-element tasks may use.
inline constexpr const char *pythonState = "Python";

struct TaskOrder {
  std::vector<dfg::TaskOp> tasks;
  /// What the order takes into account: nothing of tasks that are
  /// `independent`.
  TaskStates states;
  /// Names for messages, traces and tables: unique, "blur", "blur#2".
  std::vector<std::string> names;
  /// All edges that something asks for, one per pair (the first reason).
  std::vector<TaskEdge> edges;
  /// For each task, whom it waits for, without those that others imply;
  /// ascending.
  std::vector<std::vector<unsigned>> predecessors;
};

/// The order of a verified graph. Grows with tasks times arguments, not with
/// pairs of tasks, as long as parts of datasets are few.
/// `states`, if there are any, has an entry per task; that Python tasks share
/// Python is known without.
TaskOrder inferTaskOrder(dfg::TaskGraphOp graph, TaskStates states = {});

/// True if two arguments that name one dataset share an element; exact.
bool sharesElements(dfg::TaskArgAttr first, dfg::TaskArgAttr second,
                    llvm::ArrayRef<int64_t> shape);

/// The tasks as regions under `order`, for checkTasks and printRegions.
regions::TaskSystem taskSystem(const TaskOrder &order);

/// The tasks and their order as a module of the rdir dialect, which `sluice
/// check` proves.
std::string printTaskRegions(const TaskOrder &order);

/// Emits an error for each explicit read (`in`) of a dataset, and each use by
/// value of a scalar, that nothing has written before, and for every pair that
/// the region check finds without an order. With `hasRemarks`, remarks say
/// which pairs are ordered by creation only. False after errors.
bool checkTaskGraph(const TaskOrder &order, bool hasRemarks);

} // namespace sluice

#endif // SLUICE_ANALYSIS_TASKS_H
