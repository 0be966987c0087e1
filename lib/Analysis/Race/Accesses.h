//===- Accesses.h - What leaves touch, in terms of the root -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The effects of a leaf, with the ids, extents and arguments of each place of
// the graph that it stands at.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_ACCESSES_H
#define SLUICE_LIB_ANALYSIS_RACE_ACCESSES_H

#include "Tree.h"
#include "sluice/Analysis/Races.h"

namespace sluice::races {

/// An access of a leaf at one place of the graph, in terms of the root's
/// arguments; levels of ids count from the root.
struct PlacedAccess {
  const LeafAccess *access = nullptr;
  Target target;
  std::optional<Polynomial> offset;
  std::vector<Condition> conditions;
  bool isCertain = true;
  /// This and all accesses that no comparison tells apart from it.
  std::vector<const llvm::Instruction *> origins = {};
};

/// One of the two writes, and not both are atomic.
bool conflict(const LeafAccess &a, const LeafAccess &b);

/// True if the leaf says, by sluice_assume_disjoint, that what one instance
/// touches by `a` no other one touches by `b`.
bool areAssumedDisjoint(const LeafAccess &a, const LeafAccess &b);

/// What keeps two instances from executing `a` and `b` at the same time: a lock
/// that both hold, or the guard of a static that one of them initialises; null
/// if there is nothing.
const LeafGuard *commonGuard(const TreeNode &first, const LeafAccess &a,
                             const TreeNode &second, const LeafAccess &b);

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

  const Tree &tree;
  std::map<const TreeNode *, std::vector<PlacedAccess>> accesses;
};

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_ACCESSES_H
