//===- Roots.h - The memory of a program over regions ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One array per field. Views of parts alias it, so nothing is ever copied
// between a region and its subregions.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_PARTITIONS_ROOTS_H
#define SLUICE_RUNTIME_REGIONS_PARTITIONS_ROOTS_H

#include "ElementSet.h"

#include "sluice-c/Regions.h"
#include "sluice/Base/Status.h"

#include <cstring>

namespace sluice::regions {

/// Bytes of one value.
inline uint64_t sizeOf(SluiceElementType type) {
  static constexpr uint64_t sizes[] = {1, 2, 4, 8, 4, 8};
  return sizes[type];
}
/// "i8", "f64".
const char *typeName(SluiceElementType type);
inline bool isInteger(SluiceElementType type) { return type <= SLUICE_I64; }

/// The value of an integer type at `base[index]`.
int64_t readInteger(const void *base, SluiceElementType type, int64_t index);

/// Zeroed memory that costs nothing until it is touched, so that whoever
/// touches a page first has it nearby. Aligned to 64 bytes at least.
class FieldMemory {
public:
  FieldMemory() = default;
  /// `offset` shifts the start within its first lines, so that arrays of equal
  /// size do not compete for the same sets of a cache.
  static Result<FieldMemory> allocate(uint64_t bytes, uint64_t offset);
  FieldMemory(FieldMemory &&other) { swap(other); }
  FieldMemory &operator=(FieldMemory &&other) {
    swap(other);
    return *this;
  }
  ~FieldMemory();

  void *get() const { return start; }

private:
  void swap(FieldMemory &other) {
    std::swap(mapping, other.mapping);
    std::swap(mappedBytes, other.mappedBytes);
    std::swap(start, other.start);
  }
  void *mapping = nullptr;
  uint64_t mappedBytes = 0;
  char *start = nullptr;
};

struct Field {
  std::string name;
  SluiceElementType type;
  uint32_t count;
  FieldMemory memory;

  uint64_t elementBytes() const { return sizeOf(type) * count; }
};

struct Root {
  std::string name;
  uint32_t index;
  Shape shape;
  std::vector<Field> fields;

  /// The value of an integer field.
  int64_t readInteger(uint32_t field, int64_t position) const {
    return regions::readInteger(fields[field].memory.get(), fields[field].type,
                                position);
  }
};

/// Checks what the caller gave and allocates the memory.
Result<std::unique_ptr<Root>> makeRoot(const char *name, uint32_t index,
                                       int32_t rank, const int64_t *extents,
                                       uint32_t numFields,
                                       const SluiceField *fields);

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_PARTITIONS_ROOTS_H
