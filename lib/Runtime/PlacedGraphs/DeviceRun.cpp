//===- DeviceRun.cpp - One node on a device -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prepares memory before the device's queue is locked, because transfers have
// separate queues. The parts of the frame that the kernel needs are sent in the
// kernel's queue.
//
//===----------------------------------------------------------------------===//

#include "DeviceRun.h"
#include "DevicePlan.h"

#include "sluice/Base/Text.h"

#include <cstring>

using namespace sluice;

Status DeviceRun::result() const {
  for (const device::Event &end : ends)
    if (Status status = end.wait(); !status.ok())
      return status;
  return {};
}

DeviceIssue::DeviceIssue(NodeRun &node, const DeviceShare &share,
                         DeviceValues &values, const DevicePlan &plan,
                         std::span<MemoryTracker *const> trackers,
                         DeviceRun &run)
    : node(node), table(*node.info->node), kernelTable(*table.device),
      device(*share.device), slabs(share.slabs), values(values), plan(plan),
      trackers(trackers), run(run) {}

Status DeviceIssue::issue(std::span<const uint32_t> wantedHome,
                          LaunchRecord *record) {
  Result<device::DeviceKernel *> found =
      device.kernel(node.instance->info.plan, table);
  if (!found.ok())
    return found.takeStatus();
  kernel = *found;
  Result<DeviceShape> computed =
      computeShape(table, node.instance->frame, node.invocation.extents, slabs,
                   device.device().properties(), *kernel);
  if (!computed.ok())
    return computed.takeStatus();
  shape = std::move(*computed);
  std::lock_guard preparing(device.place().preparing);
  Status status = prepareMemory();
  if (status.ok())
    status = enqueue(wantedHome, record);
  if (!status.ok() && !run.isUnderWay)
    releaseClaims();
  return status;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

MemoryTracker *DeviceIssue::trackerOf(uintptr_t address) {
  for (MemoryTracker *tracker : trackers)
    if (tracker->isTracked(reinterpret_cast<void *>(address)))
      return tracker;
  return nullptr;
}

Status DeviceIssue::prepareMemory() {
  const std::vector<uint32_t> &numbers =
      plan.nodes[node.info->index].pointerParameters;
  std::vector<SluiceDeviceRange> ranges(numbers.size());
  if (kernelTable.touch)
    kernelTable.touch(node.instance->frame, node.invocation.extents,
                      shape.slabs.first, shape.slabs.end, ranges.data());
  for (size_t i = 0; i < numbers.size(); ++i) {
    Result<PlacedMemory> placed =
        preparePointer(numbers[i], kernelTable.touch ? &ranges[i] : nullptr);
    if (!placed.ok())
      return placed.takeStatus();
    pointers.push_back(*placed);
  }
  return {};
}

Result<PlacedMemory> DeviceIssue::prepareBytes(MemoryTracker &tracker,
                                               const MemoryAccess &memory,
                                               uint32_t access) {
  Result<PlacedMemory> placed =
      tracker.prepare(device.number, memory, access, after);
  if (placed.ok())
    run.claims.push_back({&tracker, memory, access, *placed});
  return placed;
}

/// Prepares the memory of a POINTER parameter; only `range`, if it is known.
Result<PlacedMemory>
DeviceIssue::preparePointer(uint32_t number, const SluiceDeviceRange *range) {
  const SluiceDeviceParameter &parameter = kernelTable.parameters[number];
  const MemoryAccess memory = memoryOf(node, parameter);
  uint32_t access = parameter.access ? parameter.access
                                     : SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT;
  SluiceDeviceRange inside;
  if (range && memory.sizeKnown) {
    inside = withinMemory(*range, memory.size);
    range = &inside;
  } else {
    range = nullptr;
  }
  harmless = !memory.start;
  if (harmless)
    return Status::invalidArgument(
        concat("argument ", quoted(memory.name), " is a null pointer"));
  bool isEmpty = range ? range->readFirst >= range->readEnd &&
                             range->writtenFirst >= range->writtenEnd
                       : memory.sizeKnown && memory.size == 0;
  if (isEmpty) {
    // None of it is used, but the kernel requires a buffer.
    Result<device::Buffer *> buffer = values.frame(device);
    if (!buffer.ok())
      return buffer.takeStatus();
    return PlacedMemory{*buffer, 0};
  }
  MemoryTracker *tracker = trackerOf(memory.start);
  if (!tracker)
    return Status::invalidArgument(
        concat("argument ", quoted(memory.name), " at ",
               reinterpret_cast<void *>(memory.start),
               " is not tracked and its size is not known"));
  if (!range)
    return prepareBytes(*tracker, memory,
                        parameter.memory ? access : withRest(access));

  // Memory that is only partly written counts as read.
  PlacedMemory placed;
  auto prepareRange = [&](int64_t first, int64_t end, uint32_t use) {
    if (first >= end)
      return Status();
    MemoryAccess part = memory;
    part.start = memory.start + static_cast<uint64_t>(first);
    part.size = static_cast<uint64_t>(end - first);
    part.sizeKnown = true;
    part.writes = use & SLUICE_ACCESS_OUT;
    Result<PlacedMemory> result = prepareBytes(*tracker, part, use);
    if (!result.ok())
      return result.takeStatus();
    uint64_t offset = result->offset - static_cast<uint64_t>(first);
    if (placed.buffer && placed.buffer != result->buffer)
      return Status::misuse(concat("two parts of argument ",
                                   quoted(memory.name),
                                   " are in different buffers"));
    placed = {result->buffer, offset};
    return Status();
  };
  Status status;
  if (!parameter.memory || access & SLUICE_ACCESS_IN)
    status = prepareRange(range->readFirst, range->readEnd, SLUICE_ACCESS_IN);
  if (status.ok() && access & SLUICE_ACCESS_OUT)
    status = prepareRange(range->writtenFirst, range->writtenEnd, access);
  if (!status.ok())
    return status;
  return placed;
}

void DeviceIssue::releaseClaims() {
  for (const DeviceRun::Claim &claim : run.claims)
    claim.tracker->notEnqueued(device.number, claim.memory, claim.access);
  run.claims.clear();
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

void DeviceIssue::addMemory(device::Buffer *buffer) {
  Parameter &parameter = parameters.emplace_back();
  parameter.argument.kind = device::KernelArgument::Kind::Memory;
  parameter.argument.buffer = buffer;
}

void DeviceIssue::addWord(uint64_t word) {
  Parameter &parameter = parameters.emplace_back();
  parameter.word = word;
  parameter.argument.size = sizeof(uint64_t);
}

uint32_t DeviceIssue::valueAt(uint64_t frameOffset, bool isArray) const {
  for (uint32_t i = 0; i < plan.values.size(); ++i)
    if (plan.values[i].isArray == isArray &&
        plan.values[i].frameOffset == frameOffset)
      return i;
  return SLUICE_NO_INDEX;
}

Status DeviceIssue::bindParameter(const SluiceDeviceParameter &parameter) {
  const unsigned char *frame = node.instance->frame;
  switch (static_cast<SluiceDeviceParameterKind>(parameter.kind)) {
  case SLUICE_DEVICE_VALUE: {
    Parameter &bound = parameters.emplace_back();
    bound.argument.value = frame + parameter.frameOffset;
    bound.argument.size = parameter.size;
    return {};
  }
  case SLUICE_DEVICE_POINTER: {
    const PlacedMemory &placed = pointers[nextPointer++];
    addMemory(placed.buffer);
    addWord(placed.offset);
    return {};
  }
  case SLUICE_DEVICE_FRAME: {
    Result<device::Buffer *> buffer = values.frame(device);
    if (!buffer.ok())
      return buffer.takeStatus();
    addMemory(*buffer);
    return {};
  }
  case SLUICE_DEVICE_ARRAY: {
    uint32_t value = valueAt(parameter.frameOffset, /*isArray=*/true);
    if (value == SLUICE_NO_INDEX)
      return Status::misuse(concat("its table names an array at ",
                                   parameter.frameOffset,
                                   " of the frame, which no output has"));
    Result<device::Buffer *> buffer = values.array(device, value);
    if (!buffer.ok())
      return buffer.takeStatus();
    addMemory(*buffer);
    addWord(0);
    return {};
  }
  case SLUICE_DEVICE_EXTENT:
    addWord(static_cast<uint64_t>(node.invocation.extents[parameter.index]));
    return {};
  case SLUICE_DEVICE_LAUNCH:
    launchNumbers.push_back(parameters.size());
    addWord(0);
    return {};
  case SLUICE_DEVICE_LOCAL: {
    Parameter &bound = parameters.emplace_back();
    bound.argument.kind = device::KernelArgument::Kind::Local;
    bound.argument.size = shape.localBytes[parameter.index];
    return {};
  }
  case SLUICE_DEVICE_FIRST:
    addWord(shape.slabs.first);
    return {};
  case SLUICE_DEVICE_END:
    addWord(shape.slabs.end);
    return {};
  }
  return Status::misuse(
      concat("its table has a parameter of unknown kind ", parameter.kind));
}

Status DeviceIssue::bind() {
  for (uint32_t i = 0; i < kernelTable.numParameters; ++i)
    if (Status status = bindParameter(kernelTable.parameters[i]); !status.ok())
      return status;
  return {};
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

Status DeviceIssue::launchAll(LaunchRecord *record) {
  std::vector<device::KernelArgument> arguments;
  for (Parameter &parameter : parameters) {
    if (parameter.argument.kind == device::KernelArgument::Kind::Value &&
        !parameter.argument.value)
      parameter.argument.value = &parameter.word;
    arguments.push_back(parameter.argument);
  }
  for (uint64_t i = 0; i < shape.numLaunches; ++i) {
    for (size_t number : launchNumbers)
      parameters[number].word = i;
    Result<device::Event> end =
        device.compute().launch(*kernel, shape.launch, arguments, after);
    if (!end.ok())
      return end.takeStatus();
    if (record)
      record->add(node.info->index, *kernel, shape.launch, arguments);
    run.isUnderWay = true;
    run.ends.push_back(std::move(*end));
    ++numLaunched;
    // The queue is in order.
    after.clear();
  }
  return {};
}

void sluice::setForwards(const NodeRun &node) {
  const SluicePlanDeviceKernel &kernel = *node.info->node->device;
  unsigned char *frame = node.instance->frame;
  for (uint32_t i = 0; i < kernel.numForwards; ++i) {
    const SluiceDeviceForward &forward = kernel.forwards[i];
    std::memmove(frame + forward.to, frame + forward.from, forward.size);
  }
}

Status DeviceIssue::enqueue(std::span<const uint32_t> wantedHome,
                            LaunchRecord *record) {
  const DevicePlan::Node &planNode = plan.nodes[node.info->index];
  Status status;
  {
    std::lock_guard lock(device.queueMutex);
    for (uint32_t value : planNode.sentOperands)
      if (status.ok())
        status = values.send(device, value, after);
    if (status.ok())
      status = bind();
    if (status.ok())
      status = launchAll(record);
    for (uint32_t value : wantedHome) {
      if (!status.ok())
        break;
      Result<device::Event> end = values.fetch(device, value);
      status = end.takeStatus();
      if (!status.ok())
        break;
      run.fetches.push_back(value);
      run.ends.push_back(std::move(*end));
    }
    if (record && status.ok())
      record->add(node.info->index, run);
  }
  if (!run.isUnderWay)
    return status;
  const device::Event &lastLaunch = run.ends[numLaunched - 1];
  for (const DeviceRun::Claim &claim : run.claims)
    claim.tracker->enqueued(device.number, claim.memory, claim.access,
                            lastLaunch);
  if (!status.ok())
    return status;
  setForwards(node);
  for (uint32_t value : planNode.ownValues)
    values.setMade(value,
                   plan.values[value].isForwarded ? hostPlace : device.number);
  return {};
}
