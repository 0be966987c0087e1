//===- BorderLoop.h - Cutting loops over instances into pieces --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which loops can be cut, and cuts them. Rounds count from 0.
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
  /// The comparison of the latch. One operand is the counter, which grows or
  /// falls by one per round.
  llvm::ICmpInst *test = nullptr;
  unsigned counterOperand = 0;
  const llvm::SCEVAddRecExpr *counter = nullptr;
  /// The growth of the header phis per round; none for floating-point numbers.
  llvm::SmallVector<std::optional<int64_t>> steps;
};

/// Describes `loop`, in LLVM's simple and closed form, if it can be cut.
std::optional<BorderLoop> describeBorderLoop(llvm::Loop &loop,
                                             llvm::ScalarEvolution &evolution);

/// The blocks of a loop, or of a copy that is not reachable yet.
struct LoopBody {
  llvm::BasicBlock *header = nullptr, *latch = nullptr;
  /// The operand of the latch's comparison.
  llvm::Value *counter = nullptr;
  /// For each phi of the exit.
  llvm::SmallVector<llvm::Value *> exitValues;
  /// The blocks of a copy.
  llvm::SmallVector<llvm::BasicBlock *> blocks;
};
LoopBody bodyOf(const BorderLoop &loop);
LoopBody copyLoop(const BorderLoop &loop);

/// Rounds [from, to), i64 numbers that are known before the loop.
struct LoopPiece {
  LoopBody body;
  llvm::Value *from = nullptr, *to = nullptr;
  /// A border of few rounds.
  bool isShort = false;
};

/// Runs `pieces` one after another in place of `loop`. Each begins with the
/// round after the last one of the previous piece. Their blocks get names from
/// `name`.
void joinPieces(const BorderLoop &loop, llvm::ArrayRef<LoopPiece> pieces,
                llvm::ScalarEvolution &evolution,
                llvm::StringRef name = "piece");

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_BORDERS_BORDERLOOP_H
