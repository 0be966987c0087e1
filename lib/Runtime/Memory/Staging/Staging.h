//===- Staging.h - Transfers through pinned memory ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drivers transfer asynchronously only from and to pinned memory. Transfers of
// other memory go through pieces of pinned memory, so that copying one piece
// overlaps with transferring others. Pieces that come home are copied by the
// threads that wait for the bytes; a thread of their own would gain nothing,
// since nobody needs the bytes earlier.
//
// Devices that share the host's memory transfer by copying, so a piece would
// only add another copy.
//
// Many small ranges at irregular places go through pieces, too, on all devices:
// one transfer moves them packed, and a kernel of the device packs and unpacks
// them there.
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
  /// Unset: unless the device shares the host's memory.
  std::optional<bool> isUsed;
  /// Size of a piece: its transfer takes some hundred microseconds, so that the
  /// ten microseconds to start it do not matter.
  uint64_t pieceSize = UINT64_C(2) << 20;
  /// Number of pieces; four in each direction keep a copy and a transfer busy.
  unsigned numPieces = 8;
  /// Sends of fewer bytes are left to the driver, which has copied them when
  /// the call returns.
  uint64_t minSent = UINT64_C(64) << 10;
  PackingOptions packing;
};

/// An event that has ended when bytes are in place on the host. Queues cannot
/// wait for it.
class HostCompletion : public device::Event::State {
public:
  /// Appends events that queues can wait for: the ends of the device's
  /// operations. Blocks until all of these are enqueued.
  virtual void appendDeviceEvents(std::vector<device::Event> &events) = 0;
};

/// All functions may be called from any thread.
class Staging {
public:
  /// Device memory for packed ranges comes from `pool`.
  Staging(device::Device &device, BufferPool &pool,
          const StagingOptions &options);
  ~Staging();

  /// Enqueues a transfer; its pieces wait for each other. `last` becomes its
  /// event, also of what was enqueued before an error.
  Status send(TransferQueue &queue, const BoxTransfer &transfer,
              std::span<const device::Event> after, device::Event &last);
  /// The event may be a HostCompletion.
  Result<device::Event> fetch(TransferQueue &queue, const BoxTransfer &transfer,
                              std::span<const device::Event> after);

  /// Removes from `boxes` the ranges that the next two functions should move.
  std::vector<ByteRange> takeRanges(std::vector<device::Box> &boxes) {
    return packing.takeRanges(boxes);
  }
  /// Enqueues ranges, beginning with the first, and returns how many; the
  /// others have to be sent as boxes. `last` as in `send`.
  size_t sendRanges(TransferQueue &queue, const RangeTransfer &transfer,
                    std::span<const device::Event> after, device::Event &last);
  /// False if nothing was enqueued; they have to be fetched as boxes.
  bool fetchRanges(TransferQueue &queue, const RangeTransfer &transfer,
                   std::span<const device::Event> after, device::Event &event);

  /// Returns device memory that no range uses to the pool; false if there was
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
  /// Pieces that are free, the one released first in front.
  std::vector<StagingPiece *> idle;
  unsigned numFetching = 0;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_MEMORY_STAGING_STAGING_H
