//===- Operators.h - Reduction operators on arrays ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds one array into another, element by element, for every operator and
// type.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_OPERATORS_H
#define SLUICE_RUNTIME_REGIONS_OPERATORS_H

#include "Partitions/Roots.h"

namespace sluice::regions {

/// An operator on the elements of one field.
class Operator {
public:
  Operator(const SluiceReduction &reduction, SluiceElementType type,
           uint32_t valuesPerElement);
  Operator(const SluiceReduction &reduction, const Field &field)
      : Operator(reduction, field.type, field.count) {}

  /// Sets `count` elements to the identity.
  void reset(void *elements, int64_t count) const;
  /// into = into (op) from for `count` elements; then sets `from` to the
  /// identity.
  void foldAndReset(void *into, void *from, int64_t count) const;
  /// Whether fresh, zeroed memory contains the identity.
  bool isZero() const { return hasZeroIdentity; }

private:
  using Kernel = void (*)(void *into, void *from, int64_t count);
  /// `count` values of a built-in operator.
  Kernel kernel = nullptr;
  void (*custom)(void *into, const void *value);
  const uint64_t elementBytes;
  const uint32_t valuesPerElement;
  /// One element.
  std::vector<char> identity;
  bool hasZeroIdentity;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_OPERATORS_H
