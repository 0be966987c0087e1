//===- LoopRounds.h - Trip counts of loops ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over instances are split, so code before them must know their trip
// count. LLVM does not compute a trip count that involves a division, which
// could be by zero, although the loop itself computes it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_LANES_LOOPROUNDS_H
#define SLUICE_LIB_CODEGEN_LEAF_LANES_LOOPROUNDS_H

namespace llvm {
class Loop;
class ScalarEvolution;
class Value;
} // namespace llvm

namespace sluice::codegen {

/// Whether emitLastRound knows the number.
bool knowsLastRound(const llvm::Loop &loop, llvm::ScalarEvolution &evolution);

/// One less than the trip count of a loop in simple form, an integer of at most
/// 64 bits, as code at the end of its preheader.
llvm::Value *emitLastRound(const llvm::Loop &loop,
                           llvm::ScalarEvolution &evolution);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_LANES_LOOPROUNDS_H
