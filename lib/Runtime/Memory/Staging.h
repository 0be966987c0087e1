//===- Staging.h - Transfers through pinned memory ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drivers transfer asynchronously only from and to memory that they have
// pinned. Transfers of other memory go through pieces of pinned memory, so
// that copying one piece overlaps with the transfer of others. Pieces on their
// way home are copied by whoever asks for them, not by a thread of their own:
// nobody else needs the bytes earlier.
//
// Devices that share the host's memory transfer by copying: a piece would only
// be one copy more.
//
// Many small ranges at irregular places go through pieces, too, on all devices:
// one transfer moves them packed, and a kernel of the device packs and unpacks
// them there.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_MEMORY_STAGING_H
#define SLUICE_RUNTIME_MEMORY_STAGING_H

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
  /// Bytes of a piece: large enough that starting a transfer, some ten
  /// microseconds, is small beside its some hundred microseconds.
  uint64_t pieceSize = UINT64_C(2) << 20;
  /// Pieces in all; four keep a copy and a transfer busy in each direction.
  unsigned numPieces = 8;
  /// Sends of fewer bytes are left to the driver, which has copied them when
  /// the call returns.
  uint64_t minSent = UINT64_C(64) << 10;
  PackingOptions packing;
};

/// An event that has ended when bytes are in place on the host, which queues
/// cannot wait for.
class HostCompletion : public device::Event::State {
public:
  /// Appends what queues can wait for: when the device has done its part.
  /// Blocks until all of that is enqueued.
  virtual void appendDeviceEvents(std::vector<device::Event> &events) = 0;
};

/// All functions may be called from any thread.
class Staging {
public:
  /// What ranges need on the device comes from `pool`.
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

  /// Takes out of `boxes` what is better moved by the next two functions.
  std::vector<ByteRange> takeRanges(std::vector<device::Box> &boxes) {
    return packing.takeRanges(boxes);
  }
  /// Enqueues ranges, from the first on, and returns how many: the others have
  /// to be sent as boxes. `last` as in `send`.
  size_t sendRanges(TransferQueue &queue, const RangeTransfer &transfer,
                    std::span<const device::Event> after, device::Event &last);
  /// False: nothing was enqueued, and they have to be fetched as boxes.
  bool fetchRanges(TransferQueue &queue, const RangeTransfer &transfer,
                   std::span<const device::Event> after, device::Event &event);

  /// Gives the device's memory that no range uses back to the pool; false:
  /// there was none.
  bool trim();

private:
  friend class StagedFetch;
  friend class BoxSource;
  friend class RangeSource;

  StagingPiece *acquire(bool forFetch);
  void release(StagingPiece *piece, device::Event free, bool forFetch);
  bool placePacked(StagingPiece &piece, uint64_t size);

  device::Device &device;
  BufferPool &pool;
  const StagingOptions options;
  const bool isUsed;
  RangePacking packing;
  std::mutex mutex;
  std::vector<std::unique_ptr<StagingPiece>> pieces;
  /// Those that nobody holds, the first released first.
  std::vector<StagingPiece *> idle;
  unsigned numFetching = 0;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_MEMORY_STAGING_H
