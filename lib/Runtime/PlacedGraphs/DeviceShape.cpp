//===- DeviceShape.cpp - Groups and launches of a node on a device --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If a device states a limit of 0, the limit is unknown; then the driver checks
// it.
//
//===----------------------------------------------------------------------===//

#include "DeviceShape.h"

#include "../Plan/Extents.h"

#include "sluice/Base/Text.h"

#include <algorithm>

using namespace sluice;

static constexpr char dimensionNames[] = {'x', 'y', 'z'};

static Status tooMany(uint64_t value, std::string_view what, uint64_t limit,
                      const device::Properties &limits) {
  return Status::error(StatusCode::Exhausted,
                       concat(value, " ", what, ", but ", limits.name,
                              " allows at max ", limit));
}

static uint64_t maxGroup(const device::Properties &limits,
                         const device::DeviceKernel &kernel) {
  uint64_t max = limits.maxGroup ? limits.maxGroup : UINT64_MAX;
  return kernel.maxGroup ? std::min(max, kernel.maxGroup) : max;
}

/// Drivers for CPUs keep the variables of all items of a group on the stack of
/// a thread, which usually has 8 MiB.
static constexpr uint64_t maxBytesOnStack = UINT64_C(2) << 20;

static uint64_t maxItemsOnStack(const SluicePlanDeviceKernel &table,
                                const device::Properties &limits) {
  return limits.isAccelerator || table.privateBytes == 0
             ? UINT64_MAX
             : maxBytesOnStack / table.privateBytes;
}

static Status tooLargeForStack(const SluicePlanDeviceKernel &table,
                               uint64_t items,
                               const device::Properties &limits) {
  return Status::error(StatusCode::Exhausted,
                       concat(items, items == 1 ? " item" : " items",
                              " per group with ", table.privateBytes,
                              " bytes of variables each, but ", limits.name,
                              " has room for ", maxBytesOnStack, " bytes"));
}

/// The groups that the program requests.
static Status computeGroups(const SluicePlanDeviceKernel &table,
                            const unsigned char *frame, const int64_t *extents,
                            const device::Properties &limits,
                            const device::DeviceKernel &kernel,
                            DeviceShape &shape) {
  std::array<uint64_t, 3> &items = shape.launch.items;
  table.group(frame, extents, items.data(), shape.localBytes.data());
  // CPUs run the items of a group one after another, each with its own data. So
  // one item per group suffices for independent items.
  if (table.numPhases && !limits.isAccelerator && items[0])
    items = {1, 1, 1};
  uint64_t product = 1;
  for (unsigned i = 0; i < 3; ++i) {
    if (limits.maxItems[i] && items[i] > limits.maxItems[i])
      return tooMany(items[i],
                     concat("items per group in dimension ", dimensionNames[i]),
                     limits.maxItems[i], limits);
    if (__builtin_mul_overflow(product, items[i], &product))
      product = UINT64_MAX;
  }
  if (product == 0)
    return Status::error(StatusCode::Exhausted, "its groups have no items");
  if (uint64_t max = maxGroup(limits, kernel); product > max)
    return tooMany(product, "items per group", max, limits);
  if (product > maxItemsOnStack(table, limits))
    return tooLargeForStack(table, product, limits);
  uint64_t bytes = 0;
  for (uint64_t local : shape.localBytes)
    if (__builtin_add_overflow(bytes, (local + 15) & ~UINT64_C(15), &bytes))
      bytes = UINT64_MAX;
  if (limits.localMemory && bytes > limits.localMemory)
    return tooMany(bytes, "bytes of memory per group", limits.localMemory,
                   limits);
  for (unsigned i = 0; i < 3; ++i)
    shape.launch.groups[i] =
        table.gridLevel == SLUICE_NO_INDEX
            ? 1
            : static_cast<uint64_t>(extents[3 * table.gridLevel + i]);
  return {};
}

/// Suitable groups for instances that do not use groups.
static void chooseGroups(const SluicePlanDeviceKernel &table,
                         const int64_t *extents,
                         const device::Properties &limits,
                         const device::DeviceKernel &kernel,
                         DeviceShape &shape) {
  if (table.gridLevel == SLUICE_NO_INDEX)
    return;
  const int64_t *grid = extents + 3 * table.gridLevel;
  uint64_t room =
      std::min({kernel.goodGroup ? kernel.goodGroup : 64,
                maxGroup(limits, kernel), maxItemsOnStack(table, limits)});
  for (unsigned i = 0; i < 3; ++i) {
    auto extent = static_cast<uint64_t>(grid[i]);
    uint64_t max = limits.maxItems[i] ? limits.maxItems[i] : room;
    uint64_t items = std::max<uint64_t>(1, std::min({extent, room, max}));
    shape.launch.items[i] = items;
    shape.launch.groups[i] = (extent + items - 1) / items;
    room /= items;
  }
}

uint64_t sluice::countSlabs(const SluicePlanDeviceKernel &table,
                            const int64_t *extents) {
  if (table.gridLevel == SLUICE_NO_INDEX || table.numGridDims == 0)
    return 1;
  uint32_t slowest = 3 * table.gridLevel + table.numGridDims - 1;
  return static_cast<uint64_t>(extents[slowest]);
}

/// Omits groups in which no instance is in a slab.
static void launchSlabs(const SluicePlanDeviceKernel &table,
                        const DeviceSlabs &slabs, DeviceShape &shape) {
  shape.slabs.first = slabs.first;
  shape.slabs.end = std::min(slabs.end, shape.slabs.end);
  if (table.gridLevel == SLUICE_NO_INDEX || table.numGridDims == 0)
    return;
  uint32_t slowest = table.numGridDims - 1;
  uint64_t count = shape.slabs.end - shape.slabs.first;
  uint64_t perGroup = table.isGrouped ? 1 : shape.launch.items[slowest];
  shape.launch.groups[slowest] = (count + perGroup - 1) / perGroup;
}

Result<DeviceShape> sluice::computeShape(const SluicePlanNode &node,
                                         const unsigned char *frame,
                                         const int64_t *extents,
                                         const DeviceSlabs &slabs,
                                         const device::Properties &limits,
                                         const device::DeviceKernel &kernel) {
  const SluicePlanDeviceKernel &table = *node.device;
  DeviceShape shape;
  shape.localBytes.resize(table.numLocals);
  if (table.isGrouped) {
    Status status = computeGroups(table, frame, extents, limits, kernel, shape);
    if (!status.ok())
      return status;
  } else if (maxItemsOnStack(table, limits) == 0) {
    return tooLargeForStack(table, 1, limits);
  } else {
    chooseGroups(table, extents, limits, kernel, shape);
  }
  shape.slabs.end = countSlabs(table, extents);
  launchSlabs(table, slabs, shape);
  for (unsigned i = 0; i < 3; ++i)
    if (limits.maxGrid[i] && shape.launch.groups[i] > limits.maxGrid[i])
      return tooMany(shape.launch.groups[i],
                     concat("groups in dimension ", dimensionNames[i]),
                     limits.maxGrid[i], limits);
  if (table.numPhases)
    shape.numLaunches = table.numPhases;
  else
    multiplyExtents(extents, table.numLaunchLevels, shape.numLaunches);
  return shape;
}
