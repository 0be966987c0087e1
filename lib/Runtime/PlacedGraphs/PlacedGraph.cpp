//===- PlacedGraph.cpp - Running an instance on several places ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dependences between nodes, and the handling of their ends. OpenPlaced.cpp
// opens nodes.
//
// Threads visit the graph: they change its state under its lock, open ready
// nodes without the lock, and leave. The last thread that leaves after all
// nodes have ended ends the instance.
//
//===----------------------------------------------------------------------===//

#include "PlacedGraph.h"

#include "../Execution/Executor.h"
#include "../Scheduling/Clock.h"

#include <algorithm>
#include <cassert>
#include <numeric>

using namespace sluice;

PlacedGraph::PlacedGraph(GraphInstance &instance,
                         const PlacedServices &services)
    : places(instance.info.nodes.size()), instance(instance),
      services(services), plan(instance.info), values(instance, plan),
      ownMemory(services.tracker), nodes(instance.info.nodes.size()) {}

//===----------------------------------------------------------------------===//
// Starting
//===----------------------------------------------------------------------===//

bool PlacedGraph::settlePlaces() {
  bool hasDevices = false, writesUnknown = false;
  isTimed = isCounted = false;
  for (size_t i = 0; i < nodes.size(); ++i) {
    hasDevices |= places[i].place != hostPlace;
    isTimed |= places[i].wantsTiming;
    isCounted |= places[i].isCounted;
    writesUnknown |= plan.nodes[i].writesUnknownMemory;
  }
  if (!hasDevices)
    return isTimed ||
           (services.tracker.anyOnDevices() && instance.info.hasPointers);
  // It is not known which datasets such a node of the host writes.
  if (writesUnknown && plan.usesDatasets)
    for (size_t i = 0; i < nodes.size(); ++i)
      for (const KnownMemory &memory : plan.nodes[i].knownMemory)
        if (memory.memory)
          places[i] = {};
  ownMemory.begin();
  for (size_t i = 0; i < nodes.size(); ++i)
    if (places[i].place != hostPlace)
      for (const KnownMemory &memory : plan.nodes[i].knownMemory)
        ownMemory.add(memory, instance.frame);
  ownMemory.track();
  return true;
}

void PlacedGraph::prepare(std::span<const uint32_t> numArrivals) {
  numEnded = numFailing = 0;
  failedNodes.clear();
  for (size_t i = 0; i < nodes.size(); ++i) {
    Node &node = nodes[i];
    auto numBefore = static_cast<uint32_t>(plan.nodes[i].predecessors.size());
    node.state = State::Waiting;
    node.place = places[i].place;
    node.issuedAt = hostPlace;
    node.hasFailed = node.isFetched = node.isPartlyIssued = false;
    node.endWaits = numBefore;
    node.numUnderWay = 0;
    // One more for the start itself.
    instance.runs[i].pending.expect(numBefore + 1 +
                                    (numArrivals.empty() ? 0 : numArrivals[i]));
    // Measured times refer to nodes that run one after another.
    node.isChained =
        !isTimed && places[i].place == hostPlace && !places[i].isShared;
    node.clearRuns();
  }
  chainNodes();
  for (size_t i = 0; i < nodes.size(); ++i) {
    const std::vector<uint32_t> &needed = plan.nodes[i].neededToOpen;
    nodes[i].needsEnds =
        places[i].isShared ||
        std::any_of(needed.begin(), needed.end(), [&](uint32_t value) {
          return nodes[plan.values[value].node].place != hostPlace;
        });
  }
  repeatStep =
      numArrivals.empty() ? chooseRepeatStep() : RepeatedLaunch::Step::Ignore;
}

/// Tells the executor which nodes continue chunk by chunk.
void PlacedGraph::chainNodes() {
  size_t numEdges = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    numEdges += instance.info.nodes[i].oneToOneSuccessors.size();
    instance.runs[i].numChained = 0;
  }
  chained.clear();
  chained.reserve(numEdges);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const size_t first = chained.size();
    if (nodes[i].isChained)
      for (uint32_t successor : instance.info.nodes[i].oneToOneSuccessors)
        if (nodes[successor].isChained) {
          chained.push_back(successor);
          ++instance.runs[successor].numChained;
        }
    instance.runs[i].chained = {chained.data() + first, chained.size() - first};
  }
}

