//===- HostRuntime.cpp - The runtime behind the C interface ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks every call and passes it to the responsible part.
//
//===----------------------------------------------------------------------===//

#include "HostRuntime.h"

#include "../Memory/LayoutBytes.h"
#include "../RemoteGraphs/ServeRank.h"
#include "../Scheduling/Clock.h"
#include "RankTrace.h"

#include "sluice/Base/Process.h"
#include "sluice/Base/Text.h"

#include <cstdio>
#include <new>
#include <utility>

using namespace sluice;

Runtime::~Runtime() = default;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

Status Runtime::checkCaller(const char *call) const {
  const Worker *worker = Worker::current();
  if (!worker || !worker->insideKernel)
    return {};
  return Status::misuse(
      concat("code of a node or task called ", call,
             ", which only host code may; graphs run before or after the one "
             "that runs now, not within"));
}

static Status unknownHandle(const void *graph, const char *call) {
  return Status::misuse(concat(call, ": ", graph,
                               " is no graph in flight; was it waited for "
                               "already?"));
}

Result<PlanEntry *> Runtime::checkLaunch(const SluicePlan *plan,
                                         void *arguments,
                                         const SluiceLayout *layout,
                                         bool isStream) {
  if (Status status = checkCaller("launch"); !status.ok())
    return status;
  if (!plan)
    return Status::invalidArgument("launch: the plan is null");
  Result<PlanEntry *> entry = engine.plans.find(*plan);
  if (!entry.ok())
    return entry;
  if (isStream != (plan->isStreaming != 0))
    return Status::misuse(
        isStream ? concat("graph ", quoted(plan->name),
                          " has no streaming bind, but is launched as a "
                          "stream")
                 : concat("graph ", quoted(plan->name),
                          " has streaming binds, but is not launched as a "
                          "stream"));
  if (arguments && !layout) // packed
    return entry;
  if (Status status =
          checkStructure(*(*entry)->info, arguments, layout,
                         isStream ? ArgumentSet::Fixed : ArgumentSet::All);
      !status.ok())
    return status;
  return entry;
}

Result<const PlanInfo *> Runtime::findPlan(const SluicePlan &plan) {
  Result<PlanEntry *> entry = engine.plans.find(plan);
  if (!entry.ok())
    return entry.takeStatus();
  return static_cast<const PlanInfo *>((*entry)->info.get());
}

