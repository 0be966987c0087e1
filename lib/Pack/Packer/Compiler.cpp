//===- Compiler.cpp - Finding the compiler of kernels ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler needs LLVM, so it is a shared object of its own, which is opened
// when a layout is first compiled. It is searched beside the code that opens
// it, so that build trees, installations and programs that are shipped with
// their libraries find their own.
//
//===----------------------------------------------------------------------===//

#include "sluice/Pack/Compiler.h"

#include "sluice/Base/Text.h"

#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>
#include <vector>

using namespace sluice;
using namespace sluice::pack;

using EntryPoint = Compiler *(*)(uint32_t version);

static constexpr const char *libraryName = "libSluicePackJIT.so";
static constexpr const char *entryPointName = "sluicePackCompiler";

/// The folder of the library or executable that holds this code, with a slash
/// at the end; empty if it is not known.
static std::string ownFolder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void *>(&ownFolder), &info) ||
      !info.dli_fname)
    return "";
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  if (slash == std::string::npos) {
    // An executable that was found through PATH is known by its bare name.
    char program[4096];
    ssize_t size = readlink("/proc/self/exe", program, sizeof program);
    path.assign(program, size > 0 ? size_t(size) : 0);
    slash = path.rfind('/');
  }
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

static std::vector<std::string> placesToLook() {
  std::vector<std::string> places;
  if (std::string folder = ownFolder(); !folder.empty()) {
    places.push_back(folder + libraryName);
    places.push_back(folder + "../lib/" + libraryName);
  }
#ifdef SLUICE_INSTALLED_LIBRARY_FOLDER
  places.push_back(std::string(SLUICE_INSTALLED_LIBRARY_FOLDER "/") +
                   libraryName);
#endif
  places.push_back(libraryName);
  return places;
}

static Result<Compiler *> askEntryPoint(void *symbol, const std::string &path) {
  Compiler *compiler =
      reinterpret_cast<EntryPoint>(symbol)(compilerInterfaceVersion);
  if (compiler)
    return compiler;
  return Status::error(StatusCode::System,
                       "the compiler of kernels in " + quoted(path) +
                           " is of another version of Sluice; this one needs "
                           "interface " +
                           std::to_string(compilerInterfaceVersion));
}

static Result<Compiler *> openCompiler(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return Status::error(StatusCode::System, reason ? reason : path);
  }
  void *symbol = dlsym(library, entryPointName);
  if (symbol)
    return askEntryPoint(symbol, path);
  dlclose(library);
  return Status::error(StatusCode::System,
                       quoted(path) + " has no function " +
                           quoted(entryPointName) +
                           ", so it is no compiler of kernels");
}

static Result<Compiler *> findCompiler() {
  // Ignored in set-user-ID programs, where the user must not choose the
  // library.
  const char *setting = secure_getenv("SLUICE_PACK_JIT");
  if (setting && std::string_view(setting) == "off")
    return Status::error(StatusCode::System,
                         "compiling kernels is turned off by "
                         "SLUICE_PACK_JIT=off");
  if (setting && *setting)
    return openCompiler(setting);
  if (void *linked = dlsym(RTLD_DEFAULT, entryPointName))
    return askEntryPoint(linked, "this program");
  std::string reasons;
  for (const std::string &place : placesToLook()) {
    Result<Compiler *> found = openCompiler(place);
    if (found.ok())
      return found;
    reasons += (reasons.empty() ? "" : "; ") + found.status().message();
  }
  return Status::error(StatusCode::System,
                       std::string(libraryName) + " was not found (" + reasons +
                           "); set SLUICE_PACK_JIT to its path");
}

Result<Compiler *> sluice::pack::kernelCompiler() {
  // Never destroyed: kernels may be asked for until the process ends.
  static auto &compiler = *new Result<Compiler *>(findCompiler());
  if (compiler.ok())
    return *compiler;
  return Status::error(compiler.status().code(), compiler.status().message());
}