void PlacedGraph::start(Worker *worker) {
  WorkItem task = visit(worker, [&](Visit &visit) {
    // No other thread has the graph yet.
    if (repeatStep == RepeatedLaunch::Step::Repeat && issueRepeated(visit))
      return;
    if (repeatStep == RepeatedLaunch::Step::Repeat)
      repeatStep = RepeatedLaunch::Step::Ignore;
    for (uint32_t i = 0; i < nodes.size(); ++i)
      countOpenWait(i);
  });
  if (task)
    services.executor.getPool().push(worker, task);
}

void PlacedGraph::arrive(Worker *worker, uint32_t node) {
  WorkItem task = visit(worker, [&](Visit &) { countOpenWait(node); });
  if (task)
    services.executor.getPool().push(worker, task);
}

WorkItem PlacedGraph::nodeEnded(Worker &worker, uint32_t node) {
  for (uint32_t value : plan.nodes[node].ownValues)
    values.setMade(value, hostPlace);
  return visit(&worker, [&](Visit &visit) { setDone(visit, node); });
}

/// The data that a node of the host needs has been fetched.
WorkItem PlacedGraph::fetchesEnded(Worker &worker, uint32_t node) {
  return visit(&worker, [&](Visit &) {
    nodes[node].isFetched = true;
    setReady(node);
  });
}

/// All events of the graph go through here. Returns a task to continue with.
template <typename Update>
WorkItem PlacedGraph::visit(Worker *worker, Update &&update) {
  Visit visit{worker, {}};
  Lock lock(mutex);
  ++numVisits;
  update(visit);
  do {
    openAll(lock, visit);
    lock.unlock();
    notifyIssued(visit);
    reportEnded(visit);
    lock.lock();
  } while (!ready.empty() || !visit.ended.empty());
  bool isLast = --numVisits == 0 && numEnded == nodes.size();
  lock.unlock();
  if (isLast)
    finish(visit);
  return visit.task;
}

void PlacedGraph::openAll(Lock &lock, Visit &visit) {
  while (!ready.empty()) {
    uint32_t node = ready.front();
    ready.pop_front();
    // The end of a node for which it waited may have been revoked.
    if (nodes[node].state != State::Ready)
      continue;
    nodes[node].state = State::Opening;
    if (isTimed && !nodes[node].isFetched)
      nodes[node].openedAt = clockNanoseconds();
    lock.unlock();
    open(visit, node);
    lock.lock();
  }
}

/// Fetches memory that is not tracked; the instance ends with it.
class PlacedGraph::Homecoming final : public OutsideTask {
public:
  explicit Homecoming(PlacedGraph &graph) : graph(graph) {}

  static void arrived(void *context, Status) {
    auto *self = static_cast<Homecoming *>(context);
    if (self->numWaits.fetch_sub(1, std::memory_order_acq_rel) == 1)
      self->graph.services.executor.pushOutsideTask(*self);
  }
  WorkItem run(Worker &worker) override {
    std::unique_ptr<Homecoming> self(this);
    graph.close(&worker);
    return {};
  }

  PlacedGraph &graph;
  std::atomic<uint32_t> numWaits{1};
};

void PlacedGraph::finish(const Visit &visit) {
  if (visit.mayBlock || !ownMemory.beginFetchHome())
    return close(visit.worker);
  auto home = std::make_unique<Homecoming>(*this);
  for (OpenDevice *device : services.devices.devices()) {
    home->numWaits.fetch_add(1, std::memory_order_relaxed);
    Status status =
        device->place().notifyFetches(Homecoming::arrived, home.get());
    if (!status.ok())
      home->numWaits.fetch_sub(1, std::memory_order_relaxed);
  }
  bool hasArrived = home->numWaits.fetch_sub(1, std::memory_order_acq_rel) == 1;
  if (hasArrived)
    close(visit.worker);
  else
    (void)home.release();
}

void PlacedGraph::close(Worker *worker) {
  if (repeatStep == RepeatedLaunch::Step::Record)
    repeated.recorded(!instance.failed(), nodes.size());
  if (Status status = ownMemory.release(); !status.ok())
    instance.fail(std::move(status));
  values.reset();
  services.executor.finishInstance(worker, instance);
}

