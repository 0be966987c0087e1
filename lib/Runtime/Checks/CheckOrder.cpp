//===- CheckOrder.cpp - The order of instances ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two instances are compared from the root downwards, to the level where their
// paths separate:
//
//===----------------------------------------------------------------------===//

#include "CheckOrder.h"

#include "sluice/Base/Text.h"

#include <algorithm>

using namespace sluice;

void CheckOrder::begin(const SluicePlan &newPlan) {
  plan = &newPlan;
  executions.clear();
  numbers.clear();
  extents.clear();
  extentsOf.clear();
  orders.assign(plan->numNodes, {});
  waits.assign(plan->numNodes, false);
  groupExecution = UINT32_MAX;
}

uint32_t CheckOrder::addExecution(uint32_t node, const SluiceCheckLeaf &leaf,
                                  const int64_t *values) {
  executions.push_back({&leaf, node, static_cast<uint32_t>(numbers.size())});
  const int64_t *ids = values, *counts = values + 3 * leaf.numFixedLevels;
  for (uint32_t level = 0; level < leaf.numFixedLevels; ++level) {
    const int64_t *id = ids + 3 * level, *count = counts + 3 * level;
    numbers.push_back(id[0] + count[0] * (id[1] + count[1] * id[2]));
  }
  for (uint32_t level = 0; level < leaf.numLevels; ++level) {
    const int64_t *count = counts + 3 * level;
    numbers.push_back(count[0] * count[1] * count[2]);
  }
  extentsOf.push_back(static_cast<uint32_t>(extents.size()));
  extents.insert(extents.end(), counts, counts + 3 * leaf.numLevels);
  return static_cast<uint32_t>(executions.size() - 1);
}

uint64_t CheckOrder::findGroupSize(uint32_t index) {
  const CheckExecution &execution = executions[index];
  const SluiceCheckLeaf &leaf = *execution.leaf;
  uint32_t last = execution.numbers + leaf.numFixedLevels + leaf.numLevels - 1;
  groupExecution = index;
  sizeOfGroup = std::max<uint64_t>(numbers[last], 1);
  return sizeOfGroup;
}

/// The linear id of an instance in one level.
uint64_t CheckOrder::levelId(const CheckInstance &instance,
                             uint32_t level) const {
  const CheckExecution &execution = executions[instance.execution];
  const SluiceCheckLeaf &leaf = *execution.leaf;
  if (level < leaf.numFixedLevels)
    return numbers[execution.numbers + level];
  const uint64_t *counts = &numbers[execution.numbers + leaf.numFixedLevels];
  uint64_t index = instance.index;
  for (uint32_t inner = leaf.numLevels - 1; inner > level; --inner)
    index /= std::max<uint64_t>(counts[inner], 1);
  return index % std::max<uint64_t>(counts[level], 1);
}

void CheckOrder::addBarriers(const CheckInstance &instance) {
  if (instance.phase == 0)
    return;
  CheckExecution &execution = executions[instance.execution];
  execution.phases = std::max(execution.phases, instance.phase);
  // Below a node, the order comes from the compiler.
  if (execution.leaf->numSteps != 0 || waits[execution.node])
    return;
  waits[execution.node] = true;
  orders.assign(plan->numNodes, {});
}

static constexpr uint32_t unordered = 0, whole = UINT32_MAX;

/// Follows the plan's edges from `first`. A path of edges that are one-to-one
/// in the graph orders only equal ids. Any other path orders all instances, and
/// so does a path through a node whose instances wait for each other.
uint32_t CheckOrder::nodeOrder(uint32_t first, uint32_t second) {
  std::vector<uint32_t> &order = orders[first];
  if (order.empty()) {
    order.assign(plan->numNodes, unordered);
    // Nodes are in topological order.
    for (uint32_t node = first; node < plan->numNodes; ++node) {
      if (node != first && !order[node])
        continue;
      const SluicePlanNode &source = plan->nodes[node];
      for (uint32_t i = 0; i < source.numSuccessors; ++i) {
        const SluicePlanSuccessor &edge = source.successors[i];
        uint32_t levels = edge.replication == SLUICE_ONE_TO_ONE
                              ? source.numIndexLevels
                          : edge.replication > SLUICE_MORE_THAN_GRAPH
                              ? edge.replication - SLUICE_MORE_THAN_GRAPH
                              : 0;
        bool isOneToOne =
            levels != 0 &&
            (node == first || (order[node] != whole && !waits[node]));
        order[edge.node] =
            std::max(order[edge.node], isOneToOne ? levels : whole);
      }
    }
  }
  return order[second];
}

/// Whether barriers order different instances of two nodes that are ordered by
/// equal ids in the first `levels` levels. When an instance of the first node
/// has ended, its whole work-group has reached its last barrier. When an
/// instance of the second node is past a barrier, its whole work-group has
/// begun.
bool CheckOrder::barrierOrders(const CheckInstance &first,
                               const CheckInstance &second,
                               uint32_t levels) const {
  // Both have the same groups if the nodes themselves are leaves.
  auto isGroup = [&](const CheckExecution &execution) {
    return execution.leaf->numLevels == levels;
  };
  const CheckExecution &a = executions[first.execution];
  return (isGroup(a) && first.phase < a.phases) ||
         (isGroup(executions[second.execution]) && second.phase > 0);
}

