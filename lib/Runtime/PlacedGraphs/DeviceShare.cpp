//===- DeviceShare.cpp - Nodes shared by several devices ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determines the bytes that each share of a node reads and writes, and refuses
// to split a node with overlapping shares.
//
//===----------------------------------------------------------------------===//

#include "DeviceShare.h"

#include <algorithm>
#include <cstring>

using namespace sluice;

template <typename Value>
static Value readValue(const unsigned char *frame, uint64_t offset) {
  Value value;
  std::memcpy(&value, frame + offset, sizeof(value));
  return value;
}

MemoryAccess sluice::memoryOf(const NodeRun &node,
                              const SluiceDeviceParameter &parameter) {
  const unsigned char *frame = node.instance->frame;
  const SluicePlan &graph = node.instance->info.plan;
  MemoryAccess memory = {};
  memory.name = parameter.argument != SLUICE_NO_INDEX
                    ? graph.arguments[parameter.argument].name
                : parameter.memory ? "dataset"
                                   : "pointer";
  memory.writes = parameter.access != SLUICE_ACCESS_IN;
  if (parameter.memory) {
    memory.start = reinterpret_cast<uintptr_t>(parameter.memory);
    memory.size = parameter.size;
    memory.sizeKnown = true;
    return memory;
  }
  memory.start = readValue<uintptr_t>(frame, parameter.frameOffset);
  memory.sizeKnown = parameter.sizeOffset != SLUICE_NO_OFFSET;
  if (memory.sizeKnown)
    memory.size = readValue<uint64_t>(frame, parameter.sizeOffset);
  return memory;
}

SluiceDeviceRange sluice::withinMemory(SluiceDeviceRange range, uint64_t size) {
  auto end = static_cast<int64_t>(std::min<uint64_t>(size, INT64_MAX));
  auto clamp = [&](int64_t &offset) {
    offset = std::clamp<int64_t>(offset, 0, end);
  };
  clamp(range.readFirst);
  clamp(range.readEnd);
  clamp(range.writtenFirst);
  clamp(range.writtenEnd);
  return range;
}

namespace {
/// The memory that one share uses, by address.
struct Uses {
  std::vector<ByteRange> read, written;
};
} // namespace

static bool overlap(const std::vector<ByteRange> &first,
                    const std::vector<ByteRange> &second) {
  for (const ByteRange &one : first)
    for (const ByteRange &other : second)
      if (one.overlaps(other))
        return true;
  return false;
}

/// Returns false if it is not known.
static bool findUses(const NodeRun &node,
                     std::span<const uint32_t> pointerParameters,
                     const DeviceSlabs &slabs, Uses &uses) {
  const SluicePlanDeviceKernel &table = *node.info->node->device;
  std::vector<SluiceDeviceRange> ranges(pointerParameters.size());
  table.touch(node.instance->frame, node.invocation.extents, slabs.first,
              slabs.end, ranges.data());
  for (size_t i = 0; i < ranges.size(); ++i) {
    const MemoryAccess memory =
        memoryOf(node, table.parameters[pointerParameters[i]]);
    if (!memory.sizeKnown || !memory.start)
      return false;
    SluiceDeviceRange range = withinMemory(ranges[i], memory.size);
    auto add = [&](std::vector<ByteRange> &to, int64_t first, int64_t end) {
      if (first < end)
        to.push_back({memory.start + static_cast<uint64_t>(first),
                      memory.start + static_cast<uint64_t>(end)});
    };
    add(uses.read, range.readFirst, range.readEnd);
    add(uses.written, range.writtenFirst, range.writtenEnd);
  }
  return true;
}

std::vector<DeviceShare>
sluice::splitNode(const NodeRun &node,
                  std::span<const uint32_t> pointerParameters,
                  std::span<OpenDevice *const> devices) {
  const SluicePlanDeviceKernel &table = *node.info->node->device;
  uint64_t numSlabs = countSlabs(table, node.invocation.extents);
  uint64_t numShares = std::min<uint64_t>(devices.size(), numSlabs);
  if (!table.touch || numShares < 2)
    return {};
  std::vector<DeviceShare> shares;
  std::vector<Uses> uses(numShares);
  uint64_t first = 0;
  for (uint64_t i = 0; i < numShares; ++i) {
    // If shares cannot be equal, the first ones have one more slab.
    uint64_t size = numSlabs / numShares + (i < numSlabs % numShares);
    DeviceSlabs slabs = {first, first + size};
    first = slabs.end;
    if (!findUses(node, pointerParameters, slabs, uses[i]))
      return {};
    for (uint64_t before = 0; before < i; ++before)
      if (overlap(uses[before].written, uses[i].written) ||
          overlap(uses[before].written, uses[i].read) ||
          overlap(uses[before].read, uses[i].written))
        return {};
    shares.push_back({devices[i], slabs});
  }
  return shares;
}
