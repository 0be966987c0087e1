//===- CompileQueue.h - The thread that compiles kernels ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frequently used packers request a compiled kernel and continue with their
// current kernel. One thread compiles for them, in the order of the requests.
// The first request starts it, and it ends on `stop` or with the process. A
// forked child starts its own thread.
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

/// Thread-safe. Holds weak references: a packer that is freed while it waits is
/// skipped; one that is freed while its kernel is being compiled lives until
/// that is done.
class CompileQueue {
public:
  static CompileQueue &get();

  /// Adds a request; false if too many are waiting.
  bool ask(const std::shared_ptr<Packer> &packer);
  void waitUntilIdle();
  /// Ends the thread; waiting requests are kept.
  void stop();

  /// Held while any thread compiles a kernel. Compilers have internal locks,
  /// which would stay locked forever in a child that is forked meanwhile.
  std::mutex compiling;

private:
  /// One thread, and the state it shares with threads that wait for it. Each
  /// start creates a new object, so that a forked child does not use its
  /// parent's.
  struct Worker {
    std::thread thread;
    std::condition_variable hasWork;
    std::condition_variable isIdle;
    std::condition_variable hasOpened;
    /// The compiler's library is open, or there is none.
    bool isOpen = false;
    bool mustStop = false;
    bool isBusy = false;
  };

  CompileQueue();
  bool start();
  static void waitAtThreadsEnd();
  void waitUntilOpen();
  void open(Worker &own);
  void work(Worker &own);
  void letFork(std::unique_lock<std::mutex> &lock);
  void compileNext(Worker &own, std::unique_lock<std::mutex> &lock);
  static void endWithProcess();

  void beforeFork();
  void afterForkInParent();
  void afterForkInChild();

  /// Number of threads that are forking or about to fork.
  std::atomic<int> forks = 0;
  std::mutex mutex;
  std::deque<std::weak_ptr<Packer>> waiting;
  std::shared_ptr<Worker> worker;
  std::vector<std::shared_ptr<Worker>> ofParents;
  bool hasEnded = false;
  bool hasNoCompiler = false;
};

/// Holds `compiling`. Recursive, since a user's packCodegen may commit other
/// layouts. (A recursive mutex cannot be used: after a fork, the child's thread
/// is not the one that locked it.)
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
