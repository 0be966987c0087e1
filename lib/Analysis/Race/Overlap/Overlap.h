//===- Overlap.h - Whether two accesses can meet ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of the race check, free of graphs and code: two byte ranges
// that depend on the ids of two instances, and facts about these ids.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_OVERLAP_OVERLAP_H
#define SLUICE_LIB_ANALYSIS_RACE_OVERLAP_OVERLAP_H

#include "../Effects/LeafEffects.h"
#include "../Terms/Polynomial.h"

#include <set>

namespace sluice::races {

/// Ids of one dimension of the level in which the two instances differ.
struct DifferingIds {
  Symbol first, second;
};

/// True if the symbol of a question is a variable, which is never negative.
/// Otherwise, it is a parameter, about which only the question's facts are
/// known.
inline bool isVariable(const Symbol &symbol) {
  return symbol.kind == Symbol::Kind::Id || symbol.kind == Symbol::Kind::Turn;
}

/// A variable of one instance, not of both.
inline bool isFree(const Symbol &symbol) {
  return isVariable(symbol) && symbol.side != Symbol::Side::Both;
}

/// Two accesses to the same memory.
struct OverlapQuery {
  Polynomial firstOffset, secondOffset;
  int64_t firstSize = 1, secondSize = 1;
  std::vector<Condition> conditions;
  /// Exclusive upper bounds of variables.
  std::map<Symbol, Polynomial> bounds;
  /// The least values of parameters that have one.
  std::map<Symbol, int64_t> least;
  /// The instances differ in at least one of these ids; empty: they may be any.
  std::vector<DifferingIds> differences;
  bool mustDiffer = false;
};

/// The known ranges of the symbols of a question.
class QueryRanges {
public:
  explicit QueryRanges(const OverlapQuery &query);
  IntegerRange of(const Symbol &symbol) const;

private:
  void learn(const Polynomial &value);
  std::map<Symbol, IntegerRange> known;
};

/// True if anything in `query` is a derived value.
bool hasDerived(const OverlapQuery &query);

/// The same question, with derived values only where the ranges of all others
/// do not make them superfluous.
OverlapQuery simplify(const OverlapQuery &query);

/// A level and a dimension of ids.
using IdDimension = std::pair<unsigned, unsigned>;

/// The assumptions of assumeUsualExtents that were needed.
struct UsualExtents {
  /// The extents of these are below the limit.
  std::set<Symbol> ids;
  /// Loops whose limits are open have fewer turns than a quarter of it.
  bool hasTurns = false;

