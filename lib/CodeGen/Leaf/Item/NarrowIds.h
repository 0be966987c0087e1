//===- NarrowIds.h - Ids that fit into 32 bits ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HPVM's ids have 64 bits, but leaves like `int i = id` discard half of them.
// LLVM must then assume that `i` wraps around, and no longer sees that adjacent
// instances access adjacent elements. If the extents are small enough, the
// 32-bit values are computed without wrapping instead.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_ITEM_NARROWIDS_H
#define SLUICE_LIB_CODEGEN_LEAF_ITEM_NARROWIDS_H

#include "ItemSignature.h"

namespace sluice::codegen {

/// Rewrites the truncations of ids, and of sums and products of ids and
/// extents, in `item`. Returns a function `i1 @(i64 extents...)` that tells for
/// which extents this is correct, or null if nothing was rewritten. `fused`:
/// dimensions in which own ids count over all groups.
llvm::Function *narrowIds(llvm::Function &item, const RangeSpec &spec,
                          const std::array<bool, 3> &fused);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_ITEM_NARROWIDS_H
