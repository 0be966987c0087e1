//===- MaskedGaps.h - One instance of a row that does nothing ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `if (j == k) return;` leaves a gap in a row. Where processors mask elements,
// whole vectors go on over it, with its lane off: two loops, before and behind
// it, would each have a remainder.
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

/// The block in which all but at most one of the rounds of `loop` go on, the
/// other going from the header to the latch at once. Null: there is no such
/// comparison, or it is not `test`.
llvm::BasicBlock *blockBesideGap(const llvm::Loop &loop,
                                 llvm::ScalarEvolution &evolution,
                                 const llvm::ICmpInst *test = nullptr);

/// Whether vectors of rounds with one lane off are as good as vectors of all:
/// `loop` has plain operations and accesses side by side.
bool masksGap(const llvm::Loop &loop, const llvm::ICmpInst &test,
              llvm::ScalarEvolution &evolution,
              const llvm::TargetTransformInfo &target);

/// Has a loop whose gap is masked count its rounds in 32 bits for that, of
/// which a vector has twice as many: the rounds up to 2^31, to which `loop`
/// then goes. Returns the header of the copy that runs the others, or null.
llvm::BasicBlock *narrowGap(const BorderLoop &loop,
                            llvm::ScalarEvolution &evolution,
                            const llvm::TargetTransformInfo &target);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_BORDERS_MASKEDGAPS_H
