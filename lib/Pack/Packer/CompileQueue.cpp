//===- CompileQueue.cpp - The thread that compiles kernels ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks are taken in this order: `compiling`, `mutex`, a shard of the registry.
//
//===----------------------------------------------------------------------===//

#include "CompileQueue.h"

#include "PackerRegistry.h"
#include "Threads.h"
#include "sluice/Pack/Compiler.h"

#include <chrono>
#include <cstdlib>
#include <pthread.h>

using namespace sluice;
using namespace sluice::pack;

/// The maximum number of waiting requests; further ones are refused, and the
/// packers ask again later.
static constexpr size_t maxWaiting = 256;

thread_local int CompilingLock::depth = 0;

CompileQueue &CompileQueue::get() {
  // Never destroyed: packers may be used while the process ends.
  static CompileQueue &queue = *new CompileQueue;
  return queue;
}

CompileQueue::CompileQueue() {
  pthread_atfork([] { get().beforeFork(); }, [] { get().afterForkInParent(); },
                 [] { get().afterForkInChild(); });
}

bool CompileQueue::ask(const std::shared_ptr<Packer> &packer) {
  std::lock_guard lock(mutex);
  if (hasEnded || hasNoCompiler)
    return true;
  if (!worker || !worker->isOpen)
    waitAtThreadsEnd();
  if (waiting.size() >= maxWaiting)
    return false;
  waiting.push_back(packer);
  if (start())
    worker->hasWork.notify_one();
  return true;
}

/// Starts the thread if it does not exist. If the process can start no more
/// threads, the requests wait for the next attempt.
bool CompileQueue::start() {
  if (worker)
    return true;
  auto own = std::make_shared<Worker>();
  if (startThread(own->thread, [this, own] { work(*own); })) {
    // The runtime identifies host threads by name; this name excludes the
    // thread.
    pthread_setname_np(own->thread.native_handle(), "sluice-pack");
    worker = own;
  }
  return bool(worker);
}

/// Makes an exit handler join the thread before the objects that it uses are
/// destroyed. Handlers run in reverse order, so this one is registered before
/// the compiler's library is opened, after that, and after the first
/// compilation, which constructs more objects.
static void joinAtExit(std::atomic_flag &isDone, void (*handler)()) {
  if (!isDone.test_and_set())
    std::atexit(handler);
}

/// A process that ends while the compiler's library is being opened would
/// destroy the library's static objects while the worker still constructs them:
/// each of them registers an exit handler immediately. Thread-local objects are
/// destroyed before the first exit handler. So there the process, or the
/// thread, waits until the library is open.
void CompileQueue::waitAtThreadsEnd() {
  struct Waiter {
    ~Waiter() { get().waitUntilOpen(); }
  };
  static thread_local Waiter waiter;
  (void)waiter;
}

void CompileQueue::waitUntilOpen() {
  std::unique_lock lock(mutex);
  if (std::shared_ptr<Worker> own = worker)
    own->hasOpened.wait(lock, [&] { return own->isOpen; });
}

void CompileQueue::open(Worker &own) {
  static std::atomic_flag isBefore, isAfter;
  joinAtExit(isBefore, endWithProcess);
  {
    std::lock_guard noFork(compiling);
    bool hasCompiler = kernelCompiler().ok();
    std::lock_guard lock(mutex);
    hasNoCompiler = !hasCompiler;
  }
  joinAtExit(isAfter, endWithProcess);
  std::lock_guard lock(mutex);
  own.isOpen = true;
  own.hasOpened.notify_all();
}

void CompileQueue::work(Worker &own) {
  static std::atomic_flag hasRun;
  open(own);
  std::unique_lock lock(mutex);
  while (!own.mustStop) {
    if (hasNoCompiler)
      waiting.clear();
    if (forks.load(std::memory_order_relaxed) != 0) {
      letFork(lock);
      continue;
    }
    if (!waiting.empty()) {
      compileNext(own, lock);
      joinAtExit(hasRun, endWithProcess);
      continue;
    }
    own.isIdle.notify_all();
    own.hasWork.wait(lock, [&] { return own.mustStop || !waiting.empty(); });
  }
}

/// Releases the lock for a moment, so that a forking thread gets it between two
/// compilations. Locks are not fair: otherwise the thread might wait until the
/// queue is empty.
void CompileQueue::letFork(std::unique_lock<std::mutex> &lock) {
  lock.unlock();
  std::this_thread::sleep_for(std::chrono::microseconds(100));
  lock.lock();
}

void CompileQueue::compileNext(Worker &own,
                               std::unique_lock<std::mutex> &lock) {
  std::shared_ptr<Packer> packer = waiting.front().lock();
  waiting.pop_front();
  own.isBusy = true;
  lock.unlock();
  // The packer stores a failure and keeps its kernel.
  if (packer)
    (void)packer->compile().ok();
  packer.reset();
  lock.lock();
  own.isBusy = false;
}

void CompileQueue::waitUntilIdle() {
  std::unique_lock lock(mutex);
  auto isIdle = [&] { return waiting.empty() && !(worker && worker->isBusy); };
  while (!hasEnded && !isIdle()) {
    if (!start())
      return;
    std::shared_ptr<Worker> own = worker;
    own->isIdle.wait(lock, [&] { return own->mustStop || isIdle(); });
  }
}

void CompileQueue::stop() {
  std::unique_lock lock(mutex);
  std::shared_ptr<Worker> own = std::move(worker);
  worker = nullptr;
  if (!own)
    return;
  own->mustStop = true;
  own->hasWork.notify_all();
  own->isIdle.notify_all();
  lock.unlock();
  if (own->thread.get_id() == std::this_thread::get_id())
    own->thread.detach(); // The compiler itself ended the process.
  else
    own->thread.join();
}

void CompileQueue::endWithProcess() {
  CompileQueue &queue = get();
  {
    std::lock_guard lock(queue.mutex);
    queue.hasEnded = true;
    queue.waiting.clear();
  }
  queue.stop();
}

void CompileQueue::beforeFork() {
  ++forks;
  compiling.lock();
  mutex.lock();
  PackerRegistry::get().lockAll();
}

void CompileQueue::afterForkInParent() {
  PackerRegistry::get().unlockAll();
  mutex.unlock();
  compiling.unlock();
  --forks;
}

void CompileQueue::afterForkInChild() {
  // The thread exists only in the parent, and its objects must not be destroyed
  // here.
  ofParents.push_back(std::move(worker));
  worker = nullptr;
  forks = 1; // Other threads that were about to fork do not exist here.
  afterForkInParent();
}
