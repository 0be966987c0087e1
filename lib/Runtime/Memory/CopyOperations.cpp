//===- CopyOperations.cpp - Operations in progress on an object -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers and kernels that use bytes of an object: dependences between them,
// and the validity of copies after failures.
//
//===----------------------------------------------------------------------===//

#include "MemoryCopies.h"

using namespace sluice;

/// Maximum number of remembered completed kernels of one object.
static constexpr size_t maxFinished = 256;

bool MemoryCopies::Operation::hasEnded() const {
  return std::all_of(events.begin(), events.end(),
                     [](const auto &event) { return event.hasEnded(); });
}

bool MemoryCopies::Operation::seemsEnded() const {
  return std::all_of(events.begin(), events.end(),
                     [](const auto &event) { return event.seemsEnded(); });
}

/// Returns the first error.
Status MemoryCopies::Operation::wait() const {
  Status first;
  for (const device::Event &event : events)
    if (Status status = event.wait(); first.ok())
      first = std::move(status);
  return first;
}

void MemoryCopies::add(std::shared_ptr<Operation> operation) {
  operation->number = numOperations++;
  operations.push_back(std::move(operation));
}

/// Removes completed operations, and rolls back failed ones.
void MemoryCopies::retire() {
  for (size_t i = 0; i < operations.size();)
    if (operations[i]->hasEnded())
      retireAt(i);
    else
      ++i;
}

/// The same for kernels that are enqueued one after another. They complete in
/// order, so only the first few are queried. This does not make the device
/// begin the others, which are cheaper to begin together.
void MemoryCopies::retireSome() {
  constexpr size_t maxAlive = 4;
  for (size_t i = 0; i < operations.size() && i < maxAlive;)
    if (operations[i]->seemsEnded())
      retireAt(i);
    else
      ++i;
}

void MemoryCopies::retireAt(size_t index) {
  std::shared_ptr<Operation> operation = std::move(operations[index]);
  operations.erase(operations.begin() + index);
  bool isGood = operation->wait().ok();
  if (operation->writes == nowhere)
    return;
  if (operation->isKernel)
    finishKernel(std::move(operation), isGood);
  else if (isGood)
    retireArrived(*operation);
  else
    retireFailed(*operation);
}

/// Calls `visitor` for the kernels whose writes may have to be rolled back.
template <typename Visitor> void MemoryCopies::visitKernels(Visitor &&visitor) {
  for (auto &operation : finished)
    visitor(*operation);
  for (auto &operation : operations)
    if (operation->isKernel)
      visitor(*operation);
}

void MemoryCopies::finishKernel(std::shared_ptr<Operation> kernel,
                                bool isGood) {
  if (!isGood)
    rollBack(*kernel);
  kernel->events.clear();
  finished.push_back(std::move(kernel));
  // If one of the forgotten kernels turns out to have failed, `failed`
  // considers the place's bytes lost.
  if (finished.size() > maxFinished)
    finished.pop_front();
}

/// Removes a place from the places where bytes are valid.
static void removePlace(std::vector<ValidRange> &parts, ByteRange bytes,
                        MemoryPlace place) {
  std::vector<ValidRange> split;
  for (const ValidRange &part : parts) {
    ByteRange both = part.bytes.intersect(bytes);
    if (both.isEmpty()) {
      split.push_back(part);
      continue;
    }
    if (part.bytes.begin < both.begin)
      split.push_back({{part.bytes.begin, both.begin}, part.places});
    split.push_back({both, part.places & ~setOf(place)});
    if (both.end < part.bytes.end)
      split.push_back({{both.end, part.bytes.end}, part.places});
  }
  parts = std::move(split);
}

/// A transfer into a place has completed: earlier kernels can no longer restore
/// the bytes that this place had before them.
void MemoryCopies::retireArrived(const Operation &transfer) {
  visitKernels([&](Operation &kernel) {
    if (kernel.number < transfer.number &&
        kernel.bounds.overlaps(transfer.bounds))
      removePlace(kernel.parts, transfer.bounds, transfer.writes);
  });
}

/// A transfer has failed: its target is not valid, but its source is, unless
/// the bytes have been written since. The target was not valid before the later
/// kernels, either.
void MemoryCopies::retireFailed(const Operation &transfer) {
  PlaceSet target = setOf(transfer.writes);
  for (const auto &[bytes, places] : transfer.parts)
    valid.update(bytes, [&](PlaceSet now) {
      return now & ~target ? now & ~target : now;
    });
  visitKernels([&](Operation &kernel) {
    if (kernel.number > transfer.number &&
        kernel.bounds.overlaps(transfer.bounds))
      for (const auto &[bytes, places] : transfer.parts)
        removePlace(kernel.parts, bytes, transfer.writes);
  });
}

