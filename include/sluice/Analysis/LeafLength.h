//===- LeafLength.h - Leaves without loops ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For a leaf that runs a few instructions without loops, some optimisations
// cost more than they gain: compiling it again for known values, or letting two
// stages work on different items. This analysis finds such leaves.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_LEAFLENGTH_H
#define SLUICE_ANALYSIS_LEAFLENGTH_H

#include "llvm/IR/Function.h"

#include <optional>

namespace sluice {

/// The maximum number of instructions that one run of `function` executes,
/// including the functions it calls. None if there may be a loop: a backward
/// edge, recursion, or a call of an unknown function.
std::optional<unsigned> straightLineLength(const llvm::Function &function);

} // namespace sluice

#endif // SLUICE_ANALYSIS_LEAFLENGTH_H
