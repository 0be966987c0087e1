//===- Pairs.h - Two accesses of two instances ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_PAIRS_H
#define SLUICE_LIB_ANALYSIS_RACE_PAIRS_H

#include "Overlap.h"
#include "Tree.h"
#include "sluice/Analysis/Races.h"

namespace sluice::races {

/// How an instance of one leaf and one of another (or the same) leaf run at
/// the same time.
struct Relation {
  /// Levels, from the root, in which both have the same ids.
  unsigned equalLevels = 0;
  /// The ids of the next level differ; else both are any instances.
  bool mustDiffer = false;
  RaceKind kind = RaceKind::NoEdge;
  /// The siblings without an order, or the replicated node.
  const TreeNode *source = nullptr, *sink = nullptr;
};

/// An access of a leaf at one place of the graph, in terms of the root's
/// arguments; levels of ids count from the root.
struct PlacedAccess {
  const LeafAccess *access = nullptr;
  Target target;
  std::optional<Polynomial> offset;
  std::vector<Condition> conditions;
  bool isCertain = true;
};

/// True if the leaf says, by sluice_assume_disjoint, that what one instance
/// touches by `a` no other one touches by `b`.
bool areAssumedDisjoint(const LeafAccess &a, const LeafAccess &b);

/// Decides about pairs of accesses of one tree.
class Comparer {
public:
  explicit Comparer(const Tree &tree);

  /// Accesses of a leaf that differ in anything that matters.
  const std::vector<PlacedAccess> &accessesOf(const TreeNode &leaf) const {
    return accesses.at(&leaf);
  }
  /// Nothing if the two accesses are ordered or never meet.
  std::optional<RaceFinding>
  compare(const TreeNode &first, const PlacedAccess &a, const TreeNode &second,
          const PlacedAccess &b, const Relation &relation) const;
  /// A finding with its accesses and memory filled in.
  RaceFinding describe(const TreeNode &first, const PlacedAccess &a,
                       const TreeNode &second, const PlacedAccess &b) const;
  std::string describeMemory(const MemoryObject &object) const;

private:
  void place(const TreeNode &leaf);

  const Tree &tree;
  std::map<const TreeNode *, std::vector<PlacedAccess>> accesses;
};

/// The graphs of which no node is made.
std::vector<dfg::GraphOp> rootsOf(mlir::ModuleOp graphs);

/// True if a bind of the root streams.
bool isStreaming(dfg::GraphOp root);

/// Reports which memory makes stages of a stream wait for each other.
void findSerialStages(const Tree &tree, const Comparer &comparer,
                      RaceReport &report);

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_PAIRS_H
