//===- Tools.cpp - Programs and files that compiling needs ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linking, pictures, generators of Halide and helpers in Python all run other
// programs and keep temporary files. This file implements both once, for all of
// them.
//
//===----------------------------------------------------------------------===//

#include "sluice/Toolchain/Tools.h"

#include "sluice/Base/Output.h"
#include "sluice/Base/Process.h"
#include "sluice/Base/Progress.h"
#include "sluice/Base/Temporary.h"
#include "sluice/Base/WholeFiles.h"
#include "sluice/Toolchain/Toolchain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <dlfcn.h>
#include <link.h>

using namespace llvm;
using namespace sluice;

std::string driver::compilerPath() {
  static int anchor;
  Dl_info info;
  link_map *map = nullptr;
  // The main program has no name of its own.
  if (dladdr1(&anchor, &info, reinterpret_cast<void **>(&map),
              RTLD_DL_LINKMAP) &&
      map && map->l_name && *map->l_name) {
    SmallString<128> path;
    if (!sys::fs::real_path(map->l_name, path))
      return path.str().str();
  }
  return sys::fs::getMainExecutable(nullptr, &anchor);
}

std::string driver::installFolder() {
  std::string path = compilerPath();
  StringRef folder = sys::path::parent_path(path);
  // The library folder may be nested several levels deep, as in
  // "lib/x86_64-linux-gnu".
  if (folder.consume_back("/" SLUICE_LIBRARY_FOLDER))
    return folder.str();
  return sys::path::parent_path(folder).str();
}

std::string driver::toolFolder() { return installFolder() + "/bin"; }

std::string driver::libraryFolder() {
  std::string root = installFolder();
  std::string folder = root + "/" SLUICE_LIBRARY_FOLDER;
  if (sys::fs::exists(folder + "/libSluiceRuntime" SLUICE_LIBRARY_ENDING))
    return folder;
  return root + "/lib"; // of a build folder
}

std::string driver::ownLibrary(StringRef name) {
  return libraryFolder() + "/lib" + name.str() + SLUICE_LIBRARY_ENDING;
}

std::string driver::variantHelper() {
  SmallString<128> path(toolFolder());
  sys::path::append(path, "sluice-specialize");
  return sys::fs::can_execute(path) ? path.str().str() : std::string();
}

std::string driver::fileStamp(StringRef path) {
  sys::fs::file_status status;
  if (sys::fs::status(path, status))
    return "";
  auto time = status.getLastModificationTime().time_since_epoch().count();
  return std::to_string(status.getSize()) + "-" + std::to_string(time);
}

//===----------------------------------------------------------------------===//
// Tools and temporary files
//===----------------------------------------------------------------------===//

Expected<std::string> driver::temporaryPath(StringRef ending) {
  Result<std::string> path = workPath(std::string_view(ending));
  if (!path.ok())
    return createStringError(path.status().message());
  return *path;
}

Expected<std::string> driver::writeTemporary(StringRef content,
                                             StringRef ending) {
  Expected<std::string> path = temporaryPath(ending);
  if (!path)
    return path.takeError();
  if (Status status = writeFileAtomically(*path, std::string_view(content));
      !status.ok())
    return createStringError(status.message());
  return path;
}

Error driver::checkOutput(StringRef output, ArrayRef<std::string> inputs) {
  Status status = sluice::checkOutput(output.str(), inputs);
  return status.ok() ? Error::success() : createStringError(status.message());
}

/// The output of a tool, up to its stack trace.
static std::string withoutTrace(StringRef said, bool &hasCrashed) {
  std::string text;
  hasCrashed = false;
  while (!said.empty()) {
    auto [line, rest] = said.split('\n');
    said = rest;
    hasCrashed |= line.starts_with("PLEASE submit a bug report") ||
                  line.starts_with("Stack dump:") ||
                  line.contains("unable to execute command: ") ||
                  line.starts_with("LLVM ERROR: ") ||
                  line.starts_with("terminate called ");
    if (!hasCrashed)
      text += (line + "\n").str();
  }
  return text;
}

/// The Debian package that contains a program; empty if unknown.
static StringRef packageOf(StringRef program) {
  return StringSwitch<StringRef>(program)
      .Case("dot", "graphviz")
      .Cases({"clang", "clang++"}, "clang-22")
      .StartsWith("llvm-spirv", "llvm-spirv-15")
      .Default("");
}

static Error callTool(StringRef program, ArrayRef<std::string> arguments,
                      std::string &said, bool isStep) {
  SmallString<128> path(program);
  if (sys::path::is_relative(path)) {
    path = SLUICE_LLVM_BIN;
    sys::path::append(path, program);
  }
  if (!sys::fs::can_execute(path)) {
    ErrorOr<std::string> found = sys::findProgramByName(program);
    if (!found) {
      const StringRef package = packageOf(program);
      return createStringError(
          "cannot find the program '" + program + "'" +
          (package.empty() ? "" : ": install Debian's " + package));
    }
    path = *found;
  }
  if (isStep && verbosity() == Verbosity::Verbose)
    sayVerbosely(path.str().str() + " " + join(arguments, " "));
  Expected<std::string> log = driver::writeTemporary("", ".log");
  if (!log)
    return log.takeError();
  FileRemover remover(*log);
  Result<ProcessEnd> end = runProgram({.program = path.str().str(),
                                       .arguments = arguments.vec(),
                                       .errors = Redirect::file(*log)});
  if (!end.ok())
    return createStringError(end.status().message());
  if (auto text = MemoryBuffer::getFile(*log))
    said = (*text)->getBuffer().str();
  if (end->succeeded())
    return Error::success();
  bool hasCrashed;
  said = withoutTrace(said, hasCrashed);
  if (hasCrashed || end->signal == SIGBUS || end->signal == SIGXFSZ ||
      end->signal == SIGSEGV || end->signal == SIGABRT)
    return createStringError(
        "'" + program +
        "' crashed; a full disk or a limit on sizes of files may be the cause");
  return createStringError("'" + program + "' ended with " + end->text());
}

Error driver::runTool(StringRef program, ArrayRef<std::string> arguments,
                      std::string &said) {
  return callTool(program, arguments, said, /*isStep=*/true);
}

Error driver::askTool(StringRef program, ArrayRef<std::string> arguments,
                      std::string &said) {
  return callTool(program, arguments, said, /*isStep=*/false);
}

Error driver::runTool(StringRef program, ArrayRef<std::string> arguments) {
  std::string said;
  Error error = runTool(program, arguments, said);
  if (!said.empty())
    hideProgress();
  errs() << said;
  return error;
}
