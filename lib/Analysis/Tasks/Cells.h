//===- Cells.h - Parts as sets of cells -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements that belong to the same parts are equivalent. Such a class of
// elements is a cell. Parts are sets of cells, and cells are disjoint. The
// region check treats each cell as a separate object, so that nothing is left
// to prove.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_TASKS_CELLS_H
#define SLUICE_LIB_ANALYSIS_TASKS_CELLS_H

#include "TaskAccesses.h"

#include <optional>

namespace sluice {

/// The cells of one dataset.
struct Cells {
  /// By part: numbers of cells.
  std::vector<std::vector<uint64_t>> byPart;
};

/// Nullopt if the parts have more than `limit` cells in total, or if finding
/// them takes about as many steps.
std::optional<Cells> findCells(const TaskData &data, int64_t limit);

} // namespace sluice

#endif // SLUICE_LIB_ANALYSIS_TASKS_CELLS_H
