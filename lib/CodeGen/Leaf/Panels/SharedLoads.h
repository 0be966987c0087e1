//===- SharedLoads.h - Loads that do not depend on the row ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The analysis behind panels. It looks at a loop over tiles below each other,
// and in it at a loop, such as that over k of a product, that runs through all
// instances of the tile in each of its rounds:
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

/// The instances of a tile in one round, and what they share.
struct SharedNest {
  llvm::Loop *outermost; ///< of the loops over instances
  llvm::Loop *rows;
  llvm::Loop *line;
  llvm::PHINode *index; ///< of `line`, whose rounds it counts one by one
  llvm::SmallVector<llvm::LoadInst *> loads;
};

struct SharedLoads {
  llvm::Loop *rounds;
  llvm::SmallVector<SharedNest> nests;
  /// What the addresses of all loads and the numbers of rounds come from.
  llvm::SmallSetVector<llvm::Instruction *, 16> needed;
};

/// What can be copied before `column`: loads that each instance of a tile runs
/// in each round, from addresses that do not depend on its row, with nothing
/// before them or between them that writes to memory others may see. What they
/// need from outside `rounds` is moved before `choice`. `full`: where the code
/// of a whole tile begins, which comes to all rounds.
std::vector<SharedLoads> findSharedLoads(llvm::Loop &column,
                                         const llvm::BasicBlock &full,
                                         const llvm::PostDominatorTree &ends,
                                         llvm::Instruction &choice);

/// The loops around `nest` up to `shared.rounds`, innermost first.
llvm::SmallVector<llvm::Loop *> loopsAround(const SharedNest &nest,
                                            const SharedLoads &shared);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_PANELS_SHAREDLOADS_H
