//===- FieldRanges.h - Where the fields of checked programs are -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An address is either in a field of a checked program, or in a private copy
// of one, or near one, or not the check's business: in a variable of the code.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_CHECKS_FIELDRANGES_H
#define SLUICE_RUNTIME_REGIONS_CHECKS_FIELDRANGES_H

#include <cstdint>

namespace sluice::regions {

/// The memory of one field or of one private copy, with what is unused around
/// it.
struct FieldRange {
  uintptr_t begin, end;
  bool contains(uintptr_t address) const {
    return address >= begin && address < end;
  }
};

class FieldRanges {
public:
  /// From now on, memory of fields has unused memory around it.
  static void begin();
  /// The bytes of unused memory before and behind a field; 0 without checks.
  static uint64_t margin();

  static void add(const void *begin, uint64_t bytes);
  /// Does nothing for memory that was not added.
  static void remove(const void *begin);
  /// The range with this address; empty: there is none.
  static FieldRange around(uintptr_t address);
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_CHECKS_FIELDRANGES_H
