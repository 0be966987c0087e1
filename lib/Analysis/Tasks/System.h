//===- System.h - Tasks as regions ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks of lib/Analysis/Regions know tasks, objects and orders, but no
// datasets. These functions express a task graph in these terms.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_TASKS_SYSTEM_H
#define SLUICE_LIB_ANALYSIS_TASKS_SYSTEM_H

#include "TaskAccesses.h"

#include "sluice/Analysis/TaskOrder.h"

namespace sluice {

struct PartSystem {
  regions::TaskSystem system;
  /// By range: the exact elements, which its span cannot express.
  std::vector<Part> parts;

  /// What checkTasks asks.
  regions::Answer answer(const regions::Meeting &meeting) const;
};

/// The tasks with every cell (Cells.h) as an object; all uses of one object
/// meet.
struct CellSystem {
  regions::TaskSystem system;
  /// By object: the index of the data that it is a cell of.
  std::vector<unsigned> data;
};

/// `accesses` belong to the tasks of `order`. Nullopt if there are too many
/// cells.
std::optional<CellSystem> cellSystem(const TaskOrder &order,
                                     const TaskAccesses &accesses);
PartSystem partSystem(const TaskOrder &order, const TaskAccesses &accesses);

} // namespace sluice

#endif // SLUICE_LIB_ANALYSIS_TASKS_SYSTEM_H
