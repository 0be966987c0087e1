//===- RankedRun.h - The tasks of one rank --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One instance of the plan, in which tasks of other ranks are nodes that do
// nothing. Nodes wait for messages through calls of Executor::arrive, and
// messages begin when tasks have ended. No thread waits for a message: a worker
// that has nothing else to do polls messages in progress.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_RANKS_RANKEDRUN_H
#define SLUICE_RUNTIME_TASKS_RANKS_RANKEDRUN_H

#include "../../Cluster/Messages.h"
#include "../../Execution/BackEnd.h"
#include "../../Execution/Executor.h"
#include "../../Host/HostRuntime.h"
#include "../Datasets.h"
#include "TaskMessages.h"

#include <memory>
#include <optional>

namespace sluice::tasks {

class RankedRun final : public InstanceOwner, private OutsideTask {
public:
  /// Task t runs on rank `ranks[t]`.
  RankedRun(const SluiceTaskProgram &program, Datasets &datasets,
            Runtime &runtime, const SluiceCluster &cluster, TaskMap map,
            std::vector<uint32_t> ranks);

  bool isHere(uint32_t task) const { return ranks[task] == cluster.rank; }
  /// The number of tasks and messages of this rank that use each dataset.
  const std::vector<uint32_t> &numUses() const { return orders.numUses; }

  /// Runs the tasks of this rank; may be called once. `arguments`: the packed
  /// arguments of the plan. After an error other ranks wait for this rank, and
  /// messages may be in progress.
  Status execute(const void *arguments);

private:
  void instanceEnded(Worker *worker) override;
  void nodeEnded(Worker *worker, uint32_t node) override;
  WorkItem run(Worker &worker) override;

  void keepOthersOut();
  Status addMessages();
  void arriveAt(Worker *worker, const std::vector<uint32_t> &messages);
  void begin(uint32_t message);
  void messageEnded(Worker &worker, uint32_t message);
  void releaseTasks(Worker *worker, uint32_t message);
  void lookForMessages();
  bool isOver() const;

  /// For the timeline: the begin of a message, and its number there.
  struct MessageTime {
    uint64_t number = 0, begun = 0;
  };
  std::vector<MessageTime> times;
  const SluiceTaskProgram &program;
  Datasets &datasets;
  Runtime &runtime;
  const SluiceCluster &cluster;
  const TaskMap map;
  const std::vector<uint32_t> ranks;
  RankOrders orders;
  /// The plan of this rank.
  std::vector<SluicePlanNode> nodes;
  SluicePlan plan;
  Messages messages;
  std::optional<GraphInstance> instance;
  /// By message: the number of events for which it still waits, and whether its
  /// successors know that it has ended.
  std::unique_ptr<std::atomic<uint32_t>[]> waits;
  std::unique_ptr<std::atomic<bool>[]> isKnown;
  std::atomic<uint32_t> numUnended{0};
  /// Polls in which no message ended.
  uint32_t numVainLooks = 0;
  /// The state for which `execute` waits. After signalling it, a thread must
  /// not access anything else, because the rest may no longer exist.
  struct End {
    std::atomic<bool> hasEnded{false}; ///< the instance
    /// How many polls were requested since no worker was polling; 0: no worker
    /// polls.
    std::atomic<uint32_t> numLooks{0};
    WaitPoint changed;
  };
  const std::shared_ptr<End> end = std::make_shared<End>();
};

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_RANKS_RANKEDRUN_H
