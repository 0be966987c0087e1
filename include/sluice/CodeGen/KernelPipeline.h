//===- KernelPipeline.h - Optimisation after lowering -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_CODEGEN_KERNELPIPELINE_H
#define SLUICE_CODEGEN_KERNELPIPELINE_H

namespace llvm {
class Function;
class Module;
class TargetMachine;
} // namespace llvm

namespace sluice {

/// What is turned into vector instructions.
struct Vectorization {
  bool ofLoops = true;
  /// Neighbouring scalars outside loops (SLP).
  bool ofStraightCode = true;
};

/// Moves the variables of a leaf from memory to registers, as its analyses want
/// them; its blocks stay.
void promoteVariables(llvm::Function &function);

/// Runs the pipeline over a module whose node functions have been lowered.
/// `level` is that of -O, 0 to 3.
void optimizeKernels(llvm::Module &module, llvm::TargetMachine *machine,
                     unsigned level = 3, Vectorization vectorization = {});

} // namespace sluice

#endif // SLUICE_CODEGEN_KERNELPIPELINE_H
