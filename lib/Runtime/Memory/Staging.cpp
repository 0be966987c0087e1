//===- Staging.cpp - Transfers through pinned memory ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StagedFetch.h"

#include <cstring>

using namespace sluice;

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

BoxTransfer sluice::cutBox(const BoxTransfer &transfer, uint64_t position,
                           uint64_t limit) {
  const device::Box &box = transfer.box;
  uint64_t run = position / box.width, inRun = position % box.width;
  uint64_t layer = run / box.rows, row = run % box.rows;
  uint64_t layerSize = box.width * box.rows;
  device::Box part = box;
  part.rows = part.layers = 1;
  if (inRun || box.width > limit)
    part.width = std::min(box.width - inRun, limit);
  else if (row || layerSize > limit)
    part.rows = std::min(box.rows - row, limit / box.width);
  else {
    part.rows = box.rows;
    part.layers = std::min(box.layers - layer, limit / layerSize);
  }
  part.deviceOffset +=
      layer * box.deviceLayerPitch + row * box.deviceRowPitch + inRun;
  uint64_t hostOffset =
      layer * box.hostLayerPitch + row * box.hostRowPitch + inRun;
  return {transfer.buffer, transfer.host + hostOffset, part};
}

BoxTransfer sluice::packedBox(const BoxTransfer &transfer,
                              unsigned char *memory) {
  BoxTransfer packed = {transfer.buffer, memory, transfer.box};
  packed.box.hostRowPitch = packed.box.width;
  packed.box.hostLayerPitch = packed.box.width * packed.box.rows;
  return packed;
}

/// Calls `copy(host, packed, width)` for each run of a box.
template <typename Copy>
static void visitRuns(const BoxTransfer &transfer, unsigned char *packed,
                      Copy &&copy) {
  const device::Box &box = transfer.box;
  for (uint64_t layer = 0; layer < box.layers; ++layer)
    for (uint64_t row = 0; row < box.rows; ++row, packed += box.width)
      copy(transfer.host + layer * box.hostLayerPitch + row * box.hostRowPitch,
           packed, box.width);
}

void sluice::packBox(const BoxTransfer &transfer, unsigned char *packed) {
  visitRuns(transfer, packed, [](auto *host, auto *packed, uint64_t width) {
    std::memcpy(packed, host, width);
  });
}

void sluice::unpackBox(const BoxTransfer &transfer, unsigned char *packed) {
  visitRuns(transfer, packed, [](auto *host, auto *packed, uint64_t width) {
    std::memcpy(host, packed, width);
  });
}

static bool isRun(const device::Box &box) {
  return box.rows == 1 && box.layers == 1;
}

/// Counts and keeps the event of an operation that was enqueued.
static Result<device::Event> count(TransferQueue &queue,
                                   const BoxTransfer &transfer,
                                   Result<device::Event> event) {
  if (event.ok()) {
    queue.bytes += transfer.size();
    ++queue.count;
  }
  return event;
}

Result<device::Event> sluice::writeBox(TransferQueue &queue,
                                       const BoxTransfer &transfer,
                                       std::span<const device::Event> after) {
  std::lock_guard lock(queue.mutex);
  const device::Box &box = transfer.box;
  return count(
      queue, transfer,
      isRun(box)
          ? queue.queue->write(*transfer.buffer, box.deviceOffset,
                               transfer.host, box.width, after)
          : queue.queue->writeBox(*transfer.buffer, transfer.host, box, after));
}

