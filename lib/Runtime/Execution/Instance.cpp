//===- Instance.cpp - One graph instance in flight ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the records of an instance, deals out chunks, and provides the outputs
// of nodes without instances.
//
//===----------------------------------------------------------------------===//

#include "Instance.h"

#include "../Scheduling/SharedRun.h"
#include "BackEnd.h"

#include "sluice/Base/Text.h"

#include <cstdlib>
#include <cstring>
#include <new>

using namespace sluice;

//===----------------------------------------------------------------------===//
// Chunks
//===----------------------------------------------------------------------===//

static uint64_t packRange(uint64_t first, uint64_t end) {
  return first << 32 | end;
}

void ChunkShares::deal(uint32_t numChunks) {
  uint64_t first = 0;
  for (unsigned i = 0; i < numWorkers; ++i) {
    uint64_t end = uint64_t(numChunks) * (i + 1) / numWorkers;
    shares[i].range.store(packRange(first, end), std::memory_order_release);
    first = end;
  }
}

bool ChunkShares::takeFront(Share &share, uint32_t &chunk) {
  uint64_t range = share.range.load(std::memory_order_relaxed);
  while (true) {
    uint64_t first = range >> 32, end = range & UINT32_MAX;
    if (first >= end)
      return false;
    if (!share.range.compare_exchange_weak(range, packRange(first + 1, end),
                                           std::memory_order_acq_rel,
                                           std::memory_order_relaxed))
      continue;
    chunk = static_cast<uint32_t>(first);
    return true;
  }
}

bool ChunkShares::takeBack(Share &share, uint32_t &chunk) {
  uint64_t range = share.range.load(std::memory_order_relaxed);
  while (true) {
    uint64_t first = range >> 32, end = range & UINT32_MAX;
    if (first >= end)
      return false;
    if (!share.range.compare_exchange_weak(range, packRange(first, end - 1),
                                           std::memory_order_acq_rel,
                                           std::memory_order_relaxed))
      continue;
    chunk = static_cast<uint32_t>(end - 1);
    return true;
  }
}

bool ChunkShares::take(unsigned worker, uint32_t &chunk) {
  if (takeFront(shares[worker], chunk))
    return true;
  for (unsigned i = 1; i < numWorkers; ++i) {
    unsigned victim =
        worker + i < numWorkers ? worker + i : worker + i - numWorkers;
    if (takeBack(shares[victim], chunk))
      return true;
  }
  return false;
}

bool ChunkShares::looksEmpty() const {
  for (unsigned i = 0; i < numWorkers; ++i) {
    uint64_t range = shares[i].range.load(std::memory_order_relaxed);
    if ((range >> 32) < (range & UINT32_MAX))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Instances
//===----------------------------------------------------------------------===//

GraphInstance::GraphInstance(const PlanInfo &info, InstanceOwner &owner,
                             uint32_t maxItems, bool isCoarse)
    : info(info), owner(owner),
      isPlainLaunch(info.isPlain && !info.plan.isStreaming && !isCoarse) {
  uint64_t bytes;
  if (__builtin_mul_overflow(info.frameBytes, maxItems, &bytes))
    throw std::bad_alloc();
  bytes = std::max<uint64_t>(bytes, 64);
  frame = static_cast<unsigned char *>(std::aligned_alloc(64, bytes));
  if (!frame)
    throw std::bad_alloc();
  std::memset(frame, 0, bytes);
  pendingSinks.store(info.numSinks, std::memory_order_relaxed);
  if (!isPlainLaunch)
    makeRuns();
}

void GraphInstance::makeRuns() {
  if (runs)
    return;
  size_t numNodes = info.nodes.size();
  runs = std::make_unique<NodeRun[]>(numNodes);
  groups = std::make_unique<GroupRun[]>(info.groups.size());
  tiles = std::make_unique<TileRun[]>(info.tiles.size());
  extents = std::make_unique<int64_t[]>(info.numExtents);
  for (size_t i = 0; i < numNodes; ++i) {
    NodeRun &run = runs[i];
    const NodeInfo &node = info.nodes[i];
    run.info = &node;
    run.instance = this;
    run.kernel = node.node->kernel;
    run.unitsAtOnce = node.unitsAtOnce();
    run.invocation.frame = frame;
    run.invocation.extents = node.node->extents
                                 ? extents.get() + node.extentsOffset
                                 : node.node->constantExtents;
    run.invocation.instance = &memory;
    if (node.isPlain)
      run.partition.units = run.partition.numGranules = 1;
  }
  expectPlan();
}

/// Sets the predecessors of nodes as in the plan; all nodes are on the host.
void GraphInstance::expectPlan() {
  for (size_t i = 0; i < info.nodes.size(); ++i) {
    runs[i].pending.expect(info.nodes[i].numAllToAll);
    runs[i].chained = info.nodes[i].oneToOneSuccessors;
    runs[i].numChained = info.nodes[i].numOneToOne;
  }
}

GraphInstance::~GraphInstance() { std::free(frame); }

void GraphInstance::expectArrivals(std::span<const uint32_t> numArrivals) {
  isOrdered = true;
  if (backEnd)
    return backEnd->prepare(numArrivals);
  // One more for the start itself.
  for (size_t i = 0; i < info.nodes.size(); ++i)
    runs[i].pending.expect(info.nodes[i].numAllToAll + numArrivals[i] + 1);
}

void GraphInstance::expectNoArrivals() {
  if (backEnd) {
    isOrdered = false;
    return backEnd->prepare({});
  }
  if (!isOrdered)
    return;
  isOrdered = false;
  expectPlan();
}

void GraphInstance::fail(Status status, uint32_t item) {
  std::lock_guard lock(errorMutex);
  if (goodItems.load(std::memory_order_relaxed) <= item)
    return;
  error = std::move(status);
  goodItems.store(item, std::memory_order_release);
}

Status GraphInstance::takeFirstError() {
  std::lock_guard lock(errorMutex);
  goodItems.store(itemCount, std::memory_order_relaxed);
  return std::move(error);
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

void sluice::zeroOutputs(const SluicePlanNode &node, unsigned char *frame) {
  for (uint32_t i = 0; i < node.numOutputs; ++i) {
    const SluicePlanOutput &output = node.outputs[i];
    if (output.frameOffset != SLUICE_NO_OFFSET)
      std::memset(frame + output.frameOffset, 0, output.size);
  }
}

Status sluice::allocateArrays(const SluicePlanNode &node,
                              const int64_t *extents, unsigned char *frame,
                              bool zeroed, InstanceMemory &memory) {
  for (uint32_t i = 0; i < node.numOutputs; ++i) {
    const SluicePlanOutput &output = node.outputs[i];
    if (output.arrayOffset == SLUICE_NO_OFFSET)
      continue;
    uint64_t count, bytes;
    if (!multiplyExtents(extents, output.arrayLevels, count))
      count = UINT64_MAX;
    void *array = __builtin_mul_overflow(count, output.size, &bytes)
                      ? nullptr
                      : memory.allocate(bytes);
    if (!array)
      return Status::error(StatusCode::Exhausted,
                           concat(nodeText(node), ": no memory for ", count,
                                  " values of ", output.size,
                                  " bytes of output ", quoted(output.name)));
    if (zeroed)
      std::memset(array, 0, bytes);
    std::memcpy(frame + output.arrayOffset, &array, sizeof(array));
  }
  return {};
}
