//===- OpenPlaced.cpp - Opening a node at its place -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Issues a node of a device, or moves it to the host if that fails. Fetches
// what a node of the host needs from devices before it runs.
//
//===----------------------------------------------------------------------===//

#include "PlacedGraph.h"

#include "../Devices/DeviceTrace.h"
#include "../Execution/Executor.h"
#include "../Memory/DevicePlace.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <cstring>

using namespace sluice;

void PlacedGraph::open(Visit &visit, uint32_t number) {
  OpenDevice *device = services.devices.at(nodes[number].place);
  // Operations in progress must end there, even if the device fails.
  bool mayOpen =
      device && (device->isUsable() || nodes[number].runs.front().isUnderWay);
  if (mayOpen && openOnDevice(visit, number))
    return;
  if (!device)
    return nodes[number].isFetched ? runOnHost(visit, number)
                                   : openOnHost(visit, number);
  Lock lock(mutex);
  giveUpIssue(number);
}

/// A node that was to be issued will not be.
void PlacedGraph::giveUpIssue(uint32_t number) {
  if (!nodes[number].hasFailed)
    return moveToHost(number);
  setFailed(number);
  rollBack();
}

//===----------------------------------------------------------------------===//
// On a device
//===----------------------------------------------------------------------===//

/// Values of a node that are needed outside of its device.
std::vector<uint32_t> PlacedGraph::valuesWantedHome(uint32_t number) {
  std::vector<uint32_t> wanted;
  std::lock_guard lock(mutex);
  for (uint32_t index : plan.nodes[number].ownValues) {
    const PlacedValue &value = plan.values[index];
    if (value.isForwarded)
      continue;
    bool isWanted = value.isResult || value.isNeededToOpen;
    for (uint32_t consumer : value.consumers)
      isWanted |= nodes[consumer].place != nodes[number].place ||
                  places[consumer].isShared;
    if (isWanted)
      wanted.push_back(index);
  }
  return wanted;
}

/// Returns false if the node must run on the host; then none of its operations
/// are in progress.
bool PlacedGraph::openOnDevice(Visit &visit, uint32_t number) {
  NodeRun &run = instance.runs[number];
  Node &node = nodes[number];
  if (!services.executor.prepareNode(run)) {
    // No instances, or the launch has failed.
    for (uint32_t value : plan.nodes[number].ownValues)
      values.setMade(value, hostPlace);
    Lock lock(mutex);
    if (!node.hasFailed)
      setDone(visit, number);
    return !node.hasFailed;
  }
  TraceLabel label(run.info->node->name);
  node.issueNumber = numIssued.fetch_add(1, std::memory_order_relaxed);
  std::vector<DeviceShare> shares;
  if (places[number].isShared)
    shares = sharesOf(number);
  if (shares.empty())
    shares.push_back({services.devices.at(node.place), {}});
  node.runs.resize(shares.size());
  // Parts may end before the others have been issued.
  node.numUnderWay = static_cast<uint32_t>(shares.size()) + 1;
  bool isUnderWay = false, isGood = true;
  for (uint32_t part = 0; part < shares.size() && isGood; ++part) {
    isGood = issuePart(visit, number, part, shares[part]);
    // Work that other nodes have enabled need not be undone.
    for (uint32_t other = 0;
         other < shares.size() && !isGood && !node.runs[part].isUnderWay;
         ++other)
      if (other != part)
        isGood = issuePart(visit, number, part,
                           {shares[other].device, shares[part].slabs});
    isUnderWay |= node.runs[part].isUnderWay;
  }
  if (!isUnderWay)
    return false;
  issueEnded(visit, number, isGood);
  if (mustBeToldOf(number))
    notifyIssued(visit);
  return true;
}

