//===- Isolation.cpp - Drivers that contain their own LLVM ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A driver such as PoCL is linked with some version of Clang, whose symbols
// have no versions. In a process with another Clang, the driver's libraries
// would bind to that one and construct its objects a second time, and the
// process would crash when it destroys them. RTLD_LOCAL does not help: it hides
// the driver's symbols from the process, but not the symbols of the process
// from the driver. RTLD_DEEPBIND helps, but only if the first dlopen of the
// driver uses it, and OpenCL's library does not.
//
//===----------------------------------------------------------------------===//

#include "Isolation.h"

#include "Drivers.h"

#include <dlfcn.h>
#include <link.h>
#include <string>
#include <string_view>

using namespace sluice::device;

namespace {
/// The libraries loaded by the process.
struct Libraries {
  bool haveLLVM = false;
  bool haveClang = false; ///< whose symbols have no versions
};
} // namespace

static int addLibrary(dl_phdr_info *info, size_t, void *context) {
  auto &libraries = *static_cast<Libraries *>(context);
  std::string_view path = info->dlpi_name ? info->dlpi_name : "";
  std::string_view name = path.substr(path.rfind('/') + 1);
  libraries.haveLLVM |= name.starts_with("libLLVM");
  libraries.haveClang |= name.starts_with("libclang-cpp");
  return 0;
}

/// Sanitizers refuse RTLD_DEEPBIND, because a library would then not use their
/// malloc.
static bool hasSanitizer() {
  return ::dlsym(RTLD_DEFAULT, "__sanitizer_set_death_callback") ||
         ::dlsym(RTLD_DEFAULT, "__asan_init") ||
         ::dlsym(RTLD_DEFAULT, "__tsan_init");
}

bool opencl::isolateDrivers() {
  Libraries libraries;
  ::dl_iterate_phdr(addLibrary, &libraries);
  if (hasSanitizer())
    return !libraries.haveClang;
  if (!libraries.haveLLVM && !libraries.haveClang)
    return true;
  // An error is ignored: OpenCL's library reports a driver that cannot be
  // opened, or omits it.
  for (const std::string &driver : findDrivers())
    if (!driver.empty())
      ::dlopen(driver.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND);
  return true;
}
