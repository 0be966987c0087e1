//===- ParallelLoop.cpp - Parallel loops inside kernels -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations run as in the kernel that began the loop: an error belongs to the
// owner of its code, whichever thread runs the iteration.
//
//===----------------------------------------------------------------------===//

#include "ParallelLoop.h"

#include <algorithm>

using namespace sluice;

/// The loop of the iteration that runs on this thread.
__attribute__((tls_model(
    "initial-exec"))) static constinit thread_local ParallelLoop *currentLoop =
    nullptr;

//===----------------------------------------------------------------------===//
// One loop
//===----------------------------------------------------------------------===//

bool ParallelLoop::take(int64_t &first, int64_t &end) {
  int64_t taken = next.load(std::memory_order_relaxed);
  int64_t size;
  do {
    if (taken >= count || isStopped.load(std::memory_order_relaxed))
      return false;
    size = std::max<int64_t>(1, (count - taken) / share);
  } while (!next.compare_exchange_weak(taken, taken + size,
                                       std::memory_order_relaxed));
  first = begin + taken;
  end = first + size;
  return true;
}

void ParallelLoop::stop(int32_t value) {
  std::lock_guard lock(mutex);
  if (!isStopped.exchange(true, std::memory_order_relaxed))
    result = value;
}

void ParallelLoop::stop(std::exception_ptr thrown) {
  std::lock_guard lock(mutex);
  if (!isStopped.exchange(true, std::memory_order_relaxed))
    exception = std::move(thrown);
}

void ParallelLoop::runSome(int64_t first, int64_t end) {
  for (int64_t i = first; i < end; ++i) {
    if (isStopped.load(std::memory_order_relaxed))
      return;
    if (int32_t value = body(context, i))
      return stop(value);
  }
}

//===----------------------------------------------------------------------===//
// All loops
//===----------------------------------------------------------------------===//

ParallelLoop &ParallelLoops::open(LoopBody body, void *context, int64_t begin,
                                  int64_t count) {
  std::lock_guard lock(mutex);
  if (idle.empty()) {
    all.push_back(std::make_unique<ParallelLoop>(*this));
    idle.reserve(all.size());
    active.reserve(all.size());
    idle.push_back(all.back().get());
  }
  ParallelLoop &loop = *idle.back();
  idle.pop_back();
  loop.body = body;
  loop.context = context;
  loop.begin = begin;
  loop.count = count;
  loop.share = 8 * int64_t(pool.size());
  loop.parent = currentLoop;
  loop.owner = CodeOwner::current();
  loop.result = 0;
  loop.exception = nullptr;
  loop.isStopped.store(false, std::memory_order_relaxed);
  loop.next.store(0, std::memory_order_relaxed);
  loop.open();
  active.push_back(&loop);
  numOpened.fetch_add(1, std::memory_order_release);
  return loop;
}

void ParallelLoop::takePart(Worker &) { loops.takePart(*this); }

/// Runs iterations as the kernel that began the loop would.
void ParallelLoops::work(ParallelLoop &loop) {
  ParallelLoop *outerLoop = std::exchange(currentLoop, &loop);
  CodeOwner *outerOwner = CodeOwner::current();
  CodeOwner::setCurrent(loop.owner);
  try {
    int64_t first, end;
    while (loop.take(first, end))
      loop.runSome(first, end);
  } catch (...) {
    loop.stop(std::current_exception());
  }
  CodeOwner::setCurrent(outerOwner);
  currentLoop = outerLoop;
}

void ParallelLoops::takePart(ParallelLoop &loop) {
  Worker *worker = Worker::current();
  bool wasInside = worker && std::exchange(worker->insideKernel, true);
  work(loop);
  if (worker)
    worker->insideKernel = wasInside;
  if (loop.gate.leave())
    loop.changed.notify();
}

/// Joins a loop that was begun inside `loop`.
ParallelLoop *ParallelLoops::joinInside(ParallelLoop &loop) {
  std::lock_guard lock(mutex);
  for (ParallelLoop *other : active) {
    if (!other->hasMore())
      continue;
    ParallelLoop *around = other->parent;
    while (around && around != &loop)
      around = around->parent;
    if (around && other->gate.join(other->number))
      return other;
  }
  return nullptr;
}

bool ParallelLoops::helpInside(ParallelLoop &loop) {
  ParallelLoop *other = joinInside(loop);
  if (!other)
    return false;
  const FloatingScope scope(other->control);
  takePart(*other);
  return true;
}

void ParallelLoops::close(ParallelLoop &loop) {
  std::lock_guard lock(mutex);
  active.erase(std::find(active.begin(), active.end(), &loop));
}

int32_t ParallelLoops::finish(ParallelLoop &loop) {
  // Threads that wait for enclosing loops may help with this one.
  for (ParallelLoop *around = loop.parent; around; around = around->parent)
    around->changed.notify();
  work(loop);
  bool isOver = loop.gate.leave();
  while (!isOver) {
    uint64_t seen = numOpened.load(std::memory_order_acquire);
    if (helpInside(loop))
      continue;
    pool.sleepUntil(loop.changed, [&] {
      isOver = loop.gate.isOver();
      return isOver || numOpened.load(std::memory_order_acquire) != seen;
    });
  }
  int32_t result = loop.result;
  std::exception_ptr exception = std::move(loop.exception);
  close(loop);
  {
    std::lock_guard lock(mutex);
    idle.push_back(&loop);
  }
  if (exception)
    std::rethrow_exception(exception);
  return result;
}
