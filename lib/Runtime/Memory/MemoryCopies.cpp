//===- MemoryCopies.cpp - The copies of an object -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock is held while operations are enqueued, which may wait for staging
// memory that earlier transfers use. It is never held while waiting for kernels
// or transfers of the object. Locks of devices' queues are taken while it is
// held; a thread never holds the locks of two objects.
//
//===----------------------------------------------------------------------===//

#include "MemoryCopies.h"

#include "sluice-c/Plan.h"

using namespace sluice;

static bool reads(const MemoryPart &part) {
  return part.access != SLUICE_ACCESS_OUT;
}
static bool writes(const MemoryPart &part) {
  return part.access != SLUICE_ACCESS_IN;
}

MemoryCopies::MemoryCopies(void *host, uint64_t size,
                           std::atomic<size_t> *numPlaced)
    : host(static_cast<unsigned char *>(host)), size(size),
      numPlaced(numPlaced), valid(size, setOf(hostPlace)) {}

MemoryCopies::~MemoryCopies() {
  if (copies.empty())
    return;
  waitForAll();
  for (auto &copy : copies)
    if (copy && copy->buffer)
      freeBuffer(*copy);
  if (numPlaced)
    --*numPlaced;
}

//===----------------------------------------------------------------------===//
// For kernels
//===----------------------------------------------------------------------===//

Result<PlacedMemory> MemoryCopies::prepare(DevicePlace &device,
                                           const MemoryPart &part,
                                           std::vector<device::Event> &after) {
  if (Status status = placeBuffer(device, part); !status.ok())
    return status;
  Lock lock(mutex);
  retireSome();
  Copy &copy = *copies[device.number];
  if (reads(part))
    if (Status status = fetchTo(copy, part, lock); !status.ok()) {
      --copy.numPins;
      return status;
    }
  appendEvents(device.number, part.bytes, writes(part), after,
               /*isForKernel=*/true);
  return PlacedMemory{copy.buffer.get(), part.bytes.begin - copy.bufferBegin};
}

Status MemoryCopies::send(DevicePlace &device, const MemoryPart &part) {
  std::lock_guard preparing(device.preparing);
  std::vector<device::Event> after;
  Result<PlacedMemory> placed = prepare(device, part, after);
  if (!placed.ok())
    return placed.takeStatus();
  notEnqueued(device, part);
  return {};
}

void MemoryCopies::enqueued(DevicePlace &device, const MemoryPart &part,
                            device::Event end) {
  Lock lock(mutex);
  auto kernel = std::make_shared<Operation>();
  kernel->isKernel = true;
  kernel->bounds = part.bytes;
  kernel->reads = device.number;
  kernel->events.push_back(std::move(end));
  if (writes(part)) {
    // Bytes that are not read do not depend on earlier kernels, wherever they
    // ran.
    if (!reads(part))
      forgetBefore(part, device.number);
    kernel->writes = device.number;
    kernel->parts = valid.parts(part.bytes);
    valid.set(part.bytes, setOf(device.number));
  }
  add(std::move(kernel));
  --copies[device.number]->numPins;
}

void MemoryCopies::notEnqueued(DevicePlace &device, const MemoryPart &part) {
  Lock lock(mutex);
  --copies[device.number]->numPins;
}

void MemoryCopies::failed(DevicePlace &device, const MemoryPart &part) {
  if (!writes(part))
    return;
  Lock lock(mutex);
  auto isIt = [&](const auto &operation) {
    return operation->isKernel && operation->writes == device.number &&
           operation->bounds == part.bytes;
  };
  // The kernel has completed, or is about to, and so have the users of its
  // result.
  while (true) {
    retire();
    auto user = std::find_if(
        operations.begin(), operations.end(), [&](const auto &operation) {
          return isIt(operation) || (operation->bounds.overlaps(part.bytes) &&
                                     !operation->isKernel);
        });
    if (user == operations.end())
      break;
    (void)waitOutside(lock, **user);
  }
  // Searches from the end: completed kernels may be noticed in another order.
  auto kernel = finished.end();
  for (auto it = finished.begin(); it != finished.end(); ++it)
    if (isIt(*it) &&
        (kernel == finished.end() || (*it)->number > (*kernel)->number))
      kernel = it;
  if (kernel == finished.end()) {
    valid.update(part.bytes,
                 [&](PlaceSet now) { return now & ~setOf(device.number); });
    return;
  }
  rollBack(**kernel);
  finished.erase(kernel);
}

