//===- Link.h - Runs the linker -------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_LINK_H
#define SLUICE_LIB_DRIVER_LINK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace sluice::driver {

struct LinkOptions {
  /// Link the runtime's archive instead of its shared library.
  bool isStatic = false;
  /// Make a shared object that uses the program's symbols, without a runtime.
  bool isVariant = false;
  /// Make a shared object for a process that has the runtime's shared library.
  bool isShared = false;
  /// Link what runs Python.
  bool hasPython = false;
  /// Symbols that variants need of the program.
  std::vector<std::string> exports;
  std::vector<std::string> flags;
  /// Receives what the linker says, which is printed otherwise.
  std::string *messages = nullptr;
};

/// Links `objects` to `output`: written beside it first, then renamed.
llvm::Error link(llvm::ArrayRef<std::string> objects,
                 const LinkOptions &options, llvm::StringRef output);

/// Links one object file that is still in memory.
llvm::Error linkObject(llvm::ArrayRef<char> object, const LinkOptions &options,
                       llvm::StringRef output);

/// The file that this code is in, a tool or a library; links resolved.
std::string compilerPath();
/// Folder of the tools ("bin").
std::string toolFolder();
/// Folder of the runtime libraries that belong to them.
std::string libraryFolder();
/// The program that compiles variants; empty if it is not there.
std::string variantHelper();
/// Size and time of change of the file at `path`, as text.
std::string fileStamp(llvm::StringRef path);

/// Runs `program` from LLVM's tools or an absolute path and waits; an error
/// names the program and its status. What the program prints on standard error
/// becomes `messages`, if they are given.
llvm::Error runTool(llvm::StringRef program,
                    llvm::ArrayRef<std::string> arguments,
                    std::string *messages = nullptr);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_LINK_H
