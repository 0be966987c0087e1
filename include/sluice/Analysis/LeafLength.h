//===- LeafLength.h - Leaves without loops ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For a leaf that runs a few instructions without loops some optimisations are
// not worth their cost: compiling it again for known values, or letting two
// stages work on different items. This tells such leaves.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_LEAFLENGTH_H
#define SLUICE_ANALYSIS_LEAFLENGTH_H

#include "llvm/IR/Function.h"

#include <optional>

namespace sluice {

/// The maximum number of instructions that one run of `function` executes, with
/// the functions it calls. None if there may be a loop: a backward edge,
/// recursion, a call of an unknown function.
std::optional<unsigned> straightLineLength(const llvm::Function &function);

} // namespace sluice

#endif // SLUICE_ANALYSIS_LEAFLENGTH_H
