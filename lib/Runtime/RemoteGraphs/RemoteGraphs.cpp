//===- RemoteGraphs.cpp - Graphs on several ranks -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rank 0's side: orders, and the queue of launches for all ranks, which one
// worker runs at a time.
//
//===----------------------------------------------------------------------===//

#include "RemoteGraphs.h"

#include "../Execution/Executor.h"
#include "../Plan/Arguments.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

using namespace sluice;

/// Takes launches from the queue until there are none.
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
  void start(Worker *worker) override { graphs.enqueue(worker, instance); }
  void arrive(Worker *, uint32_t) override {}
  WorkItem nodeEnded(Worker &, uint32_t) override { return {}; }

private:
  RemoteGraphs &graphs;
  GraphInstance &instance;
};

RemoteGraphs::RemoteGraphs(RankLink &link, Executor &executor)
    : link(link), executor(executor), state(link),
      runner(std::make_unique<Runner>(*this)) {}

RemoteGraphs::~RemoteGraphs() = default;

/// Sends the orders that were collected.
Status RemoteGraphs::send() {
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
  state.directory.untrack(object.begin);
  orders.add({OrderKind::Untrack, 0, object.begin, 0});
  return {};
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

Status RemoteGraphs::finish() {
  std::lock_guard lock(mutex);
  if (Status status = bringAllHomeLocked(/*writes=*/false); !status.ok())
    return status;
  state.directory.clear();
  orders.add({OrderKind::Clear});
  isLeft = true;
  return send();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

void RemoteGraphs::remarkOn(const SluicePlanNode &node,
                            const std::string &reason) {
  if (remarked.insert(&node).second)
    std::fprintf(stderr, "sluice: remark: %s runs on rank 0 only: %s\n",
                 nodeText(node).c_str(), reason.c_str());
}

BackEnd *RemoteGraphs::backEndOf(GraphInstance &instance) {
  const PlanInfo &info = instance.info;
  uintptr_t place;
  if (!mayBeShared(info) || !placeOfPlan(info.plan, place)) {
    std::lock_guard lock(mutex);
    for (const NodeInfo &node : info.nodes)
      if (node.node->share)
        remarkOn(*node.node, node.node->share->problem);
    return nullptr;
  }
  std::lock_guard lock(graphsMutex);
  std::unique_ptr<SharedGraph> &graph = graphs[&instance];
  if (!graph)
    graph = std::make_unique<SharedGraph>(*this, instance);
  return graph.get();
}

void RemoteGraphs::enqueue(Worker *, GraphInstance &instance) {
  std::lock_guard lock(queueMutex);
  queue.push_back(&instance);
  if (!std::exchange(hasRunner, true))
    executor.pushOutsideTask(*runner);
}

void RemoteGraphs::runQueue(Worker &worker) {
  while (true) {
    GraphInstance *instance;
    {
      std::lock_guard lock(queueMutex);
      if (queue.empty()) {
        hasRunner = false;
        return;
      }
      instance = queue.front();
      queue.pop_front();
    }
    runLaunch(*instance);
    // What waited for its memory may need other memory from ranks, so nothing
    // is locked.
    executor.finishInstance(&worker, *instance);
  }
}

/// Memory of arguments that the program does not track, as ranges that do not
/// overlap.
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

void RemoteGraphs::runLaunch(GraphInstance &instance) {
  const PlanInfo &info = instance.info;
  std::vector<uintptr_t> pointers(info.pointers.size());
  for (size_t i = 0; i < pointers.size(); ++i)
    std::memcpy(&pointers[i], instance.frame + info.pointers[i].frameOffset,
                sizeof(uintptr_t));
  std::vector<char> arguments(info.argumentSize);
  for (const auto &[from, to, size] : info.packedCopies)
    std::memcpy(arguments.data() + from, instance.frame + to, size);
  uintptr_t place = 0;
  placeOfPlan(info.plan, place);
  std::lock_guard lock(mutex);
  if (isLeft)
    return instance.fail(
        Status::misuse("the program has ended, and with it the other ranks"));
  busy.store(true, std::memory_order_relaxed);
  // The host may use it again when the launch has ended, without a word.
  const std::vector<ByteRange> own = untrackedMemory(instance);
  for (const ByteRange &memory : own)
    trackLocked(memory);
  orders.add({OrderKind::Launch, 0, place, 0}, arguments);
  Status status = send();
  if (status.ok())
    runOnRanks(state, executor, instance, pointers,
               [this](const SluicePlanNode &node, const std::string &reason) {
                 remarkOn(node, reason);
               });
  for (const ByteRange &memory : own)
    if (status.ok())
      status = untrackLocked(memory);
  if (!status.ok())
    instance.fail(std::move(status));
  busy.store(false, std::memory_order_relaxed);
}
