//===- ArgumentPairs.h - Arguments that proofs take as disjoint -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two pointer arguments are two roots of the region forest. That matters where
// nothing orders uses of the two that would conflict were they one root; launch
// and push check it for those pairs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_GRAPH_ARGUMENTPAIRS_H
#define SLUICE_LIB_ANALYSIS_RACE_GRAPH_ARGUMENTPAIRS_H

#include "GraphRegions.h"

#include <set>

namespace sluice::races {

struct ArgumentPairs {
  /// Pairs of arguments, the smaller index first.
  std::set<std::pair<unsigned, unsigned>> arguments;
  /// Arguments, and global variables, by their objects.
  std::set<std::pair<unsigned, unsigned>> globals;
};

/// The pairs that matter; in a stream also those between stages, which work on
/// different items at the same time.
ArgumentPairs findArgumentPairs(const GraphRegions &regions, bool isStreaming);

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_GRAPH_ARGUMENTPAIRS_H
