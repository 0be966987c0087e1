//===- PlainLoops.h - What vectors do in a few instructions -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks cost next to nothing where a processor has them for elements of any
// size, and where a loop has no operation that takes its time lane by lane.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_PLAINLOOPS_H
#define SLUICE_LIB_CODEGEN_LEAF_PLAINLOOPS_H

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class BasicBlock;
class Instruction;
class LLVMContext;
class Loop;
class ScalarEvolution;
class TargetTransformInfo;
} // namespace llvm

namespace sluice::codegen {

/// Whether a vector does `instruction` of `loop` in a few instructions: numbers
/// of 8 to 64 bits, in memory side by side from round to round. The same place
/// may be loaded in each round in one of `lifted`, the blocks from where such
/// loads move before the loop.
bool isPlainInVectors(const llvm::Instruction &instruction,
                      const llvm::Loop &loop,
                      llvm::ArrayRef<const llvm::BasicBlock *> lifted,
                      llvm::ScalarEvolution &evolution);

/// Whether loads and stores may leave out any element. Masks of bytes come with
/// all that processors can do under a mask.
bool masksAnyElement(const llvm::TargetTransformInfo &target,
                     llvm::LLVMContext &context);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_PLAINLOOPS_H
