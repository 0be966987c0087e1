//===- Isolation.cpp - Drivers that bring their own LLVM ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A driver such as PoCL is linked with some version of Clang, whose symbols
// have no versions. Where the process has another Clang, the driver's libraries
// would find that one first, construct its objects a second time, and end the
// process when they are destroyed. RTLD_LOCAL does not help: it hides the
// driver from the process, not the process from the driver. RTLD_DEEPBIND does,
// but must be given by whoever opens the driver first; OpenCL's library does
// not.
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
/// What the process has already.
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

/// Sanitizers refuse RTLD_DEEPBIND: the library would not see their malloc.
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
  // One that cannot be opened is reported by OpenCL's library, or left out.
  for (const std::string &driver : findDrivers())
    if (!driver.empty())
      ::dlopen(driver.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND);
  return true;
}
