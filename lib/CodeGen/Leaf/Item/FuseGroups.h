//===- FuseGroups.h - Neighbouring groups as one row ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A leaf without a barrier that knows its place only as `group * size + item`
// does not care where a group ends. Rows of neighbouring groups then make one
// long loop.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_ITEM_FUSEGROUPS_H
#define SLUICE_LIB_CODEGEN_LEAF_ITEM_FUSEGROUPS_H

#include "ItemSignature.h"

namespace sluice::codegen {

/// Rewrites `item` so that, in the dimensions that are true in the result, the
/// own id is counted over all groups and the parent's id is not used. Nothing
/// happens unless x is among them.
std::array<bool, 3> fuseGroups(llvm::Function &item, const RangeSpec &spec);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_ITEM_FUSEGROUPS_H
