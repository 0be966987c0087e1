//===- TaskOrder.h - The order of a task graph ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task waits for the tasks in its `after` list, and for earlier tasks with
// conflicting uses: of the same elements of a dataset, of the same scalar,
// object or file, or of the same state outside of their arguments, at least one
// of them writing. All other tasks may run at the same time. The result is then
// checked like any other graph, as tasks over regions (RegionTasks.h).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_TASKORDER_H
#define SLUICE_ANALYSIS_TASKORDER_H

#include "sluice/Analysis/RegionTasks.h"
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
    State,  ///< state of their kernels outside of their arguments
    Stated, ///< only because of the `after` list
    Serial  ///< only because of the graph's serial order
  };
  unsigned before = 0, after = 0;
  Reason reason = Reason::Stated;
  /// Name of the dataset, file or state; empty for Stated and Serial.
  std::string data;
  /// The `after` list requires it, independently of the data.
  bool isStated = false;
};

/// State outside of its arguments and files that a task uses: a variable of its
/// kernel, or of a library.
struct TaskState {
  /// The name in messages: "the variable 'counter'".
  std::string name;
  dfg::Access access = dfg::Access::InOut;
};

/// By task.
using TaskStates = std::vector<std::vector<TaskState>>;

/// The state that the kernels of all Python and finite-element tasks may use.
inline constexpr const char *pythonState = "Python";

struct TaskOrder {
  std::vector<dfg::TaskOp> tasks;
  /// The states that the order considers; none for `independent` tasks.
  TaskStates states;
  /// Names for messages, traces and tables: unique, "blur", "blur#2".
  std::vector<std::string> names;
  /// All required edges, one per pair (with the first reason).
  std::vector<TaskEdge> edges;
  /// The predecessors of each task, without transitive ones; ascending.
  std::vector<std::vector<unsigned>> predecessors;
};

/// The order of a verified graph. The cost grows with tasks times arguments,
/// not with pairs of tasks, as long as datasets have few parts. `states`, if
/// given, has an entry per task. It need not contain the state that Python
/// tasks share.
TaskOrder inferTaskOrder(dfg::TaskGraphOp graph, TaskStates states = {});

/// True if two arguments that name one dataset share an element; exact.
bool sharesElements(dfg::TaskArgAttr first, dfg::TaskArgAttr second,
                    llvm::ArrayRef<int64_t> shape);

/// The tasks and their order as a module of the rdir dialect, which `sluice
/// check` proves.
std::string printTaskRegions(const TaskOrder &order);

/// Emits an error for each explicit read (`in`) of a dataset, and each use by
/// value of a scalar, that nothing has written before, and for every pair that
/// the region check finds without an order. With `hasRemarks`, remarks list the
/// pairs that are ordered only by creation. Returns false after errors.
bool checkTaskGraph(const TaskOrder &order, bool hasRemarks);

} // namespace sluice

#endif // SLUICE_ANALYSIS_TASKORDER_H
