//===- WidenTrees.h - Several levels of a tree per barrier ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group that reduces by a tree waits after each level of the tree:
//
//   for (half = n / 2; half > 0; half /= 2) {
//     if (i < half)
//       part[i] += part[i + half];
//     barrier();
//   }
//
// Four levels can be combined into one step with one barrier. An eighth of the
// instances that the first level needs perform the step, each on 16 elements
// that no other instance touches. They leave the same values in memory as the
// four levels: for any operator, with the same bits. (On the host there are no
// barriers, and LLVM optimises the original levels better.)
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_LEAF_WIDENTREES_H
#define SLUICE_LIB_CODEGEN_DEVICE_LEAF_WIDENTREES_H

#include "llvm/IR/Function.h"

namespace sluice::codegen {

/// Puts a loop of such steps before each loop of that form in `leaf`. The
/// original loop performs the remaining levels. The variables of `leaf` must be
/// in registers, and its queries must be calls.
void widenTrees(llvm::Function &leaf);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_LEAF_WIDENTREES_H
