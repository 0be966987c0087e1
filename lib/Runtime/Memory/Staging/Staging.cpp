//===- Staging.cpp - Transfers through pinned memory ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pieces of pinned memory, and sending through them. StagedFetch.cpp contains
// fetches.
//
//===----------------------------------------------------------------------===//

#include "Staging.h"

#include <cstring>

using namespace sluice;

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

/// Every range fits into a piece.
static PackingOptions withinPieces(const StagingOptions &options) {
  PackingOptions packing = options.packing;
  uint64_t listSize = 2 * sizeof(device::PackedPiece);
  packing.maxBox =
      std::min(packing.maxBox,
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

/// A free piece, or null. Fetches hold their pieces until their bytes are
/// requested, so they get at most half of the pieces. If all pieces are in use,
/// FetchIfFree does not wait for one.
StagingPiece *Staging::acquire(Use use) {
  bool forFetch = use != Use::Send;
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
  if (ended == idle.end() && use != Use::FetchIfFree)
    ended = idle.begin();
  if (ended == idle.end())
    return nullptr;
  StagingPiece *piece = *ended;
  idle.erase(ended);
  numFetching += forFetch;
  lock.unlock();
  // The piece is free even if its transfer failed.
  (void)piece->free.wait();
  return piece;
}

void Staging::release(StagingPiece *piece, device::Event free, bool forFetch) {
  std::lock_guard lock(mutex);
  piece->free = std::move(free);
  idle.push_back(piece);
  numFetching -= forFetch;
}

/// Ensures that a piece, which nobody else uses, has memory on the device.
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
  bool isStaged = isUsed && size >= options.minSent;
  for (uint64_t position = 0; position < size;) {
    StagingPiece *piece = isStaged ? acquire(Use::Send) : nullptr;
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
    StagingPiece *piece = acquire(Use::Send);
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
