//===- Panels.h - What rows of instances share, side by side ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a product of matrices all rows of instances read the same columns of one
// factor. Where these lie apart in memory, they are in the way of each other in
// caches; where they run across, vectors would have to be gathered. So columns
// that many rows need are copied first: the elements of a tile's width, for one
// round of the inner loop after another, which is how tiles read them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_PANELS_PANELS_H
#define SLUICE_LIB_CODEGEN_LEAF_PANELS_PANELS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Instructions.h"

namespace sluice::codegen {

/// A loop over tiles below each other, which all have the same columns.
struct TileColumn {
  /// The branch to this loop, if its condition holds, or to one like it that
  /// copies nothing.
  llvm::BranchInst *choice;
  llvm::BasicBlock *full;  ///< where the code of a whole tile begins
  llvm::BranchInst *latch; ///< of this loop
  unsigned width;          ///< columns
};

/// Makes the tiles of `columns` read copies of what does not depend on the row.
/// Where there is nothing to copy, the choice becomes "no".
void makePanels(llvm::Function &range, llvm::Value &invocation,
                llvm::ArrayRef<TileColumn> columns);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_PANELS_PANELS_H
