//===- RowWindow.cpp - A window on memory that is used row by row ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pages of the ring are shared memory, which is mapped again directly after
// itself. So a range of bytes is contiguous wherever it begins in the ring.
//
//===----------------------------------------------------------------------===//

#include "RowWindow.h"

#include "Pages.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace sluice;

/// A larger size would not be a window.
static constexpr uint64_t maxBytes = UINT64_C(1) << 44;

static uint64_t ringFor(uint64_t capacity) {
  return roundUp(capacity ? capacity : 1, pageSize());
}

/// A window that is larger than necessary would occupy more of the cache.
bool RowWindow::fits(uint64_t bytes, uint64_t capacity) const {
  return space && bytes <= maxBytes && ringBytes == ringFor(capacity) &&
         arrayBytes >= roundUp(bytes, pageSize()) + pageSize();
}

bool RowWindow::open(uint64_t bytes, uint64_t capacity) {
  if (fits(bytes, capacity))
    return true;
  close();
  if (bytes > maxBytes || capacity > maxBytes)
    return false;
  const uint64_t ring = ringFor(capacity);
  bytes = roundUp(bytes, pageSize()) + pageSize();
  const uint64_t total = 2 * bytes + 3 * ring;
  void *memory = ::mmap(nullptr, total, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  space = static_cast<unsigned char *>(memory);
  spaceBytes = total;
  unsigned char *first = space + bytes;
  bool isMapped =
      ::mmap(first, ring, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
  // An old size of 0 maps shared pages again.
  for (uint64_t copy = 1; isMapped && copy < 3; ++copy)
    isMapped = ::mremap(first, 0, ring, MREMAP_MAYMOVE | MREMAP_FIXED,
                        first + copy * ring) != MAP_FAILED;
  if (!isMapped) {
    close();
    return false;
  }
  ringBytes = ring;
  arrayBytes = bytes;
  return true;
}

uint64_t RowWindow::addressFor(uint64_t memory, int64_t first) const {
  // Positions count from the page in which the memory begins.
  const auto ring = static_cast<int64_t>(ringBytes);
  const auto place = static_cast<int64_t>(memory % pageSize()) + first;
  const int64_t inRing = (place % ring + ring) % ring;
  const auto middle =
      reinterpret_cast<uint64_t>(space) + arrayBytes + ringBytes;
  return middle + static_cast<uint64_t>(inRing) - static_cast<uint64_t>(first);
}

void RowWindow::close() {
  if (space)
    ::munmap(space, spaceBytes);
  space = nullptr;
  spaceBytes = ringBytes = arrayBytes = 0;
}