void PlacedGraph::push(Visit &visit, WorkItem task) {
  if (!task)
    return;
  if (visit.task)
    services.executor.getPool().push(visit.worker, task);
  else
    visit.task = task;
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

void PlacedGraph::countOpenWait(uint32_t node) {
  if (instance.runs[node].pending.arrive())
    setReady(node);
}

void PlacedGraph::setReady(uint32_t node) {
  nodes[node].state = State::Ready;
  ready.push_back(node);
}

/// Whether `after` did not wait for the end of `before`.
bool PlacedGraph::isReleasedEarly(const Node &before, const Node &after,
                                  bool isOneToOne) const {
  if (isOneToOne && before.isChained && after.isChained)
    return true;
  return before.issuedAt != hostPlace && after.place == before.issuedAt &&
         !after.needsEnds;
}

template <typename Visitor>
void PlacedGraph::visitSuccessors(uint32_t node, Visitor &&visitor) {
  const NodeInfo &info = instance.info.nodes[node];
  for (uint32_t successor : info.allToAllSuccessors)
    visitor(successor, nodes[successor], /*isOneToOne=*/false);
  for (uint32_t successor : info.oneToOneSuccessors)
    visitor(successor, nodes[successor], /*isOneToOne=*/true);
}

void PlacedGraph::setIssued(uint32_t number) {
  Node &node = nodes[number];
  node.state = State::Issued;
  // One queue cannot keep the order for several devices.
  if (node.hasFailed || node.runs.size() > 1)
    return;
  node.issuedAt = node.place;
  visitSuccessors(number, [&](uint32_t successor, Node &after, bool oneToOne) {
    if (isReleasedEarly(node, after, oneToOne))
      countOpenWait(successor);
  });
}

void PlacedGraph::setDone(Visit &visit, uint32_t number) {
  nodes[number].state = State::Done;
  if (isTimed)
    nodes[number].endedAt = clockNanoseconds();
  if (nodes[number].endWaits != 0)
    return;
  std::vector<uint32_t> ending = {number};
  while (!ending.empty()) {
    number = ending.back();
    ending.pop_back();
    Node &node = nodes[number];
    node.state = State::Ended;
    ++numEnded;
    visit.ended.push_back(number);
    visitSuccessors(number,
                    [&](uint32_t successor, Node &after, bool oneToOne) {
                      if (!isReleasedEarly(node, after, oneToOne))
                        countOpenWait(successor);
                      if (--after.endWaits == 0 && after.state == State::Done)
                        ending.push_back(successor);
                    });
  }
}

void PlacedGraph::reportEnded(Visit &visit) {
  std::vector<uint32_t> ended;
  ended.swap(visit.ended);
  if (isTimed)
    for (uint32_t node : ended)
      addTiming(node);
  // Nodes that wait for a node to use its memory find the instance's own memory
  // on the host only when the instance has ended.
  if (instance.reportsNodes && ownMemory.isEmpty())
    for (uint32_t node : ended)
      instance.owner.nodeEnded(visit.worker, node);
}

/// A node and all its predecessors have ended.
void PlacedGraph::addTiming(uint32_t number) {
  const NodePlace &place = places[number];
  const Node &node = nodes[number];
  bool ranThere = node.place == place.place && !instance.runs[number].skip;
  if (!place.wantsTiming || !ranThere || instance.failed())
    return;
  uint64_t start = node.openedAt;
  for (uint32_t before : plan.nodes[number].predecessors)
    start = std::max(start, nodes[before].endedAt);
  if (node.endedAt > start)
    services.placement.addTiming(instance.info.nodes[number], place,
                                 node.endedAt - start);
}

//===----------------------------------------------------------------------===//
// Failing
//===----------------------------------------------------------------------===//

/// An issued node has failed, and so have the nodes that were issued because of
/// it.
void PlacedGraph::failIssued(uint32_t number) {
  if (!nodes[number].hasFailed)
    ++numFailing;
  nodes[number].hasFailed = true;
  std::vector<uint32_t> failed = {number};
  while (!failed.empty()) {
    uint32_t before = failed.back();
    failed.pop_back();
    visitSuccessors(before,
                    [&](uint32_t successor, Node &after, bool oneToOne) {
                      if (!isReleasedEarly(nodes[before], after, oneToOne))
                        return;
                      PendingCount &pending = instance.runs[successor].pending;
                      if (after.state == State::Waiting)
                        return pending.callOff();
                      if (after.state == State::Ready) {
                        after.state = State::Waiting;
                        return pending.set(1);
                      }
                      if (after.hasFailed)
                        return;
                      after.hasFailed = true;
                      ++numFailing;
                      failed.push_back(successor);
                      if (after.state == State::Done)
                        setFailed(successor);
                    });
    nodes[before].issuedAt = hostPlace;
  }
}

/// A part of a node has ended, or the node has been issued.
void PlacedGraph::partEnded(Visit &visit, uint32_t number) {
  Node &node = nodes[number];
  if (--node.numUnderWay != 0)
    return;
  if (node.hasFailed)
    setFailed(number);
  else
    setDone(visit, number);
}

/// A node that failed has ended.
void PlacedGraph::setFailed(uint32_t number) {
  nodes[number].state = State::Failed;
  failedNodes.push_back(number);
  --numFailing;
}

/// All failed nodes have ended: undoes their effects on memory, the last ones
/// first.
void PlacedGraph::rollBack() {
  if (numFailing != 0 || failedNodes.empty())
    return;
  std::vector<uint32_t> failed;
  failed.swap(failedNodes);
  std::sort(failed.begin(), failed.end(), [&](uint32_t a, uint32_t b) {
    return nodes[a].issueNumber > nodes[b].issueNumber;
  });
  for (uint32_t number : failed)
    for (const DeviceRun &run : nodes[number].runs)
      for (const DeviceRun::Claim &claim : run.claims)
        claim.tracker->failed(run.place, claim.memory, claim.access);
  for (uint32_t number : failed)
    moveToHost(number);
}

/// None of the node's operations are in progress.
void PlacedGraph::moveToHost(uint32_t number) {
  Node &node = nodes[number];
  node.state = State::Waiting;
  node.place = node.issuedAt = hostPlace;
  node.hasFailed = false;
  node.clearRuns();
  if (node.endWaits == 0)
    setReady(number);
  else
    instance.runs[number].pending.set(node.endWaits);
}

//===----------------------------------------------------------------------===//
// What devices report
//===----------------------------------------------------------------------===//

/// Parts of nodes whose end a device reports with one call; for nodes issued
/// together, only the last one.
class PlacedGraph::Batch final : public OutsideTask {
public:
  Batch(PlacedGraph &graph, OpenDevice &device, std::vector<Part> parts)
      : graph(graph), device(device), parts(std::move(parts)) {}

  static void ended(void *context, Status) {
    // The events of the parts show which of them have failed.
    auto *batch = static_cast<Batch *>(context);
    batch->graph.services.executor.pushOutsideTask(*batch);
  }
  WorkItem run(Worker &worker) override {
    std::unique_ptr<Batch> self(this);
    return end(&worker, /*mayBlock=*/false);
  }
  WorkItem end(Worker *worker, bool mayBlock) {
    std::vector<uint32_t> failed = graph.findFailed(device, parts);
    return graph.visit(worker, [&](Visit &visit) {
      visit.mayBlock = mayBlock;
      graph.endIssued(visit, parts, failed);
    });
  }

  PlacedGraph &graph;
  OpenDevice &device;
  const std::vector<Part> parts;
};

PlacedGraph::~PlacedGraph() = default;

/// Whether the end of a node enables others whose order its device cannot keep.
bool PlacedGraph::mustBeToldOf(uint32_t number) {
  if (instance.reportsNodes || places[number].wantsTiming)
    return true;
  std::lock_guard lock(mutex);
  bool result = false;
  visitSuccessors(number, [&](uint32_t, Node &after, bool oneToOne) {
    result |= !isReleasedEarly(nodes[number], after, oneToOne);
  });
  return result;
}

/// Whether the instance ends as soon as these parts have ended.
bool PlacedGraph::isAllThatIsLeft(const std::vector<Part> &parts) {
  if (repeatStep == RepeatedLaunch::Step::Repeat)
    return true;
  std::lock_guard lock(mutex);
  auto numLeft =
      std::count_if(nodes.begin(), nodes.end(), [](const Node &node) {
        return node.state != State::Done && node.state != State::Ended;
      });
  return static_cast<size_t>(numLeft) == parts.size() &&
         std::all_of(parts.begin(), parts.end(), [&](const Part &part) {
           return nodes[part.node].runs.size() == 1;
         });
}

void PlacedGraph::notifyIssued(Visit &visit) {
  if (visit.issued.empty())
    return;
  auto batch = std::make_unique<Batch>(*this, *visit.device,
                                       std::exchange(visit.issued, {}));
  bool isQuiet = instance.mayEndQuietly && !isTimed && !isCounted &&
                 isAllThatIsLeft(batch->parts);
  if (isQuiet) {
    {
      std::lock_guard lock(batch->device.queueMutex);
      // A waiting thread detects it if this fails.
      (void)batch->device.compute().flush();
    }
    quietBatch = std::move(batch);
    if (services.quietEnds.add(instance, *this))
      return;
    batch = std::move(quietBatch);
  }
  askForEnd(&visit, std::move(batch));
}

void PlacedGraph::report() { askForEnd(nullptr, std::move(quietBatch)); }

void PlacedGraph::waitHere() {
  std::unique_ptr<Batch> batch = std::move(quietBatch);
  if (WorkItem task = batch->end(nullptr, /*mayBlock=*/true))
    services.executor.getPool().push(nullptr, task);
}

/// Makes a device report the end of a batch. `visit` belongs to the calling
/// thread, or is null.
void PlacedGraph::askForEnd(Visit *visit, std::unique_ptr<Batch> batch) {
  Status status;
  {
    OpenDevice &device = batch->device;
    std::lock_guard lock(device.queueMutex);
    status = device.compute().notify(Batch::ended, batch.get());
    // If there is no notification, or the device does not begin by itself.
    if (!status.ok() || !device.compute().flush().ok())
      (void)device.compute().finish();
  }
  if (status.ok()) {
    (void)batch.release();
    return;
  }
  // Nothing else will report it.
  if (!visit) {
    if (WorkItem task = batch->end(nullptr, /*mayBlock=*/false))
      services.executor.getPool().push(nullptr, task);
    return;
  }
  std::vector<uint32_t> failed = findFailed(batch->device, batch->parts);
  std::lock_guard lock(mutex);
  endIssued(*visit, batch->parts, failed);
}

/// The nodes with an ended part that failed by itself.
std::vector<uint32_t> PlacedGraph::findFailed(OpenDevice &device,
                                              const std::vector<Part> &parts) {
  // The queue is in order: waiting for the last one wakes the thread only once.
  nodes[parts.back().node].runs[parts.back().run].waitForLast();
  std::vector<uint32_t> failed;
  bool isDeviceBlamed = false;
  const bool isForAll = repeatStep == RepeatedLaunch::Step::Repeat;
  for (const Part &part : parts) {
    DeviceRun &run = nodes[part.node].runs[part.run];
    Status status = run.result();
    device.kernelsEnded(isForAll ? static_cast<uint32_t>(nodes.size()) : 1);
    if (status.ok()) {
      for (uint32_t value : run.fetches)
        values.fetched(value);
      continue;
    }
    failed.push_back(part.node);
    std::optional<uint32_t> blamed = part.node;
    if (isForAll)
      blamed = repeated.findFailedNode(run);
    if (blamed && !isDeviceBlamed)
      services.placement.nodeFailed(instance.info.nodes[*blamed], device.number,
                                    status);
    else if (!blamed && !device.device().isUsable())
      device.fail(status, nullptr);
    isDeviceBlamed = true;
  }
  if (isForAll && !failed.empty()) {
    failed.resize(nodes.size());
    std::iota(failed.begin(), failed.end(), 0);
  }
  return failed;
}

void PlacedGraph::endIssued(Visit &visit, const std::vector<Part> &parts,
                            const std::vector<uint32_t> &failed) {
  const bool isForAll = repeatStep == RepeatedLaunch::Step::Repeat;
  if (isForAll && failed.empty() && numFailing == 0)
    return endAll(visit);
  for (uint32_t number : failed)
    failIssued(number);
  if (isForAll)
    for (uint32_t number = 0; number < nodes.size(); ++number)
      partEnded(visit, number);
  else
    for (const Part &part : parts)
      partEnded(visit, part.node);
  rollBack();
}

/// All nodes that were issued together have succeeded.
void PlacedGraph::endAll(Visit &visit) {
  for (uint32_t number = 0; number < nodes.size(); ++number) {
    nodes[number].state = State::Ended;
    if (instance.reportsNodes)
      visit.ended.push_back(number);
  }
  numEnded = static_cast<uint32_t>(nodes.size());
}
