//===- StagedBoxes.cpp - Boxes in transfer --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits, packs and enqueues boxes.
//
//===----------------------------------------------------------------------===//

#include "StagedBoxes.h"

#include <cstring>

using namespace sluice;

BoxTransfer sluice::cutBox(const BoxTransfer &transfer, uint64_t position,
                           uint64_t limit) {
  const device::CopyBox &box = transfer.box;
  uint64_t run = position / box.width, inRun = position % box.width;
  uint64_t layer = run / box.rows, row = run % box.rows;
  uint64_t layerSize = box.width * box.rows;
  device::CopyBox part = box;
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
  const device::CopyBox &box = transfer.box;
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

static bool isRun(const device::CopyBox &box) {
  return box.rows == 1 && box.layers == 1;
}

/// Counts and keeps the event of an enqueued operation.
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
  const device::CopyBox &box = transfer.box;
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
  const device::CopyBox &box = transfer.box;
  return count(
      queue, transfer,
      isRun(box)
          ? queue.queue->read(transfer.host, *transfer.buffer, box.deviceOffset,
                              box.width, after)
          : queue.queue->readBox(transfer.host, *transfer.buffer, box, after));
}
