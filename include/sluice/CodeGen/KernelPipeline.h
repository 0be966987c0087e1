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

/// Which code is vectorised.
struct Vectorization {
  bool ofLoops = true;
  /// Adjacent scalars outside loops (SLP).
  bool ofStraightCode = true;
  /// Instances that contain loops, as lanes that run the loops in step, and
  /// blocks of instances with numbers of the same quotient.
  bool ofInstances = true;
  /// For tests: use this many lanes wherever possible; 0: only where it pays.
  unsigned numLanes = 0;
  /// The same for rounds of loops in instances.
  unsigned numOwnLanes = 0;
  /// Separate instances at the borders of a grid from inner ones.
  bool ofInsides = true;
  bool splitsBorders() const { return ofLoops && ofInsides; }
  bool makesLanes() const { return ofLoops && ofInstances; }
  /// The vector library for libm's functions, see clang's -fveclib. The program
  /// must be linked with it.
  llvm::VectorLibrary library = llvm::VectorLibrary::NoLibrary;
};

/// Execution profiles that one build generates and another uses.
struct Profiling {
  enum class Kind { None, Generate, Use };
  Kind kind = Kind::None;
  /// The profile to use, or the name pattern of the profiles that programs
  /// write (see LLVM_PROFILE_FILE).
  std::string file;
  /// Use atomic counters, so that no worker's count is lost.
  bool isAtomic = true;
};

/// Compiles all functions of a module for the processor of `machine`, whatever
/// their target was before. Keeps the effect of -mtune= and
/// -mprefer-vector-width=; without the latter, vectors have the most profitable
/// width.
void compileFor(llvm::Module &module, const llvm::TargetMachine &machine);

/// Moves the variables of a leaf from memory to registers for its analyses;
/// keeps its blocks.
void promoteVariables(llvm::Function &function);

/// Runs the pipeline over a module with lowered node functions. `level` is that
/// of -O, 0 to 3. A profile that is used must be readable.
void optimizeKernels(llvm::Module &module, llvm::TargetMachine *machine,
                     unsigned level = 3, Vectorization vectorization = {},
                     const Profiling &profiling = {});

} // namespace sluice::codegen

#endif // SLUICE_CODEGEN_KERNELPIPELINE_H
