//===- RangePacking.h - Many small ranges in one transfer -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transfer costs some microseconds however small it is. So ranges at
// irregular places, which are no boxes, are packed: the host's by copying, the
// device's by a kernel, after a list of their places was sent. Whether that is
// cheaper depends on their number, and on whether the kernels are built.
//
// Lists are not counted among the bytes that move: those are the program's.
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
  /// Boxes of more bytes are moved as they are.
  uint64_t maxBox = UINT64_C(16) << 10;
  /// The kernels are built, in some ten milliseconds, when so many boxes have
  /// moved that could have been packed, which saves a microsecond for each.
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

/// Decides what is packed, and has the kernels. All functions may be called
/// from any thread.
class RangePacking {
public:
  RangePacking(device::Device &device, const PackingOptions &options)
      : device(device), options(options) {}

  /// Takes what is to be packed out of boxes of an object.
  std::vector<ByteRange> takeRanges(std::vector<device::Box> &boxes);
  /// Enqueue packed ranges from or to a piece and its memory on the device. The
  /// piece must stay until the event has ended. After an error nothing uses it
  /// any more, and no ranges are taken from now on.
  Result<device::Event> send(TransferQueue &queue, const PackedRanges &ranges,
                             unsigned char *piece, device::Buffer &packed,
                             std::span<const device::Event> after);
  Result<device::Event> fetch(TransferQueue &queue, const PackedRanges &ranges,
                              unsigned char *piece, device::Buffer &packed,
                              std::span<const device::Event> after);

  /// What was enqueued has failed: no ranges are taken from now on.
  void giveUp() { isBroken = true; }

private:
  bool isWorth(uint64_t numBoxes);
  Status giveUp(Status status, const device::Event &underWay);

  device::Device &device;
  const PackingOptions options;
  std::mutex mutex;
  uint64_t numSeen = 0;
  /// They cannot be built, or do not run.
  std::atomic<bool> isBroken{false};
  std::unique_ptr<device::PackingKernels> kernels;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_MEMORY_RANGEPACKING_H