Result<device::Event> sluice::readBox(TransferQueue &queue,
                                      const BoxTransfer &transfer,
                                      std::span<const device::Event> after) {
  std::lock_guard lock(queue.mutex);
  const device::Box &box = transfer.box;
  return count(
      queue, transfer,
      isRun(box)
          ? queue.queue->read(transfer.host, *transfer.buffer, box.deviceOffset,
                              box.width, after)
          : queue.queue->readBox(transfer.host, *transfer.buffer, box, after));
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

Staging::Staging(device::Device &device, const StagingOptions &options)
    : device(device), options(options),
      isUsed(options.isUsed.value_or(!device.properties().sharesMemory)) {}

Staging::~Staging() {
  for (auto &piece : pieces) {
    (void)piece->free.wait();
    device.freeHost(piece->memory);
  }
}

/// A piece that nobody uses; null: none, now. Fetches hold theirs until
/// somebody asks for the bytes, so they get half of the pieces at most.
Staging::Piece *Staging::acquire(bool forFetch) {
  std::unique_lock lock(mutex);
  if (forFetch && numFetching >= options.numPieces / 2)
    return nullptr;
  auto ended = std::find_if(idle.begin(), idle.end(), [](Piece *piece) {
    return piece->free.hasEnded();
  });
  if (ended == idle.end() && pieces.size() < options.numPieces) {
    if (Result<void *> memory = device.allocateHost(options.pieceSize);
        memory.ok()) {
      auto *bytes = static_cast<unsigned char *>(*memory);
      pieces.push_back(std::make_unique<Piece>(Piece{bytes, {}}));
      ended = idle.insert(idle.end(), pieces.back().get());
    }
  }
  if (ended == idle.end() && !forFetch)
    ended = idle.begin();
  if (ended == idle.end())
    return nullptr;
  Piece *piece = *ended;
  idle.erase(ended);
  numFetching += forFetch;
  lock.unlock();
  // Its bytes are free even if the transfer failed.
  (void)piece->free.wait();
  return piece;
}

void Staging::release(Piece *piece, device::Event free, bool forFetch) {
  std::lock_guard lock(mutex);
  piece->free = std::move(free);
  idle.push_back(piece);
  numFetching -= forFetch;
}

//===----------------------------------------------------------------------===//
// Sending
//===----------------------------------------------------------------------===//

Status Staging::send(TransferQueue &queue, const BoxTransfer &transfer,
                     std::span<const device::Event> after,
                     device::Event &last) {
  uint64_t size = transfer.size();
  bool isStaged = isUsed && size >= options.leastSent;
  for (uint64_t position = 0; position < size;) {
    Piece *piece = isStaged ? acquire(/*forFetch=*/false) : nullptr;
    BoxTransfer part = transfer;
    if (piece || position)
      part = cutBox(transfer, position, piece ? options.pieceSize : size);
    if (piece)
      packBox(part, piece->memory);
    Result<device::Event> event =
        writeBox(queue, piece ? packedBox(part, piece->memory) : part, after);
    if (piece)
      release(piece, event.ok() ? *event : device::Event(),
              /*forFetch=*/false);
    if (!event.ok())
      return event.takeStatus();
    last = *event;
    after = {&last, 1};
    position += part.size();
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Fetching
//===----------------------------------------------------------------------===//

Result<device::Event> Staging::fetch(TransferQueue &queue,
                                     const BoxTransfer &transfer,
                                     std::span<const device::Event> after) {
  if (isUsed) {
    auto fetch = std::make_shared<StagedFetch>(*this, queue, transfer, after);
    Result<bool> isStaged = fetch->begin();
    if (!isStaged.ok())
      return isStaged.takeStatus();
    if (*isStaged)
      return device::Event(std::move(fetch));
  }
  return readBox(queue, transfer, after);
}

StagedFetch::~StagedFetch() {
  std::lock_guard lock(mutex);
  advance(/*waits=*/true);
}

Result<bool> StagedFetch::begin() {
  std::lock_guard lock(mutex);
  while (position < transfer.size()) {
    Staging::Piece *piece = staging.acquire(/*forFetch=*/true);
    if (!piece)
      return !chunks.empty();
    enqueue(piece);
    if (!status.ok() && chunks.empty())
      return std::move(status);
  }
  return true;
}

/// Begins to read the next part into a piece.
void StagedFetch::enqueue(Staging::Piece *piece) {
  BoxTransfer part = cutBox(transfer, position, staging.options.pieceSize);
  Result<device::Event> event =
      readBox(queue, packedBox(part, piece->memory), after);
  if (!event.ok()) {
    status = event.takeStatus();
    position = transfer.size();
    staging.release(piece, device::Event(), /*forFetch=*/true);
    return;
  }
  position += part.size();
  chunks.push_back({piece, part, *event});
}

/// Copies what has arrived, in order, and goes on with the pieces.
void StagedFetch::advance(bool waits) {
  while (!chunks.empty() && (waits || chunks.front().event.hasEnded()))
    finishFirst();
  if (chunks.empty())
    isDone.store(true, std::memory_order_release);
}

void StagedFetch::finishFirst() {
  Chunk chunk = chunks.front();
  chunks.pop_front();
  if (Status failure = chunk.event.wait(); !failure.ok()) {
    if (status.ok())
      status = std::move(failure);
    position = transfer.size();
  } else {
    unpackBox(chunk.part, chunk.piece->memory);
  }
  if (position < transfer.size())
    enqueue(chunk.piece);
  else
    staging.release(chunk.piece, device::Event(), /*forFetch=*/true);
}

bool StagedFetch::hasEnded() {
  if (isDone.load(std::memory_order_acquire))
    return true;
  // Whoever has the lock is copying.
  std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock)
    return false;
  advance(/*waits=*/false);
  return chunks.empty();
}

Status StagedFetch::wait() {
  std::lock_guard lock(mutex);
  advance(/*waits=*/true);
  return status.ok() ? Status()
                     : Status::error(status.code(), status.message());
}

Result<device::Interval> StagedFetch::interval() {
  return Status::misuse("a staged transfer has no interval of its own");
}

void StagedFetch::appendDeviceEvents(std::vector<device::Event> &events) {
  std::lock_guard lock(mutex);
  while (position < transfer.size() && !chunks.empty())
    finishFirst();
  for (const Chunk &chunk : chunks)
    events.push_back(chunk.event);
}