/// Whether two instances that separate at a level are ordered because
/// dimensions of this level are ordered: `first`, which ran before, has no
/// greater id in any of these dimensions, and a smaller id in at least one.
bool CheckOrder::stepsAreOrdered(const CheckInstance &first,
                                 const CheckInstance &second,
                                 uint32_t level) const {
  const CheckExecution &execution = executions[first.execution];
  uint32_t dims =
      level < 10 ? plan->nodes[execution.node].orderedDims >> 3 * level & 7 : 0;
  const int64_t *counts = &extents[extentsOf[first.execution]] + 3 * level;
  uint64_t a = levelId(first, level), b = levelId(second, level);
  bool isLess = false;
  for (uint32_t d = 0; d < 3; ++d) {
    uint64_t count = static_cast<uint64_t>(std::max<int64_t>(counts[d], 1));
    if (dims >> d & 1) {
      if (a % count > b % count)
        return false;
      isLess |= a % count < b % count;
    }
    a /= count;
    b /= count;
  }
  return isLess;
}

CheckOrder::Verdict CheckOrder::compareExecutions(const CheckInstance &first,
                                                  const CheckInstance &second) {
  const CheckExecution &a = executions[first.execution];
  const CheckExecution &b = executions[second.execution];
  auto sameIds = [&](uint32_t from, uint32_t levels) {
    for (uint32_t level = from; level < levels; ++level)
      if (levelId(first, level) != levelId(second, level))
        return false;
    return true;
  };
  auto oneToOne = [&](uint32_t from, uint32_t levels) {
    return sameIds(from, levels) || barrierOrders(first, second, levels)
               ? Verdict::Ordered
               : Verdict::OtherIndices;
  };
  if (a.node != b.node) {
    uint32_t order = nodeOrder(a.node, b.node);
    return order == whole       ? Verdict::Ordered
           : order == unordered ? Verdict::NoEdge
                                : oneToOne(0, order);
  }
  for (uint32_t level = 0; level < a.leaf->numNodeLevels; ++level)
    if (levelId(first, level) != levelId(second, level))
      return stepsAreOrdered(first, second, level) ? Verdict::Ordered
                                                   : Verdict::SameLeaf;
  uint32_t numSteps = std::min(a.leaf->numSteps, b.leaf->numSteps);
  for (uint32_t i = 0; i < numSteps; ++i) {
    const SluiceCheckStep &step = a.leaf->steps[i];
    uint32_t other = b.leaf->steps[i].child;
    uint32_t level = a.leaf->numNodeLevels + i;
    if (step.child != other) {
      uint8_t order = step.order[step.child * step.numChildren + other];
      return order == SLUICE_CHECK_ORDERED     ? Verdict::Ordered
             : order == SLUICE_CHECK_UNORDERED ? Verdict::NoEdge
                                               : oneToOne(level, level + 1);
    }
    if (!sameIds(level, level + 1))
      return Verdict::SameLeaf;
  }
  return Verdict::Ordered;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string CheckOrder::instanceText(const CheckInstance &instance) const {
  const SluiceCheckLeaf &leaf = *executions[instance.execution].leaf;
  const int64_t *counts = &extents[extentsOf[instance.execution]];
  std::string text;
  for (uint32_t level = leaf.numLevels; level-- > 0;) {
    uint32_t dimensions = leaf.dimensions[level];
    if (!dimensions)
      continue;
    text += text.empty() ? "instance " : " of parent ";
    uint64_t id = levelId(instance, level);
    std::string numbers;
    for (uint32_t d = 0; d < dimensions; ++d) {
      uint64_t count = std::max<int64_t>(counts[3 * level + d], 1);
      bool isLast = d + 1 == dimensions;
      numbers += concat(d ? ", " : "", isLast ? id : id % count);
      id /= count;
    }
    text += dimensions == 1 ? numbers : concat("(", numbers, ")");
  }
  return text.empty() ? "the instance" : text;
}

/// The first `depth` + 1 components of the leaf's path below the plan's node.
static std::string stepName(const SluiceCheckLeaf &leaf, uint32_t depth) {
  std::string_view name = leaf.name;
  for (uint32_t i = leaf.numSteps; i > depth + 1; --i)
    name = name.substr(0, name.rfind('/'));
  return std::string(name);
}

std::pair<std::string, std::string>
CheckOrder::partingNodes(const CheckInstance &first,
                         const CheckInstance &second) const {
  const CheckExecution &a = executions[first.execution];
  const CheckExecution &b = executions[second.execution];
  if (a.node != b.node)
    return {plan->nodes[a.node].name, plan->nodes[b.node].name};
  uint32_t numSteps = std::min(a.leaf->numSteps, b.leaf->numSteps);
  for (uint32_t i = 0; i < numSteps; ++i)
    if (a.leaf->steps[i].child != b.leaf->steps[i].child)
      return {stepName(*a.leaf, i), stepName(*b.leaf, i)};
  return {a.leaf->name, b.leaf->name};
}
