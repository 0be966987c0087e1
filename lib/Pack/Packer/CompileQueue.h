//===- CompileQueue.h - The thread that compiles kernels ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packers that are used often ask for a compiled kernel and go on with the one
// they have. One thread works through their wishes. It starts with the first,
// ends when told to or with the process, and a forked child gets its own.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_PACKER_COMPILEQUEUE_H
#define SLUICE_LIB_PACK_PACKER_COMPILEQUEUE_H

#include "sluice/Pack/Packer.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace sluice::pack {

/// Thread-safe. Holds packers weakly: one that is freed while it waits is
/// skipped, one that is freed while it is compiled lives until that is done.
class CompileQueue {
public:
  static CompileQueue &get();

  /// Whether the wish was taken; not if too many wait.
  bool ask(const std::shared_ptr<Packer> &packer);
  void waitUntilIdle();
  /// Ends the thread; wishes that wait stay.
  void stop();

  /// Held while a kernel is compiled, by whatever thread: compilers have locks
  /// of their own, which a child forked meanwhile would never see released.
  std::mutex compiling;

private:
  /// One thread and what it shares with those who wait for it. Each start makes
  /// a new one, so that a forked child need not touch its parent's.
  struct Worker {
    std::thread thread;
    std::condition_variable hasWork;
    std::condition_variable isIdle;
    bool mustStop = false;
    bool isBusy = false;
  };

  CompileQueue();
  bool start();
  void work(Worker &own);
  void letFork(std::unique_lock<std::mutex> &lock);
  void compileNext(Worker &own, std::unique_lock<std::mutex> &lock);
  static void endWithProcess();

  void beforeFork();
  void afterForkInParent();
  void afterForkInChild();

  /// Threads that are about to fork, or are at it.
  std::atomic<int> forks = 0;
  std::mutex mutex;
  std::deque<std::weak_ptr<Packer>> waiting;
  std::shared_ptr<Worker> worker;
  std::vector<std::shared_ptr<Worker>> ofParents;
  bool hasEnded = false;
  bool hasNoCompiler = false;
};

/// Holds `compiling`. A thread that holds it goes on: a user's packCodegen may
/// commit other layouts. (A recursive mutex is of no use after a fork, as the
/// child's thread is not the one that locked it.)
class CompilingLock {
public:
  CompilingLock() {
    if (depth++ == 0)
      CompileQueue::get().compiling.lock();
  }
  ~CompilingLock() {
    if (--depth == 0)
      CompileQueue::get().compiling.unlock();
  }
  CompilingLock(const CompilingLock &) = delete;
  CompilingLock &operator=(const CompilingLock &) = delete;

private:
  static thread_local int depth;
};

} // namespace sluice::pack

#endif // SLUICE_LIB_PACK_PACKER_COMPILEQUEUE_H
