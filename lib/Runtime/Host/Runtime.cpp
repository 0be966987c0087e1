//===- Runtime.cpp - The runtime behind the C interface -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks every call and hands it to the part that does it.
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include "../Memory/LayoutBytes.h"

#include "../Execution/Interpreter.h"
#include "../PlacedGraphs/PlacedGraph.h"
#include "../Scheduling/Clock.h"

#include "sluice/Base/Text.h"

#include <cstdio>
#include <new>

using namespace sluice;

Result<std::unique_ptr<Runtime>>
Runtime::create(const RuntimeOptions &options) {
  std::unique_ptr<Trace> trace;
  if (!options.traceFile.empty()) {
    Result<std::unique_ptr<Trace>> result =
        Trace::create(options.traceFile, options.numWorkers);
    // A run is worth more than its trace.
    if (result.ok())
      trace = std::move(*result);
    else
      std::fprintf(stderr, "sluice: warning: there will be no trace: %s\n",
                   result.status().message().c_str());
  }
  return std::unique_ptr<Runtime>(new Runtime(options, std::move(trace)));
}

Runtime::Runtime(const RuntimeOptions &options, std::unique_ptr<Trace> trace)
    : options(options), trace(std::move(trace)), specializer(this->options),
      devices(this->options.devices, this->options.cacheDirectory,
              this->trace.get(), tracker),
      placement(this->options.devices, devices, this->options.cacheDirectory,
                options.numWorkers, this->trace.get()),
      plans(preparePlan, this),
      executor(options.sequential ? 1 : options.numWorkers, this->trace.get()),
      checkedRun(options.check) {}

Runtime::~Runtime() = default;

