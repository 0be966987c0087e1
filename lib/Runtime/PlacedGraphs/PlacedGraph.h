//===- PlacedGraph.h - Running an instance over several places ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the executor for instances whose nodes run on devices, or use
// memory that is there.
//
//
// Room: the executor's back end for devices. From a node that may begin to its
// kernel in a queue, its values and memory on their way, and its end; launches
// that repeat each other; ends that nobody has to be told of. May include Base,
// Device, Scheduling, Memory, Plan, Execution, Devices and Placement.
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

/// What placed graphs use of the runtime.
struct PlacedServices {
  Executor &executor;
  DeviceSet &devices;
  Placement &placement;
  MemoryTracker &tracker;
  QuietEnds &quietEnds;
};

/// A node has two ends:
///
///  1. *Issued*: its kernel is in the queue of a device. Nodes on the same
///     device that wait for it may be issued, too: the queue keeps the order.
///     A node of the host is as good as issued for those of the host that
///     follow it one to one: the executor keeps the order of their chunks.
///     Between all others one-to-one orders count as all-to-all.
///  2. *Ended*: it and all before it have ended, and those of its values are
///     home that somebody there needs. Nodes elsewhere may be opened.
///
/// A node of the host is opened when the nodes before it have ended, and runs
/// when the memory and the values it uses are there. Nobody waits for a
/// transfer: the device's answer becomes a task.
///
/// If a node fails on a device, so have those that were issued after it
/// because of it. All of them run again on the host.
///
/// A node that is shared runs in parts, one per device; it has ended when all
/// of them have.
class PlacedGraph final : public BackEnd, public QuietEnd {
public:
  PlacedGraph(GraphInstance &instance, const PlacedServices &services);
  ~PlacedGraph() override;

  /// Where the nodes of the next start run.
  std::vector<NodePlace> places;

  /// When the arguments stand in the frame and `places` are chosen: prepares
  /// for memory that is not tracked, and nodes that cannot go where they should
  /// stay on the host. True if something is left to do here.
  bool settlePlaces();
  /// Makes the places those of the instance.
  void prepare(std::span<const uint32_t> numArrivals) override;
  void start(Worker *worker) override;
  void arrive(Worker *worker, uint32_t node) override;
  WorkItem nodeEnded(Worker &worker, uint32_t node) override;

  // By who took the graph from QuietEnds.

  void report() override;
  void waitHere() override;

private:
  enum class State {
    Waiting, ///< for other nodes
    Ready,   ///< to be opened, or on the host to go on
    Opening, ///< a thread issues it, or begins to fetch what it needs
    Running, ///< on the host
    Issued,  ///< on a device
    Done,    ///< has ended, but nodes before it have not
    Failed,  ///< runs again when others that failed have ended, too
    Ended
  };
  struct Node {
    State state = State::Waiting;
    MemoryPlace place = hostPlace;
    /// Where it was issued, so that nodes there did not wait for its end.
    MemoryPlace issuedAt = hostPlace;
    /// Waits for values of nodes on devices to come home, or is shared.
    bool needsEnds = false;
    /// The device failed since it was issued, or a node before it.
    bool hasFailed = false;
    /// Not all of its launches could be made.
    bool isPartlyIssued = false;
    /// What it needs on the host is there.
    bool isFetched = false;
    /// Predecessors that have not ended. NodeRun::pending counts what it waits
    /// for before it opens, which happens earlier where a queue keeps the
    /// order; this, what it waits for before its end may be told.
    uint32_t endWaits = 0;
    /// Runs on these cores, in chunks that follow those of other such nodes.
    bool isChained = false;
    /// Parts that have not ended, and one while the node is issued.
    uint32_t numUnderWay = 0;
    /// Counts what the instance issued.
    uint64_t issueNumber = 0;
    /// Only where times are wanted.
    uint64_t openedAt = 0, endedAt = 0;
    /// The parts; one unless the node is shared.
    std::vector<DeviceRun> runs{1};

    void clearRuns() {
      runs.resize(1);
      runs.front().clear();
    }
  };
  /// A part of a node that is under way.
  struct Part {
    uint32_t node;
    uint32_t run;
  };
  class Batch;
  class Fetch;
  class Homecoming;
  using Lock = std::unique_lock<std::mutex>;
  /// What a thread does between its first and its last look at the graph.
  struct Visit {
    Worker *worker;
    /// For the thread to go on with.
    WorkItem task;
    /// What was issued on one device, whose end nobody is to report yet.
    OpenDevice *device = nullptr;
    std::vector<Part> issued = {};
    /// Nodes whose end the instance's owner was not told.
    std::vector<uint32_t> ended = {};
    /// The thread may wait for what the instance leaves under way.
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
  /// Where NodeRun::chained stand, node by node.
  std::vector<uint32_t> chained;
  /// What QuietEnds stands for.
  std::unique_ptr<Batch> quietBatch;
  /// Nodes that failed and have ended, in this order.
  std::vector<uint32_t> failedNodes;
  uint32_t numFailing = 0; ///< nodes that failed and have not ended
  std::atomic<uint64_t> numIssued{0};
  bool isTimed = false;   ///< some node's time is wanted
  bool isCounted = false; ///< somebody wants to know how busy devices are
  uint32_t numEnded = 0;
  uint32_t numVisits = 0;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLACEDGRAPHS_PLACEDGRAPH_H
