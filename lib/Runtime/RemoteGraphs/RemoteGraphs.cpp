//===- RemoteGraphs.cpp - Graphs on several ranks -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of rank 0: orders, and the queue of launches for all ranks, which
// one worker runs at a time.
//
//===----------------------------------------------------------------------===//

#include "RemoteGraphs.h"

#include "../Execution/Executor.h"
#include "../Plan/Arguments.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <thread>
#include <utility>

using namespace sluice;

/// Takes launches from the queue until it is empty.
class RemoteGraphs::Runner final : public OutsideTask {
public:
  explicit Runner(RemoteGraphs &graphs) : graphs(graphs) {}
  WorkItem run(Worker &worker) override {
    graphs.runQueue(worker);
    return {};
  }

private:
  RemoteGraphs &graphs;
};

/// The nodes of its instance run in the runner; nothing else waits for them.
class RemoteGraphs::SharedGraph final : public BackEnd {
public:
  SharedGraph(RemoteGraphs &graphs, GraphInstance &instance)
      : graphs(graphs), instance(instance) {}

  void prepare(std::span<const uint32_t>) override {}
  void start(Worker *) override { graphs.enqueue({&instance, false}); }
  void arrive(Worker *, uint32_t) override {}
  WorkItem nodeEnded(Worker &, uint32_t) override { return {}; }

private:
  RemoteGraphs &graphs;
  GraphInstance &instance;
};

/// An item is ordered after all items begun earlier, on every rank. So
/// successors of its nodes may begin as soon as it has begun.
class RemoteGraphs::StagedGraph final : public BackEnd {
public:
  StagedGraph(RemoteGraphs &graphs, GraphInstance &instance)
      : graphs(graphs), instance(instance) {}

  void prepare(std::span<const uint32_t> numArrivals) override {
    numLeft.store(
        std::accumulate(numArrivals.begin(), numArrivals.end(), uint64_t(1)),
        std::memory_order_relaxed);
  }
  void start(Worker *worker) override { arrive(worker, 0); }
  void arrive(Worker *, uint32_t) override {
    if (numLeft.fetch_sub(1, std::memory_order_acq_rel) == 1)
      graphs.enqueue({&instance, true});
  }
  WorkItem nodeEnded(Worker &, uint32_t) override { return {}; }

private:
  RemoteGraphs &graphs;
  GraphInstance &instance;
  /// The number of remaining ends of nodes, plus the start.
  std::atomic<uint64_t> numLeft{1};
};

RemoteGraphs::RemoteGraphs(RankLink &link, Executor &executor)
    : link(link), executor(executor), state(link), mail(link),
      runner(std::make_unique<Runner>(*this)) {}

RemoteGraphs::~RemoteGraphs() = default;

