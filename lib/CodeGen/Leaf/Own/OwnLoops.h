//===- OwnLoops.h - Vectors over a leaf's own loops -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who writes `omp parallel for` over the rows of a picture leaves the loop over
// its columns in the leaf. As lanes, neighbouring columns read and write
// neighbouring elements, and neighbouring rows do not.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_OWN_OWNLOOPS_H
#define SLUICE_LIB_CODEGEN_LEAF_OWN_OWNLOOPS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

class PlainForm;

/// A property of loops over instances in which a leaf's own loop has become
/// lanes.
inline constexpr const char *ownLanesMark = "sluice.own-lanes";

/// Runs rounds of loops inside loops over instances as lanes, where that takes
/// less time than instances as lanes: loops with loops in them, whose rounds do
/// not meet in memory (ApartRounds.h). `wanted`: so many lanes of the outermost
/// loops that can have them; 0: where it pays. Returns whether anything has
/// changed.
bool vectorizeOwnLoops(llvm::Function &function,
                       llvm::FunctionAnalysisManager &analyses, PlainForm &form,
                       unsigned wanted);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_OWN_OWNLOOPS_H
