//===- OrderedNode.cpp - Nodes with ordered instances ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One worker runs the steps of a node (Steps.h) line by line, without counters.
// Several workers share the steps: a worker that holds a line runs it as far as
// the previous lines allow, and then looks for another line. Only the progress
// of each line is counted, not the predecessors of each step, so a step costs a
// load and a store.
//
//===----------------------------------------------------------------------===//

#include "../Plan/Steps.h"
#include "../Scheduling/Clock.h"
#include "../Scheduling/Parking.h"
#include "../Scheduling/SharedRun.h"
#include "../Trace/Trace.h"
#include "Executor.h"
#include "KernelCall.h"

#include <algorithm>
#include <chrono>
#include <thread>

using namespace sluice;

//===----------------------------------------------------------------------===//
// One worker
//===----------------------------------------------------------------------===//

bool sluice::callSteps(Worker &worker, const SluicePlanNode &node,
                       SluiceKernel kernel, const SluiceInvocation &invocation,
                       UnitRange units, Status &error) {
  const Steps steps(node, invocation.extents);
  auto run = [&](uint64_t begin, uint64_t end) {
    kernel(&invocation, begin, end);
    return true;
  };
  const uint64_t firstLine = units.begin / steps.laneUnits * steps.numLines;
  const uint64_t endLine = units.end / steps.laneUnits * steps.numLines;
  worker.insideKernel = true;
  try {
    // The lines are sorted so that no line waits for a later one.
    for (uint64_t line = firstLine; line < endLine; ++line)
      for (uint64_t step = 0; step < steps.lineLength; ++step)
        steps.forRanges(line, step, {0, steps.stepUnits}, run);
  } catch (...) {
    error = kernelError(worker, node);
    return false;
  }
  worker.insideKernel = false;
  return true;
}

//===----------------------------------------------------------------------===//
// Several workers
//===----------------------------------------------------------------------===//

namespace {
/// How to share the steps of a node.
struct StepShares {
  /// Maximum number of lines whose progress is tracked.
  static constexpr uint64_t maxLines = 1u << 16;

  StepShares() = default;
  /// The kernel runs `unitsAtOnce` units at once.
  StepShares(const Steps &steps, uint64_t rowUnits, uint64_t unitCost,
             unsigned numWorkers, uint32_t unitsAtOnce);

  /// Consecutive steps of a line that one worker runs without checking other
  /// lines.
  uint64_t blockSteps = 1;
  uint64_t numBlocks = 1;
  /// Parts of a step's units for different workers; 1 unless `blockSteps` is 1.
  Partition parts;
  /// More workers would find nothing to do.
  unsigned maxWorkers = 1;
};
} // namespace

StepShares::StepShares(const Steps &steps, uint64_t rowUnits, uint64_t unitCost,
                       unsigned numWorkers, uint32_t unitsAtOnce) {
  const uint64_t numLines = steps.numLanes * steps.numLines;
  parts.units = parts.numGranules = steps.stepUnits;
  if (numLines > maxLines || steps.lineLength >= UINT32_MAX)
    return;
  // The number of simultaneous steps.
  auto widthOf = [&](uint64_t length) {
    return steps.numLanes * std::min(steps.numLines, length);
  };
  if (widthOf(steps.lineLength) < numWorkers) {
    NodeCounts counts;
    counts.units = steps.stepUnits;
    counts.rowUnits = rowUnits;
    parts =
        splitUnits(counts, unitCost, numWorkers, leastChunkCost, unitsAtOnce);
  }
  if (parts.numChunks == 1 && unitCost != 0) {
    // Checking a line that another worker holds costs up to 0.1 microseconds.
    constexpr uint64_t minBlockCost = 1000 * 1000;
    uint64_t stepCost;
    if (!__builtin_mul_overflow(steps.stepUnits, unitCost, &stepCost))
      blockSteps =
          std::min(1 + (minBlockCost - 1) / stepCost, steps.lineLength);
  }
  numBlocks = (steps.lineLength + blockSteps - 1) / blockSteps;
  maxWorkers = static_cast<unsigned>(
      std::min<uint64_t>(numWorkers, widthOf(numBlocks) * parts.numChunks));
}

/// The steps of one node, shared by several workers. Each takes part until no
/// steps are left, and the last one finishes the node.
class Executor::OrderedRun final : public SharedRun {
public:
  explicit OrderedRun(Executor &executor) : executor(executor) {}

  void begin(NodeRun &run, const Steps &newSteps, const StepShares &newShares);
  void takePart(Worker &worker) override;
  bool wantsMore(const Worker &) const override {
    return numJoined.load(std::memory_order_relaxed) < shares.maxWorkers &&
           linesLeft.load(std::memory_order_relaxed) != 0;
  }

private:
  struct alignas(64) Line {
    /// completed blocks << 32 | taken parts of the next block
    std::atomic<uint64_t> state{0};
    std::atomic<uint32_t> partsEnded{0};
  };
  struct Work {
    uint64_t line;
    uint32_t block;
    uint32_t part;
  };

