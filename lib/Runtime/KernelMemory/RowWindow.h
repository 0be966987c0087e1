//===- RowWindow.h - A window on memory that is used row by row -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of an array that is written and read row by row, only the rows between the
// last that was written and the first that is still read are needed at a time.
// A window holds these alone: bytes that are `capacity()` apart are one byte,
// so it stays in the cache. Code that runs with the address of the array gets
// another one, and finds there what it would find in the array.
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

  /// A window of `capacity` bytes or a little more on memory of `bytes` bytes.
  /// False: there is no address space for it.
  bool open(uint64_t bytes, uint64_t capacity);
  /// Whether it is open, and `open` would have nothing to do.
  bool fits(uint64_t bytes, uint64_t capacity) const;
  uint64_t capacity() const { return ringBytes; }

  /// The address that stands for `memory` as long as no bytes of it are used
  /// but `capacity()` ones from `first` on; equal in its place within a page.
  uint64_t addressFor(uint64_t memory, int64_t first) const;

private:
  void close();

  /// The ring is mapped three times, one behind the other, in the middle of
  /// address space that nobody else gets: so much as makes addresses of the
  /// array's other bytes nobody else's, too.
  unsigned char *space = nullptr;
  uint64_t spaceBytes = 0, ringBytes = 0, arrayBytes = 0;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_KERNELMEMORY_ROWWINDOW_H
