//===- BorderLoop.h - Loops over instances, cut in pieces -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loops can be cut, and the cutting. Rounds count from 0.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_BORDERS_BORDERLOOP_H
#define SLUICE_LIB_CODEGEN_LEAF_BORDERS_BORDERLOOP_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace sluice::codegen {

/// A loop that a comparison of its counter ends.
struct BorderLoop {
  llvm::Loop *loop = nullptr;
  llvm::BasicBlock *before = nullptr; ///< its preheader
  llvm::BasicBlock *exit = nullptr;
  llvm::BranchInst *latch = nullptr;
  /// The number of the last round, known before the loop.
  const llvm::SCEV *lastRound = nullptr;
  /// What the latch compares, one operand of which is the counter. It grows or
  /// falls by one a round.
  llvm::ICmpInst *test = nullptr;
  unsigned counterOperand = 0;
  const llvm::SCEVAddRecExpr *counter = nullptr;
  /// By how much phis of the header grow each round; nothing for numbers of
  /// floating point.
  llvm::SmallVector<std::optional<int64_t>> steps;
};

/// Describes `loop`, in LLVM's simple and closed form, if it can be cut.
std::optional<BorderLoop> describeBorderLoop(llvm::Loop &loop,
                                             llvm::ScalarEvolution &evolution);

/// The blocks of a loop, or a copy of them that is not reached yet.
struct LoopBody {
  llvm::BasicBlock *header = nullptr, *latch = nullptr;
  /// The operand of the latch's comparison.
  llvm::Value *counter = nullptr;
  /// For each phi of the exit.
  llvm::SmallVector<llvm::Value *> exitValues;
  /// Of a copy.
  llvm::SmallVector<llvm::BasicBlock *> blocks;
};
LoopBody bodyOf(const BorderLoop &loop);
LoopBody copyLoop(const BorderLoop &loop);

/// Rounds [from, to), i64 numbers that are known before the loop.
struct Piece {
  LoopBody body;
  llvm::Value *from = nullptr, *to = nullptr;
  /// A border of few rounds.
  bool isShort = false;
};

/// Runs `pieces` one after another where `loop` was. Each begins with the round
/// behind the last one of the piece before it. `name` is for their blocks.
void joinPieces(const BorderLoop &loop, llvm::ArrayRef<Piece> pieces,
                llvm::ScalarEvolution &evolution,
                llvm::StringRef name = "piece");

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_BORDERS_BORDERLOOP_H
