//===- Tools.h - Programs and files that compiling needs ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where this compiler and LLVM's tools are, how they are run, and files that go
// with the process.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLCHAIN_TOOLS_H
#define SLUICE_TOOLCHAIN_TOOLS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace sluice::driver {

/// The file that this code is in, a tool or a library; links resolved.
std::string compilerPath();
/// The folder in which those of tools, libraries and headers are, of an
/// installation or of a build.
std::string installFolder();
/// Folder of the tools ("bin").
std::string toolFolder();
/// Folder of the runtime libraries that belong to them.
std::string libraryFolder();
/// The file of one of these libraries by its name, as running programs open it.
std::string ownLibrary(llvm::StringRef name);
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
/// The same of what makes nothing, and so is no step that -v shows.
llvm::Error askTool(llvm::StringRef program,
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

#endif // SLUICE_TOOLCHAIN_TOOLS_H
