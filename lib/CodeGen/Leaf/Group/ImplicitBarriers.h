//===- ImplicitBarriers.h - Where cutting a leaf pays -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A uniform loop inside a leaf, such as the k loop of a matrix product, keeps
// LLVM from vectorising over instances. Between two of its rounds any point is
// as good as a barrier, so the loop may move outside the loops over instances.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_GROUP_IMPLICITBARRIERS_H
#define SLUICE_LIB_CODEGEN_LEAF_GROUP_IMPLICITBARRIERS_H

#include "../Item/ItemSignature.h"

#include "sluice/Analysis/InstanceUniformity.h"

namespace sluice::codegen {

/// The blocks in which the loops that should move outside are left.
/// `leavesToLanes`: those whose accesses lie apart stay inside. `hasColumns`:
/// but not where these will be copied, as they do not depend on the row.
llvm::SmallVector<llvm::BasicBlock *>
findImplicitCuts(llvm::Function &item, InstanceUniformity &uniformity,
                 const ItemSignature &signature, bool leavesToLanes,
                 bool hasColumns);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_GROUP_IMPLICITBARRIERS_H
