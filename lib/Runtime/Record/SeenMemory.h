//===- SeenMemory.h - The last known memory contents ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of all memory that launches received, by address. Bytes that differ
// from their copy were written since.
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
  /// Makes room for copies of these bytes in one piece, and returns it; it is
  /// valid until the next call. Appends the ranges that had no copy, whose room
  /// has arbitrary contents. Throws std::bad_alloc.
  unsigned char *cover(ByteRange range, std::vector<ByteRange> &unknown);
  /// The copies of covered bytes.
  unsigned char *find(uint64_t address);
  /// Drops copies that none of these ranges overlap, if they exceed `limit`.
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

/// How many bytes from `address` on are readable, at most `size`.
uint64_t readableBytes(uint64_t address, uint64_t size);

} // namespace sluice

#endif // SLUICE_RUNTIME_RECORD_SEENMEMORY_H
