//===- TaskRanks.h - The ranks of a task graph ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ranks of an executable agree on before a run: who runs which task.
// Rank 0 says what it knows: the times of earlier runs, which it keeps in the
// cache, and places that a file gives.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_RANKS_TASKRANKS_H
#define SLUICE_RUNTIME_TASKS_RANKS_TASKRANKS_H

#include "PlaceTasks.h"

#include "sluice-c/Cluster.h"

#include <string>
#include <vector>

namespace sluice::tasks {

/// The ranks of this process's task graph.
struct TaskRanks {
  const SluiceCluster &cluster;
  /// "TASK RANK" in each line; empty: none.
  std::string placeFile;
};

/// Becomes one of several ranks if MPI has started this process as such, until
/// it ends. Each of them is to run the same program.
/// An error that all ranks find comes to rank 0 alone.
Status openTaskRanks(const SluiceTaskProgram &program, std::string placeFile);
/// Null: the process runs alone.
const TaskRanks *taskRanks();
/// What goes wrong has been said: the end of this rank needs no words more.
void noteNamedFailure();
/// All tasks have run, and the process may end without taking others along.
void endTaskRanks();

/// All ranks call this with the same `map`, or the same error instead; of what
/// else they say, rank 0's counts. False: it said `isAlone`, and is to run all
/// tasks. Errors come to rank 0 alone; others wait for it to end them.
Result<bool> agreeOnPlaces(const TaskRanks &ranks,
                           const SluiceTaskProgram &program,
                           Result<TaskMap> &map, uint32_t numWorkers,
                           bool isAlone, std::vector<uint32_t> &places);

/// All ranks call this after a run: `times` are the nanoseconds that tasks took
/// here; 0: they ran elsewhere. Rank 0 keeps them for later runs.
void keepTimes(const SluiceCluster &cluster, const SluiceTaskProgram &program,
               std::vector<uint64_t> times);

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_RANKS_TASKRANKS_H
