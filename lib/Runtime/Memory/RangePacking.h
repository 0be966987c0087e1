//===- RangePacking.h - Many small ranges in one transfer -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transfer takes some microseconds, however small it is. So ranges at
// irregular places, which are not boxes, are packed: on the host by copying; on
// the device by a kernel, which first receives a list of their places. Whether
// that is faster depends on their number, and on whether the kernels have been
// built.
//
// The counters of moved bytes include only the program's bytes, not these
// lists.
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
  /// Fewer small boxes are moved one by one, which is as fast for about twenty.
  uint64_t minBoxes = 32;
  /// Larger boxes are not packed.
  uint64_t maxBox = UINT64_C(16) << 10;
  /// The kernels take about ten milliseconds to build. They are built after
  /// this many boxes that could have been packed, each of which would have
  /// saved a microsecond.
  uint64_t buildsAfter = 20000;
};

/// A transfer direction.
struct TransferQueue {
  std::mutex mutex;
  std::unique_ptr<device::Queue> queue;
  std::atomic<uint64_t> bytes{0}, count{0};
  Status flush() {
    std::lock_guard lock(mutex);
    return queue->flush();
  }
};

/// Ranges of an object to transfer between the host and a buffer.
struct RangeTransfer {
  device::Buffer *buffer;
  /// Offset of the buffer's first byte in the object.
  uint64_t bufferBegin;
  /// The object's first byte.
  unsigned char *host;
  /// Sorted and disjoint.
  std::vector<ByteRange> ranges;
};

/// As many ranges of a transfer as fit into a piece of staging memory: their
/// list, followed by their bytes.
class PackedRanges {
public:
  /// The ranges from `first` on; that range must fit.
  PackedRanges(const RangeTransfer &transfer, size_t first, uint64_t room);

  size_t count() const { return ranges.size(); }
  /// Size of the list in bytes.
  uint64_t listSize() const {
    return (ranges.size() + 1) * sizeof(device::PackedPiece);
  }
  /// Total size of the ranges in bytes.
  uint64_t numBytes() const { return bytes; }
  uint64_t size() const { return listSize() + bytes; }

  void writeList(unsigned char *piece) const;
  /// Copy the host's ranges into a piece, and back.
  void pack(unsigned char *piece) const;
  void unpack(const unsigned char *piece) const;
  /// The description for the kernels.
  device::PackedPieces on(device::Buffer &staging) const;

private:
  const RangeTransfer &transfer;
  std::span<const ByteRange> ranges;
  uint64_t bytes = 0;
  uint32_t unit = 4;
};

/// Decides which ranges to pack, and owns the kernels. Any thread may call the
/// functions.
class RangePacking {
public:
  RangePacking(device::Device &device, const PackingOptions &options)
      : device(device), options(options) {}

  /// Removes the ranges to pack from boxes of an object.
  std::vector<ByteRange> takeRanges(std::vector<device::CopyBox> &boxes);
  /// Enqueue packed ranges from or to a piece and its memory on the device. The
  /// piece must stay valid until the event has completed. After an error
  /// nothing uses it any more, and no ranges are packed from now on.
  Result<device::Event> send(TransferQueue &queue, const PackedRanges &ranges,
                             unsigned char *piece, device::Buffer &packed,
                             std::span<const device::Event> after);
  Result<device::Event> fetch(TransferQueue &queue, const PackedRanges &ranges,
                              unsigned char *piece, device::Buffer &packed,
                              std::span<const device::Event> after);

  /// Called after a failed operation: no ranges are packed from now on.
  void giveUp() { isBroken = true; }

private:
  bool isWorth(uint64_t numBoxes);
  Status giveUp(Status status, const device::Event &underWay);

  device::Device &device;
  const PackingOptions options;
  std::mutex mutex;
  uint64_t numSeen = 0;
  /// The kernels cannot be built, or have failed.
  std::atomic<bool> isBroken{false};
  std::unique_ptr<device::PackingKernels> kernels;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_MEMORY_RANGEPACKING_H
