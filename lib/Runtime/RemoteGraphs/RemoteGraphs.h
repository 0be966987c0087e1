//===- RemoteGraphs.h - Graphs on several ranks ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rank 0 runs the host program. A launch of a graph that ranks may share goes
// to all of them, and memory that others have comes home when the host, or a
// node that only rank 0 runs, asks for it.
//
//
// Room: the executor's back end for several ranks. From a launch to the order
// that all ranks get, who runs what of each node, which bytes move, and the
// loop in which ranks other than rank 0 serve. May include Base, Cluster,
// Scheduling, Memory, Plan, Trace and Execution.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REMOTEGRAPHS_REMOTEGRAPHS_H
#define SLUICE_RUNTIME_REMOTEGRAPHS_REMOTEGRAPHS_H

#include "../Execution/BackEnd.h"
#include "GraphRun.h"
#include "Orders.h"
#include "StagedItem.h"

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>

namespace sluice {

/// On rank 0. Any thread may call these functions.
///
/// Launches run on all ranks one after another, in the order in which they
/// start: that order is the same everywhere, so no two ranks wait for each
/// other. Those that only rank 0 runs go on beside them.
class RemoteGraphs {
public:
  RemoteGraphs(RankLink &link, Executor &executor);
  ~RemoteGraphs();

  // Memory, as the host program tells it.

  Status track(const void *pointer, uint64_t size);
  /// Brings it home before.
  Status untrack(const void *pointer);
  /// Does not.
  void drop(const void *pointer);
  /// Makes rank 0 have `size` bytes, of which not all need be tracked. If it
  /// `writes` them, other copies are old from now on.
  Status bringHome(uintptr_t start, uint64_t size, bool writes);
  /// The same for the object that has the address.
  Status bringObjectHome(uintptr_t address, bool writes);
  /// The same for all that is tracked.
  Status bringAllHome(bool writes);
  /// Brings all memory home but what overlaps `ended`, of which nobody knows
  /// what is there now; nothing is tracked any more. The last call but for
  /// launches that were not waited for, which fail.
  Status finish(ByteRange ended);

  // Launches.

  /// Whether the next start of the instance is to be one on all ranks: then its
  /// back end.
  BackEnd *backEndOf(GraphInstance &instance);
  /// The back end of an item of a stream, whose stages are to be on several
  /// ranks. It begins when what it waits for has ended. Items that were begun
  /// are in order, so nothing behind waits for them.
  BackEnd *stagesOf(GraphInstance &instance);
  /// Says, once, which nodes ranks would share if devices did not run them.
  void remarkOnDevices(const PlanInfo &info);
  uint32_t numRanks() const { return link.numRanks(); }
  /// Whether an order is being carried out, so that other ranks wait.
  bool isBusy() const { return busy.load(std::memory_order_relaxed); }

private:
  class SharedGraph;
  class StagedGraph;
  class Runner;
  /// An instance that is to run.
  struct Queued {
    GraphInstance *instance = nullptr;
    bool isItem = false;
  };
  /// What is known of the stages of a plan.
  struct Stages {
    uint32_t numMeasured = 0;
    /// Of each node, the least for an item.
    std::vector<uint64_t> times;
    StageMap map;
  };
  /// An item whose last stage is elsewhere.
  struct Pending {
    GraphInstance *instance;
    std::vector<uintptr_t> pointers;
    StageMap map;
    uint64_t number;
    char hasFailed = 0;
  };
  using Lock = std::unique_lock<std::mutex>;

  void trackLocked(ByteRange object);
  Status untrackLocked(ByteRange object);
  void dropLocked(ByteRange object);
  std::vector<ByteRange> untrackedMemory(const GraphInstance &instance) const;
  Status bringHomeLocked(ByteRange bytes, bool writes);
  Status bringAllHomeLocked(bool writes);
  Status send();
  void enqueue(Queued next);
  void runQueue(Worker &worker);
  void runLaunch(GraphInstance &instance);
  StageMap chooseStages(Stages &stages, const StagedItem &item) const;
  bool startItem(GraphInstance &instance);
  bool finishItems(Worker &worker);
  void tellStageError(GraphInstance &instance, uint64_t number);
  void remarkOn(const SluicePlanNode &node, const ShareReason &reason);

  RankLink &link;
  Executor &executor;
  /// What follows, and the link.
  std::mutex mutex;
  RankState state;
  OrderList orders;
  /// The ranks are told nothing any more.
  bool isLeft = false;
  std::set<const SluicePlanNode *> remarked;
  std::atomic<bool> busy{false};
  std::mutex queueMutex;
  std::deque<Queued> queue;
  bool hasRunner = false;
  StageMail mail;
  uint64_t numItems = 0;
  std::map<const PlanInfo *, Stages> stages;
  // The runner's own.
  std::deque<Pending> pending;
  uint64_t numFinished = 0;
  unsigned numVainLooks = 0;
  std::unique_ptr<Runner> runner;
  std::mutex graphsMutex;
  std::map<GraphInstance *, std::unique_ptr<SharedGraph>> graphs;
  std::map<GraphInstance *, std::unique_ptr<StagedGraph>> staged;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_REMOTEGRAPHS_H
