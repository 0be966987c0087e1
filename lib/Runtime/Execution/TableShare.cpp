//===- TableShare.cpp - A table of tasks shared by several workers --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Advances the lists through the loops.
//
//===----------------------------------------------------------------------===//

#include "TableShare.h"

#include <algorithm>

using namespace sluice;

TableShare::TableShare(const TaskTable &table, unsigned numWorkers)
    : table(table), numWorkers(numWorkers),
      isSerial(numWorkers == 1 && !table.outside), marks(table.tasks.size()),
      timesAtHome(new std::atomic<uint32_t>[table.tasks.size()]),
      walkers(new Walker[numWorkers + 1]),
      exits(new LoopExits[table.loops.size()]) {
  for (size_t i = 0; i < table.tasks.size(); ++i)
    timesAtHome[i].store(UINT32_MAX, std::memory_order_relaxed);
  dealTasks();
  for (unsigned list = 0; list <= numWorkers; ++list) {
    Walker &walker = walkers[list];
    walker.counts.resize(table.numBlocks(), 0);
    walker.iterations.resize(table.loops.size(), 0);
    walker.numExits.resize(table.loops.size(), 0);
    walker.isEmpty.store(walker.tasks.empty(), std::memory_order_relaxed);
  }
}

void TableShare::dealTasks() {
  for (uint32_t block = 0; block < table.numBlocks(); ++block) {
    for (unsigned list = 0; list <= numWorkers; ++list)
      walkers[list].firstTask.push_back(walkers[list].tasks.size());
    for (uint32_t i = table.firstTask[block]; i < table.firstTask[block + 1];
         ++i) {
      uint64_t home = table.tasks[i].home;
      uint32_t list = numWorkers == 1               ? 0
                      : home == TableTask::hostHome ? hostList()
                                                    : home * numWorkers >> 16;
      const auto before = table.predecessorsOf(i);
      walkers[list].tasks.push_back(
          {i, before.data(), before.data() + before.size()});
    }
  }
  for (unsigned list = 0; list <= numWorkers; ++list)
    walkers[list].firstTask.push_back(walkers[list].tasks.size());
}

bool TableShare::takeReady(uint32_t list, uint32_t &task) {
  Walker &walker = walkers[list];
  if (isEmpty(list) || walker.locked.load(std::memory_order_relaxed) ||
      walker.locked.exchange(true, std::memory_order_acquire))
    return false;
  bool isFound = takeFrom(walker, task);
  walker.locked.store(false, std::memory_order_release);
  return isFound;
}

bool TableShare::takeFrom(Walker &walker, uint32_t &task) {
  for (uint32_t i = 0; i < walker.numDelayed; ++i)
    if (isReady(walker, walker.delayed[i])) {
      task = walker.delayed[i].task;
      --walker.numDelayed;
      std::copy(walker.delayed + i + 1, walker.delayed + walker.numDelayed + 1,
                walker.delayed + i);
      return true;
    }
  if (walker.next == walker.end && walker.numDelayed == 0 &&
      !walker.isEmpty.load(std::memory_order_relaxed))
    walk(walker);
  while (walker.next != walker.end) {
    Listed listed = *walker.next;
    bool isNow = isReady(walker, listed);
    if (!isNow && walker.numDelayed == maxDelayed)
      return false;
    ++walker.next;
    if (isNow) {
      task = listed.task;
      return true;
    }
    walker.delayed[walker.numDelayed++] = listed;
  }
  return false;
}

bool TableShare::isReady(const Walker &walker, Listed &listed) const {
  if (isSerial)
    return true;
  const uint32_t *counts = walker.counts.data();
  if (!marks.hasReached(listed.task, counts[walker.block] - 1))
    return false;
  for (; listed.before != listed.end; ++listed.before)
    if (const TablePredecessor &before = *listed.before; !marks.hasReached(
            before.task, counts[before.block] - before.isPrevious))
      return false;
  return true;
}

/// Advances to the next block with tasks of this list; stops at a test that has
/// not been made yet, and occasionally on long stretches without tasks.
void TableShare::walk(Walker &walker) {
  for (unsigned numSteps = 0; numSteps < 1024; ++numSteps) {
    const TableStep &step = table.steps[walker.step];
    switch (step.kind) {
    case TableStep::Block:
      ++walker.counts[step.index];
      walker.block = step.index;
      walker.next = walker.tasks.data() + walker.firstTask[step.index];
      walker.end = walker.tasks.data() + walker.firstTask[step.index + 1];
      ++walker.step;
      if (walker.next != walker.end)
        return;
      break;
    case TableStep::LoopBegin:
      walker.iterations[step.index] = 0;
      walker.step = step.count > 0 ? walker.step + 1 : step.target;
      break;
    case TableStep::Test:
      if (!passTest(walker, step))
        return;
      break;
    case TableStep::LoopEnd:
      walker.step = ++walker.iterations[step.index] < step.count
                        ? step.target
                        : walker.step + 1;
      break;
    case TableStep::End:
      walker.isEmpty.store(true, std::memory_order_relaxed);
      return;
    }
  }
}

/// Returns false if the test has not been made.
bool TableShare::passTest(Walker &walker, const TableStep &step) {
  uint32_t test = table.loops[step.index].testTask;
  uint32_t number = walker.counts[table.tasks[test].block];
  if (!marks.hasReached(test, number))
    return false;
  LoopExits &loopExits = exits[step.index];
  uint32_t &passed = walker.numExits[step.index];
  bool isExit = false;
  if (loopExits.count.load(std::memory_order_acquire) != passed) {
    std::lock_guard lock(loopExits.mutex);
    isExit = loopExits.tests[passed] == number;
  }
  passed += isExit;
  walker.step = isExit ? step.target : walker.step + 1;
  return true;
}

void TableShare::decide(uint32_t loop, bool goesOn) {
  if (goesOn)
    return;
  LoopExits &loopExits = exits[loop];
  // The test in progress follows the completed tests.
  uint32_t number = 1 + marks.get(table.loops[loop].testTask);
  std::lock_guard lock(loopExits.mutex);
  loopExits.tests.push_back(number);
  loopExits.count.store(loopExits.tests.size(), std::memory_order_release);
}

void TableShare::fail(Status status) {
  std::lock_guard lock(errorMutex);
  if (failed())
    return;
  error = std::move(status);
  hasFailed.store(true, std::memory_order_release);
}