  bool mayRun(uint64_t line, uint64_t block) const;
  bool take(uint64_t line, Work &work);
  bool takeAny(Work &work);
  bool runPart(Worker &worker, const Work &work);
  bool endPart(Work &work);
  void endLine();
  void finish(Worker &worker);

  Executor &executor;
  NodeRun *node = nullptr;
  Steps steps;
  StepShares shares;
  uint64_t numLines = 0;
  size_t capacity = 0;
  std::unique_ptr<Line[]> lines;
  /// All earlier lines have ended; a hint.
  alignas(64) std::atomic<uint64_t> firstLine{0};
  std::atomic<uint64_t> linesLeft{0};
  std::atomic<unsigned> numJoined{0};
};

void Executor::OrderedRun::begin(NodeRun &run, const Steps &newSteps,
                                 const StepShares &newShares) {
  node = &run;
  steps = newSteps;
  shares = newShares;
  numLines = steps.numLanes * steps.numLines;
  if (capacity < numLines) {
    lines = std::make_unique<Line[]>(numLines);
    capacity = numLines;
  }
  for (uint64_t i = 0; i < numLines; ++i) {
    lines[i].state.store(0, std::memory_order_relaxed);
    lines[i].partsEnded.store(0, std::memory_order_relaxed);
  }
  firstLine.store(0, std::memory_order_relaxed);
  linesLeft.store(numLines, std::memory_order_relaxed);
  numJoined.store(0, std::memory_order_relaxed);
  open();
}

/// Whether the previous lines have completed that block.
bool Executor::OrderedRun::mayRun(uint64_t line, uint64_t block) const {
  uint64_t before[2];
  const unsigned count = steps.linesBefore(line, before);
  for (unsigned i = 0; i < count; ++i)
    if (lines[before[i]].state.load(std::memory_order_acquire) >> 32 <= block)
      return false;
  return true;
}

bool Executor::OrderedRun::take(uint64_t line, Work &work) {
  uint64_t state = lines[line].state.load(std::memory_order_acquire);
  work = {line, static_cast<uint32_t>(state >> 32),
          static_cast<uint32_t>(state)};
  return work.block < shares.numBlocks && work.part < shares.parts.numChunks &&
         (work.part != 0 || mayRun(line, work.block)) &&
         lines[line].state.compare_exchange_strong(state, state + 1,
                                                   std::memory_order_acq_rel,
                                                   std::memory_order_relaxed);
}

/// The first line in order that has not ended can always run, or is running.
bool Executor::OrderedRun::takeAny(Work &work) {
  for (uint64_t line = firstLine.load(std::memory_order_relaxed);
       line < numLines;) {
    if (take(line, work))
      return true;
    bool hasBegun = work.block != 0 || work.part != 0;
    line = hasBegun ? line + 1 : steps.nextUnlessBegun(line);
  }
  return false;
}

/// Returns false if the launch has failed.
bool Executor::OrderedRun::runPart(Worker &worker, const Work &work) {
  GraphInstance &instance = *node->instance;
  const SluicePlanNode &plan = *node->info->node;
  Trace *trace = executor.trace;
  bool needsTime = trace || node->isTimed || instance.isTimed;
  uint64_t start = needsTime ? clockNanoseconds() : 0;
  UnitRange part = shares.parts.chunk(work.part);
  uint64_t firstStep = work.block * shares.blockSteps;
  uint64_t endStep = std::min(firstStep + shares.blockSteps, steps.lineLength);
  auto run = [&](uint64_t begin, uint64_t end) {
    node->kernel(&node->invocation, begin, end);
    return true;
  };
  worker.insideKernel = true;
  try {
    for (uint64_t step = firstStep; step < endStep; ++step)
      steps.forRanges(work.line, step, part, run);
  } catch (...) {
    instance.fail(kernelError(worker, plan));
  }
  worker.insideKernel = false;
  if (needsTime) {
    uint64_t end = clockNanoseconds();
    if (node->isTimed)
      node->nanoseconds.fetch_add(end - start, std::memory_order_relaxed);
    if (instance.isTimed)
      instance.busyNanoseconds.fetch_add(end - start,
                                         std::memory_order_relaxed);
    if (trace)
      trace->buffer(worker.index)
          .addChunk(plan,
                    {work.line * steps.lineLength + firstStep,
                     work.line * steps.lineLength + endStep},
                    start, end, instance.startTime);
  }
  return !instance.failed();
}

