//===- TaskMap.h - The nodes and accesses of tasks ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nodes of each task, its predecessors, and the elements that it accesses:
// the information about a program that is needed to run its tasks on several
// ranks.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_RANKS_TASKMAP_H
#define SLUICE_RUNTIME_TASKS_RANKS_TASKMAP_H

#include "../../Regions/Partitions/ElementSet.h"

#include "sluice-c/TaskProgram.h"
#include "sluice/Base/Status.h"

#include <vector>

namespace sluice::tasks {

using regions::Runs;

/// Elements of one dataset that a task reads and writes.
struct DatasetAccess {
  uint32_t data;
  Runs reads, writes;
};

struct TaskMap {
  /// An error if the nodes of the plan are not those of the tasks, in the order
  /// of the tasks.
  static Result<TaskMap> of(const SluiceTaskProgram &program);

  /// The task of each node of the plan.
  std::vector<uint32_t> taskOf;
  /// The nodes of task t are [firstNode[t], firstNode[t + 1]). The first one
  /// waits for other tasks, and other tasks wait for the last one.
  std::vector<uint32_t> firstNode;
  /// The earlier tasks for which each task waits, ascending; transitive
  /// predecessors may be missing.
  std::vector<std::vector<uint32_t>> before;
  /// By task, each dataset once; without objects.
  std::vector<std::vector<DatasetAccess>> accesses;

  uint32_t lastNode(uint32_t task) const { return firstNode[task + 1] - 1; }
};

/// All elements of a dataset.
int64_t numElements(const SluiceTaskData &data);
/// The number of elements in runs.
int64_t countOf(const Runs &runs);

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_RANKS_TASKMAP_H