void MemoryCopies::settle() {
  Lock lock(mutex);
  finished.clear();
}

//===----------------------------------------------------------------------===//
// For the host
//===----------------------------------------------------------------------===//

Status MemoryCopies::useOnHost(const MemoryPart &part) {
  Lock lock(mutex);
  if (copies.empty())
    return {};
  Status status = makeValid(part, lock);
  // If a transfer failed, the device still has the bytes; tries once more.
  if (!status.ok())
    status = makeValid(part, lock);
  // The program may free the memory even if not all of it has been fetched.
  if (!status.ok())
    while (const Operation *user = findUser(hostPlace, part.bytes, true)) {
      (void)waitOutside(lock, *user);
      retire();
    }
  if (!status.ok() || !writes(part))
    return status;
  forgetBefore(part, hostPlace);
  part.visit([&](ByteRange bytes) { valid.set(bytes, setOf(hostPlace)); });
  return {};
}

/// Waits until the host may use a part.
Status MemoryCopies::makeValid(const MemoryPart &part, Lock &lock) {
  Status failure;
  while (true) {
    retire();
    dropLost(lock);
    if (reads(part)) {
      if (!failure.ok() && !missing(part, hostPlace).empty())
        return failure;
      if (Status status = beginDownloads(part, Home::Missing, hostPlace, lock);
          !status.ok())
        return status;
    }
    const Operation *user = findUser(hostPlace, part.bytes, writes(part));
    if (!user)
      return {};
    MemoryPlace other = user->reads == hostPlace ? user->writes : user->reads;
    uint64_t bytes = user->bounds.size();
    if (Status status = waitOutside(lock, *user); !status.ok())
      failure = transferError(part, user->reads == hostPlace ? "to" : "from",
                              other, bytes, status);
  }
}

namespace {
/// Several operations as one host event.
class AllEnded : public device::Event::State {
public:
  explicit AllEnded(std::vector<device::Event> events)
      : events(std::move(events)) {}
  bool hasEnded() override {
    return std::all_of(events.begin(), events.end(),
                       [](const auto &event) { return event.hasEnded(); });
  }
  Status wait() override {
    Status first;
    for (const device::Event &event : events)
      if (Status status = event.wait(); first.ok())
        first = std::move(status);
    return first;
  }
  Result<device::TimeInterval> interval() override {
    device::TimeInterval all = {~uint64_t(0), 0};
    for (const device::Event &event : events) {
      Result<device::TimeInterval> one = event.interval();
      if (!one.ok())
        return one.takeStatus();
      all = {std::min(all.start, one->start), std::max(all.end, one->end)};
    }
    return all;
  }

private:
  const std::vector<device::Event> events;
};
} // namespace

Result<device::Event> MemoryCopies::beginFetchHome(const MemoryPart &part) {
  Lock lock(mutex);
  if (copies.empty())
    return device::Event();
  retire();
  dropLost(lock);
  if (Status status = beginDownloads(part, Home::Missing, hostPlace, lock);
      !status.ok())
    return status;
  std::vector<device::Event> events;
  appendEvents(hostPlace, part.bytes, /*writes=*/false, events);
  if (events.empty())
    return device::Event();
  return device::Event(std::make_shared<AllEnded>(std::move(events)));
}

bool MemoryCopies::isHome() {
  Lock lock(mutex);
  retire();
  return operations.empty() &&
         missing({"", all(), SLUICE_ACCESS_IN}, hostPlace).empty();
}

void MemoryCopies::waitForAll() {
  Lock lock(mutex);
  while (!operations.empty()) {
    (void)waitOutside(lock, *operations.back());
    retire();
  }
}

MemoryValidity MemoryCopies::validity(MemoryPlace place, ByteRange bytes) {
  Lock lock(mutex);
  retire();
  auto state = MemoryValidity::Modified;
  valid.visit(bytes, [&](ByteRange, PlaceSet places) {
    if (!(places & setOf(place)))
      state = MemoryValidity::Invalid;
    else if (state == MemoryValidity::Modified && places != setOf(place))
      state = MemoryValidity::Shared;
  });
  return state;
}
