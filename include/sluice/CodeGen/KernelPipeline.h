//===- KernelPipeline.h - Optimisation after lowering -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The LLVM passes that run over a whole program after its graphs have become
// kernels and tables; one pipeline for programs and for variants.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_CODEGEN_KERNELPIPELINE_H
#define SLUICE_CODEGEN_KERNELPIPELINE_H

#include "llvm/IR/SystemLibraries.h"

#include <string>

namespace llvm {
class Function;
class Module;
class TargetMachine;
} // namespace llvm

namespace sluice::codegen {

/// What is turned into vector instructions.
struct Vectorization {
  bool ofLoops = true;
  /// Neighbouring scalars outside loops (SLP).
  bool ofStraightCode = true;
  /// Instances with loops in them, as lanes that run those in step, and blocks
  /// of instances whose numbers have one quotient.
  bool ofInstances = true;
  /// For tests: so many lanes wherever they are possible; 0: where they pay.
  unsigned numLanes = 0;
  /// Instances at the borders of a grid apart from those inside.
  bool ofInsides = true;
  bool splitsBorders() const { return ofLoops && ofInsides; }
  bool makesLanes() const { return ofLoops && ofInstances; }
  /// Has forms of libm's functions for vectors, see clang's -fveclib. What is
  /// linked must have them, too.
  llvm::VectorLibrary library = llvm::VectorLibrary::NoLibrary;
};

/// Profiles of what a program does, made by one build and used by another.
struct Profiling {
  enum class Kind { None, Generate, Use };
  Kind kind = Kind::None;
  /// The profile to use, or the pattern of the names that programs give theirs
  /// (see LLVM_PROFILE_FILE).
  std::string file;
  /// Counters are atomic, so that no worker's count is lost.
  bool isAtomic = true;
};

/// Compiles all functions of a module for the processor of `machine`, whatever
/// they were compiled for before. What -mtune= and -mprefer-vector-width= said
/// stays; without it vectors are as wide as pays there.
void compileFor(llvm::Module &module, const llvm::TargetMachine &machine);

/// Moves the variables of a leaf from memory to registers, as its analyses want
/// them; its blocks stay.
void promoteVariables(llvm::Function &function);

/// Runs the pipeline over a module whose node functions have been lowered.
/// `level` is that of -O, 0 to 3. A profile that is used must be readable.
void optimizeKernels(llvm::Module &module, llvm::TargetMachine *machine,
                     unsigned level = 3, Vectorization vectorization = {},
                     const Profiling &profiling = {});

} // namespace sluice::codegen

#endif // SLUICE_CODEGEN_KERNELPIPELINE_H
