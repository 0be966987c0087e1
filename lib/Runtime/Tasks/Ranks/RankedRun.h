//===- RankedRun.h - The tasks of one rank --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One instance of the plan, in which tasks of other ranks are nodes that do
// nothing. Nodes wait for messages by calls of Executor::arrive, and messages
// begin when tasks have ended. No thread waits for a message: a worker that has
// nothing else to do looks for those that are under way.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_RANKS_RANKEDRUN_H
#define SLUICE_RUNTIME_TASKS_RANKS_RANKEDRUN_H

#include "../../Cluster/Messages.h"
#include "../../Execution/BackEnd.h"
#include "../../Execution/Executor.h"
#include "../../Host/Runtime.h"
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
  /// Tasks and messages of this rank that use a dataset.
  const std::vector<uint32_t> &numUses() const { return orders.numUses; }

  /// Once: runs the tasks of this rank. `arguments`: of the plan, packed. After
  /// an error others wait for this rank, and messages may be under way.
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

  /// For the timeline: when a message began, and its number there.
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
  /// By message: what it still waits for, and whether what waits for it knows
  /// of its end.
  std::unique_ptr<std::atomic<uint32_t>[]> waits;
  std::unique_ptr<std::atomic<bool>[]> isKnown;
  std::atomic<uint32_t> numUnended{0};
  /// Looks without a message that ended.
  uint32_t numVainLooks = 0;
  /// What `execute` waits for. Who tells it so touches nothing else from then
  /// on: the rest may be gone.
  struct End {
    std::atomic<bool> hasEnded{false}; ///< the instance
    /// How often a look was asked for since there was no worker that looks; 0:
    /// none does.
    std::atomic<uint32_t> numLooks{0};
    WaitPoint changed;
  };
  const std::shared_ptr<End> end = std::make_shared<End>();
};

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_RANKS_RANKEDRUN_H
