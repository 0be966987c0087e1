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

/// Every range fits into a piece.
static PackingOptions withinPieces(const StagingOptions &options) {
  PackingOptions packing = options.packing;
  uint64_t listSize = 2 * sizeof(device::PackedPiece);
  packing.largestBox =
      std::min(packing.largestBox,
               options.pieceSize - std::min(options.pieceSize, listSize));
  return packing;
}

Staging::Staging(device::Device &device, BufferPool &pool,
                 const StagingOptions &options)
    : device(device), pool(pool), options(options),
      isUsed(options.isUsed.value_or(!device.properties().sharesMemory)),
      packing(device, withinPieces(options)) {}

Staging::~Staging() {
  for (auto &piece : pieces) {
    (void)piece->free.wait();
    device.freeHost(piece->memory);
  }
}

/// A piece that nobody uses; null: none, now. Fetches hold theirs until
/// somebody asks for the bytes, so they get half of the pieces at most.
StagingPiece *Staging::acquire(bool forFetch) {
  std::unique_lock lock(mutex);
  if (forFetch && numFetching >= options.numPieces / 2)
    return nullptr;
  auto ended = std::find_if(idle.begin(), idle.end(), [](StagingPiece *piece) {
    return piece->free.hasEnded();
  });
  if (ended == idle.end() && pieces.size() < options.numPieces) {
    if (Result<void *> memory = device.allocateHost(options.pieceSize);
        memory.ok()) {
      auto *bytes = static_cast<unsigned char *>(*memory);
      pieces.push_back(
          std::make_unique<StagingPiece>(StagingPiece{bytes, {}, nullptr}));
      ended = idle.insert(idle.end(), pieces.back().get());
    }
  }
  if (ended == idle.end() && !forFetch)
    ended = idle.begin();
  if (ended == idle.end())
    return nullptr;
  StagingPiece *piece = *ended;
  idle.erase(ended);
  numFetching += forFetch;
  lock.unlock();
  // Its bytes are free even if the transfer failed.
  (void)piece->free.wait();
  return piece;
}

void Staging::release(StagingPiece *piece, device::Event free, bool forFetch) {
  std::lock_guard lock(mutex);
  piece->free = std::move(free);
  idle.push_back(piece);
  numFetching -= forFetch;
}

/// Makes sure that a piece, which nobody else uses, has memory on the device.
bool Staging::placePacked(StagingPiece &piece, uint64_t size) {
  if (piece.packed && piece.packed->size >= size)
    return true;
  if (piece.packed)
    pool.release(std::move(piece.packed));
  Result<std::unique_ptr<device::Buffer>> buffer = pool.allocate(size);
  if (buffer.ok())
    piece.packed = std::move(*buffer);
  return buffer.ok();
}

