//===- ReductionHints.h - Reductions that nobody declared -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A place that all instances update by one operator is a reduction that the
// program forgot to declare.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_REDUCTIONHINTS_H
#define SLUICE_LIB_ANALYSIS_RACE_REDUCTIONHINTS_H

#include "Machine/Explorer.h"
#include "MeetingQuery.h"

namespace sluice::races {

/// RaceFinding::declaration of accesses of one leaf; kept in `explorer`.
const std::string &declarationOf(Explorer &explorer,
                                 const PlacedAccess &access);

/// True for instances that only count or sum: values that they read decide
/// whether they update memory, or where, and they do nothing else with it. This
/// holds for one place that all of them share, since a single instance, such as
/// a leader that a flag selects, would not need to count. It also holds for
/// places that memory decides, if all instances update one. It does not hold
/// for places that follow from ids: these may be those of one colour at a time.
bool isAccumulation(const PlacedAccesses &accesses, Explorer &explorer,
                    const TreeNode &first, const PlacedAccess &a,
                    const TreeNode &second, const PlacedAccess &b,
                    const Relation &relation);

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_REDUCTIONHINTS_H