/// Returns false if the node has failed.
bool PlacedGraph::issuePart(Visit &visit, uint32_t number, uint32_t part,
                            const DeviceShare &share) {
  NodeRun &run = instance.runs[number];
  DeviceRun &deviceRun = nodes[number].runs[part];
  OpenDevice &device = *share.device;
  deviceRun.place = device.number;
  Status status;
  bool isHarmless = false;
  if (deviceRun.isUnderWay) {
    status = goOnWith(number);
  } else {
    MemoryTracker *const trackers[] = {&services.tracker, &ownMemory.tracker()};
    DeviceIssue issue(run, share, values, plan, trackers, deviceRun);
    status = issue.issue(valuesWantedHome(number),
                         repeatStep == RepeatedLaunch::Step::Record ? &repeated
                                                                    : nullptr);
    isHarmless = issue.isHarmless();
  }
  if (!status.ok() && !isHarmless)
    services.placement.nodeFailed(*run.info, device.number, status);
  if (deviceRun.isUnderWay) {
    device.kernelsEnqueued(1);
    if (visit.device != &device)
      notifyIssued(visit);
    visit.device = &device;
    visit.issued.push_back({number, part});
  }
  return status.ok();
}

/// Everything that could be issued of a node has been issued.
void PlacedGraph::issueEnded(Visit &visit, uint32_t number, bool isGood) {
  Node &node = nodes[number];
  Lock lock(mutex);
  for (const DeviceRun &run : node.runs)
    node.numUnderWay -= !run.isUnderWay;
  if (!isGood && !node.hasFailed) {
    node.hasFailed = true;
    ++numFailing;
  }
  setIssued(number);
  partEnded(visit, number);
  rollBack();
}

/// Splits a node between its possible devices; empty if it cannot be split.
std::vector<DeviceShare> PlacedGraph::sharesOf(uint32_t number) {
  const NodeRun &run = instance.runs[number];
  auto isMadeOnDevice = [&](uint32_t value) {
    return !plan.values[value].isForwarded;
  };
  const DevicePlan::Node &node = plan.nodes[number];
  // Otherwise each of several devices would have a part of a value.
  if (std::any_of(node.ownValues.begin(), node.ownValues.end(), isMadeOnDevice))
    return {};
  std::vector<OpenDevice *> devices;
  for (OpenDevice *device : services.devices.devices())
    if (device->isUsable() &&
        services.placement.mayRunAt(*run.info, device->number))
      devices.push_back(device);
  return splitNode(run, node.pointerParameters, devices);
}

//===----------------------------------------------------------------------===//
// All at once
//===----------------------------------------------------------------------===//

/// The place of all nodes if the launch may be repeated there, else the host.
MemoryPlace PlacedGraph::placeToRepeat() const {
  if (!instance.mayEndQuietly || isTimed || !plan.mayBeRepeated)
    return hostPlace;
  for (const NodePlace &place : places)
    if (place.place != places.front().place || place.isShared)
      return hostPlace;
  OpenDevice *device = services.devices.at(places.front().place);
  // Traces show single kernels.
  return device && device->isUsable() && !device->trace ? places.front().place
                                                        : hostPlace;
}

RepeatedLaunch::Step PlacedGraph::chooseRepeatStep() {
  MemoryPlace place = placeToRepeat();
  if (place == hostPlace) {
    repeated.interrupt();
    return RepeatedLaunch::Step::Ignore;
  }
  const SluicePlan &graph = instance.info.plan;
  std::vector<unsigned char> arguments;
  for (uint32_t i = 0; i < graph.numArguments; ++i) {
    const unsigned char *argument =
        instance.frame + graph.arguments[i].frameOffset;
    arguments.insert(arguments.end(), argument,
                     argument + graph.arguments[i].size);
  }
  return repeated.next(*services.devices.at(place), std::move(arguments));
}

