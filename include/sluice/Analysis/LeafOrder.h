//===- LeafOrder.h - Instances that wait for earlier ones -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In some leaves, only a part of an instance waits for parts of earlier
// instances, as an 'ordered' region of OpenMP does. Two calls in the leaf mark
// the part: before the first one, the instance has not waited; after the second
// one, no instance waits for it. An attribute names the earlier instances.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_LEAFORDER_H
#define SLUICE_ANALYSIS_LEAFORDER_H

#include "llvm/IR/Function.h"

#include <array>
#include <optional>
#include <vector>

namespace sluice {

/// Attribute of such a leaf: the number of dimensions, and the distances of the
/// earlier instances, as in "2 1,0 1,1". Calls of the two functions mark the
/// part.
inline constexpr llvm::StringLiteral orderAttribute = "sluice.order";
inline constexpr llvm::StringLiteral orderBegin = "llvm.hpvm.order.begin";
inline constexpr llvm::StringLiteral orderEnd = "llvm.hpvm.order.end";
/// Prefix of locks whose order does not matter: the instances that take such a
/// lock leave the same values in any order.
inline constexpr llvm::StringLiteral orderlessLock =
    "openmp.critical.orderless.";

} // namespace sluice

namespace sluice::races {

/// Which instances wait for which.
struct LeafOrder {
  /// With two, all instances with one id in y, the outer dimension, run in the
  /// order of their ids in x.
  unsigned dimensions = 1;
  /// In the outer and the inner dimension, from an instance to each one that it
  /// waits for, if there is one.
  std::vector<std::array<int64_t, 2>> distances = {};

  /// The order of a leaf, if it has one.
  static std::optional<LeafOrder> of(const llvm::Function &leaf);

  /// Whether an instance waits, directly or through others, for the one at this
  /// distance. It may not where others are missing at the ends of dimensions.
  bool mayLead(int64_t outer, int64_t inner) const;

  /// In the inner dimension, an instance ends before the next one begins. So an
  /// access after the part of the earlier instance, and one before the part of
  /// the later instance, are each ordered as if the instances were one closer.
  static unsigned aside(bool isAwaited, bool awaits) {
    return unsigned(!isAwaited) + unsigned(!awaits);
  }
};

/// A condition on two instances: a sum of a constant, of their distances in
/// both dimensions, and of the inner extent, with these factors, is not
/// positive, or not zero.
struct OrderLimit {
  bool isNotZero = false;
  int64_t constant = 0, outer = 0, inner = 0, innerExtent = 0;
};

/// The cases in which a later instance does not wait for an earlier one, each
/// with its conditions. `aside`: of LeafOrder::aside.
std::vector<std::vector<OrderLimit>> waysWithoutWait(const LeafOrder &order,
                                                     unsigned aside);

} // namespace sluice::races

#endif // SLUICE_ANALYSIS_LEAFORDER_H
