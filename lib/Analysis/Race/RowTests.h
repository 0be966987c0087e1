//===- RowTests.h - What launches test of rows ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where numbers of the host say which row of an array an instance uses, and
// whether it does, a launch can tell whether two instances meet.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_ROWTESTS_H
#define SLUICE_LIB_ANALYSIS_RACE_ROWTESTS_H

#include "Graph/Accesses.h"
#include "Machine/Explorer.h"
#include "MeetingQuery.h"

namespace sluice::races {

/// The test that tells exactly whether instances of `leaf` meet in `a` and `b`;
/// none if a launch cannot tell, or if it is right that they meet, as where all
/// instances store the same.
std::optional<TableCondition>
testOfRows(const PlacedAccesses &accesses, Explorer &explorer,
           const TreeNode &leaf, const PlacedAccess &a, const PlacedAccess &b,
           const Relation &relation);

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_ROWTESTS_H