/// Issues all nodes. Returns false if they must be opened one by one, though
/// the first ones may already be in progress.
bool PlacedGraph::issueRepeated(Visit &visit) {
  // The queue is in order: the last node stands for all.
  DeviceRun &run = nodes.back().runs.front();
  std::vector<RepeatedLaunch::NodeIssued> first;
  RepeatedLaunch::Issued issued = repeated.issue(values, run, first);
  for (RepeatedLaunch::NodeIssued &entry : first) {
    Node &node = nodes[entry.node];
    node.runs.front() = std::move(entry.run);
    node.isPartlyIssued = !entry.isWhole;
  }
  const bool hasFailed = issued == RepeatedLaunch::Issued::Failed;
  if (issued != RepeatedLaunch::Issued::All && !hasFailed)
    return false;
  OpenDevice &device = *services.devices.at(run.place);
  if (hasFailed) {
    const RepeatedLaunch::Failure &failure = repeated.getFailure();
    services.placement.nodeFailed(
        instance.info.nodes[plan.values[failure.value].node], device.number,
        failure.status);
  }
  visit.device = &device;
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    Node &node = nodes[i];
    setMadeOnDevice(i);
    node.state = State::Issued;
    node.issuedAt = node.place;
    node.issueNumber = numIssued.fetch_add(1, std::memory_order_relaxed);
    node.numUnderWay = 1;
    node.hasFailed = hasFailed;
    numFailing += hasFailed;
  }
  visit.issued.push_back({static_cast<uint32_t>(nodes.size()) - 1, 0});
  device.kernelsEnqueued(static_cast<uint32_t>(nodes.size()));
  return true;
}

void PlacedGraph::setMadeOnDevice(uint32_t number) {
  setForwards(instance.runs[number]);
  for (uint32_t value : plan.nodes[number].ownValues)
    values.setMade(value, plan.values[value].isForwarded ? hostPlace
                                                         : nodes[number].place);
}

/// Continues with a node after the joint launch of all nodes; fetches of its
/// values have not begun.
Status PlacedGraph::goOnWith(uint32_t number) {
  Node &node = nodes[number];
  DeviceRun &run = node.runs.front();
  if (node.isPartlyIssued)
    return Status::error(StatusCode::System, "not all of it could be launched");
  setMadeOnDevice(number);
  OpenDevice &device = *services.devices.at(run.place);
  std::lock_guard lock(device.queueMutex);
  for (uint32_t value : valuesWantedHome(number)) {
    Result<device::Event> end = values.fetch(device, value);
    if (!end.ok())
      return end.takeStatus();
    run.fetches.push_back(value);
    run.ends.push_back(std::move(*end));
  }
  return {};
}

//===----------------------------------------------------------------------===//
// On the host
//===----------------------------------------------------------------------===//

/// Transfers for which a node of the host waits. Counts the devices that must
/// report, plus one while transfers are being begun.
class PlacedGraph::Fetch final : public OutsideTask {
public:
  Fetch(PlacedGraph &graph, uint32_t node) : graph(graph), node(node) {}

  PlacedGraph &graph;
  const uint32_t node;
  struct Value {
    uint32_t number;
    OpenDevice *device;
    device::Event end;
  };
  std::vector<Value> values;
  std::atomic<uint32_t> numWaits{1};

  /// All of them have ended.
  void takeValues() {
    for (const Value &value : values) {
      Status status = value.end.wait();
      if (status.ok())
        graph.values.fetched(value.number);
      else
        graph.failNode(node,
                       graph.lostValue(value.number, *value.device, status));
    }
  }

  static void arrived(void *context, Status) {
    // Using the memory will detect a failed transfer.
    auto *fetch = static_cast<Fetch *>(context);
    if (fetch->numWaits.fetch_sub(1, std::memory_order_acq_rel) == 1)
      fetch->graph.services.executor.pushOutsideTask(*fetch);
  }
  WorkItem run(Worker &worker) override {
    std::unique_ptr<Fetch> self(this);
    takeValues();
    return graph.fetchesEnded(worker, node);
  }
};

