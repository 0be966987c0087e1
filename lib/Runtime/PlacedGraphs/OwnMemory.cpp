//===- OwnMemory.cpp - Memory on devices for one instance -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tracker that belongs to the instance.
//
//===----------------------------------------------------------------------===//

#include "OwnMemory.h"

#include <algorithm>
#include <cstring>

using namespace sluice;

void OwnMemory::begin() {
  ranges.clear();
  theDatasets.clear();
}

void OwnMemory::add(const KnownMemory &memory, const unsigned char *frame) {
  auto start = reinterpret_cast<uintptr_t>(memory.memory);
  uint64_t size = memory.size;
  if (!memory.memory)
    std::memcpy(&start, frame + memory.frameOffset, sizeof(start));
  if (memory.sizeOffset != SLUICE_NO_OFFSET)
    std::memcpy(&size, frame + memory.sizeOffset, sizeof(size));
  if (!start || !size || start + size < start ||
      shared.isTracked(reinterpret_cast<void *>(start)))
    return;
  ranges.push_back({start, start + size});
  if (memory.memory)
    theDatasets.push_back({"dataset", start, size, true, false});
}

void OwnMemory::track() {
  if (ranges.empty())
    return;
  std::sort(ranges.begin(), ranges.end(),
            [](const Range &a, const Range &b) { return a.begin < b.begin; });
  size_t numMerged = 1;
  for (const Range &range : std::span(ranges).subspan(1)) {
    Range &last = ranges[numMerged - 1];
    if (range.begin < last.end)
      last.end = std::max(last.end, range.end);
    else
      ranges[numMerged++] = range;
  }
  ranges.resize(numMerged);
  own.addDevicesOf(shared);
  std::erase_if(ranges, [&](const Range &range) {
    // Nodes with memory that cannot be tracked run on the host and report this.
    return !own.track(reinterpret_cast<void *>(range.begin),
                      range.end - range.begin)
                .ok();
  });
}

bool OwnMemory::beginFetchHome() {
  bool isUnderWay = false;
  if (!own.anyOnDevices())
    return false;
  for (const Range &range : ranges) {
    MemoryAccess memory = {"", range.begin, range.end - range.begin, true,
                           false};
    Result<device::Event> event = own.beginFetchHome(memory);
    isUnderWay |= event.ok() && !event->hasEnded();
  }
  return isUnderWay;
}

Status OwnMemory::release() {
  Status result;
  for (const Range &range : ranges) {
    auto *start = reinterpret_cast<void *>(range.begin);
    Status status = own.untrack(start);
    if (status.ok())
      continue;
    if (result.ok())
      result = std::move(status);
    own.forget(start);
  }
  ranges.clear();
  return result;
}
