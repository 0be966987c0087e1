//===- LeafOrder.h - Instances that wait for earlier ones -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In some leaves, only a part of an instance waits for parts of earlier ones,
// as an 'ordered' region of OpenMP does. The leaf has two marks: from the first
// one on, the instance has waited; up to the second one, others wait for it.
// An attribute says for which instances an instance waits.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_LEAFORDER_H
#define SLUICE_ANALYSIS_LEAFORDER_H

#include "llvm/IR/Function.h"

#include <array>
#include <optional>
#include <vector>

namespace sluice {

/// Of a leaf in which parts of instances wait for parts of earlier ones: the
/// number of dimensions, and how far those are behind, as in "2 1,0 1,1". Calls
/// of these functions begin and end the part that waits.
inline constexpr llvm::StringLiteral orderAttribute = "sluice.order";
inline constexpr llvm::StringLiteral orderBegin = "llvm.hpvm.order.begin";
inline constexpr llvm::StringLiteral orderEnd = "llvm.hpvm.order.end";
/// In names of locks: what instances leave in memory that such a lock guards
/// does not depend on which comes first.
inline constexpr llvm::StringLiteral orderlessLock =
    "openmp.critical.orderless.";

} // namespace sluice

namespace sluice::races {

/// Who waits for whom.
struct LeafOrder {
  /// With two, instances with the same id in the outer one, y, are in the order
  /// of their ids in x, all of them.
  unsigned dimensions = 1;
  /// An instance waits for those that are so far behind in the outer and in the
  /// inner dimension, if there are such.
  std::vector<std::array<int64_t, 2>> distances = {};

  /// That of a leaf, if it has one.
  static std::optional<LeafOrder> of(const llvm::Function &leaf);

  /// Whether an instance waits for one that is so far behind, or for others
  /// that do. It may not if others are missing at the ends of dimensions.
  bool mayLead(int64_t outer, int64_t inner) const;

  /// What the earlier instance does behind its part is done before the next one
  /// in the inner dimension begins; what the later one does before its part
  /// comes after the one before it. So much nearer are those that wait.
  static unsigned aside(bool isAwaited, bool awaits) {
    return unsigned(!isAwaited) + unsigned(!awaits);
  }
};

/// Two ids of the dimension `outer` - and `inner` - further on: this sum of
/// their distances and of the inner extent is not positive, or not zero.
struct OrderLimit {
  bool isNotZero = false;
  int64_t constant = 0, outer = 0, inner = 0, innerExtent = 0;
};

/// The ways in which a later instance may run without waiting for an earlier
/// one, each with what it needs. `aside`: of LeafOrder::aside.
std::vector<std::vector<OrderLimit>> waysWithoutWait(const LeafOrder &order,
                                                     unsigned aside);

} // namespace sluice::races

#endif // SLUICE_ANALYSIS_LEAFORDER_H
