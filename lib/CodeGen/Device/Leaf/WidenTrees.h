//===- WidenTrees.h - Trees of several levels a barrier ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group that reduces by a tree waits after each of its levels:
//
//   for (half = n / 2; half > 0; half /= 2) {
//     if (i < half)
//       part[i] += part[i + half];
//     barrier();
//   }
//
// Four levels in one need one barrier. An eighth of the instances that the
// first of them needs does them, each on 16 elements that no other one touches,
// and leaves in memory what the levels leave there: for any operator, with the
// same bits. (On the host there are no barriers, and LLVM does more with the
// levels as they are.)
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_LEAF_WIDENTREES_H
#define SLUICE_LIB_CODEGEN_DEVICE_LEAF_WIDENTREES_H

#include "llvm/IR/Function.h"

namespace sluice::codegen {

/// Puts a loop of such steps before each loop of that form in `leaf`, whose
/// variables are in registers and whose queries are calls. The other one does
/// what is left.
void widenTrees(llvm::Function &leaf);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_LEAF_WIDENTREES_H