  bool isEmpty() const { return ids.empty() && !hasTurns; }
};

/// The question for grids whose open extents are below two to the power of
/// `exponent`, but for those of `without`, as far as conversions to types of 32
/// bits and more are concerned. Adds to `needed` what made a difference.
OverlapQuery assumeUsualExtents(const OverlapQuery &query, unsigned exponent,
                                UsualExtents *needed = nullptr,
                                const std::set<IdDimension> &without = {});

/// A question whose answer "disjoint" holds for `query`, in which all that
/// depends on ids and turns is a polynomial; none if there is no such one.
std::optional<OverlapQuery> withoutDerived(const OverlapQuery &query);

/// Proves that the ranges never overlap, over whole numbers: for questions that
/// are linear and small, the proof is found if there is one. Counts
/// `searchesLeft` down, and gives up at 0.
bool areDisjointNumbers(const OverlapQuery &query, unsigned &searchesLeft);

/// Proves that the ranges of a query without derived variables never overlap:
///   1. conditions contradict each other; or
///   2. the strides are a mixed radix system: sorted, each is at least what
///      all smaller ones can add up to, so equal addresses mean equal ids; or
///   3. the ranges lie apart; or
///   4. no multiple of the strides' greatest common divisor closes the gap; or
///   5. all that holds with a sum of variables in the place of these.
bool areDisjoint(const OverlapQuery &query);

/// Proves the same where a condition bounds a sum of variables, by two
/// questions for `prove`: whether accesses with different sums never overlap,
/// and whether no two instances have equal ones.
bool areDisjointJointly(const OverlapQuery &query,
                        llvm::function_ref<bool(const OverlapQuery &)> prove);

/// The question for instances whose ids differ by at least `least`: `more` is
/// `less` plus `least` plus a number that is not negative.
OverlapQuery withDistance(OverlapQuery query, const Symbol &more,
                          const Symbol &less, int64_t least);

/// Proves the same where an address is no sum of strides, or two are an unknown
/// number apart: one access comes before the other wherever one id, or one turn
/// of a loop, is less than the other instance's; and `prove` shows it where the
/// two are equal.
bool areDisjointInOrder(const OverlapQuery &query,
                        llvm::function_ref<bool(const OverlapQuery &)> prove);

/// Proves the same where addresses contain quotients and remainders by numbers
/// that are not known, by questions without them for `prove`.
bool areDisjointByRemainders(
    const OverlapQuery &query,
    llvm::function_ref<bool(const OverlapQuery &)> prove);

/// Entries of a table that two instances read to find their places.
struct TableUse {
  /// The memory of the table, and the entries' places there in bytes.
  Symbol memory;
  Polynomial first, second;
  unsigned bits = 0;
  /// The first address without the entry.
  Polynomial rest = {};
  /// The rests do not depend on which entries are read.
  bool hasFreeRest = false;
};

/// Proves the same where tables say where instances go, by questions without
/// their entries for `prove`: under the condition that of each table no two
/// entries are equal. `isTable` says of the memory of loaded values whether
/// that is asked; adds to `tables` the entries for which it is needed.
bool areDisjointByTables(const OverlapQuery &query,
                         llvm::function_ref<bool(const Symbol &)> isTable,
                         std::vector<TableUse> &tables,
                         llvm::function_ref<bool(const OverlapQuery &)> prove,
                         unsigned depth = 3);

/// Replaces a derived symbol wherever it occurs.
Polynomial replaceDerived(const Polynomial &in, const Symbol &symbol,
                          const Polynomial &value);

/// Makes variables of parameters that the addresses differ by and that are not
/// negative and have a limit: the step of an algorithm is a row as well. False
/// if there are none.
bool makeVariables(OverlapQuery &query);

/// Replaces turns of loops by how many follow them where that makes an address
/// shorter: those of a loop that counts down from a parameter, whose addresses
/// then look like those of one that counts up. False if there are none.
bool countUpward(OverlapQuery &query);

/// How a condition shows a parameter.
enum class ParameterAs { MoreThanOthers, LessThanOthers, LessThanNumber };

/// Writes parameters as what conditions compare them with, and a number that is
/// not negative more or less: a pitch as a width and more. False if no
/// condition shows one in that way.
bool replaceParameters(OverlapQuery &query, ParameterAs as);

/// True if `holds` does for `query` in every case of comparisons and maxima
/// that its addresses depend on, as far as `depth` of them.
bool holdsInAllCases(const OverlapQuery &query,
                     llvm::function_ref<bool(const OverlapQuery &)> holds,
                     unsigned depth = 6);

/// The same query with more conditions, which follow from the others: in a
/// case, an address may have lost an id, and what conditions say of that id
/// they say of those that they compare it with.
OverlapQuery withImplied(const OverlapQuery &query);

/// `second` is `first` plus `distance`.
struct TurnRelation {
  Symbol first, second;
  int64_t distance = 0;
};

/// Values for all variables with which the ranges overlap whatever the
/// parameters are, and for which all conditions hold for some parameters, which
/// are given as well. Searches small values only. `unmoved`: variables that
/// must be 0; `turns`: how variables must relate. Continues to search while
/// `accept` returns false.
std::optional<std::map<Symbol, int64_t>> findCollision(
    const OverlapQuery &query, const std::set<Symbol> &unmoved,
    const std::vector<TurnRelation> &turns,
    llvm::function_ref<bool(const std::map<Symbol, int64_t> &)> accept);

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_OVERLAP_OVERLAP_H
