//===- StagingBuffer.h - Buffers for packed bytes -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transfer that Sluice handles needs a buffer for its packed bytes. Fresh
// memory causes a page fault every 4 KiB, which takes longer than packing. So
// buffers are kept in a pool, by powers of two, up to a total limit.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_LIBRARY_STAGINGBUFFER_H
#define SLUICE_LIB_PACKMPI_LIBRARY_STAGINGBUFFER_H

#include <cstdint>
#include <utility>

namespace sluice::mpi {

/// A buffer that its destructor returns to the pool. Thread-safe.
class StagingBuffer {
public:
  StagingBuffer() = default;
  /// A buffer of at least `bytes`; without data() if memory is out.
  static StagingBuffer of(int64_t bytes);
  StagingBuffer(StagingBuffer &&other) noexcept
      : memory(std::exchange(other.memory, nullptr)),
        sizeClass(other.sizeClass) {}
  StagingBuffer &operator=(StagingBuffer &&other) noexcept {
    std::swap(memory, other.memory);
    std::swap(sizeClass, other.sizeClass);
    return *this;
  }
  ~StagingBuffer() {
    if (memory)
      giveBack();
  }

  char *data() const { return memory; }
  explicit operator bool() const { return memory; }

private:
  void giveBack();
  char *memory = nullptr;
  int sizeClass = 0;
};

/// Frees all buffers in the pool.
void emptyStagingPool();
/// Bytes of the buffers in the pool, for tests and statistics.
int64_t stagingPoolBytes();
/// The maximum of stagingPoolBytes.
inline constexpr int64_t stagingPoolLimit = int64_t(128) << 20;

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_LIBRARY_STAGINGBUFFER_H