/// Returns true if the worker continues with `work`, the next block of the
/// line.
bool Executor::OrderedRun::endPart(Work &work) {
  Line &line = lines[work.line];
  const uint32_t numParts = shares.parts.numChunks;
  if (numParts > 1) {
    if (line.partsEnded.fetch_add(1, std::memory_order_acq_rel) + 1 != numParts)
      return false;
    line.partsEnded.store(0, std::memory_order_relaxed);
  }
  const uint64_t block = work.block + 1;
  const bool goesOn = block < shares.numBlocks && mayRun(work.line, block);
  line.state.store(block << 32 | goesOn, std::memory_order_release);
  if (block == shares.numBlocks)
    endLine();
  work = {work.line, static_cast<uint32_t>(block), 0};
  return goesOn;
}

void Executor::OrderedRun::endLine() {
  uint64_t first = firstLine.load(std::memory_order_relaxed);
  while (first < numLines &&
         lines[first].state.load(std::memory_order_relaxed) >> 32 ==
             shares.numBlocks)
    ++first;
  firstLine.store(first, std::memory_order_relaxed);
  linesLeft.fetch_sub(1, std::memory_order_release);
}

void Executor::OrderedRun::takePart(Worker &worker) {
  constexpr unsigned longPatience = 1024, sleepPatience = 16384;
  numJoined.fetch_add(1, std::memory_order_relaxed);
  unsigned numLooks = 0;
  while (linesLeft.load(std::memory_order_acquire) != 0 &&
         !node->instance->failed()) {
    Work work;
    if (takeAny(work)) {
      while (runPart(worker, work) && endPart(work))
        ;
      numLooks = 0;
    } else if (++numLooks < longPatience) {
      pauseProcessor();
    } else if (numLooks < sleepPatience) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  if (gate.leave())
    finish(worker);
}

void Executor::OrderedRun::finish(Worker &worker) {
  NodeRun &run = *node;
  const NodeInfo &info = *run.info;
  if (run.startTime && !run.instance->failed())
    run.instance->info.costs[info.index].addShared(
        clockNanoseconds() - run.startTime,
        run.nanoseconds.load(std::memory_order_relaxed), run.partition.units,
        std::min(numJoined.load(std::memory_order_relaxed), shares.maxWorkers));
  Executor &theExecutor = executor;
  {
    std::lock_guard lock(theExecutor.orderedRunsMutex);
    theExecutor.idleOrderedRuns.push_back(this);
  }
  if (WorkItem next = theExecutor.finishChunks(worker, run, 1))
    theExecutor.pool.push(&worker, next);
}

Executor::OrderedRun &Executor::idleOrderedRun() {
  std::lock_guard lock(orderedRunsMutex);
  if (idleOrderedRuns.empty()) {
    auto run = std::make_unique<OrderedRun>(*this);
    idleOrderedRuns.push_back(run.get());
    orderedRuns.push_back(std::move(run));
  }
  OrderedRun *run = idleOrderedRuns.back();
  idleOrderedRuns.pop_back();
  return *run;
}

/// Lanes are chunks of the node if there are enough for all workers.
Partition Executor::splitLanes(const NodeRun &run,
                               const NodeCounts &counts) const {
  const Steps steps(*run.info->node, run.invocation.extents);
  Partition partition;
  partition.units = counts.units;
  partition.granule = steps.laneUnits;
  partition.numGranules = steps.numLanes;
  uint64_t laneCost;
  if (__builtin_mul_overflow(
          steps.laneUnits, run.instance->info.costs[run.info->index].unitCost(),
          &laneCost))
    laneCost = UINT64_MAX;
  if (steps.numLanes >= 2 * numWorkers)
    partition.numChunks = chooseNumChunks(steps.numLanes, laneCost, numWorkers);
  return partition;
}

/// Runs a node of one chunk together with other workers; false if that does not
/// pay.
bool Executor::shareSteps(Worker &worker, NodeRun &run) {
  GraphInstance &instance = *run.instance;
  if (numWorkers == 1 || run.skip || instance.failed() ||
      instance.numItems() > 1 || run.partition.numChunks > 1)
    return false;
  const SluicePlanNode &plan = *run.info->node;
  const Steps steps(plan, run.invocation.extents);
  NodeCost &cost = instance.info.costs[run.info->index];
  const StepShares shares(
      steps,
      static_cast<uint64_t>(
          run.invocation.extents[3 * (plan.numUnitLevels - 1)]),
      cost.unitCost(), numWorkers, run.unitsAtOnce);
  if (shares.maxWorkers == 1)
    return false;
  using Sharing = NodeCost::Sharing;
  Sharing sharing = cost.shareAmong(run.partition.units, shares.maxWorkers);
  run.isTimed |= sharing == Sharing::TryAlone || sharing == Sharing::TryShared;
  if (sharing == Sharing::No || sharing == Sharing::TryAlone)
    return false;
  run.startTime = run.isTimed ? clockNanoseconds() : 0;
  OrderedRun &shared = idleOrderedRun();
  shared.begin(run, steps, shares);
  pool.push(&worker, inviteTask(shared, shared.number));
  shared.takePart(worker);
  return true;
}
