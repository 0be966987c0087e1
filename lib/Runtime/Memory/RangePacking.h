//===- RangePacking.h - Many small ranges in one transfer -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transfer takes some microseconds, however small it is. So ranges at
// irregular places, which are no boxes, are packed: on the host by copying; on
// the device by a kernel, to which a list of their places is sent first.
// Whether that is faster depends on their number, and on whether the kernels
// are built.
//
// The counters of moved bytes do not include these lists, only the program's
// bytes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_MEMORY_RANGEPACKING_H
#define SLUICE_RUNTIME_MEMORY_RANGEPACKING_H

#include "BufferPool.h"

#include "sluice/Device/Packing.h"

#include <atomic>
#include <mutex>
#include <span>
#include <vector>

namespace sluice {

struct PackingOptions {
  /// Fewer small boxes are moved one by one, which is as fast for some twenty.
  uint64_t minBoxes = 32;
  /// Larger boxes are not packed.
  uint64_t maxBox = UINT64_C(16) << 10;
  /// The kernels, which take some ten milliseconds to build, are built after
  /// this many boxes that could have been packed, each of which would have
  /// saved a microsecond.
  uint64_t buildsAfter = 20000;
};

/// One direction.
struct TransferQueue {
  std::mutex mutex;
  std::unique_ptr<device::Queue> queue;
  std::atomic<uint64_t> bytes{0}, count{0};
  Status flush() {
    std::lock_guard lock(mutex);
    return queue->flush();
  }
};

/// Ranges of an object that move between the host and a buffer.
struct RangeTransfer {
  device::Buffer *buffer;
  /// The object's offset of the buffer's first byte.
  uint64_t bufferBegin;
  /// The object's first byte.
  unsigned char *host;
  /// In order and apart.
  std::vector<ByteRange> ranges;
};

/// As many ranges of a transfer as fit into a piece of staging memory: their
/// list, and behind it their bytes.
class PackedRanges {
public:
  /// Those from `first` on, which has to fit.
  PackedRanges(const RangeTransfer &transfer, size_t first, uint64_t room);

  size_t count() const { return ranges.size(); }
  /// Bytes of the list.
  uint64_t listSize() const {
    return (ranges.size() + 1) * sizeof(device::PackedPiece);
  }
  /// Bytes of the ranges.
  uint64_t numBytes() const { return bytes; }
  uint64_t size() const { return listSize() + bytes; }

  void writeList(unsigned char *piece) const;
  /// Copy the host's ranges into a piece and back.
  void pack(unsigned char *piece) const;
  void unpack(const unsigned char *piece) const;
  /// For the kernels.
  device::PackedPieces on(device::Buffer &staging) const;

private:
  const RangeTransfer &transfer;
  std::span<const ByteRange> ranges;
  uint64_t bytes = 0;
  uint32_t unit = 4;
};

/// Decides which ranges are packed, and owns the kernels. All functions may be
/// called from any thread.
class RangePacking {
public:
  RangePacking(device::Device &device, const PackingOptions &options)
      : device(device), options(options) {}

  /// Removes the ranges that are to be packed from boxes of an object.
  std::vector<ByteRange> takeRanges(std::vector<device::Box> &boxes);
  /// Enqueue packed ranges from or to a piece and its memory on the device. The
  /// piece must stay until the event has ended. After an error nothing uses it
  /// any more, and no ranges are packed from now on.
  Result<device::Event> send(TransferQueue &queue, const PackedRanges &ranges,
                             unsigned char *piece, device::Buffer &packed,
                             std::span<const device::Event> after);
  Result<device::Event> fetch(TransferQueue &queue, const PackedRanges &ranges,
                              unsigned char *piece, device::Buffer &packed,
                              std::span<const device::Event> after);

  /// An operation has failed: no ranges are packed from now on.
  void giveUp() { isBroken = true; }

private:
  bool isWorth(uint64_t numBoxes);
  Status giveUp(Status status, const device::Event &underWay);

  device::Device &device;
  const PackingOptions options;
  std::mutex mutex;
  uint64_t numSeen = 0;
  /// The kernels cannot be built, or fail.
  std::atomic<bool> isBroken{false};
  std::unique_ptr<device::PackingKernels> kernels;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_MEMORY_RANGEPACKING_H
