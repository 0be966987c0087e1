//===- RangePacking.cpp - Many small ranges in one transfer ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides when packing costs less than one transfer for each range, and packs
// on both sides.
//
//===----------------------------------------------------------------------===//

#include "RangePacking.h"

#include <cstring>

using namespace sluice;
using device::PackedPiece;

//===----------------------------------------------------------------------===//
// PackedRanges
//===----------------------------------------------------------------------===//

PackedRanges::PackedRanges(const RangeTransfer &transfer, size_t first,
                           uint64_t room)
    : transfer(transfer) {
  std::span<const ByteRange> rest = transfer.ranges;
  rest = rest.subspan(first);
  uint64_t bits = rest.front().begin - transfer.bufferBegin;
  size_t number = 0;
  uint64_t used = sizeof(PackedPiece);
  for (const ByteRange &range : rest) {
    used += sizeof(PackedPiece) + range.size();
    // Lists use 32-bit numbers.
    if (used > room || range.end - rest.front().begin > UINT32_MAX)
      break;
    ++number;
    bytes += range.size();
    bits |= (range.begin - transfer.bufferBegin) | range.size();
  }
  ranges = rest.first(number);
  if (bits % unit)
    unit = 1;
}

void PackedRanges::writeList(unsigned char *piece) const {
  uint64_t packed = 0;
  auto add = [&](uint64_t offset) {
    PackedPiece entry = {static_cast<uint32_t>(offset / unit),
                         static_cast<uint32_t>(packed / unit)};
    std::memcpy(piece, &entry, sizeof(entry));
    piece += sizeof(entry);
  };
  for (const ByteRange &range : ranges) {
    add(range.begin - ranges.front().begin);
    packed += range.size();
  }
  add(0);
}

void PackedRanges::pack(unsigned char *piece) const {
  unsigned char *to = piece + listSize();
  for (const ByteRange &range : ranges) {
    std::memcpy(to, transfer.host + range.begin, range.size());
    to += range.size();
  }
}

void PackedRanges::unpack(const unsigned char *piece) const {
  const unsigned char *from = piece + listSize();
  for (const ByteRange &range : ranges) {
    std::memcpy(transfer.host + range.begin, from, range.size());
    from += range.size();
  }
}

device::PackedPieces PackedRanges::on(device::Buffer &staging) const {
  return {*transfer.buffer,
          staging,
          ranges.front().begin - transfer.bufferBegin,
          listSize(),
          static_cast<uint32_t>(ranges.size()),
          unit};
}

//===----------------------------------------------------------------------===//
// Deciding
//===----------------------------------------------------------------------===//

static uint64_t sizeOf(const device::CopyBox &box) {
  return box.width * box.rows * box.layers;
}

/// Builds the kernels when enough boxes have been counted.
bool RangePacking::isWorth(uint64_t numBoxes) {
  if (numBoxes < options.minBoxes || isBroken)
    return false;
  std::lock_guard lock(mutex);
  if (kernels)
    return true;
  numSeen += numBoxes;
  if (numSeen < options.buildsAfter)
    return false;
  Result<std::unique_ptr<device::PackingKernels>> loaded =
      device::PackingKernels::load(device);
  if (loaded.ok())
    kernels = std::move(*loaded);
  else
    isBroken = true;
  return loaded.ok();
}

std::vector<ByteRange>
RangePacking::takeRanges(std::vector<device::CopyBox> &boxes) {
  std::vector<ByteRange> ranges;
  auto isSmall = [&](const device::CopyBox &box) {
    return sizeOf(box) <= options.maxBox;
  };
  if (!isWorth(std::count_if(boxes.begin(), boxes.end(), isSmall)))
    return ranges;
  for (const device::CopyBox &box : boxes)
    if (isSmall(box))
      for (uint64_t layer = 0; layer < box.layers; ++layer)
        for (uint64_t row = 0; row < box.rows; ++row) {
          uint64_t begin = box.deviceOffset + layer * box.deviceLayerPitch +
                           row * box.deviceRowPitch;
          ranges.push_back({begin, begin + box.width});
        }
  std::erase_if(boxes, isSmall);
  return ranges;
}

//===----------------------------------------------------------------------===//
// Moving
//===----------------------------------------------------------------------===//

// Each operation waits for the previous one: if that fails, the next one must
// not use a list that never arrived.

Status RangePacking::giveUp(Status status, const device::Event &underWay) {
  isBroken = true;
  (void)underWay.wait();
  return status;
}

Result<device::Event> RangePacking::send(TransferQueue &queue,
                                         const PackedRanges &ranges,
                                         unsigned char *piece,
                                         device::Buffer &packed,
                                         std::span<const device::Event> after) {
  ranges.writeList(piece);
  ranges.pack(piece);
  std::lock_guard lock(queue.mutex);
  Result<device::Event> written =
      queue.queue->write(packed, 0, piece, ranges.size());
  if (!written.ok())
    return giveUp(written.takeStatus(), {});
  std::vector<device::Event> waits(after.begin(), after.end());
  waits.push_back(*written);
  Result<device::Event> end =
      kernels->scatter(*queue.queue, ranges.on(packed), waits);
  if (!end.ok())
    return giveUp(end.takeStatus(), *written);
  queue.bytes += ranges.numBytes();
  ++queue.count;
  return end;
}

Result<device::Event>
RangePacking::fetch(TransferQueue &queue, const PackedRanges &ranges,
                    unsigned char *piece, device::Buffer &packed,
                    std::span<const device::Event> after) {
  ranges.writeList(piece);
  std::lock_guard lock(queue.mutex);
  Result<device::Event> listed =
      queue.queue->write(packed, 0, piece, ranges.listSize());
  if (!listed.ok())
    return giveUp(listed.takeStatus(), {});
  std::vector<device::Event> waits(after.begin(), after.end());
  waits.push_back(*listed);
  Result<device::Event> gathered =
      kernels->gather(*queue.queue, ranges.on(packed), waits);
  if (!gathered.ok())
    return giveUp(gathered.takeStatus(), *listed);
  Result<device::Event> end =
      queue.queue->read(piece + ranges.listSize(), packed, ranges.listSize(),
                        ranges.numBytes(), std::span(&*gathered, 1));
  if (!end.ok())
    return giveUp(end.takeStatus(), *gathered);
  queue.bytes += ranges.numBytes();
  ++queue.count;
  return end;
}
