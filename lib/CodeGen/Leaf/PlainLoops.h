//===- PlainLoops.h - Loops that vectorise cheaply --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks are almost free if a processor supports them for elements of any size,
// and if a loop has no operation whose time grows with the number of lanes.
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

/// Whether a vector performs `instruction` of `loop` in a few instructions:
/// numbers of 8 to 64 bits, adjacent in memory from round to round. The same
/// place may be loaded in each round only in one of the blocks `lifted`, from
/// which such loads move before the loop.
bool isPlainInVectors(const llvm::Instruction &instruction,
                      const llvm::Loop &loop,
                      llvm::ArrayRef<const llvm::BasicBlock *> lifted,
                      llvm::ScalarEvolution &evolution);

/// Whether loads and stores may leave out any element. Processors with byte
/// masks support all other masked operations as well.
bool masksAnyElement(const llvm::TargetTransformInfo &target,
                     llvm::LLVMContext &context);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_PLAINLOOPS_H
