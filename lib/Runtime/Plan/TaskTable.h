//===- TaskTable.h - Tasks with their orders, in loops --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks of a program over regions, for the executor: each task once,
// however many times it runs. An order between two tasks refers to the latest
// run of the first that precedes the second in serial order. So one table
// describes which iterations of loops may overlap, without listing them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_TASKTABLE_H
#define SLUICE_RUNTIME_PLAN_TASKTABLE_H

#include "OutsideTasks.h"

#include "sluice-c/Regions.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sluice {

/// One task. Its block and its index determine its place in serial order.
struct TableTask {
  SluiceTaskBody body;
  const SluiceTask *task;
  const SluiceView *views;
  const void *closure;
  const char *name;
  uint32_t firstPredecessor = 0;
  uint32_t numPredecessors = 0;
  uint32_t block = 0;
  /// The worker that preferably runs it, as a fraction of 2^16; or `hostHome`:
  /// only the thread that runs the table.
  uint32_t home = 0;
  static constexpr uint32_t hostHome = UINT32_MAX;
  /// The loop that this task tests instead of calling `body`, or `noLoop`.
  uint32_t testedLoop = noLoop;
  static constexpr uint32_t noLoop = UINT32_MAX;
  /// The task with the contributions that it folds; null: it is a task of the
  /// program.
  const char *foldOf = nullptr;
  /// Instead of calling `body`, it is begun, and ends externally.
  bool isOutside = false;
};

/// The latest run of `task` must have ended: in this execution of `block`, or
/// in the previous one.
struct TablePredecessor {
  uint32_t task;
  uint32_t block : 31;
  uint32_t isPrevious : 1;
};

/// The serial order: blocks of tasks and the loops around them.
struct TableStep {
  enum Kind : uint32_t {
    Block,     ///< run the tasks of block `index`
    LoopBegin, ///< enter loop `index`; without iterations continue at `target`
    Test,      ///< leave loop `index` for `target` if its test says so
    LoopEnd,   ///< next iteration at `target`, or continue
    End
  };
  Kind kind;
  uint32_t index = 0;
  uint32_t target = 0;
  int64_t count = 0; ///< maximum number of iterations
};

/// The test of a loop before each iteration, if any.
struct TableLoop {
  uint32_t testTask = UINT32_MAX;
  bool (*goesOn)(const void *context) = nullptr;
  const void *context = nullptr;
};

struct TaskTable {
  const char *name = "";
  std::vector<TableTask> tasks;
  std::vector<TablePredecessor> predecessors;
  /// Tasks of each block: the range [firstTask[b], firstTask[b + 1]).
  std::vector<uint32_t> firstTask{0};
  std::vector<TableStep> steps;
  std::vector<TableLoop> loops;
  /// Tasks that end externally; null: there are none.
  OutsideTasks *outside = nullptr;

  uint32_t numBlocks() const {
    return static_cast<uint32_t>(firstTask.size() - 1);
  }
  std::span<const TablePredecessor> predecessorsOf(uint32_t task) const {
    return {predecessors.data() + tasks[task].firstPredecessor,
            tasks[task].numPredecessors};
  }
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_TASKTABLE_H
