//===- IntrinsicLowering.h - HPVM's leaf intrinsics on a CPU ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the intrinsics of a leaf are on a CPU.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_ITEM_INTRINSICLOWERING_H
#define SLUICE_LIB_CODEGEN_LEAF_ITEM_INTRINSICLOWERING_H

#include "sluice/CodeGen/RangeFunction.h"

namespace sluice::codegen {

/// Replaces every intrinsic in an item function but the barriers.
llvm::Error lowerIntrinsics(llvm::Function &item, const RangeSpec &spec);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_ITEM_INTRINSICLOWERING_H
