//===- Polynomial.h - Sums of products of symbols ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of leaves are linear in instance ids, but their strides are often
// arguments: `y * width + x`. So the race check computes with polynomials over
// integer symbols, with 64-bit coefficients. A value that is not a polynomial,
// such as `i / 4` or the truncation of `i` to a narrow type, is a symbol with a
// derivation from polynomials.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_TERMS_POLYNOMIAL_H
#define SLUICE_LIB_ANALYSIS_RACE_TERMS_POLYNOMIAL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace sluice::races {

struct Derivation;

/// A value that is not known at compile time.
struct Symbol {
  enum class Kind : uint8_t {
    /// Instance id; `index` is the level, `dimension` 0 to 2. In effects of
    /// leaves the level counts from the leaf upwards, elsewhere from the root
    /// downwards.
    Id,
    /// Number of instances of a level; only used in effects of leaves.
    Count,
    /// Argument `index` of the leaf or of the root.
    Argument,
    /// Iteration of loop `index` of a leaf; counts from 0.
    Turn,
    /// Output `index` of the node `owner`.
    Output,
    /// Value `index` of the function `owner`. It is only known to be the same
    /// for all instances.
    Value,
    /// The result of `derivation` for other values.
    Derived,
  };
  /// The compared instance to which a value belongs.
  enum class Side : uint8_t { Both, First, Second };

  Kind kind = Kind::Id;
  Side side = Side::Both;
  uint8_t dimension = 0;
  /// For Output and Argument: levels whose ids the value depends on.
  uint8_t levels = 0;
  unsigned index = 0;
  const void *owner = nullptr;
  /// For Argument: the width of its type; 0 means 64, or a pointer.
  uint8_t bits = 0;
  /// Derived only.
  std::shared_ptr<const Derivation> derivation = nullptr;

  friend std::strong_ordering operator<=>(const Symbol &a, const Symbol &b);
  friend bool operator==(const Symbol &a, const Symbol &b) {
    return (a <=> b) == 0;
  }
};

/// A product of symbols, sorted; empty for the constant term.
using Monomial = std::vector<Symbol>;

/// Overflow makes a polynomial invalid, along with everything computed from it.
class Polynomial {
public:
  Polynomial() = default;
  Polynomial(int64_t constant);
  static Polynomial of(const Symbol &symbol);

  bool isValid() const { return valid; }
  /// The value, if there are no symbols.
  std::optional<int64_t> asConstant() const;
  bool isZero() const { return valid && terms.empty(); }
  int64_t constantTerm() const;
  bool contains(const Symbol &symbol) const;
  /// `wanted` is not called for derived symbols, but for the symbols that they
  /// derive from.
  bool containsAny(llvm::function_ref<bool(const Symbol &)> wanted) const;
  const std::map<Monomial, int64_t> &getTerms() const { return terms; }
  std::vector<Symbol> symbols() const;
  /// The symbols that are not derived, including those within derivations.
  std::vector<Symbol> baseSymbols() const;

  Polynomial &operator+=(const Polynomial &other);
  Polynomial &operator-=(const Polynomial &other);
  friend Polynomial operator+(Polynomial a, const Polynomial &b) {
    return a += b;
  }
  friend Polynomial operator-(Polynomial a, const Polynomial &b) {
    return a -= b;
  }
  friend Polynomial operator*(const Polynomial &a, const Polynomial &b);
  friend bool operator==(const Polynomial &a, const Polynomial &b) {
    return (a <=> b) == 0;
  }
  friend std::strong_ordering operator<=>(const Polynomial &a,
                                          const Polynomial &b);

  /// The factor of `symbol`; none if it occurs in a higher power, or in the
  /// derivation of another symbol.
  std::optional<Polynomial> coefficientOf(const Symbol &symbol) const;
  /// The terms that contain no symbol accepted by `wanted`.
  Polynomial without(llvm::function_ref<bool(const Symbol &)> unwanted) const;
  /// Replaces every symbol that is not derived, also within derivations. The
  /// result is invalid if there is no replacement.
  Polynomial substitute(
      llvm::function_ref<std::optional<Polynomial>(const Symbol &)> by) const;
  /// The value with these numbers for symbols; none on overflow.
  std::optional<int64_t>
  evaluate(llvm::function_ref<int64_t(const Symbol &)> value) const;
  /// The integer `m` for which this is `m` times `other`.
  std::optional<int64_t> dividedBy(const Polynomial &other) const;

private:
  void add(const Monomial &monomial, int64_t coefficient);

