//===- BufferPool.h - Reuse of a device's buffers -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices allocate and free memory slowly, and programs use the same sizes
// repeatedly. Sizes are rounded up by at most an eighth, so that a buffer fits
// several objects. Kept buffers take at most an eighth of the budget, and are
// freed first when memory is needed.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_MEMORY_BUFFERPOOL_H
#define SLUICE_RUNTIME_MEMORY_BUFFERPOOL_H

#include "Places.h"

#include <deque>
#include <memory>
#include <mutex>

namespace sluice {

/// All functions may be called from any thread.
class BufferPool {
public:
  BufferPool(device::Device &device, uint64_t budget)
      : device(device), budget(budget) {}

  /// A buffer of at least `size` bytes. StatusCode::Exhausted: not enough
  /// memory.
  Result<std::unique_ptr<device::Buffer>> allocate(uint64_t size);
  /// Returns a buffer that no operation uses any more.
  void release(std::unique_ptr<device::Buffer> buffer);
  /// Frees all kept buffers.
  void trim();
  void count(MemoryCounters &counters);

  /// The maximum size of a buffer.
  uint64_t largest() const {
    return std::min(budget, device.properties().maxBuffer);
  }
  uint64_t limit() const { return budget; }

private:
  std::unique_ptr<device::Buffer> takeKept(uint64_t size);
  void trimTo(uint64_t size);
  uint64_t rounded(uint64_t size) const;

  device::Device &device;
  const uint64_t budget;
  std::mutex mutex;
  /// The oldest first.
  std::deque<std::unique_ptr<device::Buffer>> kept;
  uint64_t bytesKept = 0, bytesInBuffers = 0, peak = 0, numAllocations = 0;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_MEMORY_BUFFERPOOL_H
