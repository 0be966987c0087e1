//===- RecordHistory.h - Who wrote this byte ----------------------*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions to a record. Each is answered from the steps themselves, going
// back from the one that is asked about, so forth and back cost the same.
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
  /// 0 to 255; -1: no launch was given it yet, or the record had no room.
  int16_t value = -1;
  /// The step that changed it last, or Record::none.
  uint32_t step = Record::none;
};

/// `size` bytes from an address of the recorded process on, after step `step`.
std::vector<RecordedByte> memoryAfter(const Record &record, uint32_t step,
                                      uint64_t address, uint64_t size);

/// Steps behind `since`, up to `step`, whose nodes were given the byte to
/// write, and left it as it was.
std::vector<uint32_t> silentWriters(const Record &record, uint32_t since,
                                    uint32_t step, uint64_t address);

} // namespace sluice

#endif // SLUICE_RUNTIME_RECORD_RECORDHISTORY_H
