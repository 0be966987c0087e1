//===- LeafLength.h - Leaves without loops ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some decisions are worth nothing for a leaf that runs a few instructions from
// top to bottom: to compile it again for known values, or to let two stages
// work on different items.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_LEAFLENGTH_H
#define SLUICE_ANALYSIS_LEAFLENGTH_H

#include "llvm/IR/Function.h"

#include <optional>

namespace sluice {

/// The most instructions that one run of `function` executes, with the
/// functions it calls. None if there may be a loop: an edge back, recursion, a
/// call of something unknown.
std::optional<unsigned> straightLineLength(const llvm::Function &function);

} // namespace sluice

#endif // SLUICE_ANALYSIS_LEAFLENGTH_H