Status Runtime::preparePlan(void *context, PlanInfo &info) {
  auto &runtime = *static_cast<Runtime *>(context);
  if (!runtime.isSequential(info))
    if (Status status = runtime.placement.prepare(info); !status.ok())
      return status;
  runtime.specializer.preparePlan(info);
  return {};
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

Status Runtime::checkCaller(const char *call) const {
  const Worker *worker = Worker::current();
  if (!worker || !worker->insideKernel)
    return {};
  return Status::misuse(
      concat("node code called ", call, ", which only host code may"));
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
  Result<PlanEntry *> entry = plans.find(*plan);
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
  if (Status status =
          checkStructure(*(*entry)->info, arguments, layout,
                         isStream ? ArgumentSet::Fixed : ArgumentSet::All);
      !status.ok())
    return status;
  return entry;
}

Result<bool> Runtime::claimMemory(const PlanInfo &info, ArgumentSet set,
                                  const unsigned char *frame,
                                  MemoryUser &user) {
  if (Status status = checkNullPointers(info, set, frame); !status.ok())
    return status;
  if (set != ArgumentSet::Fixed)
    if (Status status = checkDisjoint(info, frame); !status.ok())
      return status;
  if (!user.ordersUntracked && (!info.hasPointers || tracker.isEmpty()))
    return true;
  readMemoryAccesses(info, set, frame, user.accesses);
  if (user.ordersUntracked)
    addNamedMemories(info.plan, user);
  Result<bool> isFree = tracker.acquire(user, user.accesses);
  if (isFree.ok() && !*isFree)
    quietEnds.reportAll();
  return isFree;
}

/// Globals that leaves write are memory that launches share, too.
void Runtime::addNamedMemories(const SluicePlan &plan, MemoryUser &user) {
  for (uint32_t memory = 0; memory < plan.numMemories; ++memory) {
    bool writes = false;
    for (uint32_t i = 0; i < plan.numNodes; ++i)
      for (uint32_t k = 0; k < plan.nodes[i].numUses; ++k)
        if (const SluicePlanUse &use = plan.nodes[i].uses[k];
            use.memory == memory)
          writes |= use.access != SLUICE_ACCESS_IN;
    user.accesses.push_back(tracker.named(plan.memories[memory].name, writes));
  }
}

void Runtime::releaseMemory(MemoryUser &user, Worker *worker) {
  if (tracker.release(user, worker))
    memoryReleased.notify();
}

Status Runtime::placeNode(const SluicePlan &plan, const char *path,
                          const std::string &where) {
  Result<PlanEntry *> entry = plans.find(plan);
  if (!entry.ok())
    return entry.takeStatus();
  return placement.placeNode(*(*entry)->info, path, where);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

Result<Launch *> Runtime::idleLaunch(PlanEntry &entry, bool isCoarse) {
  uint32_t found = entry.takeIdle([this](uint32_t index) -> PlanEntry::Idle & {
    return static_cast<Launch &>(handles.at(index)).idle;
  });
  if (found)
    return static_cast<Launch *>(&handles.at(found - 1));
  try {
    Handled *launch =
        handles.add(std::make_unique<Launch>(*this, entry, isCoarse));
    if (launch)
      return static_cast<Launch *>(launch);
  } catch (const std::bad_alloc &) {
  }
  return Status::error(StatusCode::Exhausted,
                       concat("no memory for a launch of graph ",
                              quoted(entry.info->plan.name), " with ",
                              entry.info->frameBytes, " bytes of values"));
}

Result<void *> Runtime::launch(const SluicePlan *plan, void *arguments,
                               const SluiceLayout *layout, LaunchKind kind) {
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
  launch.instance.isSerial = kind == LaunchKind::Serial ||
                             (kind == LaunchKind::Tasks && numWorkers() == 1);
  Result<bool> mayStart =
      launch.prepare(arguments, layout, kind == LaunchKind::Ordered);
  if (!mayStart.ok()) {
    (*entry)->putIdle(launch.tableIndex(), launch.idle);
    return mayStart.takeStatus();
  }
  launch.makeAlive();
  if (*mayStart)
    launch.start();
  return launch.handle();
}

Status Runtime::wait(void *graph) {
  if (Status status = checkCaller("wait"); !status.ok())
    return status;
  Handled *object = handles.find(graph);
  if (!object)
    return unknownHandle(graph, "wait");
  if (object->kind == Handled::Kind::Stream)
    return static_cast<Stream *>(object)->wait();
  if (!handles.claim(graph))
    return unknownHandle(graph, "wait");
  auto &launch = static_cast<Launch &>(*object);
  Status status = launch.wait();
  launch.entry.putIdle(launch.tableIndex(), launch.idle);
  return status;
}

/// Nothing but this launch and instances that end quietly is in flight.
bool Runtime::isOnlyOneRunning(const Launch &launch) {
  size_t numRunning = 0;
  for (uint32_t i = 0; i < handles.size(); ++i) {
    Handled &object = handles.at(i);
    if (&object == &launch || !object.isAlive())
      continue;
    numRunning += object.kind == Handled::Kind::Stream
                      ? !static_cast<Stream &>(object).isClosed()
                      : !static_cast<Launch &>(object).hasEnded();
  }
  return numRunning <= quietEnds.size();
}

void Runtime::waitFor(Launch &launch) {
  if (!devices.devices().empty() && !launch.hasEnded()) {
    if (PlacedGraph *graph = quietEnds.take(launch.instance)) {
      if (isOnlyOneRunning(launch))
        graph->endHere();
      else
        graph->reportEnd();
    }
    if (launch.hasEnded())
      return;
    // This thread is about to sleep, and its own launch may issue its last
    // nodes just now.
    QuietEnds::Watch watch(quietEnds);
    return helpUntil(launch.end, [&] { return launch.hasEnded(); });
  }
  helpUntil(launch.end, [&] { return launch.hasEnded(); });
}

void Runtime::placeNodes(GraphInstance &instance) {
  const PlanInfo &info = instance.info;
  if (isSequential(info))
    return;
  if (instance.numItems() > 1)
    return bringArgumentsHome(instance);
  if (!placement.isNeeded(info) && !tracker.anyOnDevices())
    return;
  if (!instance.placedGraph) {
    instance.makeRuns();
    instance.placedGraph = std::make_unique<PlacedGraph>(
        instance,
        PlacedServices{executor, devices, placement, tracker, quietEnds});
  }
  PlacedGraph &graph = *instance.placedGraph;
  std::fill(graph.places.begin(), graph.places.end(), NodePlace());
  if (placement.isNeeded(info)) {
    uint64_t number =
        info.placement->numLaunches.fetch_add(1, std::memory_order_relaxed);
    placement.choose(info, instance.frame, number, graph.places);
    if (options.changePlaces)
      options.changePlaces(info, graph.places);
  }
  if (!graph.settlePlaces())
    return;
  graph.prepare({});
  instance.placed = &graph;
}

/// Makes the memory of all arguments valid on the host.
void Runtime::bringArgumentsHome(GraphInstance &instance) {
  if (!instance.info.hasPointers || !tracker.anyOnDevices())
    return;
  std::vector<MemoryAccess> accesses;
  for (uint32_t item = 0; item < instance.numGoodItems(); ++item) {
    readMemoryAccesses(instance.info, ArgumentSet::All, instance.frameOf(item),
                       accesses);
    for (const MemoryAccess &memory : accesses) {
      // That all of it is written is not known of the host's nodes.
      uint32_t access = memory.writes ? SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT
                                      : uint32_t(SLUICE_ACCESS_IN);
      if (Status status = tracker.useOnHost(memory, access); !status.ok())
        instance.fail(std::move(status), item);
    }
  }
}

void Runtime::startInstance(GraphInstance &instance) {
  if (isSequential(instance.info))
    return runSequentially(instance);
  Pool &pool = executor.getPool();
  Worker *worker = pool.tryEnter();
  executor.start(worker, instance);
  if (worker)
    pool.leave();
}

void Runtime::startInstance(Worker *worker, GraphInstance &instance) {
  if (worker && !isSequential(instance.info))
    executor.start(worker, instance);
  else
    startInstance(instance);
}

bool Runtime::tryRunInline(GraphInstance &instance) {
  Pool &pool = executor.getPool();
  Worker *worker = pool.tryEnter();
  if (!worker)
    return false;
  executor.runInline(*worker, instance);
  pool.leave();
  return true;
}

void Runtime::runSequentially(GraphInstance &instance) {
  Worker *before = Worker::current();
  {
    std::lock_guard lock(sequentialMutex);
    Worker::setCurrent(&executor.getPool().worker(0));
    uint64_t start = clockNanoseconds();
    Status status;
    bringArgumentsHome(instance);
    // Stream items behind one that failed have failed before they run.
    if (!instance.failed())
      status =
          checkedRun.wants(instance.info.plan)
              ? checkedRun.run(instance.info, instance.frame, instance.memory)
              : interpretPlan(instance.info, instance.frame, instance.memory);
    if (trace)
      trace->addInstance(instance.info.plan.name, start, clockNanoseconds());
    if (!status.ok())
      instance.fail(std::move(status));
    instance.memory.reset();
  }
  Worker::setCurrent(nullptr);
  instance.owner.instanceEnded(nullptr);
  // Where a worker's release made this instance start.
  Worker::setCurrent(before);
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

Result<void *> Runtime::launchStream(PlanEntry &entry, void *arguments,
                                     const SluiceLayout *layout) {
  Handled *object = handles.add(std::make_unique<Stream>(*this, entry));
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
  Handled *object = handles.find(graph);
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
  return tracker.track(pointer, size);
}

Status Runtime::untrackMemory(void *pointer) {
  if (Status status = checkCaller("untrackMemory"); !status.ok())
    return status;
  return tracker.untrack(pointer);
}

void Runtime::waitForWriters(const void *pointer, uint64_t size) {
  if (!tracker.isBeingWritten(pointer, size))
    return;
  QuietEnds::Watch watch(quietEnds);
  helpUntil(memoryReleased,
            [&] { return !tracker.isBeingWritten(pointer, size); });
}

Result<void *> Runtime::requestMemory(void *pointer, size_t size) {
  if (Status status = checkCaller("requestMemory"); !status.ok())
    return status;
  if (Status status = tracker.checkRequest(pointer, size); !status.ok())
    return status;
  waitForWriters(pointer, size);
  if (Status status = tracker.bringHome(pointer, size, HostUse::ReadWrite);
      !status.ok())
    return status;
  return pointer;
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
  if (Status status = tracker.checkRequest(first, size); !status.ok())
    return status;
  waitForWriters(first, size);
  return bytes;
}

Status Runtime::requestMemoryPart(const void *base, const char *layout,
                                  int64_t count) {
  Result<std::vector<ByteRange>> bytes = requestBytes(base, layout, count);
  return bytes.ok()
             ? tracker.bringPartsHome(std::move(*bytes), HostUse::ReadWrite)
             : bytes.takeStatus();
}

Status Runtime::sendMemoryPart(const void *base, const char *layout,
                               int64_t count, MemoryPlace place) {
  if (place != hostPlace)
    if (Status status = devices.open(); !status.ok())
      return status;
  Result<std::vector<ByteRange>> bytes = requestBytes(base, layout, count);
  return bytes.ok() ? tracker.sendParts(place, std::move(*bytes))
                    : bytes.takeStatus();
}

Status Runtime::requestAnyMemory(void *pointer, size_t size) {
  if (Status status = checkCaller("requestMemory"); !status.ok())
    return status;
  if (tracker.isTracked(pointer))
    return requestMemory(pointer, size).takeStatus();
  waitForWriters(pointer, size);
  return {};
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

Status Runtime::finish() {
  if (Status status = checkCaller("cleanup"); !status.ok())
    return status;
  uint64_t alive = 0;
  const char *name = nullptr;
  for (uint32_t i = 0; i < handles.size(); ++i) {
    Handled &object = handles.at(i);
    bool isStream = object.kind == Handled::Kind::Stream;
    if (!object.isAlive() ||
        (isStream && static_cast<Stream &>(object).isClosed()))
      continue;
    ++alive;
    name = isStream ? static_cast<Stream &>(object).entry.info->plan.name
                    : static_cast<Launch &>(object).entry.info->plan.name;
  }
  if (alive)
    return Status::misuse(concat("cleanup with ",
                                 countOf(alive, "graph", "graphs"),
                                 " in flight, ", quoted(name),
                                 " among them; wait for them "
                                 "first"));
  if (Status status = placement.saveHistory(); !status.ok())
    std::fprintf(stderr,
                 "sluice: warning: the times of nodes were not kept: %s\n",
                 status.message().c_str());
  return trace ? trace->write(true) : Status();
}

Status Runtime::writeTraceAtExit() {
  return trace ? trace->write(false) : Status();
}
