//===- Interpreter.cpp - Running plans in one thread ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shares nothing with the executor but the check of extents and the call of a
// kernel.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include "../Scheduling/Pool.h"
#include "Instance.h"
#include "KernelCall.h"

#include "sluice/Base/Text.h"

#include <map>

using namespace sluice;

namespace {
class Interpreter {
public:
  Interpreter(const PlanInfo &info, unsigned char *frame,
              InstanceMemory &memory, uint32_t numChunks,
              PlanObserver *observer)
      : info(info), plan(info.plan), frame(frame), memory(memory),
        numChunks(numChunks), observer(observer) {}

  Status run() {
    for (uint32_t i = 0; i < plan.numNodes; ++i)
      if (Status status = runNode(i); !status.ok())
        return status;
    return {};
  }

private:
  Status runNode(uint32_t index) {
    const SluicePlanNode &node = plan.nodes[index];
    if (observer)
      observer->beginNode(index);
    std::vector<int64_t> &extents = allExtents[index];
    extents.assign(3 * node.numLevels, 1);
    if (node.extents)
      node.extents(frame, extents.data());
    else if (node.numLevels)
      extents.assign(node.constantExtents,
                     node.constantExtents + 3 * node.numLevels);
    Result<NodeCounts> counts = countInstances(node, extents.data());
    if (!counts.ok())
      return counts.takeStatus();
    if (Status status = checkSources(index); !status.ok())
      return status;
    if (Status status =
            allocateArrays(node, extents.data(), frame, counts->empty, memory);
        !status.ok())
      return status;
    if (counts->empty) {
      zeroOutputs(node, frame);
      return {};
    }
    return runUnits(node, extents.data(), *counts);
  }

  /// Nodes joined by one-to-one edges have equal extents.
  Status checkSources(uint32_t index) {
    const SluicePlanNode &node = plan.nodes[index];
    uint32_t numExtents = 3 * node.numIndexLevels;
    for (uint32_t source = 0; source < index; ++source)
      for (uint32_t successor : info.nodes[source].oneToOneSuccessors) {
        if (successor != index)
          continue;
        const std::vector<int64_t> &own = allExtents[index];
        const std::vector<int64_t> &other = allExtents[source];
        if (!std::equal(own.begin(), own.begin() + numExtents, other.begin()))
          return Status::error(
              StatusCode::NodeFailed,
              concat(nodeText(plan.nodes[source]), " has extents ",
                     extentsText(other.data(), node.numIndexLevels), ", but ",
                     nodeText(node), ", joined to it by one-to-one edges, has ",
                     extentsText(own.data(), node.numIndexLevels)));
      }
    return {};
  }

  Status runUnits(const SluicePlanNode &node, const int64_t *extents,
                  const NodeCounts &counts) {
    // Chunks of whole instances, which every kernel allows.
    uint64_t unitsPerInstance = counts.units / counts.instances;
    uint64_t step = (counts.instances + numChunks - 1) / numChunks;
    SluiceInvocation invocation = {frame, extents, &memory};
    for (uint64_t begin = 0; begin < counts.instances; begin += step) {
      uint64_t end = std::min(begin + step, counts.instances);
      Status error;
      if (!callKernel(*Worker::current(), node, node.kernel, invocation,
                      {begin * unitsPerInstance, end * unitsPerInstance},
                      error))
        return error;
    }
    return {};
  }

  const PlanInfo &info;
  const SluicePlan &plan;
  unsigned char *frame;
  InstanceMemory &memory;
  uint32_t numChunks;
  PlanObserver *observer;
  std::map<uint32_t, std::vector<int64_t>> allExtents;
};
} // namespace

Status sluice::interpretPlan(const PlanInfo &info, unsigned char *frame,
                             InstanceMemory &memory, uint32_t numChunks,
                             PlanObserver *observer) {
  return Interpreter(info, frame, memory, numChunks, observer).run();
}
