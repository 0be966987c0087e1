//===- PlacedGraph.h - Running an instance on several places --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the executor for instances with nodes that run on devices, or use
// memory on devices.
//
//
// Room: the executor's back end for devices. Covers a node from the time when
// it may begin to its kernel in a queue, transfers of its values and memory,
// and its end; repeated launches; and ends that need not be reported. May
// include Base, Device, Scheduling, Memory, Plan, Execution, Devices and
// Placement.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLACEDGRAPHS_PLACEDGRAPH_H
#define SLUICE_RUNTIME_PLACEDGRAPHS_PLACEDGRAPH_H

#include "../Execution/BackEnd.h"
#include "../Placement/Placement.h"
#include "DeviceRun.h"
#include "OwnMemory.h"
#include "QuietEnds.h"
#include "RepeatedLaunch.h"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace sluice {

class Executor;
class MemoryTracker;

/// The parts of the runtime that placed graphs use.
struct PlacedServices {
  Executor &executor;
  DeviceSet &devices;
  Placement &placement;
  MemoryTracker &tracker;
  QuietEnds &quietEnds;
};

/// A node has two ends:
///  1. *Issued*: its kernel is in the queue of a device. Nodes on the same
///     device that wait for it may be issued, too: the queue keeps the order.
///     For host nodes that follow it one to one, a node of the host counts as
///     issued: the executor keeps the order of their chunks.
///     Between all other nodes one-to-one orders count as all-to-all.
///  2. *Ended*: the node and all its predecessors have ended, and those of its
///     values that the host needs have been fetched. Nodes elsewhere may open.
/// A node of the host is opened when its predecessors have ended, and runs when
/// the memory and the values that it uses are on the host. No thread waits for
/// a transfer: the device's reply becomes a task. If a node fails on a device,
/// so have the nodes that were issued after it because of it. All of them run
/// again on the host. A shared node runs in parts, one per device; it has ended
/// when all parts have.
class PlacedGraph final : public BackEnd, public QuietEnd {
public:
  PlacedGraph(GraphInstance &instance, const PlacedServices &services);
  ~PlacedGraph() override;

  /// The places of the nodes for the next start.
  std::vector<NodePlace> places;

  /// Call it when the frame contains the arguments and `places` are chosen.
  /// Prepares for memory that is not tracked; nodes that cannot run at their
  /// places stay on the host. Returns true if there is anything to do here.
  bool settlePlaces();
  /// Sets the instance's places.
  void prepare(std::span<const uint32_t> numArrivals) override;
  void start(Worker *worker) override;
  void arrive(Worker *worker, uint32_t node) override;
  WorkItem nodeEnded(Worker &worker, uint32_t node) override;

  // Called by the thread that took the graph from QuietEnds.

  void report() override;
  void waitHere() override;

private:
  enum class State {
    Waiting, ///< for other nodes
    Ready,   ///< to be opened, or to continue on the host
    Opening, ///< a thread issues it, or begins to fetch its data
    Running, ///< on the host
    Issued,  ///< on a device
    Done,    ///< has ended, but its predecessors have not
    Failed,  ///< runs again when other failed nodes have ended, too
    Ended
  };
  struct Node {
    State state = State::Waiting;
    MemoryPlace place = hostPlace;
    /// The place where it was issued, so that nodes there did not wait for its
    /// end.
    MemoryPlace issuedAt = hostPlace;
    /// It waits for values of nodes on devices to be fetched, or is shared.
    bool needsEnds = false;
    /// The device, or a predecessor, has failed since it was issued.
    bool hasFailed = false;
    /// Some of its launches could not be made.
    bool isPartlyIssued = false;
    /// The data that it needs is on the host.
    bool isFetched = false;
    /// Predecessors that have not ended. NodeRun::pending counts the events for
    /// which the node waits before it opens; this happens earlier if a queue
    /// keeps the order. This number counts the events before its end may be
    /// reported.
    uint32_t endWaits = 0;
    /// It runs on the host, in chunks that follow those of other such nodes.
    bool isChained = false;
    /// Parts that have not ended, plus one while the node is being issued.
    uint32_t numUnderWay = 0;
    /// A counter of what the instance issued.
    uint64_t issueNumber = 0;
    /// Only set if times are requested.
    uint64_t openedAt = 0, endedAt = 0;
    /// The parts; one unless the node is shared.
    std::vector<DeviceRun> runs{1};

