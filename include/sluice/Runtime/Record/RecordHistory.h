//===- RecordHistory.h - Finding the writers of a byte --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries on a record. Each query is answered from the steps themselves, going
// backwards from the given step, so moving forwards and backwards has the same
// cost.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_RECORD_RECORDHISTORY_H
#define SLUICE_RUNTIME_RECORD_RECORDHISTORY_H

#include "sluice/Runtime/Record/ReadRecord.h"

#include <cstdint>
#include <vector>

namespace sluice {

/// A byte of memory after a step.
struct RecordedByte {
  /// 0 to 255; -1 if no launch has received it yet, or the record had no room.
  int16_t value = -1;
  /// The step that last changed it, or Record::none.
  uint32_t step = Record::none;
};

/// The `size` bytes from an address of the recorded process, after step `step`.
std::vector<RecordedByte> memoryAfter(const Record &record, uint32_t step,
                                      uint64_t address, uint64_t size);

/// The steps after `since`, up to `step`, with nodes that declared the byte as
/// written but did not change it.
std::vector<uint32_t> silentWriters(const Record &record, uint32_t since,
                                    uint32_t step, uint64_t address);

} // namespace sluice

#endif // SLUICE_RUNTIME_RECORD_RECORDHISTORY_H