  std::map<Monomial, int64_t> terms;
  bool valid = true;
};

//===----------------------------------------------------------------------===//
// Derivations
//===----------------------------------------------------------------------===//

// Masks, shifts, divisions, remainders and conversions to narrow types all
// derive from two functions: the truncation of a number to a type with some
// number of bits, and the quotient by a constant, rounded down. Values are
// unbounded numbers here, so each function does exactly what the machine does.

/// Numbers from `least` to `most`; the extremes of the type mean no limit.
struct IntegerRange {
  int64_t least = INT64_MIN, most = INT64_MAX;

  bool isWithin(const IntegerRange &other) const {
    return least >= other.least && most <= other.most;
  }
  bool isBounded() const { return least != INT64_MIN && most != INT64_MAX; }
  friend auto operator<=>(const IntegerRange &, const IntegerRange &) = default;
};

/// The values that a type of `bits` bits has.
IntegerRange rangeOfType(unsigned bits, bool isSigned);

/// Returns the range of a symbol that is not derived.
using Ranges = llvm::function_ref<IntegerRange(const Symbol &)>;

/// Facts that always hold: ids fit an `int` and are not negative, and arguments
/// fit their type.
IntegerRange naturalRange(const Symbol &symbol);

/// The derivation of a symbol from polynomials.
struct Derivation {
  enum class Op : uint8_t {
    /// The truncation of the only operand to a type of `bits` bits.
    Wrap,
    /// The quotient of the only operand by `divisor`, rounded down.
    Divide,
    /// The maximum of two operands.
    Maximum,
    /// An opaque function `code` of the operands, with values in `range`.
    Opaque,
  };
  Op op = Op::Wrap;
  bool isSigned = false;
  unsigned bits = 0, code = 0;
  int64_t divisor = 1;
  IntegerRange range = {};
  std::vector<Polynomial> operands;
  /// Derivations in this one.
  unsigned size = 1;

  friend std::strong_ordering operator<=>(const Derivation &a,
                                          const Derivation &b);

  /// The same derivation of other operands.
  Polynomial rebuild(llvm::ArrayRef<Polynomial> operands, Ranges ranges) const;
  Polynomial substitute(
      llvm::function_ref<std::optional<Polynomial>(const Symbol &)> by) const;
  /// None for opaque functions, and on overflow.
  std::optional<int64_t>
  evaluate(llvm::function_ref<int64_t(const Symbol &)> value) const;
};

/// These functions return a polynomial without a new symbol if `ranges` or the
/// form of the operands allow it, and an invalid one if derivations nest too
/// deeply. Types of 64 bits and more are assumed to hold their values.
Polynomial wrap(const Polynomial &value, unsigned bits, bool isSigned,
                Ranges ranges = naturalRange);
Polynomial divide(const Polynomial &value, int64_t divisor,
                  Ranges ranges = naturalRange);
Polynomial maximum(const Polynomial &a, const Polynomial &b,
                   Ranges ranges = naturalRange);
/// 1 if `value` is less than 0, otherwise 0.
Polynomial isNegative(const Polynomial &value);
/// The quotient rounded towards 0, as for signed numbers in C.
Polynomial truncatedQuotient(const Polynomial &value, int64_t divisor);
Polynomial opaque(unsigned code, unsigned bits,
                  llvm::ArrayRef<Polynomial> operands, IntegerRange range);
/// The code of a loaded value, as a function of the symbol of its memory and of
/// its place there in bytes.
inline constexpr unsigned loadCode = 1 << 20;
/// The code of a value of which only the type is known, as a function of a
/// unique number.
inline constexpr unsigned anyNumberCode = loadCode + 1;

/// The range of `value`.
IntegerRange rangeOf(const Polynomial &value, Ranges ranges = naturalRange);
IntegerRange rangeOf(const Symbol &symbol, Ranges ranges);

/// The value with each derivation replaced by the result of `rebuild` for it
/// and its operands, which have been replaced before.
Polynomial
rebuildDerived(const Polynomial &value,
               llvm::function_ref<Polynomial(const Derivation &,
                                             llvm::ArrayRef<Polynomial>)>
                   rebuild);

/// The same value, without derivations that `ranges` make superfluous.
Polynomial simplify(const Polynomial &value, Ranges ranges);

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_TERMS_POLYNOMIAL_H
