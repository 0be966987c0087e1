//===- IntrinsicLowering.h - HPVM's leaf intrinsics on a CPU ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The implementation of a leaf's intrinsics on a CPU.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_ITEM_INTRINSICLOWERING_H
#define SLUICE_LIB_CODEGEN_LEAF_ITEM_INTRINSICLOWERING_H

#include "sluice/CodeGen/RangeFunction.h"

namespace sluice::codegen {

/// Replaces every intrinsic in an item function except the barriers.
llvm::Error lowerIntrinsics(llvm::Function &item, const RangeSpec &spec);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_ITEM_INTRINSICLOWERING_H
