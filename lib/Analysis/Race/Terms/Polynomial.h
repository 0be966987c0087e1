//===- Polynomial.h - Sums of products of symbols ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of leaves are linear in instance ids, but their strides are often
// arguments: `y * width + x`. So the race check computes with polynomials over
// integer symbols, with 64-bit coefficients. What is no polynomial, such as
// `i / 4` or what a narrow type leaves of `i`, is a symbol with a derivation:
// how it follows from polynomials.
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
    /// Number of instances of a level; in effects of leaves only.
    Count,
    /// Argument `index` of the leaf or of the root.
    Argument,
    /// Turn of loop `index` of a leaf; counts from 0.
    Turn,
    /// Output `index` of the node `owner`.
    Output,
    /// Value `index` of the function `owner`, about which only this is known:
    /// it is the same for all instances.
    Value,
    /// What `derivation` makes of other values.
    Derived,
  };
  /// Which of two compared instances a value belongs to.
  enum class Side : uint8_t { Both, First, Second };

  Kind kind = Kind::Id;
  Side side = Side::Both;
  uint8_t dimension = 0;
  /// Levels whose ids the value depends on; Output and Argument.
  uint8_t levels = 0;
  unsigned index = 0;
  const void *owner = nullptr;
  /// Argument: the width of its type; 0 stands for 64, or for a pointer.
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

/// Overflow makes a polynomial invalid, and with it all that is computed from
/// it.
class Polynomial {
public:
  Polynomial() = default;
  Polynomial(int64_t constant);
  static Polynomial of(const Symbol &symbol);

  bool isValid() const { return valid; }
  /// The value, if no symbol occurs.
  std::optional<int64_t> asConstant() const;
  bool isZero() const { return valid && terms.empty(); }
  int64_t constantTerm() const;
  bool contains(const Symbol &symbol) const;
  /// Derived symbols are not asked about, but what they follow from is.
  bool containsAny(llvm::function_ref<bool(const Symbol &)> wanted) const;
  const std::map<Monomial, int64_t> &getTerms() const { return terms; }
  std::vector<Symbol> symbols() const;
  /// The symbols that are not derived, those within derivations included.
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

  /// What `symbol` is multiplied by; none if it occurs in a higher power, or
  /// in the derivation of another symbol.
  std::optional<Polynomial> coefficientOf(const Symbol &symbol) const;
  /// The terms in which none of the symbols that `wanted` accepts occurs.
  Polynomial without(llvm::function_ref<bool(const Symbol &)> unwanted) const;
  /// Replaces every symbol that is not derived, also within derivations;
  /// invalid where the replacement is none.
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
// follow from two functions: what is left of a number in a type of so many
// bits, and the quotient by a constant, rounded down. Values are numbers
// without a limit here, so each function says exactly what the machine does.

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
/// 1 where `value` is less than 0, else 0.
Polynomial isNegative(const Polynomial &value);
/// The quotient rounded towards 0, as signed numbers of C have it.
Polynomial truncatedQuotient(const Polynomial &value, int64_t divisor);
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

#endif // SLUICE_LIB_ANALYSIS_RACE_TERMS_POLYNOMIAL_H
