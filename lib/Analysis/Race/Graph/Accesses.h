//===- Accesses.h - What leaves touch, in terms of the root -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The effects of a leaf, with the ids, extents and arguments of each place of
// the graph that it stands at.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_GRAPH_ACCESSES_H
#define SLUICE_LIB_ANALYSIS_RACE_GRAPH_ACCESSES_H

#include "Tree.h"
#include "sluice/Analysis/Races.h"

#include <set>

namespace sluice::races {

/// An access of a leaf at one place of the graph, in terms of the root's
/// arguments; levels of ids count from the root.
struct PlacedAccess {
  const LeafAccess *access = nullptr;
  Target target;
  std::optional<Polynomial> offset;
  /// The offset where memory is read that nobody writes, and the offsets of the
  /// access's guards; each only if it is known.
  std::optional<Polynomial> followed = {};
  std::vector<std::optional<Polynomial>> guards = {};
  std::vector<Condition> conditions = {};
  bool isCertain = true;
  /// This and all accesses that no comparison tells apart from it.
  std::vector<const llvm::Instruction *> origins = {};
};

/// One of the two writes, and not both are atomic.
bool conflict(const LeafAccess &a, const LeafAccess &b);

/// True if the leaf says, by sluice_assume_disjoint, that what one instance
/// touches by `a` no other one touches by `b`. Only the first `numCalls` of the
/// calls count.
bool areAssumedDisjoint(const LeafAccess &a, const LeafAccess &b,
                        unsigned numCalls = -1u);

/// True if what `x` and `y` say cannot hold for two instances at the same time,
/// if both speak of the same place.
bool excludeEachOther(const LeafGuard &x, const LeafGuard &y);

/// The object that a guard is part of; none if it is not known to be one that
/// all instances share, and that has one name in the leaf.
std::optional<MemoryObject> objectOfGuard(const TreeNode &leaf,
                                          const LeafGuard &guard);

/// The accesses of all leaves of a tree.
class PlacedAccesses {
public:
  explicit PlacedAccesses(const Tree &tree);

  /// Accesses of a leaf that differ in anything that matters.
  const std::vector<PlacedAccess> &of(const TreeNode &leaf) const {
    return accesses.at(&leaf);
  }
  /// A finding with its accesses and memory filled in.
  RaceFinding describe(const TreeNode &first, const PlacedAccess &a,
                       const TreeNode &second, const PlacedAccess &b) const;
  std::string describeMemory(const MemoryObject &object) const;
  std::string describeGuard(const TreeNode &leaf, const LeafGuard &guard) const;

private:
  void place(const TreeNode &leaf);
  bool readsConstants(const TreeNode &leaf, const Polynomial &value) const;

  const Tree &tree;
  /// What leaves write while others may, which is no race.
  std::set<MemoryObject> writtenInTurns;
  std::map<const TreeNode *, std::vector<PlacedAccess>> accesses;
};

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_GRAPH_ACCESSES_H
