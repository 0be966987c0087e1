//===- TaskMap.h - What tasks are made of ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nodes of each task, the tasks that each one waits for, and the elements
// that it touches: what has to be known of a program before its tasks run on
// several ranks.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_RANKS_TASKMAP_H
#define SLUICE_RUNTIME_TASKS_RANKS_TASKMAP_H

#include "../../Regions/Partitions/ElementSet.h"

#include "sluice-c/TaskGraph.h"
#include "sluice/Base/Status.h"

#include <vector>

namespace sluice::tasks {

using regions::Runs;

/// Elements of one dataset that a task reads and writes.
struct TaskAccess {
  uint32_t data;
  Runs reads, writes;
};

struct TaskMap {
  /// An error: the nodes of the plan are not those of the tasks, one task
  /// behind the other.
  static Result<TaskMap> of(const SluiceTaskProgram &program);

  /// The task of each node of the plan.
  std::vector<uint32_t> taskOf;
  /// Its nodes are [firstNode[t], firstNode[t + 1]). The first waits for other
  /// tasks, and others wait for the last.
  std::vector<uint32_t> firstNode;
  /// The tasks before each task that it waits for, ascending; those that
  /// others of them wait for may be missing.
  std::vector<std::vector<uint32_t>> before;
  /// By task, each dataset once; no objects.
  std::vector<std::vector<TaskAccess>> accesses;

  uint32_t lastNode(uint32_t task) const { return firstNode[task + 1] - 1; }
};

/// All elements of a dataset.
int64_t numElements(const SluiceTaskData &data);
/// The number of elements in runs.
int64_t countOf(const Runs &runs);

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_RANKS_TASKMAP_H
