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
  /// The program tells the checker which memory is new.
  bool isChecked = false;
  /// Make a shared object that uses the program's symbols, without a runtime.
  bool isVariant = false;
  /// Make a shared object for a process that has the runtime's shared library.
  bool isShared = false;
  /// The program writes a profile when it ends.
  bool isProfiled = false;
  /// Link what runs Python.
  bool hasPython = false;
  /// Symbols that variants need of the program.
  std::vector<std::string> exports;
  std::vector<std::string> flags;
  /// Receives what the linker says, which is printed otherwise.
  std::string *messages = nullptr;
  /// What the output must not replace, beside what the linker reads.
  std::vector<std::string> inputs;
  /// Receives the paths that the linker looked at.
  std::vector<std::string> *dependencies = nullptr;
};

/// Links `objects` to `output`, as writeOutput does. A file in the work folder
/// is written where it stands.
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

/// Runs `program` from LLVM's tools or an absolute path and waits. What it has
/// to say goes to stderr, but for traces of its stack; an error names the
/// program and its status.
llvm::Error runTool(llvm::StringRef program,
                    llvm::ArrayRef<std::string> arguments);
/// The same; all that it says goes to `said`.
llvm::Error runTool(llvm::StringRef program,
                    llvm::ArrayRef<std::string> arguments, std::string &said);

/// An error if `output` is one of `inputs` (see Base/Output.h).
llvm::Error checkOutput(llvm::StringRef output,
                        llvm::ArrayRef<std::string> inputs);

/// A path for a temporary file with this ending, which goes with the process.
llvm::Expected<std::string> temporaryPath(llvm::StringRef ending);
/// Writes a temporary file and returns its path.
llvm::Expected<std::string> writeTemporary(llvm::StringRef content,
                                           llvm::StringRef ending);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_LINK_H