    void clearRuns() {
      runs.resize(1);
      runs.front().clear();
    }
  };
  /// A part of a node in progress.
  struct Part {
    uint32_t node;
    uint32_t run;
  };
  class Batch;
  class Fetch;
  class Homecoming;
  using Lock = std::unique_lock<std::mutex>;
  /// The actions of a thread between its first and its last look at the graph.
  struct Visit {
    Worker *worker;
    /// A task for the thread to continue with.
    WorkItem task;
    /// Parts issued on one device whose end is not reported yet.
    OpenDevice *device = nullptr;
    std::vector<Part> issued = {};
    /// Nodes whose end the instance's owner has not been told.
    std::vector<uint32_t> ended = {};
    /// The thread may wait for the instance's operations in progress.
    bool mayBlock = false;
  };
  template <typename Update> WorkItem visit(Worker *worker, Update &&update);
  void openAll(Lock &lock, Visit &visit);
  void finish(const Visit &visit);
  void close(Worker *worker);
  void push(Visit &visit, WorkItem task);

  template <typename Visitor>
  void visitSuccessors(uint32_t node, Visitor &&visitor);
  void countOpenWait(uint32_t node);
  bool isReleasedEarly(const Node &before, const Node &after,
                       bool isOneToOne) const;
  void chainNodes();
  void setReady(uint32_t node);
  void setIssued(uint32_t node);
  void setDone(Visit &visit, uint32_t node);
  void reportEnded(Visit &visit);
  void addTiming(uint32_t node);
  void failIssued(uint32_t node);
  void partEnded(Visit &visit, uint32_t node);
  void setFailed(uint32_t node);
  void rollBack();
  void moveToHost(uint32_t node);
  bool mustBeToldOf(uint32_t node);
  void notifyIssued(Visit &visit);
  bool isAllThatIsLeft(const std::vector<Part> &parts);
  void askForEnd(Visit *visit, std::unique_ptr<Batch> batch);
  std::vector<uint32_t> findFailed(OpenDevice &device,
                                   const std::vector<Part> &parts);
  void endIssued(Visit &visit, const std::vector<Part> &parts,
                 const std::vector<uint32_t> &failed);
  void endAll(Visit &visit);

  // Opening: OpenPlaced.cpp.
  void open(Visit &visit, uint32_t node);
  bool openOnDevice(Visit &visit, uint32_t node);
  bool issuePart(Visit &visit, uint32_t node, uint32_t part,
                 const DeviceShare &share);
  void issueEnded(Visit &visit, uint32_t node, bool isGood);
  std::vector<DeviceShare> sharesOf(uint32_t node);
  MemoryPlace placeToRepeat() const;
  RepeatedLaunch::Step chooseRepeatStep();
  bool issueRepeated(Visit &visit);
  void setMadeOnDevice(uint32_t node);
  Status goOnWith(uint32_t node);
  void giveUpIssue(uint32_t node);
  void openOnHost(Visit &visit, uint32_t node);
  void runOnHost(Visit &visit, uint32_t node);
  Status beginFetches(Fetch &fetch);
  Status notifyFetches(Fetch &fetch, uint64_t computeQueues,
                       uint64_t downloadQueues);
  Status lostValue(uint32_t value, OpenDevice &device,
                   const Status &status) const;
  Status useMemory(const NodeRun &run);
  WorkItem fetchesEnded(Worker &worker, uint32_t node);
  void failNode(uint32_t node, const Status &status);
  std::vector<uint32_t> valuesWantedHome(uint32_t node);
  MemoryAccess accessOf(const PointerUse &use) const;

  GraphInstance &instance;
  const PlacedServices services;
  const DevicePlan plan;
  DeviceValues values;
  OwnMemory ownMemory;
  RepeatedLaunch repeated;
  RepeatedLaunch::Step repeatStep = RepeatedLaunch::Step::Ignore;
  std::mutex mutex;
  std::vector<Node> nodes;
  std::deque<uint32_t> ready;
  /// The lists of NodeRun::chained, node by node.
  std::vector<uint32_t> chained;
  /// The batch represented in QuietEnds.
  std::unique_ptr<Batch> quietBatch;
  /// Nodes that failed and have ended, in this order.
  std::vector<uint32_t> failedNodes;
  uint32_t numFailing = 0; ///< nodes that failed and have not ended
  std::atomic<uint64_t> numIssued{0};
  bool isTimed = false;   ///< the time of some node is requested
  bool isCounted = false; ///< the number of kernels in flight is requested
  uint32_t numEnded = 0;
  uint32_t numVisits = 0;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLACEDGRAPHS_PLACEDGRAPH_H
