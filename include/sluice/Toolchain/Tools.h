//===- Tools.h - Programs and files for compiling -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The locations of this compiler and of LLVM's tools, functions to run them,
// and files that are removed with the process.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLCHAIN_TOOLS_H
#define SLUICE_TOOLCHAIN_TOOLS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace sluice::driver {

/// The file that contains this code, a tool or a library; links resolved.
std::string compilerPath();
/// The root folder of the tools, libraries and headers of an installation or a
/// build.
std::string installFolder();
/// Folder of the tools ("bin").
std::string toolFolder();
/// Folder of the runtime libraries that belong to the tools.
std::string libraryFolder();
/// The file of a runtime library by its name, as running programs open it.
std::string ownLibrary(llvm::StringRef name);
/// The program that compiles variants; empty if it does not exist.
std::string variantHelper();
/// Size and modification time of the file at `path`, as text.
std::string fileStamp(llvm::StringRef path);

/// Runs `program` from LLVM's tools or an absolute path and waits. Its output
/// goes to stderr, without stack traces; an error names the program and its
/// status.
llvm::Error runTool(llvm::StringRef program,
                    llvm::ArrayRef<std::string> arguments);
/// The same; all output goes to `said`.
llvm::Error runTool(llvm::StringRef program,
                    llvm::ArrayRef<std::string> arguments, std::string &said);
/// The same for a program that produces no file and so is not a step that -v
/// shows.
llvm::Error askTool(llvm::StringRef program,
                    llvm::ArrayRef<std::string> arguments, std::string &said);

/// An error if `output` is one of `inputs` (see Base/Output.h).
llvm::Error checkOutput(llvm::StringRef output,
                        llvm::ArrayRef<std::string> inputs);

/// A path for a temporary file with this suffix; the file is removed with the
/// process.
llvm::Expected<std::string> temporaryPath(llvm::StringRef ending);
/// Writes a temporary file and returns its path.
llvm::Expected<std::string> writeTemporary(llvm::StringRef content,
                                           llvm::StringRef ending);

} // namespace sluice::driver

#endif // SLUICE_TOOLCHAIN_TOOLS_H
