//===- RepeatedLaunch.cpp - Equal launches as one sequence of kernels -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equal arguments result in equal extents, groups and ranges. Memory may have
// moved on the device since, so it is prepared as for any kernel, and the
// recording is valid only if the memory is still at the same place.
//
//===----------------------------------------------------------------------===//

#include "RepeatedLaunch.h"

#include "sluice-c/Plan.h"

#include <algorithm>
#include <cstring>

using namespace sluice;

/// Longer sequences are not worth their memory.
static constexpr size_t maxLaunches = 4096;

/// Smaller batches are enqueued before a device has begun.
static constexpr size_t minBatch = 8;

namespace {
/// A batch of operations, if there are enough.
class Batch {
public:
  Batch(device::Queue &ofAll, size_t size)
      : queue(size >= minBatch ? &ofAll : nullptr) {
    if (queue)
      queue->beginBatch();
  }
  Batch(const Batch &) = delete;
  ~Batch() {
    if (queue)
      queue->endBatch();
  }

private:
  device::Queue *const queue;
};
} // namespace

RepeatedLaunch::Step RepeatedLaunch::next(OpenDevice &onDevice,
                                          std::vector<unsigned char> given) {
  if (device != &onDevice || arguments != given) {
    forget();
    isPossible = true;
    device = &onDevice;
    arguments = std::move(given);
    return Step::Ignore;
  }
  if (isComplete)
    return Step::Repeat;
  forget();
  return isPossible ? Step::Record : Step::Ignore;
}

void RepeatedLaunch::interrupt() {
  forget();
  device = nullptr;
}

void RepeatedLaunch::forget() {
  isComplete = triedToRecord = false;
  recording.reset();
  launches.clear();
  entries.clear();
  claims.clear();
  fetches.clear();
  endsBefore.clear();
}

//===----------------------------------------------------------------------===//
// Taking down
//===----------------------------------------------------------------------===//

void RepeatedLaunch::add(uint32_t node, device::DeviceKernel &kernel,
                         const device::LaunchShape &shape,
                         std::span<const device::KernelArgument> given) {
  if (launches.size() == maxLaunches)
    isPossible = false;
  if (!isPossible)
    return;
  Launch &launch = launches.emplace_back(
      Launch{node, &kernel, shape, {given.begin(), given.end()}, nullptr});
  size_t numBytes = 0;
  for (const device::KernelArgument &argument : launch.arguments)
    if (argument.kind == device::KernelArgument::Kind::Value)
      numBytes += (argument.size + 15) & ~size_t(15);
  launch.values.reset(new unsigned char[numBytes]);
  unsigned char *next = launch.values.get();
  for (device::KernelArgument &argument : launch.arguments) {
    if (argument.kind != device::KernelArgument::Kind::Value)
      continue;
    std::memcpy(next, argument.value, argument.size);
    argument.value = next;
    next += (argument.size + 15) & ~size_t(15);
  }
}

void RepeatedLaunch::add(uint32_t node, const DeviceRun &run) {
  entries.push_back({node, launches.size(), run.claims});
  for (const DeviceRun::Claim &claim : run.claims)
    addClaim(claim);
  fetches.insert(fetches.end(), run.fetches.begin(), run.fetches.end());
}

void RepeatedLaunch::addClaim(const DeviceRun::Claim &added) {
  const MemoryAccess &memory = added.memory;
  // The whole object, because its size is not known.
  isPossible &= memory.sizeKnown;
  for (Claim &known : claims) {
    DeviceRun::Claim &claim = known.claim;
    uintptr_t begin = claim.memory.start, end = begin + claim.memory.size;
    if (claim.tracker != added.tracker || memory.start >= end ||
        begin >= memory.start + memory.size)
      continue;
    // It was moved between the two claims, so the recording refers to two
    // places.
    const PlacedMemory &first = claim.placed, &second = added.placed;
    if (first.buffer != second.buffer ||
        known.buffer != second.buffer->serial ||
        first.offset - begin != second.offset - memory.start) {
      isPossible = false;
      return;
    }
    bool isSame = begin == memory.start && claim.memory.size == memory.size;
    bool isInside = begin <= memory.start && memory.start + memory.size <= end;
    if (isSame && claim.access == SLUICE_ACCESS_IN) {
      // Read first, written later.
      claim.access |= added.access;
      claim.memory.writes |= memory.writes;
      return;
    }
    if (claim.access == SLUICE_ACCESS_IN && added.access == SLUICE_ACCESS_IN) {
      if (isInside)
        return;
      continue;
    }
    // Memory that is written here need not be transferred.
    if (isInside && (claim.access & SLUICE_ACCESS_OUT))
      return;
    if (claim.access != SLUICE_ACCESS_IN) {
      isPossible = false;
      return;
    }
  }
  claims.push_back({added, added.placed.buffer->serial});
}

void RepeatedLaunch::recorded(bool endedWell, size_t numNodes) {
  isComplete = endedWell && isPossible && entries.size() == numNodes;
  if (!isComplete)
    forget();
}

//===----------------------------------------------------------------------===//
// Issuing
//===----------------------------------------------------------------------===//

void RepeatedLaunch::releaseMemory(size_t numPrepared) {
  for (size_t i = 0; i < numPrepared; ++i) {
    const DeviceRun::Claim &claim = claims[i].claim;
    claim.tracker->notEnqueued(device->number, claim.memory, claim.access);
  }
}

