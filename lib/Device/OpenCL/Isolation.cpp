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

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <string>
#include <string_view>
#include <vector>

using namespace sluice::device;

namespace fs = std::filesystem;

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

/// The library that a file "name.icd" names in its first line.
static std::string libraryOf(const fs::path &icd) {
  std::ifstream file(icd);
  std::string line;
  std::getline(file, line);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r'))
    line.pop_back();
  return line;
}

static void addFolder(const fs::path &folder, std::vector<std::string> &found) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".icd")
      found.push_back(libraryOf(entry->path()));
}

/// What the usual OpenCL libraries will open.
static std::vector<std::string> findDrivers() {
  static const char vendors[] = "/etc/OpenCL/vendors";
  std::vector<std::string> found;
  const char *setting = ::secure_getenv("OCL_ICD_VENDORS");
  std::string chosen = setting && *setting ? setting : vendors;
  std::error_code error;
  if (fs::is_directory(chosen, error))
    addFolder(chosen, found);
  else if (!chosen.ends_with(".icd"))
    found.push_back(chosen); // a library
  else
    found.push_back(libraryOf(chosen.find('/') == std::string::npos
                                  ? fs::path(vendors) / chosen
                                  : fs::path(chosen)));
  return found;
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
