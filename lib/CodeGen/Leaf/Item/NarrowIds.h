//===- NarrowIds.h - Ids that fit into 32 bits ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HPVM's ids have 64 bits, but leaves like `int i = id` throw away half of
// them. LLVM then has to expect that `i` wraps around and can no longer see
// that neighbouring instances access neighbouring elements. Where the extents
// are small enough, the 32-bit values are computed without wrapping instead.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_ITEM_NARROWIDS_H
#define SLUICE_LIB_CODEGEN_LEAF_ITEM_NARROWIDS_H

#include "ItemSignature.h"

namespace sluice::codegen {

/// Rewrites the truncations of ids, and of sums and products of ids and
/// extents, in `item`. Returns a function `i1 @(i64 extents...)` that says for
/// which extents this is right, or null if there was nothing to rewrite.
/// `fused`: dimensions in which own ids count over all groups.
llvm::Function *narrowIds(llvm::Function &item, const RangeSpec &spec,
                          const std::array<bool, 3> &fused);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_ITEM_NARROWIDS_H
