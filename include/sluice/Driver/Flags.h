//===- Flags.h - Flags of compilers on the command line ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Build files pass the flags of gcc and clang. Each flag is either followed or
// refused, with what to use instead; no flag that has an effect is ignored.
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

/// What -MD and its relatives ask for: a file that says which files a program
/// was made from, for make and ninja.
struct DependencyFile {
  bool isWanted = false;
  /// Empty: beside the output.
  std::string path;
  /// As they stand in the file; empty: the output.
  std::vector<std::string> targets;
  /// A rule without a command for all but the sources, so that make goes on
  /// where a header is gone (-MP).
  bool hasPhonies = false;
};

/// The flags of compilers in a command line.
struct CompilerFlags {
  std::vector<std::string> compiler, linker;
  /// -O0 to -O3.
  std::optional<unsigned> level;
  /// -g and what else asks for variables.
  bool isDebuggable = false;
  codegen::Profiling profiling;
  DependencyFile dependencies;
};

/// Takes the flags of compilers out of a command line. The error names the flag
/// that cannot be taken, and says what to do instead.
llvm::Expected<CompilerFlags>
takeCompilerFlags(const llvm::opt::InputArgList &args);

struct ProgramOptions;

/// The level of optimisation and what -g asks for, from flags for the kernels
/// of task graphs; the last of each counts.
void takeKernelFlags(llvm::ArrayRef<std::string> flags,
                     ProgramOptions &options);

/// Why `flag`, given to the compiler of task graphs' kernels or of programs,
/// cannot be taken; nothing if it can.
std::optional<std::string> refusalOf(llvm::StringRef flag);

/// True if code can be generated for `cpu`.
bool isKnownCpu(llvm::StringRef cpu);

/// `cpu` with the processor features that flags as -mavx2 and -mno-fma add, as
/// the code generator reads it.
std::string cpuWithFeatures(llvm::StringRef cpu,
                            llvm::ArrayRef<std::string> compilerFlags);

/// Writes what `wanted` asks for, of the program `output` that was made from
/// `sources`, as the user named them, and the other `files`.
llvm::Error writeDependencyFile(const DependencyFile &wanted,
                                llvm::StringRef output,
                                llvm::ArrayRef<std::string> sources,
                                llvm::ArrayRef<std::string> files);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_FLAGS_H
