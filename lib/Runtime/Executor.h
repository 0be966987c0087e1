//===- Executor.h - Running graph instances on the pool -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides what may run next and runs it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_EXECUTOR_H
#define SLUICE_RUNTIME_EXECUTOR_H

#include "Instance.h"
#include "Pool.h"

namespace sluice {

class Trace;

/// How a graph instance runs:
///
///  1. `start` opens every node without all-to-all predecessors and makes the
///     nodes without any predecessor runnable.
///  2. Opening a node evaluates its extents, allocates its arrays, picks its
///     kernel and splits its units into chunks. The nodes of a one-to-one
///     group share chunk boundaries, in instances.
///  3. A runnable node of one chunk is one task. A node of several chunks
///     deals them out, one contiguous share per worker, and leaves one task in
///     a deque that invites others to take part; who accepts the invitation
///     passes it on before working.
///  4. When a chunk has ended, the same worker runs the same chunk of the
///     node's one-to-one successors that wait for nothing else.
///  5. When all chunks have ended, the all-to-all successors count down. The
///     first that is ready is continued directly, the others become tasks.
///  6. When all nodes without successors have ended, the instance has ended:
///     its memory is freed and its owner is told.
///
/// After an error the same steps run without kernels, so that every counter is
/// back at its start when the instance ends.
class Executor final : public TaskRunner {
public:
  explicit Executor(unsigned numWorkers, Trace *trace = nullptr);

  /// Begins an instance whose arguments stand in the frame. `worker` is the
  /// calling worker, or null. Nothing runs before this returns.
  void start(Worker *worker, GraphInstance &instance);

  void runTask(Worker &worker, Task task) override;
  Pool &getPool() { return pool; }

private:
  enum TaskKind : uint64_t { RunChunk, JoinNode };
  static Task chunkTask(NodeRun &run, uint32_t chunk) {
    return {&run, uint64_t(chunk) << 1 | RunChunk};
  }
  static Task joinTask(NodeRun &run) { return {&run, JoinNode}; }

  void openNode(NodeRun &run);
  void evaluateExtents(NodeRun &run, NodeCounts &counts);
  void decideChunks(NodeRun &run, const NodeCounts &counts);
  void decideGroup(NodeRun &run, const NodeCounts &counts, GroupRun &group);
  uint64_t itemCost(const GraphInstance &instance, const GroupInfo &group,
                    uint64_t unitsPerItem) const;
  void checkGroup(NodeRun &run, const GroupRun &group);
  void openGate(Worker &worker, NodeRun &run);

  Task makeRunnable(NodeRun &run);
  Task joinNode(Worker &worker, NodeRun &run);
  Task runChain(Worker &worker, NodeRun &first, uint32_t chunk);
  void runChunk(Worker &worker, NodeRun &run, uint32_t chunk);
  Task finishChunks(Worker &worker, NodeRun &run, uint32_t count);
  Task finishNode(Worker &worker, NodeRun &run);
  void finishInstance(Worker *worker, GraphInstance &instance);
  std::atomic<uint32_t> &chunkWaits(NodeRun &run, uint32_t chunk);

  const unsigned numWorkers;
  Trace *const trace;
  Pool pool;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_EXECUTOR_H
