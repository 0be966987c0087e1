//===- RowWindow.h - A window on memory that is used row by row -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If an array is written and read row by row, only the rows between the first
// one that is still read and the last one that was written are needed at a
// time. A window contains only these: bytes that are `capacity()` apart share
// the same memory, so the window stays in the cache. Code that runs with the
// window's address instead of the array's finds the same contents there.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_KERNELMEMORY_ROWWINDOW_H
#define SLUICE_RUNTIME_KERNELMEMORY_ROWWINDOW_H

#include <cstdint>

namespace sluice {

/// Used by one thread at a time.
class RowWindow {
public:
  RowWindow() = default;
  RowWindow(const RowWindow &) = delete;
  RowWindow &operator=(const RowWindow &) = delete;
  ~RowWindow() { close(); }

  /// Opens a window of at least `capacity` bytes (rounded up) on memory of
  /// `bytes` bytes. Returns false if there is not enough address space.
  bool open(uint64_t bytes, uint64_t capacity);
  /// Whether it is open and already satisfies `open` with these arguments.
  bool fits(uint64_t bytes, uint64_t capacity) const;
  uint64_t capacity() const { return ringBytes; }

  /// The address that represents `memory`, as long as only the `capacity()`
  /// bytes from `first` on are used. It has the same offset within a page.
  uint64_t addressFor(uint64_t memory, int64_t first) const;

private:
  void close();

  /// The ring is mapped three times in a row, in the middle of reserved address
  /// space. The reserved space is large enough that the addresses of the
  /// array's other bytes are not used by others, either.
  unsigned char *space = nullptr;
  uint64_t spaceBytes = 0, ringBytes = 0, arrayBytes = 0;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_KERNELMEMORY_ROWWINDOW_H
