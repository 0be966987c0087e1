//===- ProofAttempts.h - Attempts to show that accesses never meet -*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that proves a question is tried in one order wherever one is asked. Where
// a proof holds for usual extents only, the largest limits for which it does
// are kept.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_PROOFATTEMPTS_H
#define SLUICE_LIB_ANALYSIS_RACE_PROOFATTEMPTS_H

#include "Machine/Explorer.h"
#include "Overlap/Overlap.h"

namespace sluice::races {

/// True if arithmetic over polynomials shows that the accesses never meet.
bool isProven(const OverlapQuery &usual);

/// True if no whole numbers are where the accesses meet.
bool isProvenByNumbers(const OverlapQuery &usual, unsigned &searchesLeft);

/// True if the accesses of `query`, of instances of these, never meet.
bool isProven(const OverlapQuery &query, Explorer &explorer,
              const TreeNode &first, const TreeNode &second);

/// Of a question that is proven for the least of the usual limits, which needs
/// `needed`: keeps the largest limit for which it is, of as few dimensions as
/// that takes.
void noteLimits(Explorer &explorer, const OverlapQuery &exact,
                UsualExtents needed, const TreeNode &first,
                const TreeNode &second,
                llvm::function_ref<bool(const OverlapQuery &)> prove);

/// Searches for numbers that a question may take to find its limits.
inline constexpr unsigned searchesForLimits = 8;

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_PROOFATTEMPTS_H
