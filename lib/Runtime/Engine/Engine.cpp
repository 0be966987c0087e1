//===- Engine.cpp - The parts of a runtime, put together ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an instance whose arguments stand in its frame to its start, and from
// there to whoever waits for its end.
//
//===----------------------------------------------------------------------===//

#include "Engine.h"

#include "../Execution/PlanInterpreter.h"
#include "../PlacedGraphs/PlacedGraph.h"
#include "../Scheduling/Clock.h"

#include "sluice/Base/Text.h"
#include "sluice/Base/WholeFiles.h"

#include <algorithm>
#include <cstdio>

using namespace sluice;

std::unique_ptr<Trace> Engine::createTrace(const RuntimeOptions &options) {
  if (options.traceOf)
    return Trace::createPart(*options.traceOf, options.numWorkers);
  if (options.traceFile.empty() && !options.hasSummary)
    return nullptr;
  Result<std::unique_ptr<Trace>> trace =
      Trace::create(options.traceFile, options.numWorkers, options.hasSummary);
  if (trace.ok())
    return std::move(*trace);
  // A run is worth more than its trace.
  std::fprintf(stderr, "sluice: warning: there will be no trace: %s\n",
               trace.status().message().c_str());
  return nullptr;
}

Recorder *Engine::openRecorder(const RuntimeOptions &options) {
  if (options.record.directory.empty())
    return nullptr;
  Result<Recorder *> recorder = Recorder::open(options.record);
  if (recorder.ok())
    return *recorder;
  // A run is worth more than its record.
  std::fprintf(stderr, "sluice: warning: there will be no record: %s\n",
               recorder.status().message().c_str());
  return nullptr;
}

/// What is recorded runs node by node, without the checks it was built with.
static RuntimeOptions withRecord(RuntimeOptions options, bool isRecorded) {
  if (!isRecorded)
    return options;
  options.sequential = true;
  if (options.check == CheckMode::AsBuilt)
    options.check = CheckMode::Off;
  return options;
}

Engine::Engine(const RuntimeOptions &theOptions)
    : recorder(openRecorder(theOptions)),
      options(withRecord(theOptions, recorder != nullptr)),
      trace(createTrace(options)), specializer(options),
      devices(options.devices, options.cacheDirectory, trace.get(), tracker),
      placement(options.devices, devices, options.cacheDirectory,
                options.numWorkers, trace.get()),
      plans(preparePlan, this),
      executor(options.sequential ? 1 : options.numWorkers, trace.get(),
               options.tileCache),
      checkedRun(options.check) {}

Engine::~Engine() = default;

Status Engine::preparePlan(void *context, PlanInfo &info) {
  auto &engine = *static_cast<Engine *>(context);
  if (!engine.isSequential(info))
    if (Status status = engine.placement.prepare(info); !status.ok())
      return status;
  info.runsAlone = engine.options.sequential || engine.options.numWorkers == 1;
  engine.specializer.preparePlan(info);
  if (info.tileCost)
    info.tileCost->setWays(engine.options.tunedGraphs);
  return {};
}

