//===- FuseGroups.h - Fusing adjacent groups into one row -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If a leaf without a barrier uses its ids only as `group * size + item`, the
// borders of groups do not matter to it. Rows of adjacent groups then become
// one long loop.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_ITEM_FUSEGROUPS_H
#define SLUICE_LIB_CODEGEN_LEAF_ITEM_FUSEGROUPS_H

#include "ItemSignature.h"

namespace sluice::codegen {

/// Rewrites `item` so that, in each dimension that is true in the result, the
/// own id counts over all groups and the parent's id is not used. Changes
/// nothing unless x is among these dimensions.
std::array<bool, 3> fuseGroups(llvm::Function &item, const RangeSpec &spec);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_ITEM_FUSEGROUPS_H
