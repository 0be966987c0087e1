//===- System.h - Tasks as regions ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks of lib/Analysis/Regions know tasks, objects and orders, but no
// datasets. These functions write a task graph in their terms.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_TASKS_SYSTEM_H
#define SLUICE_LIB_ANALYSIS_TASKS_SYSTEM_H

#include "Accesses.h"

#include "sluice/Analysis/Tasks.h"

namespace sluice {

struct PartSystem {
  regions::TaskSystem system;
  /// By range: what its span cannot say, the elements themselves.
  std::vector<Part> parts;

  /// What checkTasks asks.
  regions::Answer answer(const regions::Meeting &meeting) const;
};

/// The tasks with every cell (Cells.h) as an object; uses of one object meet.
struct CellSystem {
  regions::TaskSystem system;
  /// By object: the index of what it is a cell of.
  std::vector<unsigned> data;
};

/// `accesses` are those of the tasks of `order`. Nullopt if that has too many
/// cells.
std::optional<CellSystem> cellSystem(const TaskOrder &order,
                                     const TaskAccesses &accesses);
PartSystem partSystem(const TaskOrder &order, const TaskAccesses &accesses);

} // namespace sluice

#endif // SLUICE_LIB_ANALYSIS_TASKS_SYSTEM_H
