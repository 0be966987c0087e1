//===- PlaceTasks.h - Assigning tasks to ranks ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ranks decide in the same way, from data that one of them has distributed.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_RANKS_PLACETASKS_H
#define SLUICE_RUNTIME_TASKS_RANKS_PLACETASKS_H

#include "TaskMap.h"

#include <string>
#include <string_view>

namespace sluice::tasks {

/// The inputs for assigning tasks.
struct PlacingFacts {
  uint32_t numRanks = 1;
  /// For each rank.
  uint32_t numWorkers = 1;
  /// By task: its time in earlier runs in nanoseconds; 0: not known.
  std::vector<uint64_t> times;
  /// By task: the required rank, or `anywhere`.
  std::vector<uint32_t> wanted;
  static constexpr uint32_t anywhere = UINT32_MAX;
};

/// Parses a file with lines "TASK RANK" and comments that begin with '#';
/// unnamed tasks may be anywhere. `name` is the file name for errors.
Result<std::vector<uint32_t>> readPlaces(const SluiceTaskProgram &program,
                                         std::string_view text,
                                         const std::string &name,
                                         uint32_t numRanks);

/// Adds the tasks' own requirements: rank 0 for tasks that request it, that use
/// files or that write no dataset, and one rank for all tasks that use the same
/// object. It is an error if `wanted` places them elsewhere.
Status addNeeds(const SluiceTaskProgram &program,
                std::vector<uint32_t> &wanted);

/// The rank of each task: the one on which it finishes first, starting with the
/// tasks with the most dependent work. `facts.wanted` must have been processed
/// by addNeeds.
std::vector<uint32_t> placeTasks(const SluiceTaskProgram &program,
                                 const TaskMap &map, const PlacingFacts &facts);

/// The object that represents all objects that tasks tie to `data`; by dataset.
std::vector<uint32_t> tiedObjects(const SluiceTaskProgram &program);

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_RANKS_PLACETASKS_H
