//===- BackEnd.h - Interface to other places that run nodes ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes run on the host's cores, unless an instance has a back end. The back
// end sends nodes to devices or other places, and returns their results. The
// executor includes no back end; a back end uses the executor for the nodes
// that stay on the host.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_EXECUTION_BACKEND_H
#define SLUICE_RUNTIME_EXECUTION_BACKEND_H

#include "../Scheduling/Pool.h"

#include <cstdint>
#include <span>

namespace sluice {

/// The back end of one instance. The conditions for which nodes wait before
/// they open are in the executor's records (NodeRun::pending), wherever the
/// nodes run. Orders have the same meaning everywhere. After an all-to-all
/// order the successor begins when the whole predecessor has ended. After a
/// one-to-one order instance i of the successor begins when instance i of the
/// predecessor has ended. Between two nodes on the host this is decided chunk
/// by chunk (NodeRun::chained). Elsewhere a back end may order whole nodes,
/// which is stricter, or leave the order to a queue that keeps it.
class BackEnd {
public:
  virtual ~BackEnd() = default;

  /// Called before a start. Node i also waits for `numArrivals[i]` calls of
  /// `arrive`; empty means none.
  virtual void prepare(std::span<const uint32_t> numArrivals) = 0;
  /// Starts the instance. The back end opens nodes from now on, and calls
  /// Executor::finishInstance when all have ended.
  virtual void start(Worker *worker) = 0;
  /// One event has happened for which a node waits; see Executor::arrive.
  virtual void arrive(Worker *worker, uint32_t node) = 0;
  /// A node that ran on the host has ended. Returns a task to continue with.
  virtual WorkItem nodeEnded(Worker &worker, uint32_t node) = 0;
};

/// Work for a worker that originates elsewhere: from the reply of a device or a
/// received message. Frees itself when it runs.
class OutsideTask {
public:
  virtual ~OutsideTask() = default;
  /// Returns a task to continue with.
  virtual WorkItem run(Worker &worker) = 0;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_EXECUTION_BACKEND_H
