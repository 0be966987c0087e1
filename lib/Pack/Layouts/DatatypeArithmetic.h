//===- DatatypeArithmetic.h - Sizes and bounds in 64 bits -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts and strides come from programs, so every product and sum of them may
// exceed 64 bits. These functions compute them or throw an error that names the
// constructor and both values.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_LAYOUTS_DATATYPEARITHMETIC_H
#define SLUICE_LIB_PACK_LAYOUTS_DATATYPEARITHMETIC_H

#include "sluice/Base/Text.h"
#include "sluice/Pack/DatatypeBase.h"

namespace farc {

/// Computes for one constructor, which error messages name.
class Arithmetic {
public:
  explicit Arithmetic(const char *constructor) : constructor(constructor) {}

  int64_t add(int64_t left, int64_t right) const {
    int64_t sum;
    if (__builtin_add_overflow(left, right, &sum))
      overflow(left, "plus", right);
    return sum;
  }
  int64_t subtract(int64_t left, int64_t right) const {
    int64_t difference;
    if (__builtin_sub_overflow(left, right, &difference))
      overflow(left, "minus", right);
    return difference;
  }
  int64_t multiply(int64_t left, int64_t right) const {
    int64_t product;
    if (__builtin_mul_overflow(left, right, &product))
      overflow(left, "times", right);
    return product;
  }

  /// Throws for an argument that is never valid.
  template <typename... Parts>
  [[noreturn]] void impossible(const Parts &...parts) const {
    throw Error(Error::ARGUMENT, sluice::concat(constructor, ": ", parts...));
  }
  /// Throws if `value` is negative; `what` names the argument.
  template <typename... Parts>
  void requireNotNegative(int64_t value, const Parts &...what) const {
    if (value < 0)
      impossible(what..., " must not be negative, but is ", value);
  }

private:
  [[noreturn]] void overflow(int64_t left, const char *operation,
                             int64_t right) const {
    throw Error(Error::OVERFLOW_64,
                sluice::concat(constructor, ": ", left, " ", operation, " ",
                               right, " does not fit into 64 bits"));
  }

  const char *constructor;
};

/// Computes the bounds of a type from its blocks.
class BoundsUnion {
public:
  explicit BoundsUnion(const char *constructor) : compute(constructor) {}

  /// Adds `instances` (at least one) of `base`, the lowest of them at `low`
  /// bytes and the highest at `high`.
  void add(const Datatype &base, int64_t instances, int64_t low, int64_t high);
  /// Adds `blocklen` (at least one) consecutive instances of `base` from
  /// `displacement` on.
  void addBlock(const Datatype &base, int64_t blocklen, int64_t displacement);
  /// Adds a type without instances: it only counts for the depth.
  void addDepth(const Datatype &base);
  /// The bounds; with `padded` the end is padded to the alignment, unless the
  /// bounds are marked.
  Bounds finish(bool padded) const;

private:
  void addBounds(bool areMarked, int64_t lower, int64_t upper);

  Arithmetic compute;
  Bounds bounds;
  bool hasInstances = false;
  bool hasBytes = false;
};

} // namespace farc

#endif // SLUICE_LIB_PACK_LAYOUTS_DATATYPEARITHMETIC_H
