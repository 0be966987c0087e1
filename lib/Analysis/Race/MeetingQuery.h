//===- MeetingQuery.h - The question about two accesses ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two accesses by two instances become one question over integers: their
// addresses, the limits of ids, and what the conditions say. Overlap/ answers
// it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_MEETINGQUERY_H
#define SLUICE_LIB_ANALYSIS_RACE_MEETINGQUERY_H

#include "Graph/Accesses.h"
#include "Overlap/Overlap.h"

namespace sluice::races {

/// The relation between an instance of one leaf and one of another (or the
/// same) leaf that run at the same time.
struct Relation {
  /// The number of levels, from the root, in which both have the same ids.
  unsigned equalLevels = 0;
  /// True if the ids of the next level differ; otherwise both are any
  /// instances.
  bool mustDiffer = false;
  /// The number of dimensions of that level along which instances run in order.
  unsigned orderedDims = 0;
  /// The relation of the ids in these dimensions for two instances without an
  /// order: either all are equal, or one id of the first instance is less and
  /// one is greater.
  struct Apart {
    bool areEqual = false;
    unsigned less = 0, greater = 0;
  } apart;
  /// Who of one leaf waits for whom, if `mustDiffer`, and what two ids of that
  /// level are like where nobody does: the second minus the first.
  const LeafOrder *order = nullptr;
  std::vector<OrderLimit> limits = {};
  RaceKind kind = RaceKind::NoEdge;
  /// The siblings without an order, or the replicated node.
  const TreeNode *source = nullptr, *sink = nullptr;
};

/// Builds the question about two addresses.
class QueryBuilder {
public:
  QueryBuilder(const Relation &relation) : relation(relation) {}

  /// With these offsets.
  OverlapQuery build(const TreeNode &first, const PlacedAccess &a,
                     const Polynomial &firstOffset, const TreeNode &second,
                     const PlacedAccess &b, const Polynomial &secondOffset);
  Polynomial tag(const Polynomial &value, Symbol::Side side) const;

private:
  Symbol tag(Symbol symbol, Symbol::Side side) const;
  /// Whether the instances have the same id there although they differ.
  bool isEqualDimension(unsigned level, unsigned dimension) const {
    return level == relation.equalLevels && relation.apart.areEqual &&
           relation.orderedDims >> dimension & 1;
  }
  void addLeast(const Polynomial &extent);
  void addLevels(const TreeNode &leaf, Symbol::Side side);
  void addConditions(const PlacedAccess &access, Symbol::Side side);
  void addSameMemory(const TreeNode &first, const PlacedAccess &a,
                     const TreeNode &second, const PlacedAccess &b);
  void addSamePointers(const PlacedAccess &a, const PlacedAccess &b);
  void addDifferences(unsigned dimensions);
  void addLimits(const TreeNode &node);

  /// Extents with larger constants say nothing of their arguments.
  static constexpr int64_t maxConstant = int64_t(1) << 40;

  const Relation &relation;
  OverlapQuery query;
};

/// All ways in which instances are not ordered: their ids are equal in the
/// ordered dimensions, or one is less in one of them and greater in another;
/// or neither waits for the other.
std::vector<Relation> waysApart(const TreeNode &first, const PlacedAccess &a,
                                const PlacedAccess &b,
                                const Relation &relation);

/// False for memory behind pointers that may be the same although the pointers
/// are at different places: those of two members of one record.
bool leadToComparable(const PlacedAccess &a, const PlacedAccess &b);

/// The question about two accesses, with what is loaded from memory as a value
/// where the address depends on it.
std::optional<OverlapQuery> followedQuery(QueryBuilder builder,
                                          const TreeNode &first,
                                          const PlacedAccess &a,
                                          const TreeNode &second,
                                          const PlacedAccess &b);

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_MEETINGQUERY_H
