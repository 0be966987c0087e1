//===- BackEnd.h - Where nodes run ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes run on these cores, unless an instance has a back end: it takes them to
// devices, or wherever else there is, and brings what they made back. The
// executor includes no back end; a back end uses the executor for the nodes
// that stay here.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_EXECUTION_BACKEND_H
#define SLUICE_RUNTIME_EXECUTION_BACKEND_H

#include "../Scheduling/Pool.h"

#include <cstdint>
#include <span>

namespace sluice {

/// One instance's. What nodes wait for before they open stands in the
/// executor's records (NodeRun::pending), wherever they run. Orders mean the
/// same everywhere: after an all-to-all order the sink begins when all of its
/// source has ended; after a one-to-one order instance i of the sink begins
/// when instance i of the source has ended. Between two nodes of these cores
/// that is decided chunk by chunk (NodeRun::chained); elsewhere a back end may
/// keep the order of nodes as a whole, which is stricter, or leave it to a
/// queue that keeps it.
class BackEnd {
public:
  virtual ~BackEnd() = default;

  /// Before a start. Node i also waits for `numArrivals[i]` calls of `arrive`;
  /// empty: for none.
  virtual void prepare(std::span<const uint32_t> numArrivals) = 0;
  /// The instance starts. The back end opens nodes from now on, and calls
  /// Executor::finishInstance when all have ended.
  virtual void start(Worker *worker) = 0;
  /// One thing happened that a node waits for; see Executor::arrive.
  virtual void arrive(Worker *worker, uint32_t node) = 0;
  /// A node that ran on these cores has ended. Returns a task to go on with.
  virtual WorkItem nodeEnded(Worker &worker, uint32_t node) = 0;
};

/// Work for a worker that begins elsewhere: a device has answered, a message
/// has come. Freed by itself when it runs.
class OutsideTask {
public:
  virtual ~OutsideTask() = default;
  /// Returns a task to go on with.
  virtual WorkItem run(Worker &worker) = 0;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_EXECUTION_BACKEND_H
