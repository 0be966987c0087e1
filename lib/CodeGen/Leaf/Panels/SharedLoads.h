//===- SharedLoads.h - Loads that do not depend on the row ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The analysis behind panels. It examines a loop over vertically adjacent
// tiles. In this loop, it looks for a loop that runs through all instances of
// the tile in each of its rounds, such as the loop over k of a product:
//
//   column:  for each tile
//     rounds:  for each k                    perhaps with one more loop inside
//       rows:    for each y of the tile
//         line:    for each x of the tile
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_PANELS_SHAREDLOADS_H
#define SLUICE_LIB_CODEGEN_LEAF_PANELS_SHAREDLOADS_H

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"

#include <vector>

namespace llvm {
class PostDominatorTree;
} // namespace llvm

namespace sluice::codegen {

/// The instances of a tile in one round, and the data that they share.
struct SharedNest {
  llvm::Loop *outermost; ///< The outermost of the loops over instances.
  llvm::Loop *rows;
  llvm::Loop *line;
  llvm::PHINode *index; ///< The counter of `line`, which counts its rounds one
                        ///< by one.
  llvm::SmallVector<llvm::LoadInst *> loads;
};

struct SharedLoads {
  llvm::Loop *rounds;
  llvm::SmallVector<SharedNest> nests;
  /// All instructions that the addresses of the loads and the numbers of rounds
  /// depend on.
  llvm::SmallSetVector<llvm::Instruction *, 16> needed;
};

/// Finds the loads that can be copied before `column`. Each instance of a tile
/// executes them in each round, their addresses do not depend on the row, and
/// nothing before or between them writes memory that others may see.
/// Instructions that they need from outside `rounds` are moved before `choice`.
/// `full`: the start of the code of a whole tile, which executes all rounds.
std::vector<SharedLoads> findSharedLoads(llvm::Loop &column,
                                         const llvm::BasicBlock &full,
                                         const llvm::PostDominatorTree &ends,
                                         llvm::Instruction &choice);

/// The loops around `nest` up to `shared.rounds`, innermost first.
llvm::SmallVector<llvm::Loop *> loopsAround(const SharedNest &nest,
                                            const SharedLoads &shared);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_PANELS_SHAREDLOADS_H
