//===- StagedFetch.cpp - One fetch through pinned memory ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chunks are fetched into pieces one after another; the thread that asks for
// completion copies them to their places.
//
//===----------------------------------------------------------------------===//

#include "StagedFetch.h"

using namespace sluice;

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

/// Boxes can still be fetched.
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
    // Waiting for the first piece pays if it avoids hundreds of single
    // transfers.
    bool mustWait = chunks.empty() && source->areManySmall();
    StagingPiece *piece = staging.acquire(mustWait ? Staging::Use::Fetch
                                                   : Staging::Use::FetchIfFree);
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

/// Copies arrived chunks, in order, and reuses their pieces.
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
  // The owner of the lock is already copying.
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

Result<device::TimeInterval> StagedFetch::interval() {
  return Status::misuse("a staged transfer has no interval of its own");
}

void StagedFetch::appendDeviceEvents(std::vector<device::Event> &events) {
  std::lock_guard lock(mutex);
  while (position < source->end() && !chunks.empty())
    finishFirst();
  for (const Chunk &chunk : chunks)
    events.push_back(chunk.event);
}
