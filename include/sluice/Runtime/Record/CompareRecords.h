//===- CompareRecords.h - The first difference between two runs -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results do not depend on the number of workers, so two runs of a program with
// the same inputs record the same steps. The first step that differs shows the
// cause: its inputs are the same in both runs.
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
  /// The number of the step in both records.
  uint32_t step;
  /// "root/blur"; from the first record, if the names differ.
  std::string name;
  /// The differing property, and both values.
  std::string what;
  /// The conclusion from the difference.
  std::string conclusion;
};

/// None if the records are equal, as far as both go. Addresses may differ, and
/// so may pointers in memory, as long as they point to corresponding places.
std::optional<RecordDifference> compareRecords(const Record &first,
                                               const Record &second);

/// "0x2a = 42", "1.5", "'X' + 16": a readable value.
std::string textOf(const RecordedValue &value, const RecordedLaunch &launch);
/// One to eight bytes in all plausible number formats: "3f800000 (f32 1, i32
/// 1065353216)"; with a type such as "f32", only in that format.
std::string numberText(std::string_view bytes, std::string_view type);
/// The size in bytes of an element of a type such as "f32", "i64", "u8"; 0 for
/// an unknown type.
uint64_t sizeOfType(std::string_view type);

} // namespace sluice

#endif // SLUICE_RUNTIME_RECORD_COMPARERECORDS_H
