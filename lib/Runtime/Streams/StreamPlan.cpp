//===- StreamPlan.cpp - The common data of all streams of a plan ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits the sizes of batches, so that their frames stay in the caches, and
// excludes graphs with items that cannot share chunk boundaries.
//
//===----------------------------------------------------------------------===//

#include "StreamPlan.h"

#include "StreamBatch.h"

#include <algorithm>

using namespace sluice;

/// Nodes joined by one-to-one edges have equal extents in every item.
static bool hasConstantGroups(const PlanInfo &info) {
  for (const GroupInfo &group : info.groups) {
    const SluicePlanNode &first = info.plan.nodes[group.nodes.front()];
    for (uint32_t index : group.nodes) {
      const SluicePlanNode &node = info.plan.nodes[index];
      if (node.extents ||
          !std::equal(node.constantExtents,
                      node.constantExtents + 3 * group.numIndexLevels,
                      first.constantExtents))
        return false;
    }
  }
  return true;
}

static uint32_t chooseMaxItems(const PlanInfo &info) {
  constexpr uint64_t maxBytes = 32u << 10;
  if (!hasConstantGroups(info))
    return 1;
  return static_cast<uint32_t>(std::clamp<uint64_t>(
      maxBytes / std::max<uint64_t>(64, info.frameBytes), 1, 64));
}

StreamPlan::StreamPlan(const PlanInfo &info)
    : info(info), order(info), maxItems(chooseMaxItems(info)) {
  for (uint32_t i = 0; i < info.plan.numArguments; ++i) {
    const SluicePlanArgument &argument = info.plan.arguments[i];
    if (argument.flags & SLUICE_PORT_STREAM)
      streamingArguments.push_back({i, argument.frameOffset, argument.size});
  }
  for (uint32_t i = 0; i < info.plan.numResults; ++i)
    results.push_back(
        {i, info.plan.results[i].frameOffset, info.plan.results[i].size});
}

StreamPlan::~StreamPlan() = default;

StreamPlan &StreamPlan::of(PlanEntry &entry) {
  return static_cast<StreamPlan &>(entry.streamState(
      [&] { return std::make_unique<StreamPlan>(*entry.info); }));
}

StreamBatch &StreamPlan::takeBatch() {
  std::lock_guard lock(mutex);
  if (idle.empty()) {
    batches.push_back(std::make_unique<StreamBatch>(info, maxItems));
    return *batches.back();
  }
  StreamBatch *batch = idle.back();
  idle.pop_back();
  return *batch;
}

void StreamPlan::giveBack(std::vector<StreamBatch *> &given) {
  std::lock_guard lock(mutex);
  idle.insert(idle.end(), given.begin(), given.end());
  given.clear();
}
