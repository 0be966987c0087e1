//===- Compiler.cpp - Finding the kernel compiler -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler needs LLVM, so it is a separate shared object, which is opened
// when a layout is first compiled. It is searched next to the code that opens
// it, so that build trees, installations and programs that ship their libraries
// find the right one.
//
//===----------------------------------------------------------------------===//

#include "sluice/Pack/Compiler.h"

#include "sluice/Base/Libraries.h"
#include "sluice/Base/Text.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace sluice;
using namespace sluice::pack;

using EntryPoint = Compiler *(*)(uint32_t version);

static constexpr const char *libraryName =
    "libSluicePackJIT" SLUICE_LIBRARY_ENDING;
static constexpr const char *entryPointName = "sluicePackCompiler";

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
  // Ignored in set-user-ID programs, in which the user must not choose the
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
  for (const std::string &place : placesOfLibrary(libraryName)) {
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
  // Never destroyed: kernels may be requested until the process ends.
  static auto &compiler = *new Result<Compiler *>(findCompiler());
  if (compiler.ok())
    return *compiler;
  return Status::error(compiler.status().code(), compiler.status().message());
}