/// Returns false if the memory is elsewhere; then it is not claimed.
bool RepeatedLaunch::prepareMemory() {
  after.clear();
  for (size_t i = 0; i < claims.size(); ++i) {
    const DeviceRun::Claim &claim = claims[i].claim;
    Result<PlacedMemory> placed = claim.tracker->prepare(
        device->number, claim.memory, claim.access, after);
    bool isThere = placed.ok() && placed->buffer == claim.placed.buffer &&
                   placed->buffer->serial == claims[i].buffer &&
                   placed->offset == claim.placed.offset;
    if (isThere)
      continue;
    // The memory of all nodes together does not fit.
    if (placed.status().code() == StatusCode::Exhausted)
      isPossible = false;
    releaseMemory(i + placed.ok());
    return false;
  }
  return true;
}

/// Makes a recording, if the device supports it. Failures occur again when the
/// launches are made one by one.
void RepeatedLaunch::record() {
  triedToRecord = true;
  device::Queue &queue = device->compute();
  Result<bool> begun = queue.beginRecording();
  if (!begun.ok() || !*begun)
    return;
  bool isGood = true;
  for (const Launch &launch : launches)
    isGood = isGood &&
             queue.launch(*launch.kernel, launch.shape, launch.arguments).ok();
  Result<std::unique_ptr<device::Recording>> made = queue.endRecording();
  if (isGood && made.ok())
    recording = std::move(*made);
}

Status RepeatedLaunch::launchAll() {
  device::Queue &queue = device->compute();
  if (!triedToRecord && mayRecord && launches.size() > 1)
    record();
  if (recording) {
    Result<device::Event> end = queue.replay(*recording, after);
    if (!end.ok())
      return end.takeStatus();
    ends.push_back(std::move(*end));
    return {};
  }
  Batch batch(queue, launches.size());
  for (const Launch &launch : launches) {
    Result<device::Event> end =
        queue.launch(*launch.kernel, launch.shape, launch.arguments, after);
    if (!end.ok())
      return end.takeStatus();
    ends.push_back(std::move(*end));
    after.clear();
  }
  return {};
}

RepeatedLaunch::Issued RepeatedLaunch::issue(DeviceValues &values,
                                             DeviceRun &run,
                                             std::vector<NodeIssued> &first) {
  std::lock_guard preparing(device->place().preparing);
  if (!prepareMemory()) {
    forget();
    return Issued::Nothing;
  }
  Status status;
  ends.swap(endsBefore);
  {
    std::lock_guard lock(device->queueMutex);
    status = launchAll();
    run.ends = ends;
    for (uint32_t value : fetches) {
      if (!status.ok())
        break;
      Result<device::Event> end = values.fetch(*device, value);
      if (!end.ok()) {
        status = end.takeStatus();
        failure = {value, Status::error(status.code(), status.message())};
        break;
      }
      run.ends.push_back(std::move(*end));
      run.fetches.push_back(value);
    }
  }
  // While the device works.
  endsBefore.clear();
  if (recording ? ends.empty() : ends.size() != launches.size()) {
    run.clear();
    keepFirst(first);
    releaseMemory(claims.size());
    forget();
    return first.empty() ? Issued::Nothing : Issued::FirstNodes;
  }
  for (const Claim &entry : claims) {
    run.claims.push_back(entry.claim);
    entry.claim.tracker->enqueued(device->number, entry.claim.memory,
                                  entry.claim.access, ends.back());
  }
  run.place = device->number;
  run.isUnderWay = true;
  // An operation that failed may fail again.
  isComplete = status.ok();
  return status.ok() ? Issued::All : Issued::Failed;
}

/// Claims the memory of a node whose launches are in progress. It is on the
/// device, because it was prepared for all nodes together.
bool RepeatedLaunch::claimFor(DeviceRun &run, const NodeEntry &entry) {
  for (const DeviceRun::Claim &claim : entry.claims) {
    after.clear();
    Result<PlacedMemory> placed = claim.tracker->prepare(
        device->number, claim.memory, claim.access, after);
    if (!placed.ok())
      return false;
    claim.tracker->enqueued(device->number, claim.memory, claim.access,
                            run.ends.back());
    run.claims.push_back(claim);
  }
  return true;
}

/// Some launches could not be made: the effects of the others stay.
void RepeatedLaunch::keepFirst(std::vector<NodeIssued> &first) {
  size_t begin = 0;
  for (const NodeEntry &entry : entries) {
    size_t end = std::min(entry.endLaunch, ends.size());
    if (begin == end)
      return;
    NodeIssued &issued =
        first.emplace_back(NodeIssued{entry.node, {}, end == entry.endLaunch});
    issued.run.place = device->number;
    issued.run.isUnderWay = true;
    issued.run.ends.assign(ends.begin() + begin, ends.begin() + end);
    issued.isWhole &= claimFor(issued.run, entry);
    begin = end;
  }
}

std::optional<uint32_t> RepeatedLaunch::findFailedNode(const DeviceRun &run) {
  if (recording) {
    // It will be recorded next time.
    mayRecord = false;
    forget();
    return std::nullopt;
  }
  for (size_t i = 0; i < launches.size(); ++i)
    if (!run.ends[i].wait().ok())
      return launches[i].node;
  return launches.back().node;
}
