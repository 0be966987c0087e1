//===- TaskRanks.h - The ranks of a task graph ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The agreement of an executable's ranks before a run: which rank runs which
// task. Rank 0 distributes its data: the times of earlier runs, which it keeps
// in the cache, and places from a file.
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
  /// File with a line "TASK RANK" for each task; empty: none.
  std::string placeFile;
};

/// If MPI has started this process as one of several ranks, makes it a rank
/// until it ends. All ranks must run the same program. An error that all ranks
/// find is returned only on rank 0.
Status openTaskRanks(const SluiceTaskProgram &program, std::string placeFile);
/// Null if the process runs alone.
const TaskRanks *taskRanks();
/// An error has been printed: this rank needs no further message when it ends.
void noteNamedFailure();
/// All tasks have run, and the process may end without ending other ranks.
void endTaskRanks();

/// All ranks call this with the same `map`, or with the same error instead;
/// otherwise rank 0's data counts. Returns false if rank 0 passed `isAlone` and
/// runs all tasks. Errors are returned only on rank 0; others wait until it
/// ends them.
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
