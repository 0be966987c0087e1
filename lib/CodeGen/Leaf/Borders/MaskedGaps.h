//===- MaskedGaps.h - Rows with one instance that does nothing --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `if (j == k) return;` leaves a gap in a row. On processors that mask
// elements, whole vectors continue across the gap with its lane off. Two loops,
// before and after it, would each have a remainder.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_BORDERS_MASKEDGAPS_H
#define SLUICE_LIB_CODEGEN_LEAF_BORDERS_MASKEDGAPS_H

namespace llvm {
class BasicBlock;
class ICmpInst;
class Loop;
class ScalarEvolution;
class TargetTransformInfo;
} // namespace llvm

namespace sluice::codegen {

struct BorderLoop;

/// The block that all rounds of `loop` except at most one enter; the other
/// round branches from the header directly to the latch. Null if there is no
/// such comparison, or if it is not `test`.
llvm::BasicBlock *blockBesideGap(const llvm::Loop &loop,
                                 llvm::ScalarEvolution &evolution,
                                 const llvm::ICmpInst *test = nullptr);

/// Whether vectors of rounds with one lane off are as fast as full vectors:
/// `loop` has plain operations and contiguous accesses.
bool masksGap(const llvm::Loop &loop, const llvm::ICmpInst &test,
              llvm::ScalarEvolution &evolution,
              const llvm::TargetTransformInfo &target);

/// Makes a loop with a masked gap count its rounds in 32 bits, since a vector
/// holds twice as many of these. `loop` then runs the rounds up to 2^31.
/// Returns the header of a copy that runs the other rounds, or null.
llvm::BasicBlock *narrowGap(const BorderLoop &loop,
                            llvm::ScalarEvolution &evolution,
                            const llvm::TargetTransformInfo &target);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_BORDERS_MASKEDGAPS_H
