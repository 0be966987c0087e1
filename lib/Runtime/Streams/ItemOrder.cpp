//===- ItemOrder.cpp - The order of nodes of stream items -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two uses of the same memory conflict if one of them writes.
//
//===----------------------------------------------------------------------===//

#include "ItemOrder.h"

#include <algorithm>
#include <cstring>

using namespace sluice;

ItemOrder::ItemOrder(const PlanInfo &info) : info(info) {
  const SluicePlan &plan = info.plan;
  argumentUses.resize(plan.numArguments);
  memoryUses.resize(plan.numMemories);
  // A pointer without attributes may be used in any way.
  auto writes = [](uint32_t access) { return access != SLUICE_ACCESS_IN; };
  for (uint32_t i = 0; i < plan.numNodes; ++i) {
    const SluicePlanNode &node = plan.nodes[i];
    for (uint32_t k = 0; k < node.numOperands; ++k) {
      const SluicePlanOperand &operand = node.operands[k];
      if (operand.node == SLUICE_NO_INDEX && operand.index != SLUICE_NO_INDEX &&
          operand.flags & SLUICE_PORT_POINTER)
        argumentUses[operand.index].push_back({i, writes(operand.access)});
    }
    for (uint32_t k = 0; k < node.numUses; ++k)
      memoryUses[node.uses[k].memory].push_back(
          {i, writes(node.uses[k].access)});
  }
  for (uint32_t i = 0; i < plan.numArguments; ++i) {
    const SluicePlanArgument &argument = plan.arguments[i];
    if (!(argument.flags & SLUICE_PORT_POINTER))
      continue;
    (movesWithItems(argument) ? streamingPointers : fixedPointers).push_back(i);
    // No node is listed as a user, so any node may be one.
    if (argumentUses[i].empty())
      for (uint32_t node = 0; node < plan.numNodes; ++node)
        argumentUses[i].push_back({node, writes(argument.access)});
  }
  for (const Uses &uses : argumentUses)
    isWritten.push_back(std::any_of(uses.begin(), uses.end(),
                                    [](Use use) { return use.writes; }));
}

bool ItemOrder::conflict(std::span<const ArgumentRange> item,
                         std::span<const ArgumentRange> before) const {
  for (const ArgumentRange &range : item)
    for (const ArgumentRange &earlier : before)
      if (range.start < earlier.end && earlier.start < range.end &&
          (isWritten[range.argument] || isWritten[earlier.argument]))
        return true;
  return false;
}

/// A pointer whose size comes with the items counts as one that changes.
bool ItemOrder::movesWithItems(const SluicePlanArgument &argument) const {
  uint32_t flags = argument.flags;
  if (argument.sizeArgument != SLUICE_NO_INDEX)
    flags |= info.plan.arguments[argument.sizeArgument].flags;
  return flags & SLUICE_PORT_STREAM;
}

void ItemOrder::addRanges(const unsigned char *frame, bool isStreaming,
                          std::vector<ArgumentRange> &result) const {
  const SluicePlan &plan = info.plan;
  for (uint32_t i : isStreaming ? streamingPointers : fixedPointers) {
    const SluicePlanArgument &argument = plan.arguments[i];
    ArgumentRange range = {i, 0, UINTPTR_MAX};
    std::memcpy(&range.start, frame + argument.frameOffset, sizeof(void *));
    if (!range.start)
      continue;
    uint64_t size;
    if (argument.sizeArgument != SLUICE_NO_INDEX) {
      std::memcpy(&size,
                  frame + plan.arguments[argument.sizeArgument].frameOffset,
                  sizeof(size));
      if (size < UINTPTR_MAX - range.start)
        range.end = range.start + size;
    }
    result.push_back(range);
  }
}

void ItemOrder::addPairs(const Uses &uses, const Uses &before,
                         std::vector<NodePair> &pairs) {
  for (const Use &use : uses)
    for (const Use &earlier : before)
      if (use.writes || earlier.writes)
        pairs.push_back({use.node, earlier.node});
}

void ItemOrder::removeDoubles(std::vector<NodePair> &pairs) const {
  auto key = [](const NodePair &pair) {
    return uint64_t(pair.node) << 32 | pair.before;
  };
  std::sort(
      pairs.begin(), pairs.end(),
      [&](const NodePair &a, const NodePair &b) { return key(a) < key(b); });
  pairs.erase(std::unique(pairs.begin(), pairs.end(),
                          [&](const NodePair &a, const NodePair &b) {
                            return key(a) == key(b);
                          }),
              pairs.end());
}

void ItemOrder::addFixedPairs(std::span<const ArgumentRange> fixed,
                              std::vector<NodePair> &pairs) const {
  for (const Uses &uses : memoryUses)
    addPairs(uses, uses, pairs);
  addPairs(fixed, fixed, pairs);
}

void ItemOrder::addPairs(std::span<const ArgumentRange> item,
                         std::span<const ArgumentRange> before,
                         std::vector<NodePair> &pairs) const {
  for (const ArgumentRange &range : item)
    for (const ArgumentRange &earlier : before)
      if (range.start < earlier.end && earlier.start < range.end)
        addPairs(argumentUses[range.argument], argumentUses[earlier.argument],
                 pairs);
  removeDoubles(pairs);
}
