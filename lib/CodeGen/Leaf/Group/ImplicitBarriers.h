//===- ImplicitBarriers.h - Where cutting a leaf pays off -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A uniform loop inside a leaf, such as the k loop of a matrix product, keeps
// LLVM from vectorising over instances. Any point between two of its rounds can
// act as a barrier, so the loop may move outside the loops over instances.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_GROUP_IMPLICITBARRIERS_H
#define SLUICE_LIB_CODEGEN_LEAF_GROUP_IMPLICITBARRIERS_H

#include "../Item/ItemSignature.h"

#include "sluice/Analysis/InstanceUniformity.h"

namespace sluice::codegen {

/// The blocks that exit the loops that should move outside. `leavesToLanes`:
/// loops whose accesses are far apart stay inside. `hasColumns`: except where
/// these accesses will be copied, since they do not depend on the row.
llvm::SmallVector<llvm::BasicBlock *>
findImplicitCuts(llvm::Function &item, InstanceUniformity &uniformity,
                 const ItemSignature &signature, bool leavesToLanes,
                 bool hasColumns);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_GROUP_IMPLICITBARRIERS_H
