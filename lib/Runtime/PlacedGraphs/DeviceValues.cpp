//===- DeviceValues.cpp - An instance's values on devices -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device's frame has the same offsets as the host's. Small values go through
// pinned memory, so that no transfer waits for the device.
//
//===----------------------------------------------------------------------===//

#include "DeviceValues.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <cstring>

using namespace sluice;

DeviceValues::DeviceValues(GraphInstance &instance, const DevicePlan &plan)
    : instance(instance), plan(plan), values(plan.values.size()) {}

DeviceValues::~DeviceValues() {
  for (std::unique_ptr<Frame> &frame : frames)
    if (frame->staging)
      frame->device->device().freeHost(frame->staging);
}

void DeviceValues::reset() {
  // If a node could not be issued, transfers for it may still be in progress.
  for (const device::Event &transfer : transfers)
    (void)transfer.wait();
  transfers.clear();
  for (Value &value : values) {
    value.places = 0;
    value.fetchedBy = nullptr;
    value.arrays.clear();
    value.sent.clear();
  }
}

Result<DeviceValues::Frame *> DeviceValues::frameAt(OpenDevice &device) {
  std::lock_guard lock(mutex);
  for (std::unique_ptr<Frame> &frame : frames)
    if (frame->device == &device)
      return frame.get();
  auto frame = std::make_unique<Frame>();
  uint64_t size = std::max<uint64_t>(instance.info.frameBytes, 64);
  Result<std::unique_ptr<device::Buffer>> buffer =
      device.device().allocate(size);
  if (!buffer.ok())
    return buffer.takeStatus();
  Result<void *> staging = device.device().allocateHost(size);
  if (!staging.ok())
    return staging.takeStatus();
  frame->buffer = std::move(*buffer);
  frame->staging = static_cast<unsigned char *>(*staging);
  frame->device = &device;
  frames.push_back(std::move(frame));
  return frames.back().get();
}

Result<device::Buffer *> DeviceValues::frame(OpenDevice &device) {
  Result<Frame *> frame = frameAt(device);
  if (!frame.ok())
    return frame.takeStatus();
  return (*frame)->buffer.get();
}

unsigned char *DeviceValues::hostArray(const PlacedValue &value) const {
  unsigned char *array;
  std::memcpy(&array, instance.frame + value.frameOffset, sizeof(array));
  return array;
}

/// The extents of its node have been evaluated and checked.
uint64_t DeviceValues::arrayBytes(const PlacedValue &value) const {
  const NodeRun &run = instance.runs[value.node];
  const SluicePlanOutput &output = run.info->node->outputs[value.output];
  uint64_t count = 0;
  multiplyExtents(run.invocation.extents, output.arrayLevels, count);
  return count * output.size;
}

Result<device::Buffer *> DeviceValues::array(OpenDevice &device,
                                             uint32_t value) {
  std::lock_guard lock(mutex);
  for (Array &array : values[value].arrays)
    if (array.place == device.number)
      return array.buffer.get();
  uint64_t size = std::max<uint64_t>(arrayBytes(plan.values[value]), 64);
  Result<std::unique_ptr<device::Buffer>> buffer =
      device.device().allocate(size);
  if (!buffer.ok())
    return buffer.takeStatus();
  values[value].arrays.push_back({device.number, std::move(*buffer)});
  return values[value].arrays.back().buffer.get();
}

static uint64_t bitOf(MemoryPlace place) { return uint64_t(1) << place; }

Status DeviceValues::send(OpenDevice &device, uint32_t number,
                          std::vector<device::Event> &after) {
  const PlacedValue &value = plan.values[number];
  {
    std::lock_guard lock(mutex);
    if (values[number].places & bitOf(device.number)) {
      for (const Sent &sent : values[number].sent)
        if (sent.place == device.number)
          after.push_back(sent.end);
      return {};
    }
  }
  Result<device::Event> sent = device::Event();
  if (value.isArray) {
    Result<device::Buffer *> buffer = array(device, number);
    if (!buffer.ok())
      return buffer.takeStatus();
    if (uint64_t size = arrayBytes(value))
      sent = device.compute().write(**buffer, 0, hostArray(value), size);
  } else {
    Result<Frame *> frame = frameAt(device);
    if (!frame.ok())
      return frame.takeStatus();
    unsigned char *staging = (*frame)->staging + value.frameOffset;
    std::memcpy(staging, instance.frame + value.frameOffset, value.size);
    sent = device.compute().write(*(*frame)->buffer, value.frameOffset, staging,
                                  value.size);
  }
  if (!sent.ok())
    return sent.takeStatus();
  std::lock_guard lock(mutex);
  values[number].places |= bitOf(device.number);
  if (!*sent)
    return {};
  transfers.push_back(*sent);
  after.push_back(*sent);
  values[number].sent.push_back({device.number, std::move(*sent)});
  return {};
}

Result<device::Event> DeviceValues::fetch(OpenDevice &device, uint32_t value) {
  Result<device::Event> end = tryFetch(device, value);
  if (end.ok())
    return end;
  (void)device.compute().finish();
  return tryFetch(device, value);
}

Result<device::Event> DeviceValues::tryFetch(OpenDevice &device,
                                             uint32_t number) {
  const PlacedValue &value = plan.values[number];
  Result<device::Event> read = device::Event();
  Frame *fetchedBy = nullptr;
  if (value.isArray) {
    Result<device::Buffer *> buffer = array(device, number);
    if (!buffer.ok())
      return buffer.takeStatus();
    if (uint64_t size = arrayBytes(value))
      read = device.compute().read(hostArray(value), **buffer, 0, size);
  } else {
    Result<Frame *> frame = frameAt(device);
    if (!frame.ok())
      return frame.takeStatus();
    fetchedBy = *frame;
    read = device.compute().read(fetchedBy->staging + value.frameOffset,
                                 *fetchedBy->buffer, value.frameOffset,
                                 value.size);
  }
  if (!read.ok())
    return read.takeStatus();
  std::lock_guard lock(mutex);
  values[number].fetchedBy = fetchedBy;
  transfers.push_back(*read);
  return read;
}

void DeviceValues::fetched(uint32_t number) {
  const PlacedValue &value = plan.values[number];
  std::lock_guard lock(mutex);
  Value &state = values[number];
  if (state.fetchedBy)
    std::memcpy(instance.frame + value.frameOffset,
                state.fetchedBy->staging + value.frameOffset, value.size);
  state.fetchedBy = nullptr;
  state.places |= bitOf(hostPlace);
}

void DeviceValues::setMade(uint32_t value, MemoryPlace place) {
  std::lock_guard lock(mutex);
  values[value].places = bitOf(place);
  values[value].sent.clear();
}

bool DeviceValues::isOnHost(uint32_t value) {
  std::lock_guard lock(mutex);
  return values[value].places & bitOf(hostPlace);
}

MemoryPlace DeviceValues::placeOf(uint32_t value) {
  std::lock_guard lock(mutex);
  uint64_t places = values[value].places;
  return places & 1 || !places ? hostPlace
                               : MemoryPlace(__builtin_ctzll(places));
}
