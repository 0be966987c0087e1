//===- Derivation.h - Values that are no polynomials ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks, shifts, divisions, remainders and conversions to narrow types all
// follow from two functions: what is left of a number in a type of so many
// bits, and the quotient by a constant, rounded down. Values are numbers
// without a limit here, so each function says exactly what the machine does.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_TERMS_DERIVATION_H
#define SLUICE_LIB_ANALYSIS_RACE_TERMS_DERIVATION_H

#include "Polynomial.h"

namespace sluice::races {

/// Numbers from `least` to `most`; the extremes of the type stand for no limit.
struct Range {
  int64_t least = INT64_MIN, most = INT64_MAX;

  bool isWithin(const Range &other) const {
    return least >= other.least && most <= other.most;
  }
  bool isBounded() const { return least != INT64_MIN && most != INT64_MAX; }
  friend auto operator<=>(const Range &, const Range &) = default;
};

/// The values that a type of `bits` bits has.
Range rangeOfType(unsigned bits, bool isSigned);

/// Says what values a symbol has that is not derived.
using Ranges = llvm::function_ref<Range(const Symbol &)>;

/// What is always true: ids fit an `int` and are not negative, arguments fit
/// their type.
Range naturalRange(const Symbol &symbol);

/// How a derived symbol follows from polynomials.
struct Derivation {
  enum class Op : uint8_t {
    /// What a type of `bits` bits keeps of the only operand.
    Wrap,
    /// The only operand by `divisor`, rounded down.
    Divide,
    /// The larger one of two operands.
    Maximum,
    /// Some function `code` of the operands, with values in `range`.
    Opaque,
  };
  Op op = Op::Wrap;
  bool isSigned = false;
  unsigned bits = 0, code = 0;
  int64_t divisor = 1;
  Range range = {};
  std::vector<Polynomial> operands;
  /// Derivations in this one.
  unsigned size = 1;

  friend std::strong_ordering operator<=>(const Derivation &a,
                                          const Derivation &b);

  /// The same of other operands.
  Polynomial rebuild(llvm::ArrayRef<Polynomial> operands, Ranges ranges) const;
  Polynomial substitute(
      llvm::function_ref<std::optional<Polynomial>(const Symbol &)> by) const;
  /// None for what is opaque, and on overflow.
  std::optional<int64_t>
  evaluate(llvm::function_ref<int64_t(const Symbol &)> value) const;
};

/// All of these give a polynomial without a new symbol where `ranges` or the
/// form of the operands allow it; and none that is valid where derivations nest
/// too deeply. Types of 64 bits and more are taken to hold their values.
Polynomial wrap(const Polynomial &value, unsigned bits, bool isSigned,
                Ranges ranges = naturalRange);
Polynomial divide(const Polynomial &value, int64_t divisor,
                  Ranges ranges = naturalRange);
Polynomial maximum(const Polynomial &a, const Polynomial &b,
                   Ranges ranges = naturalRange);
Polynomial opaque(unsigned code, unsigned bits,
                  llvm::ArrayRef<Polynomial> operands, Range range);

/// The values that `value` may have.
Range rangeOf(const Polynomial &value, Ranges ranges = naturalRange);
Range rangeOf(const Symbol &symbol, Ranges ranges);

/// The value with each derivation replaced by what `rebuild` makes of it and of
/// its operands, in which that was done before.
Polynomial
rebuildDerived(const Polynomial &value,
               llvm::function_ref<Polynomial(const Derivation &,
                                             llvm::ArrayRef<Polynomial>)>
                   rebuild);

/// The same value, with derivations only where `ranges` do not make them
/// superfluous.
Polynomial simplify(const Polynomial &value, Ranges ranges);

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_TERMS_DERIVATION_H
