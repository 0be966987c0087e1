//===- MemoryCopies.h - The copies of an object ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host and every device may have a copy of an object. Each byte of each
// copy is in one of three states, so that data moves only when it must:
//
//   state     read at P        write at P       read at Q   write at Q
//   invalid   fetch -> shared  -> modified [1]  -           -
//   shared    -                -> modified      -           -> invalid
//   modified  -                -                -> shared   -> invalid
//
// [1] Without a fetch unless the bytes are also read.
//
// Transfers from one device to another go through the host, whose copy becomes
// valid, too. The states describe the time after all operations in flight; each
// user of bytes waits for the operations that use them.
//
// If a kernel fails, the copies that were valid before it become valid again,
// unless they have been overwritten.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_MEMORY_MEMORYCOPIES_H
#define SLUICE_RUNTIME_MEMORY_MEMORYCOPIES_H

#include "DevicePlace.h"
#include "ValidityMap.h"

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sluice {

/// A part of an object, as an argument or another user accesses it.
struct MemoryPart {
  const char *name; ///< of the argument, for messages
  ByteRange bytes;
  uint32_t access; ///< SluiceAccess; 0 means both
  /// If not empty: only these bytes, sorted and disjoint.
  std::span<const ByteRange> pieces = {};

  /// Calls `visitor(ByteRange)` for all bytes.
  template <typename Visitor> void visit(Visitor &&visitor) const {
    if (pieces.empty())
      return visitor(bytes);
    for (const ByteRange &piece : pieces)
      visitor(piece);
  }
};

/// All copies of one object. Any thread may call the functions; the caller
/// decides whether two uses may happen at the same time.
class MemoryCopies final : public EvictableCopy,
                           public std::enable_shared_from_this<MemoryCopies> {
public:
  /// The host has the content. `numPlaced` counts objects with buffers on
  /// devices; it may be null and must outlive the object.
  static std::shared_ptr<MemoryCopies>
  create(void *host, uint64_t size, std::atomic<size_t> *numPlaced = nullptr) {
    return std::shared_ptr<MemoryCopies>(
        new MemoryCopies(host, size, numPlaced));
  }
  MemoryCopies(const MemoryCopies &) = delete;
  MemoryCopies &operator=(const MemoryCopies &) = delete;
  /// Waits for operations in flight and frees the copies on devices; loses data
  /// that only they have.
  ~MemoryCopies() override;

  /// See MemoryTracker for these functions.
  Result<PlacedMemory> prepare(DevicePlace &device, const MemoryPart &part,
                               std::vector<device::Event> &after);
  void enqueued(DevicePlace &device, const MemoryPart &part, device::Event end);
  void notEnqueued(DevicePlace &device, const MemoryPart &part);
  void failed(DevicePlace &device, const MemoryPart &part);
  /// The caller guarantees that no completed kernel will turn out to have
  /// failed.
  void settle();
  Status useOnHost(const MemoryPart &part);
  Result<device::Event> beginFetchHome(const MemoryPart &part);
  /// Makes a part valid on a device before a kernel requests it.
  Status send(DevicePlace &device, const MemoryPart &part);
  uint64_t evict(DevicePlace &device, bool mayWait) override;
  /// Waits for all operations in progress on the object.
  void waitForAll();
  /// Whether no operation is in progress and the host has all bytes.
  bool isHome();

  /// The state of a range: modified or shared if this holds for all bytes.
  MemoryValidity validity(MemoryPlace place, ByteRange bytes);
  const void *address() const { return host; }
  ByteRange all() const { return {0, size}; }

private:
  MemoryCopies(void *host, uint64_t size, std::atomic<size_t> *numPlaced);

  /// A copy on a device.
  struct Copy {
    DevicePlace *device = nullptr;
    std::unique_ptr<device::Buffer> buffer;
    /// Offset of the buffer's first byte in the object.
    uint64_t bufferBegin = 0;
    /// Number of kernels that were prepared and are not enqueued yet.
    uint32_t numPins = 0;
    std::atomic<uint64_t> lastUse{0};
    /// The device is lost, with the bytes that only it had.
    bool isLost = false;

    /// The bytes for which the buffer has room.
    ByteRange window() const {
      return {bufferBegin, bufferBegin + buffer->size};
    }
  };

  static constexpr MemoryPlace nowhere = ~MemoryPlace(0);
  /// A transfer or a kernel in progress.
  struct Operation {
    MemoryPlace reads = nowhere;
    MemoryPlace writes = nowhere;
    bool isKernel = false;
    /// Increases with every operation.
    uint64_t number = 0;
    ByteRange bounds;
    std::vector<device::Event> events;
    /// Transfers: ranges that become valid at the target. Writing kernels:
    /// ranges that were valid before.
    std::vector<ValidRange> parts;

    bool uses(MemoryPlace place) const {
      return reads == place || writes == place;
    }
    bool hasEnded() const;
    bool seemsEnded() const;
    Status wait() const;
  };
  using Lock = std::unique_lock<std::mutex>;

  Copy &copyAt(DevicePlace &device);
  Status placeBuffer(DevicePlace &device, const MemoryPart &part);
  Status addBuffer(Copy &copy, const MemoryPart &part, Lock &lock);
  Status noRoomError(const MemoryPart &part, const Copy &copy,
                     const Status &status) const;
  uint64_t evictLocked(Copy &copy, Lock &lock);
  void freeBuffer(Copy &copy);

  void retire();
  void retireSome();
  void retireAt(size_t index);
  void add(std::shared_ptr<Operation> operation);
  void retireFailed(const Operation &transfer);
  void retireArrived(const Operation &transfer);
  void finishKernel(std::shared_ptr<Operation> kernel, bool isGood);
  void rollBack(Operation &kernel);
  template <typename Visitor> void visitKernels(Visitor &&visitor);
  void forgetBefore(const MemoryPart &part, MemoryPlace place);
  void forgetPlace(MemoryPlace place);
  void dropLost(Lock &lock);
  void appendEvents(MemoryPlace place, ByteRange bytes, bool writes,
                    std::vector<device::Event> &after,
                    bool isForKernel = false) const;
  const Operation *findUser(MemoryPlace place, ByteRange bytes,
                            bool writes) const;
  const Operation *findUser(MemoryPlace place) const;
  static void appendEvent(const device::Event &event, MemoryPlace place,
                          std::vector<device::Event> &after);
  Status waitOutside(Lock &lock, const Operation &operation);
  Status makeValid(const MemoryPart &part, Lock &lock);

  std::vector<ValidRange> missing(const MemoryPart &part,
                                  MemoryPlace place) const;
  Status fetchTo(Copy &copy, const MemoryPart &part, Lock &lock);
  std::vector<ValidRange> readyToSend(const Copy &copy,
                                      const MemoryPart &part) const;
  Status sendReady(Copy &copy, const MemoryPart &part,
                   std::vector<ValidRange> parts);
  /// The bytes to fetch.
  enum class Home { Missing, MissingAt, OnlyAt };
  Status beginDownloads(const MemoryPart &part, Home which, MemoryPlace place,
                        Lock &lock);
  const Operation *findHostConflict(const std::vector<ValidRange> &parts) const;
  Status downloadPieces(const MemoryPart &part,
                        const std::vector<ValidRange> &parts);
  Status download(const MemoryPart &part, std::vector<ValidRange> parts);
  Status downloadFrom(Copy &copy, const MemoryPart &part,
                      std::vector<ValidRange> parts);
  Status lostError(const MemoryPart &part, ByteRange bytes) const;
  Status transferError(const MemoryPart &part, std::string_view way,
                       MemoryPlace place, uint64_t bytes,
                       const Status &status) const;
  std::string text(const MemoryPart &part) const;

  unsigned char *const host;
  const uint64_t size;
  std::atomic<size_t> *const numPlaced;
  std::mutex mutex;
  ValidityMap valid;
  /// By place; null for the host and unused devices.
  std::vector<std::unique_ptr<Copy>> copies;
  /// In the order in which they began.
  std::vector<std::shared_ptr<Operation>> operations;
  /// Completed kernels that wrote, but may still turn out to have failed.
  std::deque<std::shared_ptr<Operation>> finished;
  uint64_t numOperations = 0;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_MEMORY_MEMORYCOPIES_H
