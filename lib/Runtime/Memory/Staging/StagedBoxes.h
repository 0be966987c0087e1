//===- StagedBoxes.h - Boxes in transfer ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A box of memory to transfer between the host and a buffer: split into parts
// that fit into a piece of pinned memory, packed and unpacked there, and
// enqueued.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_MEMORY_STAGING_STAGEDBOXES_H
#define SLUICE_RUNTIME_MEMORY_STAGING_STAGEDBOXES_H

#include "../RangePacking.h"

#include <span>

namespace sluice {

/// A box to transfer between the host and a buffer.
struct BoxTransfer {
  device::Buffer *buffer;
  unsigned char *host;
  device::CopyBox box;
  uint64_t size() const { return box.width * box.rows * box.layers; }
};

/// Pinned memory.
struct StagingPiece {
  unsigned char *memory;
  /// The piece may be reused when this event has completed.
  device::Event free;
  /// Memory of the same size on the device for packed ranges; null: none yet.
  std::unique_ptr<device::Buffer> packed;
};

/// The part of a box from byte `position` of its packed form on. It is as large
/// as possible for a box of at most `limit` bytes.
BoxTransfer cutBox(const BoxTransfer &transfer, uint64_t position,
                   uint64_t limit);
/// The same box, packed on the host at `memory`.
BoxTransfer packedBox(const BoxTransfer &transfer, unsigned char *memory);
/// Copy the host's side of a box to its packed form, and back.
void packBox(const BoxTransfer &transfer, unsigned char *packed);
void unpackBox(const BoxTransfer &transfer, unsigned char *packed);

/// Enqueue one operation and count it.
Result<device::Event> writeBox(TransferQueue &queue,
                               const BoxTransfer &transfer,
                               std::span<const device::Event> after);
Result<device::Event> readBox(TransferQueue &queue, const BoxTransfer &transfer,
                              std::span<const device::Event> after);

} // namespace sluice

#endif // SLUICE_RUNTIME_MEMORY_STAGING_STAGEDBOXES_H
