//===- Flags.h - Flags of compilers on the command line ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Build files pass flags of gcc and clang. Each flag is either honoured or
// refused with an alternative; no flag that has an effect is ignored.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_FLAGS_H
#define SLUICE_DRIVER_FLAGS_H

#include "sluice/CodeGen/KernelPipeline.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace llvm::opt {
class InputArgList;
} // namespace llvm::opt

namespace sluice::driver {

/// The request of -MD and related flags: a file for make and ninja that lists
/// the files from which a program was made.
struct DependencyFile {
  bool isWanted = false;
  /// Empty: next to the output.
  std::string path;
  /// As written to the file; empty: the output.
  std::vector<std::string> targets;
  /// Write a rule without a command for all files but the sources, so that make
  /// continues if a header was removed (-MP).
  bool hasPhonies = false;
};

/// The flags of compilers in a command line.
struct CompilerFlags {
  std::vector<std::string> compiler, linker;
  /// Options of LLVM: those after -mllvm, and those that stand for -Rpass= and
  /// related flags.
  std::vector<std::string> llvm;
  /// -O0 to -O3.
  std::optional<unsigned> level;
  /// Set by -g and other flags that request variables.
  bool isDebuggable = false;
  codegen::Profiling profiling;
  DependencyFile dependencies;
};

/// Removes compiler flags from a command line. The error names a refused flag
/// and the alternative.
llvm::Expected<CompilerFlags>
takeCompilerFlags(const llvm::opt::InputArgList &args);

struct ProgramOptions;

/// Takes the optimisation level and the effect of -g from flags for the kernels
/// of task graphs; the last of each counts.
void takeKernelFlags(llvm::ArrayRef<std::string> flags,
                     ProgramOptions &options);

/// The reason why the compiler of programs or of task graphs' kernels refuses
/// `flag`; nothing if it accepts the flag.
std::optional<std::string> refusalOf(llvm::StringRef flag);

/// True if code can be generated for `cpu`.
bool isKnownCpu(llvm::StringRef cpu);

/// `cpu` with the processor features of flags such as -mavx2 and -mno-fma, in
/// the form that the code generator reads.
std::string cpuWithFeatures(llvm::StringRef cpu,
                            llvm::ArrayRef<std::string> compilerFlags);

/// Writes the `wanted` dependency file for the program `output`, which was made
/// from `sources`, as the user named them, and from the other `files`.
llvm::Error writeDependencyFile(const DependencyFile &wanted,
                                llvm::StringRef output,
                                llvm::ArrayRef<std::string> sources,
                                llvm::ArrayRef<std::string> files);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_FLAGS_H
