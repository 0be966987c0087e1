//===- Intervals.h - Bounds of expressions, computed at run time *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits code that computes, for an expression of scalar evolution, its minimum
// and its maximum over all instances. Values are signed; if a value leaves the
// range of its type, the interval is unknown.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_TOUCH_INTERVALS_H
#define SLUICE_LIB_CODEGEN_DEVICE_TOUCH_INTERVALS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include <array>
#include <optional>

namespace sluice::codegen {

/// low <= value <= high holds if `isKnown` (i1) is true when the code runs.
struct Interval {
  llvm::Value *low = nullptr, *high = nullptr, *isKnown = nullptr;

  static Interval of(llvm::Value *value) {
    return {value, value, llvm::ConstantInt::getTrue(value->getContext())};
  }
  /// first <= value < end.
  static Interval below(llvm::IRBuilderBase &b, llvm::Value *first,
                        llvm::Value *end) {
    return {first, b.CreateSub(end, b.getInt64(1)), b.getTrue()};
  }
};

/// The values of a kernel that the host knows.
struct KernelIntervals {
  llvm::DenseMap<const llvm::Value *, Interval> arguments;
  /// The intervals of the builtins, by dimension.
  std::array<std::optional<Interval>, 3> group, item, items, global;
};

class IntervalEmitter {
public:
  IntervalEmitter(llvm::IRBuilderBase &b, llvm::ScalarEvolution &evolution,
                  KernelIntervals known)
      : b(b), evolution(evolution), known(std::move(known)) {}

  /// The same, with the given numbers of items in all groups.
  IntervalEmitter
  withItems(const std::array<std::optional<Interval>, 3> &global) const {
    KernelIntervals narrowed = known;
    narrowed.global = global;
    return IntervalEmitter(b, evolution, std::move(narrowed));
  }
  const std::array<std::optional<Interval>, 3> &items() const {
    return known.global;
  }

  /// None if the expression depends on values that the host does not know.
  std::optional<Interval> of(const llvm::SCEV *expression);
  /// The sum of two intervals of `width` bits.
  Interval sum(const Interval &x, const Interval &y, unsigned width);

private:
  /// Deeper expressions are treated as unknown.
  static constexpr unsigned maxDepth = 64;

  llvm::IRBuilderBase &b;
  llvm::ScalarEvolution &evolution;
  KernelIntervals known;
  llvm::DenseMap<const llvm::SCEV *, std::optional<Interval>> done;
  unsigned depth = 0;

  std::optional<Interval> compute(const llvm::SCEV *expression);
  std::optional<Interval> ofValue(llvm::Value *value);
  std::optional<Interval> ofBuiltin(const llvm::Value *value);
  std::optional<Interval> ofRecurrence(const llvm::SCEVAddRecExpr *recurrence);
  std::optional<Interval> ofDivision(const llvm::SCEV *number,
                                     const llvm::SCEV *divisor);
  std::optional<Interval> ofOperation(const llvm::BinaryOperator &operation);
  std::optional<Interval> ofExtremes(const llvm::SCEVNAryExpr *expression,
                                     llvm::Intrinsic::ID operation,
                                     bool isUnsigned);
  Interval product(const Interval &x, const Interval &y, unsigned width);
  Interval hull(const Interval &x, const Interval &y);
  Interval within(Interval interval, unsigned width);
  Interval notNegative(Interval interval);
  llvm::Value *checked(llvm::Intrinsic::ID operation, llvm::Value *x,
                       llvm::Value *y, llvm::Value *&isKnown);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_TOUCH_INTERVALS_H