MemoryAccess PlacedGraph::accessOf(const PointerUse &use) const {
  MemoryAccess memory = {};
  memory.name = use.name;
  memory.writes = use.access & SLUICE_ACCESS_OUT;
  if (use.memory) {
    memory.start = reinterpret_cast<uintptr_t>(use.memory);
    memory.size = use.size;
    memory.sizeKnown = true;
    return memory;
  }
  std::memcpy(&memory.start, instance.frame + use.frameOffset,
              sizeof(memory.start));
  memory.sizeKnown = use.sizeOffset != SLUICE_NO_OFFSET;
  if (memory.sizeKnown)
    std::memcpy(&memory.size, instance.frame + use.sizeOffset,
                sizeof(memory.size));
  return memory;
}

/// Begins to fetch data that the node needs and the host lacks.
void PlacedGraph::openOnHost(Visit &visit, uint32_t number) {
  TraceLabel label(instance.info.nodes[number].node->name);
  auto fetch = std::make_unique<Fetch>(*this, number);
  if (!instance.failed())
    if (Status status = beginFetches(*fetch); !status.ok())
      failNode(number, status);
  if (fetch->numWaits.fetch_sub(1, std::memory_order_acq_rel) != 1) {
    (void)fetch.release();
    return;
  }
  fetch->takeValues();
  runOnHost(visit, number);
}

void PlacedGraph::failNode(uint32_t number, const Status &status) {
  instance.fail(Status::error(
      status.code(), concat(nodeText(*instance.info.nodes[number].node), ": ",
                            status.message())));
}

Status PlacedGraph::beginFetches(Fetch &fetch) {
  const DevicePlan::Node &node = plan.nodes[fetch.node];
  const SluicePlanDeviceKernel *kernel =
      instance.info.plan.nodes[fetch.node].device;
  const bool hasTouch = kernel && kernel->touch;
  uint64_t computeQueues = 0, downloadQueues = 0;
  auto fetchValue = [&](uint32_t value) {
    if (values.isOnHost(value))
      return Status();
    OpenDevice &device = *services.devices.at(values.placeOf(value));
    std::lock_guard lock(device.queueMutex);
    Result<device::Event> end = values.fetch(device, value);
    if (!end.ok())
      return lostValue(value, device, end.status());
    fetch.values.push_back({value, &device, std::move(*end)});
    computeQueues |= uint64_t(1) << device.number;
    return Status();
  };
  for (uint32_t value : node.operands)
    if (Status status = fetchValue(value); !status.ok())
      return status;
  for (uint32_t value : node.neededToOpen)
    if (Status status = fetchValue(value); !status.ok())
      return status;
  auto fetchMemory = [&](MemoryTracker &tracker, const MemoryAccess &memory) {
    Result<device::Event> event = tracker.beginFetchHome(memory);
    // If the fetch could not begin, using the memory reports the reason.
    if (event.ok() && !event->hasEnded())
      downloadQueues = ~UINT64_C(0);
  };
  for (MemoryTracker *tracker : {&services.tracker, &ownMemory.tracker()}) {
    if (!tracker->anyOnDevices())
      continue;
    for (const PointerUse &use : node.pointers) {
      MemoryAccess memory = accessOf(use);
      // Only when the node is open is it known whether it replaces all of it.
      bool isReplaced = use.access == SLUICE_ACCESS_OUT && memory.sizeKnown &&
                        (use.memory || hasTouch);
      if (memory.start && !isReplaced)
        fetchMemory(*tracker, memory);
    }
  }
  if (node.readsUnknownMemory)
    for (const MemoryAccess &memory : ownMemory.datasets())
      fetchMemory(ownMemory.tracker(), memory);
  return notifyFetches(fetch, computeQueues, downloadQueues);
}

