//===- LeafFacts.h - Effects of leaves besides their outputs ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about the code of a leaf that the transforms ask before they
// remove, fuse or flatten its node.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_TRANSFORMS_LEAFFACTS_H
#define SLUICE_LIB_TRANSFORMS_LEAFFACTS_H

#include "llvm/IR/Function.h"

namespace sluice::transforms {

/// True if `leaf` has no effect except its outputs: it writes only its own
/// memory (including memory that it allocates), calls no unknown function, and
/// terminates.
bool hasNoEffect(const llvm::Function &leaf);

/// True if all memory that `leaf` writes is its own or is reached through its
/// parameters: no globals, no loaded pointers, no unknown functions.
bool writesThroughParametersOnly(const llvm::Function &leaf);

/// The number of levels from `leaf` up to the highest node that it asks about:
/// 0 for the leaf itself, 1 for its parent, ~0u if unknown.
unsigned highestQuery(const llvm::Function &leaf);

} // namespace sluice::transforms

#endif // SLUICE_LIB_TRANSFORMS_LEAFFACTS_H
