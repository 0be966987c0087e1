//===- ParallelLoop.h - Parallel loops inside kernels ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel may share its work with other workers. The thread that begins a loop
// works on it until no iterations are left, so every loop ends even if nobody
// joins. Then it waits for the threads that have joined, and helps only with
// loops that they began inside: other work might take longer, or wait for this
// loop.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_SCHEDULING_PARALLELLOOP_H
#define SLUICE_RUNTIME_SCHEDULING_PARALLELLOOP_H

#include "CodeOwner.h"
#include "Pool.h"
#include "SharedRun.h"

#include <exception>

namespace sluice {

class ParallelLoops;

using LoopBody = int32_t (*)(void *context, int64_t index);

/// One loop.
class ParallelLoop final : public SharedRun {
public:
  explicit ParallelLoop(ParallelLoops &loops) : loops(loops) {}
  void takePart(Worker &worker) override;
  bool wantsMore(const Worker &) const override { return hasMore(); }
  bool hasMore() const {
    return next.load(std::memory_order_relaxed) < count &&
           !isStopped.load(std::memory_order_relaxed);
  }

private:
  friend class ParallelLoops;
  /// Takes some iterations; fewer when fewer are left.
  bool take(int64_t &first, int64_t &end);
  void runSome(int64_t first, int64_t end);
  void stop(int32_t value);
  void stop(std::exception_ptr thrown);

  ParallelLoops &loops;
  LoopBody body = nullptr;
  void *context = nullptr;
  int64_t begin = 0, count = 0;
  int64_t share = 1;
  /// The loop in which it was begun; null if there is none.
  ParallelLoop *parent = nullptr;
  /// The owner of the code of the iterations.
  CodeOwner *owner = nullptr;
  alignas(64) std::atomic<int64_t> next{0};
  alignas(64) std::atomic<bool> isStopped{false};
  std::mutex mutex;
  int32_t result = 0;
  std::exception_ptr exception;
  WaitPoint changed;
};

/// All loops of an executor.
class ParallelLoops {
public:
  explicit ParallelLoops(Pool &pool) : pool(pool) {}

  /// Begins a loop, which `finish` must complete. Its number is for
  /// invitations.
  ParallelLoop &open(LoopBody body, void *context, int64_t begin,
                     int64_t count);
  /// Works on the loop until it has ended. Returns or throws the result of a
  /// call.
  int32_t finish(ParallelLoop &loop);
  /// Takes part in a joined loop.
  void takePart(ParallelLoop &loop);

private:
  void work(ParallelLoop &loop);
  bool helpInside(ParallelLoop &loop);
  ParallelLoop *joinInside(ParallelLoop &loop);
  void close(ParallelLoop &loop);

  Pool &pool;
  std::mutex mutex;
  std::vector<std::unique_ptr<ParallelLoop>> all;
  std::vector<ParallelLoop *> idle, active;
  /// Changes with each new loop.
  std::atomic<uint64_t> numOpened{0};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_SCHEDULING_PARALLELLOOP_H