Status Engine::writeTiledTimes() {
  if (options.tiledTimesFile.empty())
    return {};
  std::vector<TiledTimes> times;
  plans.forEach([&](const PlanInfo &info) {
    if (info.tileCost)
      for (TiledTimes &one : info.tileCost->times())
        times.push_back(std::move(one));
  });
  return writeFileAtomically(options.tiledTimesFile, formatTiledTimes(times));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Result<bool> Engine::claimMemory(const PlanInfo &info, ArgumentSet set,
                                 const unsigned char *frame, MemoryUser &user,
                                 bool mayWait) {
  if (set == ArgumentSet::All && !info.usualNodes.empty())
    if (Status status = checkUsualExtents(info.plan, info.usualNodes, frame);
        !status.ok())
      return status;
  if (set == ArgumentSet::All) {
    if (claimAgain(info, frame, user))
      return true;
    // In place of the earlier of the last two.
    if (!areSameAccesses(info, frame, user.accesses))
      user.swapClaims();
  }
  user.forgetClaims();
  const bool isUnordered =
      !user.ordersUntracked && (!info.hasPointers || tracker.isEmpty());
  if (info.hasPointers || user.ordersUntracked)
    readMemoryAccesses(info, set, frame, user.accesses);
  // Accesses are without null pointers.
  const size_t numPointers = set == ArgumentSet::Streaming
                                 ? info.numStreamingPointers
                                 : info.pointers.size();
  if (user.accesses.size() != numPointers)
    if (Status status = checkNullPointers(info, set, frame); !status.ok())
      return status;
  if (set != ArgumentSet::Fixed && info.plan.numDisjointPairs)
    if (Status status = checkDisjoint(info, set, frame); !status.ok())
      return status;
  if (isUnordered) {
    if (set == ArgumentSet::All)
      user.claimNothing();
    return true;
  }
  user.usesWholeObjects = info.usesWholeObjects;
  if (user.ordersUntracked)
    addNamedMemories(info.plan, user);
  if (!mayWait)
    return tracker.tryAcquire(user, user.accesses);
  Result<bool> isFree = tracker.acquire(user, user.accesses);
  if (isFree.ok() && !*isFree)
    quietEnds.reportAll();
  return isFree;
}

/// Globals that leaves write are memory that launches share, too.
void Engine::addNamedMemories(const SluicePlan &plan, MemoryUser &user) {
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

void Engine::startHeldBack(std::vector<MemoryUser *> &users) {
  for (MemoryUser *user : users)
    user->memoryWanted();
  users.clear();
}

void Engine::waitForWriters(const void *pointer, uint64_t size) {
  std::vector<MemoryUser *> heldBack;
  if (!tracker.isBeingWritten(pointer, size, heldBack))
    return;
  QuietEnds::Watch watch(quietEnds);
  // Other threads may push items meanwhile.
  for (bool isWritten = true; isWritten;) {
    startHeldBack(heldBack);
    helpUntil(memoryReleased, [&] {
      isWritten = tracker.isBeingWritten(pointer, size, heldBack);
      return !isWritten || !heldBack.empty();
    });
  }
}

//===----------------------------------------------------------------------===//
// Where nodes run
//===----------------------------------------------------------------------===//

void Engine::placeNodes(GraphInstance &instance) {
  const PlanInfo &info = instance.info;
  if (isSequential(info) || instance.failed())
    return;
  if (instance.numItems() > 1)
    return bringArgumentsHome(instance);
  if (startsOnRanks(instance))
    return;
  if (!placement.isNeeded(info) && !tracker.anyOnDevices())
    return;
  if (!instance.ownBackEnd) {
    instance.makeRuns();
    instance.ownBackEnd = std::make_unique<PlacedGraph>(
        instance,
        PlacedServices{executor, devices, placement, tracker, quietEnds});
  }
  auto &graph = static_cast<PlacedGraph &>(*instance.ownBackEnd);
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
  instance.setBackEnd(&graph);
  graph.prepare({});
}

void Engine::useRanks(RankLink &link) {
  ownRanks = std::make_unique<RemoteGraphs>(link, executor);
  ranks.store(ownRanks.get(), std::memory_order_release);
}

Status Engine::leaveRanks(ByteRange ended) {
  RemoteGraphs *all = getRanks();
  Status status = all ? all->finish(ended) : Status();
  ranks.store(nullptr, std::memory_order_release);
  return status;
}

/// False: the nodes run here, and their memory is here as well.
bool Engine::startsOnRanks(GraphInstance &instance) {
  RemoteGraphs *all = getRanks();
  if (!all)
    return false;
  const PlanInfo &info = instance.info;
  // Streams, tasks and nodes of devices are this rank's own.
  bool mayBeShared =
      !info.plan.isStreaming && !instance.isSerial && !instance.isOrdered;
  if (mayBeShared && placement.isNeeded(info)) {
    all->remarkOnDevices(info);
    mayBeShared = false;
  }
  BackEnd *backEnd = mayBeShared ? all->backEndOf(instance) : nullptr;
  if (!backEnd) {
    bringFromRanks(instance);
    return false;
  }
  bringFromDevices(instance);
  instance.setBackEnd(backEnd);
  backEnd->prepare({});
  return true;
}

bool Engine::mayStage(const PlanInfo &info, uint64_t itemCost) {
  // Messages of an item take some tens of microseconds. With more workers than
  // ranks, rank 0 has more items in its hands at a time than there are stages.
  constexpr uint64_t leastCost = 50'000;
  RemoteGraphs *all = getRanks();
  return all && itemCost >= leastCost && numWorkers() < all->numRanks() &&
         !isSequential(info) && !placement.isNeeded(info) &&
         whyNotStaged(info).empty();
}

void Engine::placeOnStages(GraphInstance &instance) {
  RemoteGraphs *all = getRanks();
  if (!all) // The program ends.
    return place(instance);
  bringFromDevices(instance);
  BackEnd *stages = all->stagesOf(instance);
  instance.setBackEnd(stages);
  stages->prepare({});
}

/// Brings home what other ranks have of the memory of all arguments, or of any.
void Engine::bringFromRanks(GraphInstance &instance) {
  RemoteGraphs *all = getRanks();
  if (!all)
    return;
  if (instance.info.mayReachOther) {
    if (Status status = all->bringAllHome(/*writes=*/true); !status.ok())
      instance.fail(std::move(status));
    return;
  }
  std::vector<MemoryAccess> accesses;
  for (uint32_t item = 0; item < instance.numGoodItems(); ++item) {
    readMemoryAccesses(instance.info, ArgumentSet::All, instance.frameOf(item),
                       accesses);
    for (const MemoryAccess &memory : accesses) {
      Status status =
          memory.sizeKnown
              ? all->bringHome(memory.start, memory.size, memory.writes)
              : all->bringObjectHome(memory.start, memory.writes);
      if (!status.ok())
        instance.fail(std::move(status), item);
    }
  }
}

/// Makes the memory of all arguments valid on the host.
void Engine::bringArgumentsHome(GraphInstance &instance) {
  bringFromRanks(instance);
  bringFromDevices(instance);
}

void Engine::bringFromDevices(GraphInstance &instance) {
  if (!instance.info.hasPointers || !tracker.anyOnDevices())
    return;
  std::vector<MemoryAccess> accesses;
  for (uint32_t item = 0; item < instance.numGoodItems(); ++item) {
    readMemoryAccesses(instance.info, ArgumentSet::All, instance.frameOf(item),
                       accesses);
    for (const MemoryAccess &memory : accesses) {
      // A node of the host may write only a part of the memory.
      uint32_t access = memory.writes ? SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT
                                      : uint32_t(SLUICE_ACCESS_IN);
      if (Status status = tracker.useOnHost(memory, access); !status.ok())
        instance.fail(std::move(status), item);
    }
  }
}

/// A launch with a table that lets instances meet fails before it starts. A
/// checked run finds and names the instances.
void Engine::testTables(GraphInstance &instance) {
  const PlanInfo &info = instance.info;
  if (checkedRun.wants(info.plan))
    return;
  for (const std::unique_ptr<EntryTable> &table : info.tables) {
    Status status = bringTable(info, *table, instance.frame);
    if (status.ok())
      status = table->test(instance.frame);
    if (!status.ok())
      return instance.fail(std::move(status));
  }
}

/// Makes the content of a table valid on the host.
Status Engine::bringTable(const PlanInfo &info, const EntryTable &table,
                          const unsigned char *frame) {
  RemoteGraphs *all = getRanks();
  if (!all && !tracker.anyOnDevices())
    return {};
  for (uint32_t argument : table.arguments()) {
    MemoryAccess memory =
        accessOf(info.pointers[info.pointerOf[argument]], frame);
    memory.writes = false;
    if (!memory.start)
      continue;
    if (all)
      if (Status status = memory.sizeKnown
                              ? all->bringHome(memory.start, memory.size, false)
                              : all->bringObjectHome(memory.start, false);
          !status.ok())
        return status;
    if (Status status = tracker.useOnHost(memory, SLUICE_ACCESS_IN);
        !status.ok())
      return status;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Starting
//===----------------------------------------------------------------------===//

void Engine::startInstance(GraphInstance &instance) {
  if (isSequential(instance.info))
    return runSequentially(instance);
  Pool &pool = executor.getPool();
  Worker *worker = pool.tryEnter();
  executor.start(worker, instance);
  if (worker)
    pool.leave();
}

void Engine::startInstance(Worker *worker, GraphInstance &instance) {
  if (worker && !isSequential(instance.info))
    executor.start(worker, instance);
  else
    startInstance(instance);
}

bool Engine::tryRunInline(GraphInstance &instance) {
  Pool &pool = executor.getPool();
  Worker *worker = pool.tryEnter();
  if (!worker)
    return false;
  {
    const FloatingScope scope(instance.control);
    executor.runInline(*worker, instance);
  }
  pool.leave();
  return true;
}

void Engine::traceMemoryWait(const GraphInstance &instance) {
  trace->addMemoryWait(instance.info.plan, instance.claimTime,
                       clockNanoseconds());
}

Status Engine::runPlan(GraphInstance &instance) {
  const PlanInfo &info = instance.info;
  if (checkedRun.wants(info.plan))
    return checkedRun.run(info, instance.frame, instance.memory);
  if (!recorder)
    return interpretPlan(info, instance.frame, instance.memory);
  return recorder->runPlan(
      info, instance.frame, instance.memory, options.record,
      [&](const void *pointer) { return tracker.bytesBehind(pointer); });
}

Status Engine::runTable(const TaskTable &table,
                        const std::function<TableMemory()> &memory) {
  if (!recorder || !memory)
    return executor.runTable(table);
  Worker *before = Worker::current();
  std::lock_guard lock(sequentialMutex);
  Worker &worker = executor.getPool().worker(0);
  Worker::setCurrent(&worker);
  Status status = recorder->runTable(table, memory(), options.record, worker);
  Worker::setCurrent(before);
  return status;
}

void Engine::runSequentially(GraphInstance &instance) {
  Worker *before = Worker::current();
  {
    std::lock_guard lock(sequentialMutex);
    const FloatingScope scope(instance.control);
    Worker::setCurrent(&executor.getPool().worker(0));
    uint64_t start = clockNanoseconds();
    Status status;
    bringArgumentsHome(instance);
    // Stream items behind one that failed have failed before they run.
    if (!instance.failed())
      status = runPlan(instance);
    if (trace)
      trace->addInstance(instance.info.plan, start, clockNanoseconds());
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
// Waiting
//===----------------------------------------------------------------------===//

/// Nothing but this launch and instances that end quietly is in flight.
bool Engine::isOnlyOneRunning(const Handled &launch) {
  size_t numRunning = 0;
  for (uint32_t i = 0; i < handles.size(); ++i) {
    Handled &object = handles.at(i);
    if (&object == &launch || !object.isAlive())
      continue;
    numRunning += object.isRunning();
  }
  return numRunning <= quietEnds.size();
}

void Engine::waitFor(const Handled &launch, const GraphInstance &instance,
                     WaitPoint &end, const std::atomic<bool> &ended) {
  auto hasEnded = [&] { return ended.load(std::memory_order_acquire); };
  if (devices.devices().empty() || hasEnded())
    return helpUntil(end, hasEnded);
  if (QuietEnd *quiet = quietEnds.take(instance)) {
    if (isOnlyOneRunning(launch))
      quiet->waitHere();
    else
      quiet->report();
  }
  if (hasEnded())
    return;
  // This thread is about to sleep, and its own launch may issue its last nodes
  // just now.
  QuietEnds::Watch watch(quietEnds);
  helpUntil(end, hasEnded);
}
