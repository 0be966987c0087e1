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

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_TERMS_POLYNOMIAL_H
