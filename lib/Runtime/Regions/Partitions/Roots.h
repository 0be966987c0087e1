//===- Roots.h - The memory of a program over regions ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One array per field. Views of parts alias it, so nothing is copied between a
// region and its subregions.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_PARTITIONS_ROOTS_H
#define SLUICE_RUNTIME_REGIONS_PARTITIONS_ROOTS_H

#include "ElementSet.h"

#include "sluice-c/Regions.h"
#include "sluice/Base/Status.h"

#include <cstring>

namespace sluice::regions {

/// The size of one value in bytes.
inline uint64_t sizeOf(SluiceElementType type) {
  static constexpr uint64_t sizes[] = {1, 2, 4, 8, 4, 8};
  return sizes[type];
}
/// "i8", "f64".
const char *typeName(SluiceElementType type);
inline bool isInteger(SluiceElementType type) { return type <= SLUICE_I64; }

/// The value of an integer type at `base[index]`.
int64_t readInteger(const void *base, SluiceElementType type, int64_t index);

/// Whether memory may get large pages wherever it is accessed, or only on
/// request.
enum class Pages { Large, Small };

/// Zeroed memory that costs nothing until it is accessed, so that the thread
/// that first accesses a page gets it locally. Aligned to at least 64 bytes.
class FieldMemory {
public:
  FieldMemory() = default;
  /// `offset` shifts the start within the first cache lines, so that arrays of
  /// equal size do not compete for the same cache sets.
  static Result<FieldMemory> allocate(uint64_t bytes, uint64_t offset,
                                      Pages pages = Pages::Large);
  /// Memory of another owner, which must outlive this object.
  static FieldMemory borrow(void *memory);
  FieldMemory(FieldMemory &&other) { swap(other); }
  FieldMemory &operator=(FieldMemory &&other) {
    swap(other);
    return *this;
  }
  ~FieldMemory();

  void *get() const { return start; }
  /// Requests large pages where most will be accessed. `touched`: sorted and
  /// disjoint.
  void useLargePages(const Runs &touched, uint64_t elementBytes) const;

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
  /// Memory contains exactly the elements of this box, in order: all elements,
  /// unless there are several ranks.
  Box stored;

  /// The stride of the elements in memory.
  int64_t stride(int dimension) const {
    int64_t product = 1;
    for (int d = dimension + 1; d < SLUICE_MAX_RANK; ++d)
      product *= stored.upper[d] - stored.lower[d];
    return product;
  }
  bool isWhole() const { return stored == Box::whole(shape); }
  /// The address of a field's element with coordinates 0, even if it is not
  /// stored.
  void *base(uint32_t field) const;
  /// Indices in memory of runs whose elements are in memory.
  Runs indicesOf(const Runs &positions) const;

  /// The value of an integer field; the whole root must be in memory.
  int64_t readInteger(uint32_t field, int64_t position) const {
    return regions::readInteger(fields[field].memory.get(), fields[field].type,
                                position);
  }
};

/// Checks the caller's arguments and allocates the memory.
Result<std::unique_ptr<Root>> makeRoot(const char *name, uint32_t index,
                                       int32_t rank, const int64_t *extents,
                                       uint32_t numFields,
                                       const SluiceField *fields,
                                       Pages pages = Pages::Large);
/// Memory for the elements of a box.
Result<FieldMemory> allocateField(const Root &root, uint32_t field,
                                  const Box &box, Pages pages);

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_PARTITIONS_ROOTS_H