/// Makes the devices report when the fetches on their queues have ended.
Status PlacedGraph::notifyFetches(Fetch &fetch, uint64_t computeQueues,
                                  uint64_t downloadQueues) {
  for (OpenDevice *device : services.devices.devices()) {
    uint64_t bit = uint64_t(1) << device->number;
    if (computeQueues & bit) {
      fetch.numWaits.fetch_add(1, std::memory_order_relaxed);
      std::lock_guard lock(device->queueMutex);
      Status status = device->compute().notify(Fetch::arrived, &fetch);
      bool isTold = status.ok();
      if (!isTold || !device->compute().flush().ok())
        (void)device->compute().finish();
      if (!isTold)
        fetch.numWaits.fetch_sub(1, std::memory_order_relaxed);
    }
    if (downloadQueues & bit) {
      fetch.numWaits.fetch_add(1, std::memory_order_relaxed);
      Status status = device->place().notifyFetches(Fetch::arrived, &fetch);
      if (!status.ok())
        fetch.numWaits.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  return {};
}

Status PlacedGraph::lostValue(uint32_t number, OpenDevice &device,
                              const Status &status) const {
  const PlacedValue &value = plan.values[number];
  const SluicePlanNode &maker = instance.info.plan.nodes[value.node];
  return Status::error(StatusCode::System,
                       concat("output ",
                              quoted(maker.outputs[value.output].name), " of ",
                              nodeText(maker), " is lost: it was only on ",
                              device.name(), ": ", status.message()));
}

/// Whether an open node writes every byte of the memory and reads none, as far
/// as its device code shows.
static bool replacesAll(const NodeRun &run, const DevicePlan::Node &node,
                        const PointerUse &use, const MemoryAccess &memory) {
  const SluicePlanDeviceKernel *kernel = run.info->node->device;
  if (use.access != SLUICE_ACCESS_OUT || !memory.sizeKnown || !kernel ||
      !kernel->touch)
    return false;
  const int64_t *extents = run.invocation.extents;
  std::vector<SluiceDeviceRange> ranges(node.pointerParameters.size());
  kernel->touch(run.instance->frame, extents, 0, countSlabs(*kernel, extents),
                ranges.data());
  for (size_t i = 0; i < ranges.size(); ++i) {
    const SluiceDeviceParameter &parameter =
        kernel->parameters[node.pointerParameters[i]];
    if (parameter.memory || parameter.frameOffset != use.frameOffset)
      continue;
    const SluiceDeviceRange range = withinMemory(ranges[i], memory.size);
    return range.readFirst >= range.readEnd && range.writtenFirst == 0 &&
           static_cast<uint64_t>(range.writtenEnd) == memory.size;
  }
  return false;
}

/// Makes the memory of a node of the host valid, most of which has already been
/// fetched, and stale elsewhere.
Status PlacedGraph::useMemory(const NodeRun &run) {
  const DevicePlan::Node &node = plan.nodes[run.info->index];
  for (MemoryTracker *tracker : {&services.tracker, &ownMemory.tracker()}) {
    if (!tracker->anyOnDevices())
      continue;
    for (const PointerUse &use : node.pointers) {
      MemoryAccess memory = accessOf(use);
      if (!memory.start)
        continue;
      uint32_t access = use.access;
      if (!use.memory && !replacesAll(run, node, use, memory))
        access = withRest(access);
      if (Status status = tracker->useOnHost(memory, access); !status.ok())
        return status;
    }
  }
  if (node.readsUnknownMemory)
    for (const MemoryAccess &memory : ownMemory.datasets()) {
      Status status = ownMemory.tracker().useOnHost(memory, SLUICE_ACCESS_IN);
      if (!status.ok())
        return status;
    }
  return {};
}

/// The data that the node needs is being fetched or is on the host.
void PlacedGraph::runOnHost(Visit &visit, uint32_t number) {
  NodeRun &run = instance.runs[number];
  TraceLabel label(run.info->node->name);
  services.executor.openNode(run);
  // Without instances it writes nothing, so the devices' copies stay valid.
  if (!run.skip && !instance.failed())
    if (Status status = useMemory(run); !status.ok())
      failNode(number, status);
  // Nodes that follow it chunk by chunk open while it runs, and find its values
  // on the host.
  if (!run.chained.empty())
    for (uint32_t value : plan.nodes[number].ownValues)
      values.setMade(value, hostPlace);
  {
    Lock lock(mutex);
    nodes[number].state = State::Running;
    for (uint32_t successor : run.chained)
      countOpenWait(successor);
  }
  push(visit, services.executor.letRun(visit.worker, run));
}
