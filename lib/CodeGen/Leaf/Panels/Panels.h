//===- Panels.h - Contiguous copies of data that rows share -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a matrix product, all rows of instances read the same columns of one
// factor. If these elements are far apart in memory, they evict each other from
// caches; if the columns run across memory rows, vectors would have to gather.
// So columns that many rows need are copied first: the elements of a tile's
// width, for one round of the inner loop after another, which is the order in
// which tiles read them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_PANELS_PANELS_H
#define SLUICE_LIB_CODEGEN_LEAF_PANELS_PANELS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Instructions.h"

namespace sluice::codegen {

/// A loop over vertically adjacent tiles, which all use the same columns.
struct TileColumn {
  /// Branches to this loop if its condition holds, otherwise to an equivalent
  /// loop that copies nothing.
  llvm::BranchInst *choice;
  llvm::BasicBlock *full;  ///< where the code of a whole tile begins
  llvm::BranchInst *latch; ///< of this loop
  unsigned width;          ///< columns
};

/// Makes the tiles of `columns` read copies of the data that does not depend on
/// the row. If there is nothing to copy, the choice becomes "no".
void makePanels(llvm::Function &range, llvm::Value &invocation,
                llvm::ArrayRef<TileColumn> columns);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_PANELS_PANELS_H
