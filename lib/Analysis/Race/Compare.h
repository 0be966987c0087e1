//===- Compare.h - Whether two accesses of two instances meet ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asked about accesses that nothing orders: a proof that they never meet, or
// two instances that do, or the reason why neither is found.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_COMPARE_H
#define SLUICE_LIB_ANALYSIS_RACE_COMPARE_H

#include "Graph/Accesses.h"
#include "Machine/Explorer.h"

namespace sluice::races {

/// How an instance of one leaf and one of another (or the same) leaf run at
/// the same time.
struct Relation {
  /// Levels, from the root, in which both have the same ids.
  unsigned equalLevels = 0;
  /// The ids of the next level differ; else both are any instances.
  bool mustDiffer = false;
  /// Dimensions of that level along which instances run in order.
  unsigned orderedDims = 0;
  /// What is known of the ids in these of two instances that nothing orders:
  /// all are equal, or one of the first is less and one is greater.
  struct Apart {
    bool areEqual = false;
    unsigned less = 0, greater = 0;
  } apart;
  RaceKind kind = RaceKind::NoEdge;
  /// The siblings without an order, or the replicated node.
  const TreeNode *source = nullptr, *sink = nullptr;
};

/// True if arithmetic shows that the two accesses never meet.
bool neverMeet(Explorer &explorer, const TreeNode &first, const PlacedAccess &a,
               const TreeNode &second, const PlacedAccess &b,
               const Relation &relation);

/// Two instances of different leaves below one graph: the slowest id of their
/// outermost level is at least `least` larger for `isFirst` of the two.
struct Distance {
  bool isFirst = true;
  int64_t least = 1;
};

/// True if arithmetic shows that `a` and `b` never meet where the instances are
/// so far apart. With `isUsual` only for grids whose extents are below two to
/// the 16; what memory holds is never taken as known.
bool neverMeetAt(Explorer &explorer, const TreeNode &first,
                 const PlacedAccess &a, const TreeNode &second,
                 const PlacedAccess &b, const Distance &distance, bool isUsual);

/// What keeps two instances from executing `a` and `b` at the same time: a lock
/// that both hold wherever they meet, or the guard of a static that one of them
/// initialises; null if there is nothing.
const LeafGuard *commonGuard(Explorer &explorer, const TreeNode &first,
                             const PlacedAccess &a, const TreeNode &second,
                             const PlacedAccess &b, const Relation &relation);

/// Nothing if the two accesses never meet.
std::optional<RaceFinding>
compare(const PlacedAccesses &accesses, Explorer &explorer,
        const TreeNode &first, const PlacedAccess &a, const TreeNode &second,
        const PlacedAccess &b, const Relation &relation);

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_COMPARE_H
