//===- CompilerCommand.h - Command lines of clang and gcc -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang's own driver reads the command line of a compiler and makes jobs of it.
// Those that clang is to run are run by clang.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_FRONTEND_CLANG_COMPILERCOMMAND_H
#define SLUICE_FRONTEND_CLANG_COMPILERCOMMAND_H

#include "sluice/Frontend/Clang/ObjectJob.h"
#include "llvm/ADT/ArrayRef.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sluice {

/// What a command line says about a program or a library that is linked.
struct LinkRequest {
  bool isStatic = false;
  bool usesOpenMP = false;
  /// The user names all libraries of the system (-nostdlib).
  bool namesLibraries = false;
};

/// The parts of a compilation that clang does not do.
struct CompilerHooks {
  /// Compiles a source and returns the exit status; none: clang is to.
  std::function<std::optional<int>(const ObjectJob &job)> compile;
  /// Further words for the linker.
  std::function<std::vector<std::string>(const LinkRequest &request)> link;
};

/// Does what `words` ask of a C compiler, or a C++ compiler, and returns the
/// exit status. The process may become clang instead.
int runCompilerCommand(llvm::ArrayRef<const char *> words, bool isCpp,
                       const CompilerHooks &hooks);

/// The program that a compiler runs to link, and its words.
struct LinkerCall {
  std::string program;
  std::vector<std::string> words;
};

/// What `clang++` with these words would do. None if it would do more than
/// that, or say something.
std::optional<LinkerCall>
linkerCallOf(llvm::ArrayRef<std::string> compilerWords);

} // namespace sluice

#endif // SLUICE_FRONTEND_CLANG_COMPILERCOMMAND_H