/// Sends the collected orders.
Status RemoteGraphs::send() {
  // Ranks that send results may wait until this rank takes some.
  mail.waitForExpected();
  Status status = link.broadcast(orders.bytes());
  orders.bytes().clear();
  return status;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Status RemoteGraphs::track(const void *pointer, uint64_t size) {
  const auto start = reinterpret_cast<uintptr_t>(pointer);
  std::lock_guard lock(mutex);
  trackLocked({start, start + size});
  return {};
}

void RemoteGraphs::trackLocked(ByteRange object) {
  state.directory.track(object.begin, object.size());
  orders.add({OrderKind::Track, 0, object.begin, object.size()});
}

Status RemoteGraphs::untrack(const void *pointer) {
  const auto start = reinterpret_cast<uintptr_t>(pointer);
  std::lock_guard lock(mutex);
  const ByteRange object = state.directory.objectOf({start, start + 1});
  return object.isEmpty() ? Status() : untrackLocked(object);
}

Status RemoteGraphs::untrackLocked(ByteRange object) {
  if (Status status = bringHomeLocked(object, /*writes=*/false); !status.ok())
    return status;
  dropLocked(object);
  return {};
}

void RemoteGraphs::drop(const void *pointer) {
  const auto start = reinterpret_cast<uintptr_t>(pointer);
  std::lock_guard lock(mutex);
  if (const ByteRange object = state.directory.objectOf({start, start + 1});
      !object.isEmpty())
    dropLocked(object);
}

void RemoteGraphs::dropLocked(ByteRange object) {
  state.directory.untrack(object.begin);
  orders.add({OrderKind::Untrack, 0, object.begin, 0});
}

/// For tracked bytes.
Status RemoteGraphs::bringHomeLocked(ByteRange bytes, bool writes) {
  std::vector<RankMove> moves;
  state.directory.findMissing(0, bytes, moves);
  state.directory.arrived(moves);
  Status status;
  if (!moves.empty()) {
    busy.store(true, std::memory_order_relaxed);
    orders.add({OrderKind::Home, 0, bytes.begin, bytes.size()});
    status = send();
    if (status.ok())
      status = state.move(moves);
    busy.store(false, std::memory_order_relaxed);
  }
  if (writes && !state.directory.isHomeOnly(bytes)) {
    state.directory.write(0, bytes);
    orders.add({OrderKind::Write, 0, bytes.begin, bytes.size()});
  }
  return status;
}

Status RemoteGraphs::bringHome(uintptr_t start, uint64_t size, bool writes) {
  std::lock_guard lock(mutex);
  for (const ByteRange &part : state.directory.trackedIn({start, start + size}))
    if (Status status = bringHomeLocked(part, writes); !status.ok())
      return status;
  return {};
}

Status RemoteGraphs::bringObjectHome(uintptr_t address, bool writes) {
  std::lock_guard lock(mutex);
  const ByteRange object = state.directory.objectOf({address, address + 1});
  return object.isEmpty() ? Status() : bringHomeLocked(object, writes);
}

Status RemoteGraphs::bringAllHome(bool writes) {
  std::lock_guard lock(mutex);
  return bringAllHomeLocked(writes);
}

Status RemoteGraphs::bringAllHomeLocked(bool writes) {
  for (const ByteRange &object : state.directory.all())
    if (Status status = bringHomeLocked(object, writes); !status.ok())
      return status;
  return {};
}

Status RemoteGraphs::finish(ByteRange ended) {
  std::lock_guard lock(mutex);
  for (const ByteRange &object : state.directory.all())
    if (!object.overlaps(ended))
      if (Status status = bringHomeLocked(object, /*writes=*/false);
          !status.ok())
        return status;
  state.directory.clear();
  orders.add({OrderKind::Clear});
  isLeft = true;
  if (Status status = send(); !status.ok())
    return status;
  mail.finish();
  link.settle();
  return {};
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

void RemoteGraphs::remarkOn(const SluicePlanNode &node,
                            const ShareReason &reason) {
  if (remarked.insert(&node).second)
    std::fprintf(stderr, "sluice: remark: %s runs on rank 0 only: %s\n",
                 nodeText(node).c_str(), reason().c_str());
}

void RemoteGraphs::remarkOnDevices(const PlanInfo &info) {
  std::lock_guard lock(mutex);
  for (const NodeInfo &node : info.nodes)
    if (node.node->share && node.node->share->touch)
      remarkOn(*node.node, [] {
        return "its graph uses devices, which are those of rank 0; with "
               "SLUICE_DEVICE=host ranks share it";
      });
}

BackEnd *RemoteGraphs::backEndOf(GraphInstance &instance) {
  const PlanInfo &info = instance.info;
  uintptr_t place;
  if (!mayBeShared(info) || !placeOfPlan(info.plan, place)) {
    std::lock_guard lock(mutex);
    for (const NodeInfo &node : info.nodes)
      if (node.node->share)
        remarkOn(*node.node, [&] { return node.node->share->problem; });
    return nullptr;
  }
  std::lock_guard lock(graphsMutex);
  std::unique_ptr<SharedGraph> &graph = graphs[&instance];
  if (!graph)
    graph = std::make_unique<SharedGraph>(*this, instance);
  return graph.get();
}

BackEnd *RemoteGraphs::stagesOf(GraphInstance &instance) {
  std::lock_guard lock(graphsMutex);
  std::unique_ptr<StagedGraph> &graph = staged[&instance];
  if (!graph)
    graph = std::make_unique<StagedGraph>(*this, instance);
  return graph.get();
}

/// Items that wait for nodes of this one follow it on every rank.
static void letLaterItemsGo(Worker &worker, GraphInstance &instance) {
  for (uint32_t i = 0; instance.reportsNodes && i < instance.info.nodes.size();
       ++i)
    instance.owner.nodeEnded(&worker, i);
}

void RemoteGraphs::enqueue(Queued next) {
  std::lock_guard lock(queueMutex);
  queue.push_back(next);
  if (!std::exchange(hasRunner, true))
    executor.pushOutsideTask(*runner);
}

void RemoteGraphs::runQueue(Worker &worker) {
  while (true) {
    Queued next;
    {
      std::lock_guard lock(queueMutex);
      if (queue.empty() && pending.empty()) {
        hasRunner = false;
        return;
      }
      if (!queue.empty()) {
        next = queue.front();
        queue.pop_front();
      }
    }
    bool hasEnded = false;
    const FloatingScope scope(next.instance ? next.instance->control
                                            : FloatingControl::current());
    if (next.isItem) {
      letLaterItemsGo(worker, *next.instance);
      hasEnded = startItem(*next.instance);
    } else if (next.instance) {
      runLaunch(*next.instance);
      hasEnded = true;
    }
    // Users that waited for its memory may need other memory from ranks, so no
    // lock is held.
    if (hasEnded)
      executor.finishInstance(&worker, *next.instance);
    if (finishItems(worker) || next.instance) {
      numVainLooks = 0;
      continue;
    }
    // The worker may have other work, such as pushing more items.
    constexpr unsigned patience = 256;
    if (++numVainLooks > patience)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    else
      std::this_thread::yield();
    executor.pushOutsideTask(*runner);
    return;
  }
}

/// Memory of arguments that the program does not track, as disjoint ranges.
std::vector<ByteRange>
RemoteGraphs::untrackedMemory(const GraphInstance &instance) const {
  std::vector<MemoryAccess> accesses;
  readMemoryAccesses(instance.info, ArgumentSet::All, instance.frame, accesses);
  std::vector<ByteRange> ranges;
  for (const MemoryAccess &memory : accesses)
    if (ByteRange bytes = {memory.start, memory.start + memory.size};
        memory.sizeKnown && bytes.begin < bytes.end &&
        state.directory.trackedIn(bytes).empty())
      ranges.push_back(bytes);
  std::sort(
      ranges.begin(), ranges.end(),
      [](const ByteRange &a, const ByteRange &b) { return a.begin < b.begin; });
  std::vector<ByteRange> apart;
  for (const ByteRange &range : ranges)
    if (!apart.empty() && range.begin < apart.back().end)
      apart.back().end = std::max(apart.back().end, range.end);
    else
      apart.push_back(range);
  return apart;
}

/// The pointer values among the arguments, in the order of PlanInfo::pointers.
static std::vector<uintptr_t> addressesIn(const GraphInstance &instance) {
  const PlanInfo &info = instance.info;
  std::vector<uintptr_t> addresses(info.pointers.size());
  for (size_t i = 0; i < addresses.size(); ++i)
    std::memcpy(&addresses[i], instance.frame + info.pointers[i].frameOffset,
                sizeof(uintptr_t));
  return addresses;
}

/// The arguments, packed, at the end of `bytes`.
static void packArguments(const GraphInstance &instance,
                          std::vector<char> &bytes) {
  const PlanInfo &info = instance.info;
  const size_t first = bytes.size();
  bytes.resize(first + info.argumentSize);
  for (const auto &[from, to, size] : info.packedCopies)
    std::memcpy(bytes.data() + first + from, instance.frame + to, size);
}

/// The description of an item for all ranks.
static std::vector<char> packItem(const StageMap &map,
                                  const GraphInstance &instance) {
  std::vector<char> bytes;
  auto add = [&](uint32_t value) {
    auto *at = reinterpret_cast<const char *>(&value);
    bytes.insert(bytes.end(), at, at + sizeof value);
  };
  add(static_cast<uint32_t>(map.firstNodes.size()));
  for (uint32_t first : map.firstNodes)
    add(first);
  packArguments(instance, bytes);
  return bytes;
}

void RemoteGraphs::runLaunch(GraphInstance &instance) {
  const PlanInfo &info = instance.info;
  const std::vector<uintptr_t> pointers = addressesIn(instance);
  std::vector<char> arguments;
  packArguments(instance, arguments);
  uintptr_t place = 0;
  placeOfPlan(info.plan, place);
  std::lock_guard lock(mutex);
  if (isLeft)
    return instance.fail(
        Status::misuse("the program has ended, and with it the other ranks"));
  busy.store(true, std::memory_order_relaxed);
  // The host may reuse it without notice when the launch has ended.
  const std::vector<ByteRange> own = untrackedMemory(instance);
  for (const ByteRange &memory : own)
    trackLocked(memory);
  orders.add({OrderKind::Launch, 0, place, 0}, arguments);
  Status status = send();
  if (status.ok())
    runOnRanks(state, executor, instance, pointers,
               [this](const SluicePlanNode &node, const ShareReason &reason) {
                 remarkOn(node, reason);
               });
  for (const ByteRange &memory : own)
    if (status.ok())
      status = untrackLocked(memory);
  if (!status.ok())
    instance.fail(std::move(status));
  busy.store(false, std::memory_order_relaxed);
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

/// The first items run on rank 0 to measure the times of their nodes.
StageMap RemoteGraphs::chooseStages(Stages &known,
                                    const StagedItem &item) const {
  constexpr uint32_t numMeasurements = 4;
  const PlanInfo &info = item.instance.info;
  if (known.numMeasured < numMeasurements || !isAllTracked(state, item))
    return {{0, static_cast<uint32_t>(info.nodes.size())}};
  if (known.map.firstNodes.empty())
    known.map = placeStages(info, known.times, link.numRanks());
  return known.map;
}

/// Returns true if it has ended; otherwise its last stage is on another rank.
bool RemoteGraphs::startItem(GraphInstance &instance) {
  const PlanInfo &info = instance.info;
  Pending item = {&instance, addressesIn(instance), {}, 0};
  std::lock_guard lock(mutex);
  if (isLeft) {
    instance.fail(
        Status::misuse("the program has ended, and with it the other ranks"));
    return true;
  }
  busy.store(true, std::memory_order_relaxed);
  Stages &known = stages[&info];
  known.times.resize(info.nodes.size(), UINT64_MAX);
  item.number = ++numItems;
  item.map = chooseStages(known, {instance, item.pointers, item.map, 0});
  uintptr_t place = 0;
  placeOfPlan(info.plan, place);
  orders.add({OrderKind::Item, 0, place, item.number},
             packItem(item.map, instance));
  // Other ranks take it after their earlier work. Ranks that wait for this rank
  // to take results do not take orders.
  link.announce(orders.bytes(), [this] { (void)mail.numCome(); });
  orders.bytes().clear();
  const bool isAlone = item.map.numStages() == 1;
  std::vector<uint64_t> times(info.nodes.size());
  Pending &kept = pending.emplace_back(std::move(item));
  runStages(state, mail, executor,
            {instance, kept.pointers, kept.map, kept.number}, kept.hasFailed,
            isAlone ? &times : nullptr);
  busy.store(false, std::memory_order_relaxed);
  if (!isAlone)
    return false;
  pending.pop_back();
  if (instance.failed())
    return true; // the times of its nodes are not reported
  ++known.numMeasured;
  for (size_t i = 0; i < times.size(); ++i)
    known.times[i] = std::min(known.times[i], times[i]);
  return true;
}

/// Completes items whose last stage has ended. Returns false if there are none.
bool RemoteGraphs::finishItems(Worker &worker) {
  uint64_t numCome;
  {
    std::lock_guard lock(mutex);
    numCome = mail.numCome();
  }
  if (numFinished == numCome)
    return false;
  for (; numFinished < numCome; ++numFinished) {
    const Pending &item = pending.front();
    GraphInstance &instance = *item.instance;
    finishStages({instance, item.pointers, item.map, item.number});
    if (item.hasFailed && !instance.failed())
      tellStageError(instance, item.number);
    pending.pop_front();
    executor.finishInstance(&worker, instance);
  }
  return true;
}

/// Reports an error on another rank.
void RemoteGraphs::tellStageError(GraphInstance &instance, uint64_t number) {
  std::lock_guard lock(mutex);
  if (isLeft)
    return instance.fail(
        Status::misuse("the program has ended, and with it the other ranks"));
  orders.add({OrderKind::StageErrors, 0, 0, number});
  Status status = send();
  if (status.ok()) {
    std::string error = link.firstError("");
    if (error.empty())
      error = "a stage failed on another rank";
    status = Status::error(StatusCode::NodeFailed, std::move(error));
  }
  instance.fail(std::move(status));
}