bool Staging::trim() {
  std::vector<StagingPiece *> taken;
  {
    std::lock_guard lock(mutex);
    auto hasNone = [](StagingPiece *piece) { return !piece->packed; };
    auto first = std::partition(idle.begin(), idle.end(), hasNone);
    taken.assign(first, idle.end());
    idle.erase(first, idle.end());
  }
  for (StagingPiece *piece : taken) {
    (void)piece->free.wait();
    pool.release(std::move(piece->packed));
    release(piece, device::Event(), /*forFetch=*/false);
  }
  return !taken.empty();
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
    StagingPiece *piece = isStaged ? acquire(/*forFetch=*/false) : nullptr;
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

size_t Staging::sendRanges(TransferQueue &queue, const RangeTransfer &transfer,
                           std::span<const device::Event> after,
                           device::Event &last) {
  size_t position = 0;
  while (position < transfer.ranges.size()) {
    StagingPiece *piece = acquire(/*forFetch=*/false);
    if (!piece)
      break;
    PackedRanges chunk(transfer, position, options.pieceSize);
    if (!placePacked(*piece, chunk.size())) {
      release(piece, device::Event(), /*forFetch=*/false);
      break;
    }
    Result<device::Event> event =
        packing.send(queue, chunk, piece->memory, *piece->packed, after);
    release(piece, event.ok() ? *event : device::Event(), /*forFetch=*/false);
    if (!event.ok())
      break;
    last = *event;
    after = {&last, 1};
    position += chunk.count();
  }
  return position;
}

//===----------------------------------------------------------------------===//
// Fetching
//===----------------------------------------------------------------------===//

Result<device::Event> Staging::fetch(TransferQueue &queue,
                                     const BoxTransfer &transfer,
                                     std::span<const device::Event> after) {
  if (isUsed) {
    auto fetch = std::make_shared<StagedFetch>(
        *this, std::make_unique<BoxSource>(*this, queue, transfer), after);
    Result<bool> isStaged = fetch->begin();
    if (!isStaged.ok())
      return isStaged.takeStatus();
    if (*isStaged)
      return device::Event(std::move(fetch));
  }
  return readBox(queue, transfer, after);
}

bool Staging::fetchRanges(TransferQueue &queue, const RangeTransfer &transfer,
                          std::span<const device::Event> after,
                          device::Event &event) {
  if (transfer.ranges.empty())
    return false;
  auto fetch = std::make_shared<StagedFetch>(
      *this, std::make_unique<RangeSource>(*this, queue, transfer), after);
  Result<bool> isStaged = fetch->begin();
  if (!isStaged.ok() || !*isStaged)
    return false;
  event = device::Event(std::move(fetch));
  return true;
}

Result<device::Event> BoxSource::read(StagingPiece &piece, uint64_t &position,
                                      std::span<const device::Event> after) {
  BoxTransfer part = cutBox(transfer, position, staging.options.pieceSize);
  position += part.size();
  return readBox(queue, packedBox(part, piece.memory), after);
}

void BoxSource::unpack(StagingPiece &piece, uint64_t position) {
  unpackBox(cutBox(transfer, position, staging.options.pieceSize),
            piece.memory);
}

PackedRanges RangeSource::chunkAt(uint64_t position) const {
  return {transfer, position, staging.options.pieceSize};
}

bool RangeSource::prepare(StagingPiece &piece, uint64_t position) {
  PackedRanges chunk = chunkAt(position);
  bool isLast = position + chunk.count() == end();
  return staging.placePacked(piece,
                             isLast ? chunk.size() : staging.options.pieceSize);
}

Result<device::Event> RangeSource::read(StagingPiece &piece, uint64_t &position,
                                        std::span<const device::Event> after) {
  PackedRanges chunk = chunkAt(position);
  position += chunk.count();
  return staging.packing.fetch(queue, chunk, piece.memory, *piece.packed,
                               after);
}

/// Boxes may still come home.
void RangeSource::failed() { staging.packing.giveUp(); }

void RangeSource::unpack(StagingPiece &piece, uint64_t position) {
  chunkAt(position).unpack(piece.memory);
}

StagedFetch::~StagedFetch() {
  std::lock_guard lock(mutex);
  advance(/*waits=*/true);
}

Result<bool> StagedFetch::begin() {
  std::lock_guard lock(mutex);
  while (position < source->end()) {
    StagingPiece *piece = staging.acquire(/*forFetch=*/true);
    if (piece && !source->prepare(*piece, position)) {
      staging.release(piece, device::Event(), /*forFetch=*/true);
      piece = nullptr;
    }
    if (!piece)
      return !chunks.empty();
    enqueue(piece);
    if (!status.ok() && chunks.empty())
      return std::move(status);
  }
  return true;
}

/// Begins to read the next chunk into a piece.
void StagedFetch::enqueue(StagingPiece *piece) {
  uint64_t begin = position;
  Result<device::Event> event = source->read(*piece, position, after);
  if (!event.ok()) {
    status = event.takeStatus();
    position = source->end();
    staging.release(piece, device::Event(), /*forFetch=*/true);
    return;
  }
  chunks.push_back({piece, begin, *event});
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
    position = source->end();
    source->failed();
  } else {
    source->unpack(*chunk.piece, chunk.position);
  }
  if (position < source->end())
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
  while (position < source->end() && !chunks.empty())
    finishFirst();
  for (const Chunk &chunk : chunks)
    events.push_back(chunk.event);
}
