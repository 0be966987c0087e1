//===- Inequalities.h - Proofs that polynomials are at least 0 --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Proofs about strides cannot handle the rows of a triangle, which do not start
// at multiples of a stride. Here, a polynomial is shown to be at least 0
// because other polynomials are, which the question contains.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_OVERLAP_INEQUALITIES_H
#define SLUICE_LIB_ANALYSIS_RACE_OVERLAP_INEQUALITIES_H

#include "Overlap.h"

namespace sluice::races {

/// The bounds and conditions of a question on its symbols.
class Inequalities {
public:
  explicit Inequalities(const OverlapQuery &query);

  /// True if `value` is shown to be at least 0 for all numbers that the
  /// question allows:
  ///   1. parameters are written as their least value and more, so that each
  ///      symbol is at least 0;
  ///   2. a sum of products with positive factors is at least 0, and so is what
  ///      is left of `value` without a multiple of a fact by such a product;
  ///   3. the multiples are those that remove a term with a negative factor.
  bool imply(const Polynomial &value) const;

private:
  void addFact(const Polynomial &value);
  void learnLeast(const Symbol &symbol, int64_t bound);
  void learnDerived(const Polynomial &value, const OverlapQuery &query,
                    const QueryRanges &ranges, std::vector<Polynomial> &told,
                    unsigned depth);
  Polynomial shift(Polynomial value) const;
  bool isNatural(const Monomial &monomial) const;
  bool isShown(const Polynomial &value, unsigned depth, unsigned &steps) const;

  /// Facts that remove one term after another, and attempts to remove one.
  static constexpr unsigned maxDepth = 8, maxSteps = 1500;
  static constexpr unsigned maxFacts = 48;

  /// At least 0, in terms of shifted symbols.
  std::vector<Polynomial> facts;
  /// Symbols that are not negative once they are shifted, and by how much.
  std::map<Symbol, int64_t> least;
  /// Derived symbols; those that are quotients without a rest.
  std::set<Symbol> known, exact;
};

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_OVERLAP_INEQUALITIES_H