/// Restores at other places what was valid before a kernel. Later operations
/// used its result and failed, too.
void MemoryCopies::rollBack(Operation &kernel) {
  for (const auto &[bytes, places] : kernel.parts) {
    valid.set(bytes, places & ~setOf(kernel.writes));
    auto cutLater = [&, bytes = bytes](Operation &later) {
      if (later.number > kernel.number && later.bounds.overlaps(bytes))
        cut(later.parts, bytes);
    };
    for (auto &operation : finished)
      cutLater(*operation);
    for (auto &operation : operations)
      cutLater(*operation);
  }
  kernel.parts.clear();
}

/// These bytes are written again: kernels in flight at places other than
/// `place` can no longer restore them.
void MemoryCopies::forgetBefore(const MemoryPart &part, MemoryPlace place) {
  std::span<const ByteRange> pieces(&part.bytes, 1);
  if (!part.pieces.empty())
    pieces = part.pieces;
  visitKernels([&](Operation &kernel) {
    if (kernel.writes != place && kernel.bounds.overlaps(part.bytes))
      cut(kernel.parts, pieces);
  });
}

/// Removes the copy of a place.
void MemoryCopies::forgetPlace(MemoryPlace place) {
  auto forget = [&](PlaceSet now) { return now & ~setOf(place); };
  valid.update(all(), forget);
  visitKernels([&](Operation &kernel) {
    for (ValidRange &before : kernel.parts)
      before.places = forget(before.places);
  });
}

/// Removes the copies of devices that were lost since the last call.
void MemoryCopies::dropLost(Lock &lock) {
  for (MemoryPlace place = 1; place < copies.size(); ++place) {
    Copy *copy = copies[place].get();
    if (!copy || !copy->buffer || copy->isLost ||
        copy->device->device.isUsable())
      continue;
    // All operations of a lost device fail, unless they have completed.
    while (const Operation *user = findUser(place)) {
      (void)waitOutside(lock, *user);
      retire();
    }
    copy->isLost = true;
    forgetPlace(place);
  }
}

/// An operation that uses these bytes of a place's copy in a way that conflicts
/// with reading, or with writing.
const MemoryCopies::Operation *
MemoryCopies::findUser(MemoryPlace place, ByteRange bytes, bool writes) const {
  for (const auto &operation : operations)
    if (operation->bounds.overlaps(bytes) &&
        (operation->writes == place || (writes && operation->reads == place)))
      return operation.get();
  return nullptr;
}

void MemoryCopies::appendEvent(const device::Event &event, MemoryPlace place,
                               std::vector<device::Event> &after) {
  if (event.seemsEnded() && event.wait().ok())
    return;
  auto *staged = dynamic_cast<HostCompletion *>(event.get());
  if (staged && place != hostPlace)
    staged->appendDeviceEvents(after);
  else
    after.push_back(event);
}

const MemoryCopies::Operation *MemoryCopies::findUser(MemoryPlace place) const {
  for (const auto &operation : operations)
    if (operation->uses(place))
      return operation.get();
  return nullptr;
}

/// Appends the events for which a use of these bytes must wait; for a device,
/// events for which its queues can wait. An operation that has waited for all
/// earlier ones on its device represents them. A kernel always runs after the
/// device's earlier kernels.
void MemoryCopies::appendEvents(MemoryPlace place, ByteRange bytes, bool writes,
                                std::vector<device::Event> &after,
                                bool isForKernel) const {
  for (size_t i = operations.size(); i-- > 0;) {
    const Operation &operation = *operations[i];
    if (!operation.bounds.overlaps(bytes) ||
        (operation.writes != place && !(writes && operation.reads == place)))
      continue;
    if (!isForKernel || !operation.isKernel)
      for (const device::Event &event : operation.events)
        appendEvent(event, place, after);
    if (place != hostPlace && operation.writes == place &&
        operation.bounds.intersect(bytes) == bytes)
      return;
  }
}

/// Waits with the lock released.
Status MemoryCopies::waitOutside(Lock &lock, const Operation &operation) {
  Operation copy;
  copy.events = operation.events;
  lock.unlock();
  Status status = copy.wait();
  lock.lock();
  return status;
}
