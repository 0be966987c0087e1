//===- RemoteGraphs.h - Graphs on several ranks ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rank 0 runs the host program. A launch of a graph that ranks may share goes
// to all of them. Memory that others have is fetched when the host, or a node
// that only rank 0 runs, requests it.
//
//
// Room: the executor's back end for several ranks. Covers launches and the
// resulting orders for all ranks, the shares of each node, transfers of bytes,
// and the loop in which ranks other than rank 0 serve. May include Base,
// Cluster, Scheduling, Memory, Plan, Trace and Execution.
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
/// start. This order is the same everywhere, so no two ranks wait for each
/// other. Launches that run only on rank 0 continue at the same time.
class RemoteGraphs {
public:
  RemoteGraphs(RankLink &link, Executor &executor);
  ~RemoteGraphs();

  // Memory, as declared by the host program.

  Status track(const void *pointer, uint64_t size);
  /// Fetches the memory first.
  Status untrack(const void *pointer);
  /// Does not fetch the memory.
  void drop(const void *pointer);
  /// Makes rank 0 have `size` bytes, some of which may be untracked. If it
  /// `writes` them, other copies become stale.
  Status bringHome(uintptr_t start, uint64_t size, bool writes);
  /// The same for the object that contains the address.
  Status bringObjectHome(uintptr_t address, bool writes);
  /// The same for all tracked memory.
  Status bringAllHome(bool writes);
  /// Fetches all memory except what overlaps `ended`, whose current content is
  /// unknown; then nothing is tracked any more. This is the last call except
  /// for launches that were not waited for, which fail.
  Status finish(ByteRange ended);

  // Launches.

  /// The back end of the instance if its next start should be on all ranks.
  BackEnd *backEndOf(GraphInstance &instance);
  /// The back end of an item of a stream with stages on several ranks. It
  /// begins when its predecessors have ended. Items that have begun are in
  /// order, so later items need not wait for them.
  BackEnd *stagesOf(GraphInstance &instance);
  /// Reports once which nodes ranks would share if devices did not run them.
  void remarkOnDevices(const PlanInfo &info);
  uint32_t numRanks() const { return link.numRanks(); }
  /// Whether an order is being executed, so that other ranks wait.
  bool isBusy() const { return busy.load(std::memory_order_relaxed); }

private:
  class SharedGraph;
  class StagedGraph;
  class Runner;
  /// An instance that is waiting to run.
  struct Queued {
    GraphInstance *instance = nullptr;
    bool isItem = false;
  };
  /// Information on the stages of a plan.
  struct Stages {
    uint32_t numMeasured = 0;
    /// The minimum time of each node for an item.
    std::vector<uint64_t> times;
    StageMap map;
  };
  /// An item with its last stage on another rank.
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
  /// Guards the following members and the link.
  std::mutex mutex;
  RankState state;
  OrderList orders;
  /// No more orders are sent to the ranks.
  bool isLeft = false;
  std::set<const SluicePlanNode *> remarked;
  std::atomic<bool> busy{false};
  std::mutex queueMutex;
  std::deque<Queued> queue;
  bool hasRunner = false;
  StageMail mail;
  uint64_t numItems = 0;
  std::map<const PlanInfo *, Stages> stages;
  // Used only by the runner.
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
