//===- Link.cpp - Runs the linker -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Link.h"
#include "Toolchain.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

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

/// Library or tool, the compiler stands in a folder beside the other one.
static std::string folderBesideCompiler(StringRef name) {
  SmallString<128> folder(
      sys::path::parent_path(sys::path::parent_path(driver::compilerPath())));
  sys::path::append(folder, name);
  return folder.str().str();
}

std::string driver::toolFolder() { return folderBesideCompiler("bin"); }

std::string driver::libraryFolder() { return folderBesideCompiler("lib"); }

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

Error driver::runTool(StringRef program, ArrayRef<std::string> arguments,
                      std::string *messages) {
  SmallString<128> path(program);
  if (sys::path::is_relative(path)) {
    path = SLUICE_LLVM_BIN;
    sys::path::append(path, program);
  }
  if (!sys::fs::can_execute(path)) {
    ErrorOr<std::string> found = sys::findProgramByName(program);
    if (!found)
      return createStringError("cannot find the program '" + program + "'");
    path = *found;
  }
  SmallVector<StringRef> words{path};
  append_range(words, arguments);
  std::string problem;
  SmallString<128> said;
  SmallVector<std::optional<StringRef>> redirects;
  if (messages && !sys::fs::createTemporaryFile("sluice", "txt", said))
    redirects = {std::nullopt, std::nullopt, said.str()};
  FileRemover remover(said, /*deleteIt=*/!said.empty());
  int status =
      sys::ExecuteAndWait(path, words, std::nullopt, redirects, 0, 0, &problem);
  if (!redirects.empty())
    if (auto text = MemoryBuffer::getFile(said))
      *messages = (*text)->getBuffer().str();
  if (status == 0)
    return Error::success();
  if (!problem.empty())
    return createStringError("'" + program + "' failed: " + problem);
  return createStringError("'" + program + "' ended with status " +
                           Twine(status));
}

Error driver::link(ArrayRef<std::string> objects, const LinkOptions &options,
                   StringRef output) {
  SmallString<128> temporary;
  if (std::error_code error = sys::fs::createUniqueFile(
          output + ".%%%%%%", temporary,
          sys::fs::all_read | sys::fs::all_write | sys::fs::all_exe))
    return createStringError("cannot write '" + output +
                             "': " + error.message());
  std::vector<std::string> words{"-fuse-ld=lld", "-o", temporary.str().str()};
  if (options.isVariant)
    append_values(words, "-shared", "-nostdlib", "-Wl,-z,nodelete");
  // The process may have functions of the same names.
  if (options.isShared)
    append_values(words, "-shared", "-Wl,-Bsymbolic");
  append_range(words, objects);
  append_range(words, options.flags);
  if (!options.isVariant) {
    std::string folder = libraryFolder();
    // Variants opened later find the program's globals by name.
    words.push_back("-Wl,--export-dynamic-symbol=sluice.dataset.*");
    for (const std::string &name : options.exports)
      words.push_back("-Wl,--export-dynamic-symbol=" + name);
    if (options.hasPython)
      // A copy beside the program, or beside its folder, comes first.
      append_values(words, "-L" + folder, "-lSluicePython",
                    "-Wl,-rpath,$ORIGIN", "-Wl,-rpath,$ORIGIN/../lib",
                    "-Wl,-rpath," + folder);
    if (options.isStatic)
      append_values(words, folder + "/libSluiceRuntime.a", "-lstdc++");
    else
      append_values(words, "-L" + folder, "-lSluiceRuntime",
                    "-Wl,-rpath," + folder);
    append_values(words, "-lm", "-lpthread", "-ldl");
    // A runtime that was built with sanitizers needs theirs.
    if (!StringRef(SLUICE_SANITIZER).empty())
      words.push_back("-fsanitize=" SLUICE_SANITIZER);
  }
  Error error = runTool("clang++", words, options.messages);
  if (!error)
    if (std::error_code code = sys::fs::rename(temporary, output))
      error =
          createStringError("cannot write '" + output + "': " + code.message());
  if (error)
    sys::fs::remove(temporary);
  return error;
}

Error driver::linkObject(ArrayRef<char> object, const LinkOptions &options,
                         StringRef output) {
  int descriptor;
  SmallString<128> path;
  if (std::error_code error =
          sys::fs::createTemporaryFile("sluice", "o", descriptor, path))
    return createStringError("cannot write a temporary file: " +
                             error.message());
  FileRemover remover(path);
  {
    raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    os.write(object.data(), object.size());
    os.flush();
    if (std::error_code error = os.error()) {
      os.clear_error();
      return createStringError("cannot write '" + path +
                               "': " + error.message());
    }
  }
  return link({path.str().str()}, options, output);
}