Status Runtime::placeNode(const SluicePlan &plan, const char *path,
                          const std::string &where) {
  Result<PlanEntry *> entry = engine.plans.find(plan);
  if (!entry.ok())
    return entry.takeStatus();
  return engine.placement.placeNode(*(*entry)->info, path, where);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

Result<Launch *> Runtime::idleLaunch(PlanEntry &entry, bool isCoarse) {
  Handled *idle = entry.takeIdle(
      [this](uint32_t index) -> Handled & { return engine.handles.at(index); },
      [](Handled &launch) -> PlanEntry::Idle & {
        return static_cast<Launch &>(launch).idle;
      });
  if (idle)
    return static_cast<Launch *>(idle);
  try {
    Handled *launch =
        engine.handles.add(std::make_unique<Launch>(engine, entry, isCoarse));
    if (launch)
      return static_cast<Launch *>(launch);
  } catch (const std::bad_alloc &) {
  }
  return Status::error(StatusCode::Exhausted,
                       concat("no memory for a launch of graph ",
                              quoted(entry.info->plan.name), " with ",
                              entry.info->frameBytes, " bytes of values"));
}

Result<void *> Runtime::launchInFull(const SluicePlan *plan, void *arguments,
                                     const SluiceLayout *layout,
                                     LaunchKind kind) {
  bool isStream = kind == LaunchKind::Stream;
  Result<PlanEntry *> entry = checkLaunch(plan, arguments, layout, isStream);
  if (!entry.ok())
    return entry.takeStatus();
  if (isStream)
    return launchStream(**entry, arguments, layout);
  bool isCoarse = kind == LaunchKind::Tasks || kind == LaunchKind::Serial;
  Result<Launch *> idle = idleLaunch(**entry, isCoarse);
  if (!idle.ok())
    return idle.takeStatus();
  Launch &launch = **idle;
  launch.instance.isSerial =
      kind == LaunchKind::Serial ||
      (kind == LaunchKind::Tasks && engine.numWorkers() == 1);
  Result<bool> mayStart =
      launch.prepare(arguments, layout, kind == LaunchKind::Ordered);
  if (!mayStart.ok()) {
    (*entry)->putIdle(launch, launch.idle);
    return mayStart.takeStatus();
  }
  launch.makeAlive();
  launch.start(*mayStart);
  return launch.handle();
}

Status Runtime::waitInFull(void *graph) {
  if (Status status = checkCaller("wait"); !status.ok())
    return status;
  Handled *object = engine.handles.find(graph);
  if (!object)
    return unknownHandle(graph, "wait");
  if (object->kind == Handled::Kind::Stream)
    return static_cast<Stream *>(object)->wait();
  if (!engine.handles.claim(*object, graph))
    return unknownHandle(graph, "wait");
  auto &launch = static_cast<Launch &>(*object);
  Status status = launch.wait();
  launch.entry.putIdle(launch, launch.idle);
  return status;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

/// Reports once per plan why all of its stages run on rank 0.
void Runtime::remarkOnStream(const PlanInfo &info) {
  std::string reason = whyNotStaged(info);
  if (reason.empty() && engine.numWorkers() >= engine.getRanks()->numRanks())
    reason = concat("it is a stream, and rank 0 has ",
                    countOf(engine.numWorkers(), "worker", "workers"),
                    " for its items, but there are ",
                    countOf(engine.getRanks()->numRanks(), "rank", "ranks"));
  std::lock_guard lock(remarkMutex);
  if (!reason.empty() && remarked.insert(&info).second)
    std::fprintf(stderr, "sluice: remark: graph %s runs on rank 0 only: %s\n",
                 quoted(info.plan.name).c_str(), reason.c_str());
}

Result<void *> Runtime::launchStream(PlanEntry &entry, void *arguments,
                                     const SluiceLayout *layout) {
  if (engine.getRanks())
    remarkOnStream(*entry.info);
  Handled *object = engine.handles.add(std::make_unique<Stream>(engine, entry));
  if (!object)
    return Status::error(StatusCode::Exhausted, "too many streams");
  auto &stream = static_cast<Stream &>(*object);
  if (Status status = stream.open(arguments, layout); !status.ok())
    return status;
  stream.makeAlive();
  return stream.handle();
}

Result<Stream *> Runtime::findStream(void *graph, const char *call) {
  if (Status status = checkCaller(call); !status.ok())
    return status;
  Handled *object = engine.handles.find(graph);
  if (!object)
    return unknownHandle(graph, call);
  if (object->kind == Handled::Kind::Stream)
    return static_cast<Stream *>(object);
  return Status::misuse(
      concat(call, ": graph ",
             quoted(static_cast<Launch *>(object)->entry.info->plan.name),
             " was not launched as a stream"));
}

Status Runtime::push(void *graph, void *arguments, const SluiceLayout *layout) {
  Result<Stream *> stream = findStream(graph, "push");
  if (!stream.ok())
    return stream.takeStatus();
  return (*stream)->push(arguments, layout);
}

Result<void *> Runtime::pop(void *graph) {
  Result<Stream *> stream = findStream(graph, "pop");
  if (!stream.ok())
    return stream.takeStatus();
  return (*stream)->pop();
}

Status Runtime::setStreamBound(void *graph, uint64_t bound) {
  Result<Stream *> stream = findStream(graph, "setting a stream's bound");
  if (!stream.ok())
    return stream.takeStatus();
  return (*stream)->setBound(bound);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Status Runtime::trackMemory(void *pointer, size_t size) {
  if (Status status = checkCaller("trackMemory"); !status.ok())
    return status;
  if (Status status = engine.tracker.track(pointer, size); !status.ok())
    return status;
  RemoteGraphs *ranks = engine.getRanks();
  return ranks ? ranks->track(pointer, size) : Status();
}

Status Runtime::untrackMemory(void *pointer) {
  if (Status status = checkCaller("untrackMemory"); !status.ok())
    return status;
  if (Status status = engine.tracker.untrack(pointer); !status.ok())
    return status;
  RemoteGraphs *ranks = engine.getRanks();
  return ranks ? ranks->untrack(pointer) : Status();
}

Status Runtime::dropMemory(void *pointer) {
  if (Status status = checkCaller("untrackMemory"); !status.ok())
    return status;
  if (Status status = engine.tracker.drop(pointer); !status.ok())
    return status;
  if (RemoteGraphs *ranks = engine.getRanks())
    ranks->drop(pointer);
  return {};
}

Result<void *> Runtime::requestMemory(void *pointer, size_t size) {
  if (Status status = checkCaller("requestMemory"); !status.ok())
    return status;
  if (Status status = engine.tracker.checkRequest(pointer, size); !status.ok())
    return status;
  engine.waitForWriters(pointer, size);
  if (Status status = bringFromRanks(pointer, size); !status.ok())
    return status;
  if (Status status =
          engine.tracker.bringHome(pointer, size, HostUse::ReadWrite);
      !status.ok())
    return status;
  return pointer;
}

/// For host code.
Status Runtime::bringFromRanks(const void *pointer, uint64_t size,
                               HostUse use) {
  RemoteGraphs *ranks = engine.getRanks();
  return ranks ? ranks->bringHome(reinterpret_cast<uintptr_t>(pointer), size,
                                  /*writes=*/use == HostUse::ReadWrite)
               : Status();
}

/// Checks a request for the bytes of a layout and waits for their writers.
Result<std::vector<ByteRange>>
Runtime::requestBytes(const void *base, const char *layout, int64_t count) {
  if (Status status = checkCaller("requestMemory of a part"); !status.ok())
    return status;
  Result<std::vector<ByteRange>> bytes = addressesOf(base, layout, count);
  if (!bytes.ok() || bytes->empty())
    return bytes;
  auto *first = reinterpret_cast<const void *>(bytes->front().begin);
  uint64_t size = bytes->back().end - bytes->front().begin;
  if (Status status = engine.tracker.checkRequest(first, size); !status.ok())
    return status;
  engine.waitForWriters(first, size);
  if (Status status = bringFromRanks(first, size); !status.ok())
    return status;
  return bytes;
}

Status Runtime::requestMemoryPart(const void *base, const char *layout,
                                  int64_t count) {
  Result<std::vector<ByteRange>> bytes = requestBytes(base, layout, count);
  return bytes.ok() ? engine.tracker.bringPartsHome(std::move(*bytes),
                                                    HostUse::ReadWrite)
                    : bytes.takeStatus();
}

Status Runtime::sendMemoryPart(const void *base, const char *layout,
                               int64_t count, MemoryPlace place) {
  if (place != hostPlace)
    if (Status status = engine.devices.open(); !status.ok())
      return status;
  Result<std::vector<ByteRange>> bytes = requestBytes(base, layout, count);
  return bytes.ok() ? engine.tracker.sendParts(place, std::move(*bytes))
                    : bytes.takeStatus();
}

Status Runtime::requestAnyMemory(void *pointer, size_t size) {
  if (Status status = checkCaller("requestMemory"); !status.ok())
    return status;
  if (engine.tracker.isTracked(pointer))
    return requestMemory(pointer, size).takeStatus();
  engine.waitForWriters(pointer, size);
  // Tracked memory may begin after the pointer.
  return size ? bringFromRanks(pointer, size) : Status();
}

Status Runtime::useAnyMemory(const void *pointer, size_t size, HostUse use) {
  engine.waitForWriters(pointer, size);
  if (Status status = bringFromRanks(pointer, size, use); !status.ok())
    return status;
  return engine.tracker.checkRequest(pointer, size).ok()
             ? engine.tracker.bringHome(pointer, size, use)
             : Status();
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

std::pair<uint64_t, const char *> Runtime::launchInFlight() const {
  uint64_t alive = 0;
  const char *name = nullptr;
  for (uint32_t i = 0; i < engine.handles.size(); ++i) {
    Handled &object = engine.handles.at(i);
    bool isStream = object.kind == Handled::Kind::Stream;
    if (!object.isAlive() ||
        (isStream && static_cast<Stream &>(object).isClosed()))
      continue;
    ++alive;
    name = isStream ? static_cast<Stream &>(object).entry.info->plan.name
                    : static_cast<Launch &>(object).entry.info->plan.name;
  }
  return {alive, name};
}

Status Runtime::finish() {
  if (Status status = checkCaller("cleanup"); !status.ok())
    return status;
  auto [alive, name] = launchInFlight();
  if (alive)
    return Status::misuse(concat("cleanup with ",
                                 countOf(alive, "graph", "graphs"),
                                 " in flight, ", quoted(name),
                                 " among them; wait for them "
                                 "first"));
  if (Status status = leaveRanks(); !status.ok())
    return status;
  if (Status status = engine.placement.saveHistory(); !status.ok())
    std::fprintf(stderr,
                 "sluice: warning: the times of nodes were not kept: %s\n",
                 status.message().c_str());
  writeTiledTimes();
  if (Status status = writeJoinedTimeline(); !status.ok())
    return status;
  return engine.trace ? engine.trace->write(true) : Status();
}

//===----------------------------------------------------------------------===//
// Timelines
//===----------------------------------------------------------------------===//

void Runtime::useRanks(RankLink &link) {
  engine.useRanks(link);
  if (engine.trace && tellRanks(link, OrderKind::JoinTimelines).ok())
    joinTimelines(link);
}

void Runtime::joinTimelines(RankLink &link) {
  if (engine.trace)
    engine.trace->restart();
  joinTraces(link.table());
  if (!engine.trace || !engine.trace->hasRanks())
    return;
  tracedRanks = &link;
  link.setTrace(engine.trace.get());
}

Status Runtime::writeJoinedTimeline() {
  RankLink *link = std::exchange(tracedRanks, nullptr);
  if (!link)
    return {};
  if (link->rank() == 0)
    if (Status status = tellRanks(*link, OrderKind::WriteTimeline);
        !status.ok())
      return status;
  link->setTrace(nullptr);
  return engine.trace->write(true);
}

void Runtime::writeTiledTimes() {
  if (Status status = engine.writeTiledTimes(); !status.ok())
    std::fprintf(stderr, "sluice: warning: times were not kept: %s\n",
                 status.message().c_str());
}

Status Runtime::writeTraceAtExit() {
  writeTiledTimes();
  return engine.trace ? engine.trace->write(false, false) : Status();
}

void Runtime::joinTraces(const SluiceCluster &cluster) {
  // If some ranks make a different kind of trace, each rank writes its own.
  const char kind = engine.trace ? engine.trace->kind() : 0;
  std::string all(cluster.numRanks, 0);
  cluster.gather(cluster.context, &kind, 1, all.data());
  if (kind && all.find_first_not_of(kind) == std::string::npos)
    engine.trace->setRanks(std::make_unique<RankTrace>(
        cluster, hostName(), RankTrace::isOneMachine(cluster),
        clockNanoseconds));
}
