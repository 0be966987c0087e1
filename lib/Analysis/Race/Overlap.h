//===- Overlap.h - Whether two accesses can meet ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of the race check, free of graphs and code: two byte ranges
// that depend on the ids of two instances, and what is known about the ids.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_OVERLAP_H
#define SLUICE_LIB_ANALYSIS_RACE_OVERLAP_H

#include "LeafEffects.h"

#include <set>

namespace sluice::races {

/// Ids of one dimension of the level in which the two instances differ.
struct Difference {
  Symbol first, second;
};

/// Two accesses to the same memory. Symbols of kind Id and Turn are variables,
/// which are never negative; all others are parameters, about which nothing is
/// known but what `least` and the conditions say.
struct OverlapQuery {
  Polynomial firstOffset, secondOffset;
  int64_t firstSize = 1, secondSize = 1;
  std::vector<Condition> conditions;
  /// Exclusive upper bounds of variables.
  std::map<Symbol, Polynomial> bounds;
  /// The least values of parameters that have one.
  std::map<Symbol, int64_t> least;
  /// The instances differ in at least one of these ids; empty: they may be any.
  std::vector<Difference> differences;
  bool mustDiffer = false;
};

/// Proves that the ranges never overlap:
///   1. conditions contradict each other; or
///   2. the strides are a mixed radix system: sorted, each is at least what
///      all smaller ones can add up to, so equal addresses mean equal ids; or
///   3. the ranges lie apart; or
///   4. no multiple of the strides' greatest common divisor closes the gap.
bool areDisjoint(const OverlapQuery &query);

/// `second` is `first` plus `distance`.
struct TurnRelation {
  Symbol first, second;
  int64_t distance = 0;
};

/// Values for all variables with which the ranges overlap whatever the
/// parameters are, and for which all conditions hold for some parameters.
/// Searches small values only. `unmoved`: variables that must be 0; `turns`:
/// how variables must relate.
std::optional<std::map<Symbol, int64_t>>
findCollision(const OverlapQuery &query, const std::set<Symbol> &unmoved,
              const std::vector<TurnRelation> &turns);

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_OVERLAP_H
