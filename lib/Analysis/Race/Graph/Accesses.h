//===- Accesses.h - Accesses of leaves in terms of the root -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The effects of a leaf, with the ids, extents and arguments of each place
// where the leaf occurs in the graph.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_GRAPH_ACCESSES_H
#define SLUICE_LIB_ANALYSIS_RACE_GRAPH_ACCESSES_H

#include "Tree.h"
#include "sluice/Analysis/Races.h"

#include <set>

namespace sluice::races {

/// An access of a leaf at one place of the graph, in terms of the root's
/// arguments. Levels of ids count from the root.
struct PlacedAccess {
  const LeafAccess *access = nullptr;
  PointerTarget target;
  std::optional<Polynomial> offset;
  /// LeafAccess::followed if it reads memory that nothing writes, otherwise
  /// LeafAccess::within; and the offsets of the access's guards.
  std::optional<Polynomial> followed = {};
  std::vector<std::optional<Polynomial>> guards = {};
  /// LeafAccess::pointers.
  std::vector<Polynomial> pointers = {};
  std::vector<Condition> conditions = {};
  /// LeafAccess::followedConditions, if nothing writes the memory that they
  /// read.
  std::optional<std::vector<Condition>> followedConditions = {};
  bool isCertain = true;
  /// This access and all accesses that no comparison distinguishes from it.
  std::vector<const llvm::Instruction *> origins = {};
};

/// The `chunkAttribute` of the access's leaf, 1 without it.
int64_t chunkOf(const PlacedAccess &access);

/// True if one of the two writes, and not both are atomic.
bool conflict(const LeafAccess &a, const LeafAccess &b);

/// True if the leaf states, by sluice_assume_disjoint, that no other instance
/// accesses by `b` the memory that one instance accesses by `a`. Only the first
/// `numCalls` of the calls count.
bool areAssumedDisjoint(const LeafAccess &a, const LeafAccess &b,
                        unsigned numCalls = -1u);

/// True if `x` and `y` cannot hold for two instances at the same time, provided
/// that both refer to the same place.
bool excludeEachOther(const LeafGuard &x, const LeafGuard &y);

/// The object that contains a guard. None unless all instances are known to
/// share it and it has a single name in the leaf.
std::optional<MemoryObject> objectOfGuard(const TreeNode &leaf,
                                          const LeafGuard &guard);

/// The accesses of all leaves of a tree.
class PlacedAccesses {
public:
  explicit PlacedAccesses(const Tree &tree);

  /// The accesses of a leaf, merged unless they differ in a relevant way.
  const std::vector<PlacedAccess> &of(const TreeNode &leaf) const {
    return accesses.at(&leaf);
  }
  /// A finding with its accesses and memory filled in.
  RaceFinding describe(const TreeNode &first, const PlacedAccess &a,
                       const TreeNode &second, const PlacedAccess &b) const;
  std::string describeMemory(const MemoryObject &object) const;
  /// True if all shared memory that the leaf reads, except `own`, consists of
  /// arguments of the root that nothing writes, and that the program does not
  /// fill itself: the host may pass any content.
  bool readsFreeInputs(const TreeNode &leaf, const MemoryObject &own) const;
  /// The memory that `memory` stands for in values of the leaf; none if it is
  /// more than one, or if anything in the graph may write it.
  std::optional<MemoryObject> unwritten(const TreeNode &leaf,
                                        const Symbol &memory) const;
  std::string describeGuard(const TreeNode &leaf, const LeafGuard &guard) const;

private:
  void place(const TreeNode &leaf);
  bool readsConstants(const TreeNode &leaf, const Polynomial &value) const;
  bool isWritten(const MemoryObject &object) const;

  const Tree &tree;
  /// Objects that leaves write while others may write them too, without a race.
  std::set<MemoryObject> writtenInTurns;
  std::map<const TreeNode *, std::vector<PlacedAccess>> accesses;
};

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_GRAPH_ACCESSES_H
