//===- PlaceTasks.h - Which rank runs which task --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ranks decide alike, from what one of them has told the others.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_RANKS_PLACETASKS_H
#define SLUICE_RUNTIME_TASKS_RANKS_PLACETASKS_H

#include "TaskMap.h"

#include <string>
#include <string_view>

namespace sluice::tasks {

/// What a place is chosen by.
struct PlacingFacts {
  uint32_t numRanks = 1;
  /// Of each rank.
  uint32_t numWorkers = 1;
  /// By task: nanoseconds that it took before; 0: not known.
  std::vector<uint64_t> times;
  /// By task: the rank that it has to run on, or `anywhere`.
  std::vector<uint32_t> wanted;
  static constexpr uint32_t anywhere = UINT32_MAX;
};

/// Lines "TASK RANK" of a file, or comments that begin with '#'; tasks that are
/// not named may be anywhere. `name` is the file's, for errors.
Result<std::vector<uint32_t>> readPlaces(const SluiceTaskProgram &program,
                                         std::string_view text,
                                         const std::string &name,
                                         uint32_t numRanks);

/// Adds what tasks need themselves: rank 0 for those that say so, that use
/// files or that write no dataset, and one rank for all that use the same
/// object. An error: `wanted` has them elsewhere.
Status addNeeds(const SluiceTaskProgram &program,
                std::vector<uint32_t> &wanted);

/// The rank of each task: where it ends first, going from the tasks that most
/// other work waits for to those that least does. `facts.wanted` has been
/// through addNeeds.
std::vector<uint32_t> placeTasks(const SluiceTaskProgram &program,
                                 const TaskMap &map, const PlacingFacts &facts);

/// The object that stands for all objects that tasks tie to `data`; by dataset.
std::vector<uint32_t> tiedObjects(const SluiceTaskProgram &program);

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_RANKS_PLACETASKS_H
