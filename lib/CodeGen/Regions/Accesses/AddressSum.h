//===- AddressSum.h - Sums of products in addresses -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ScalarEvolution does not multiply sums with unknown numbers, such as
// coordinates with strides. So two addresses are compared in this form.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_REGIONS_ACCESSES_ADDRESSSUM_H
#define SLUICE_LIB_CODEGEN_REGIONS_ACCESSES_ADDRESSSUM_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

#include <map>

namespace sluice::codegen {

/// A sum of products of values that ScalarEvolution does not divide further,
/// modulo 2^64.
class AddressSum {
public:
  using Product = llvm::SmallVector<const llvm::SCEV *, 3>;

  AddressSum() = default;
  explicit AddressSum(const llvm::SCEV *value);

  AddressSum operator*(const AddressSum &other) const;
  void add(const Product &product, uint64_t factor);
  void addTimes(uint64_t factor, const AddressSum &other);
  std::optional<int64_t>
  valueWith(const llvm::DenseMap<const llvm::SCEV *, int64_t> &values) const;

  /// By product, in ascending order of its values.
  std::map<Product, uint64_t> factors;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_REGIONS_ACCESSES_ADDRESSSUM_H
