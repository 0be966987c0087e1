//===- Staging.h - Transfers through pinned memory ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drivers transfer asynchronously only from and to pinned memory. Transfers of
// other memory go through pieces of pinned memory, so that copying one piece
// overlaps with transferring others. Fetched pieces are copied by the threads
// that wait for the bytes; a separate thread would not help, since nobody needs
// the bytes earlier.
//
// Devices that share the host's memory transfer by copying, so a piece would
// only add another copy.
//
// On all devices, many small ranges at irregular places go through pieces, too:
// one transfer moves them in packed form, and a kernel packs and unpacks them
// on the device.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_MEMORY_STAGING_STAGING_H
#define SLUICE_RUNTIME_MEMORY_STAGING_STAGING_H

#include "StagedBoxes.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace sluice {

struct StagingOptions {
  /// Default: true unless the device shares the host's memory.
  std::optional<bool> isUsed;
  /// Size of a piece: its transfer takes some hundred microseconds, so that the
  /// start-up time of ten microseconds does not matter.
  uint64_t pieceSize = UINT64_C(2) << 20;
  /// Number of pieces; four per direction keep a copy and a transfer busy.
  unsigned numPieces = 8;
  /// Smaller sends are left to the driver, which has copied the bytes when the
  /// call returns.
  uint64_t minSent = UINT64_C(64) << 10;
  PackingOptions packing;
};

/// An event that completes when bytes are in place on the host. Queues cannot
/// wait for it.
class HostCompletion : public device::Event::State {
public:
  /// Appends events for which queues can wait: the completions of the device's
  /// operations. Blocks until all of these are enqueued.
  virtual void appendDeviceEvents(std::vector<device::Event> &events) = 0;
};

/// Any thread may call the functions.
class Staging {
public:
  /// Device memory for packed ranges comes from `pool`.
  Staging(device::Device &device, BufferPool &pool,
          const StagingOptions &options);
  ~Staging();

  /// Enqueues a transfer; its pieces wait for each other. `last` becomes its
  /// event; after an error, that of the part enqueued before.
  Status send(TransferQueue &queue, const BoxTransfer &transfer,
              std::span<const device::Event> after, device::Event &last);
  /// The event may be a HostCompletion.
  Result<device::Event> fetch(TransferQueue &queue, const BoxTransfer &transfer,
                              std::span<const device::Event> after);

  /// Removes from `boxes` the ranges that the next two functions should move.
  std::vector<ByteRange> takeRanges(std::vector<device::CopyBox> &boxes) {
    return packing.takeRanges(boxes);
  }
  /// Enqueues ranges, beginning with the first, and returns their number; the
  /// others must be sent as boxes. `last` is as in `send`.
  size_t sendRanges(TransferQueue &queue, const RangeTransfer &transfer,
                    std::span<const device::Event> after, device::Event &last);
  /// False if nothing was enqueued; then the ranges must be fetched as boxes.
  bool fetchRanges(TransferQueue &queue, const RangeTransfer &transfer,
                   std::span<const device::Event> after, device::Event &event);

  /// Returns unused device memory for ranges to the pool; false if there was
  /// none.
  bool trim();

private:
  friend class StagedFetch;
  friend class BoxSource;
  friend class RangeSource;

  enum class Use { Send, FetchIfFree, Fetch };
  StagingPiece *acquire(Use use);
  void release(StagingPiece *piece, device::Event free, bool forFetch);
  bool placePacked(StagingPiece &piece, uint64_t size);

  device::Device &device;
  BufferPool &pool;
  const StagingOptions options;
  const bool isUsed;
  RangePacking packing;
  std::mutex mutex;
  std::vector<std::unique_ptr<StagingPiece>> pieces;
  /// Free pieces, the one released first in front.
  std::vector<StagingPiece *> idle;
  unsigned numFetching = 0;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_MEMORY_STAGING_STAGING_H
