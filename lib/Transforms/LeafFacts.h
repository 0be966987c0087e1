//===- LeafFacts.h - What leaves do beyond their outputs --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_TRANSFORMS_LEAFFACTS_H
#define SLUICE_LIB_TRANSFORMS_LEAFFACTS_H

#include "llvm/IR/Function.h"

namespace sluice::transforms {

/// True if nobody can tell whether `leaf` ran but by its outputs: it writes
/// only memory of its own, calls nothing unknown, and ends. Memory that it
/// allocates counts as its own.
bool hasNoEffect(const llvm::Function &leaf);

/// True if all memory that `leaf` writes is its own or is reached through its
/// parameters: no globals, no loaded pointers, no unknown functions.
bool writesThroughParametersOnly(const llvm::Function &leaf);

/// The highest ancestor that `leaf` asks about: 0 for itself, 1 for its
/// parent. ~0u if that is not known.
unsigned highestQuery(const llvm::Function &leaf);

} // namespace sluice::transforms

#endif // SLUICE_LIB_TRANSFORMS_LEAFFACTS_H
