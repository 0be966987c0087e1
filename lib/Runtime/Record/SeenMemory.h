//===- SeenMemory.h - What a program's memory held last ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of all memory that launches were given, by its addresses. What
// differs from its copy was written since.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_RECORD_SEENMEMORY_H
#define SLUICE_RUNTIME_RECORD_SEENMEMORY_H

#include "../Memory/Places.h"

#include "sluice/Runtime/Record/ReadRecord.h"

#include <map>
#include <vector>

namespace sluice {

class SeenMemory {
public:
  /// Makes room for copies of these bytes, side by side, and returns it, which
  /// stays until the next call. Appends those that had no copy; their room
  /// holds anything. Throws std::bad_alloc.
  unsigned char *cover(ByteRange range, std::vector<ByteRange> &unknown);
  /// The copies of bytes that were covered.
  unsigned char *find(uint64_t address);
  /// Forgets what none of these overlap, if there is more than `limit`.
  void forgetOthers(const std::vector<ByteRange> &kept, uint64_t limit);
  uint64_t size() const { return total; }

private:
  std::map<uint64_t, std::vector<unsigned char>> copies;
  uint64_t total = 0;
};

/// Appends the bytes of `size` that differ, with offsets from `base` on.
void findDifferences(const unsigned char *before, const unsigned char *now,
                     uint64_t size, uint64_t base,
                     std::vector<RecordedRun> &runs);

/// How many bytes from `address` on may be read, `size` at most.
uint64_t readableBytes(uint64_t address, uint64_t size);

} // namespace sluice

#endif // SLUICE_RUNTIME_RECORD_SEENMEMORY_H
