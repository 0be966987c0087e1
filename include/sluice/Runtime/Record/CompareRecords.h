//===- CompareRecords.h - Where two runs part -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results do not depend on the number of workers, so two runs of a program
// with the same inputs leave the same steps. The first that differs is where
// to look: all that it was given is the same.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_RECORD_COMPARERECORDS_H
#define SLUICE_RUNTIME_RECORD_COMPARERECORDS_H

#include "sluice/Runtime/Record/ReadRecord.h"

#include <optional>
#include <string>

namespace sluice {

/// The first step in which two records differ.
struct RecordDifference {
  /// Its number in both of them.
  uint32_t step;
  /// "root/blur"; of the first, if they have other names.
  std::string name;
  /// What differs, and both values.
  std::string what;
  /// What follows from that.
  std::string conclusion;
};

/// None if they are the same, as far as both go. Addresses may differ, and so
/// may pointers in memory, as long as they point to the same.
std::optional<RecordDifference> compareRecords(const Record &first,
                                               const Record &second);

/// "0x2a = 42", "1.5", "'X' + 16": a value for people.
std::string textOf(const RecordedValue &value, const RecordedLaunch &launch);
/// One to eight bytes as the numbers they may be: "3f800000 (f32 1, i32
/// 1065353216)"; with a type such as "f32", only that.
std::string numberText(std::string_view bytes, std::string_view type);
/// The bytes of an element of a type such as "f32", "i64", "u8"; 0: it is none.
uint64_t sizeOfType(std::string_view type);

} // namespace sluice

#endif // SLUICE_RUNTIME_RECORD_COMPARERECORDS_H
