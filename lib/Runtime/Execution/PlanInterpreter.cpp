//===- PlanInterpreter.cpp - Running plans in one thread ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shares only the check of extents and the call of a kernel with the executor.
//
//===----------------------------------------------------------------------===//

#include "PlanInterpreter.h"

#include "../Scheduling/Pool.h"
#include "Instance.h"
#include "KernelCall.h"

#include "sluice/Base/Text.h"

#include <map>

using namespace sluice;

namespace {
class PlanInterpreter {
public:
  PlanInterpreter(const PlanInfo &info, unsigned char *frame,
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
    if (observer)
      observer->beginInstances(index, extents.data(), counts->empty);
    Status status = runInstances(node, extents.data(), *counts);
    if (observer && observer->endNode(index, status))
      observer->endSecondRun(index,
                             runInstances(node, extents.data(), *counts));
    return status;
  }

  Status runInstances(const SluicePlanNode &node, const int64_t *extents,
                      const NodeCounts &counts) {
    if (counts.empty) {
      zeroOutputs(node, frame);
      return {};
    }
    if (node.orderedDims)
      return runInOrder(node, extents);
    return runUnits(node, extents, counts);
  }

  /// Runs all units with the smallest ids in the ordered dimensions, then those
  /// with the next ids, and so on. Consecutive units run in one call.
  Status runInOrder(const SluicePlanNode &node, const int64_t *extents) {
    auto isOrdered = [&](uint32_t dimension) {
      return dimension < 32 && (node.orderedDims >> dimension & 1) != 0;
    };
    std::vector<int64_t> ids(3 * size_t(node.numUnitLevels), 0);
    // Advances to the next ids of either the ordered or the other dimensions, z
    // before y before x, like the digits of a number; false after the last.
    auto step = [&](bool ordered) {
      for (uint32_t i = 0; i < ids.size(); ++i) {
        if (isOrdered(i) != ordered)
          continue;
        if (++ids[i] < extents[i])
          return true;
        ids[i] = 0;
      }
      return false;
    };
    SluiceInvocation invocation = {frame, extents, &memory, 0, 0};
    Status error;
    auto call = [&](UnitRange units) {
      return callKernel(*Worker::current(), node, node.kernel, invocation,
                        units, error);
    };
    do {
      UnitRange units = {0, 0};
      do {
        uint64_t unit = 0;
        for (uint32_t level = 0; level < node.numUnitLevels; ++level)
          for (uint32_t i = 3 * level + 3; i-- > 3 * level;)
            unit = unit * static_cast<uint64_t>(extents[i]) +
                   static_cast<uint64_t>(ids[i]);
        if (unit == units.end && unit != 0) {
          ++units.end;
          continue;
        }
        if (units.begin != units.end && !call(units))
          return error;
        units = {unit, unit + 1};
      } while (step(false));
      if (!call(units))
        return error;
    } while (step(true));
    return {};
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
    SluiceInvocation invocation = {frame, extents, &memory, 0, 0};
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
  return PlanInterpreter(info, frame, memory, numChunks, observer).run();
}
