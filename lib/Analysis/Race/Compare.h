//===- Compare.h - Whether two accesses of two instances meet ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For two accesses without an order, finds a proof that they never meet, or two
// instances that meet, or the reason why neither can be found.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_COMPARE_H
#define SLUICE_LIB_ANALYSIS_RACE_COMPARE_H

#include "Machine/Explorer.h"
#include "MeetingQuery.h"

namespace sluice::races {

/// True if arithmetic shows that the two accesses never meet.
bool neverMeet(Explorer &explorer, const TreeNode &first, const PlacedAccess &a,
               const TreeNode &second, const PlacedAccess &b,
               const Relation &relation);

/// Two instances of different leaves below one graph. The slowest id of their
/// outermost level is larger by at least `least` in one of them; `isFirst`
/// tells in which one.
struct Distance {
  bool isFirst = true;
  int64_t least = 1;
};

/// True if arithmetic shows that `a` and `b` never meet if the instances are
/// this far apart. With `isUsual`, only considers grids with extents below two
/// to the 16. Never assumes anything about the contents of memory.
bool neverMeetAt(Explorer &explorer, const TreeNode &first,
                 const PlacedAccess &a, const TreeNode &second,
                 const PlacedAccess &b, const Distance &distance, bool isUsual);

/// Returns what prevents two instances from executing `a` and `b` at the same
/// time: a lock that both hold wherever they meet, or the guard of a static
/// that one of them initialises; null if there is none.
const LeafGuard *commonGuard(Explorer &explorer, const TreeNode &first,
                             const PlacedAccess &a, const TreeNode &second,
                             const PlacedAccess &b, const Relation &relation);

/// None if the two accesses never meet.
std::optional<RaceFinding>
compare(const PlacedAccesses &accesses, Explorer &explorer,
        const TreeNode &first, const PlacedAccess &a, const TreeNode &second,
        const PlacedAccess &b, const Relation &relation);

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_COMPARE_H
