//===- Libraries.cpp - Locations of Sluice's own libraries ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches next to this code, in the folder of an installation, and in the
// system's search path.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Libraries.h"

#include <dlfcn.h>
#include <unistd.h>

using namespace sluice;

/// The folder of the library or executable that contains this code, with a
/// trailing slash; empty if it is not known.
static std::string ownFolder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void *>(&ownFolder), &info) ||
      !info.dli_fname)
    return "";
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  if (slash == std::string::npos) {
    // An executable found through PATH is known only by its bare name.
    char program[4096];
    ssize_t size = readlink("/proc/self/exe", program, sizeof program);
    path.assign(program, size > 0 ? size_t(size) : 0);
    slash = path.rfind('/');
  }
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

std::vector<std::string> sluice::placesOfLibrary(const std::string &name) {
  std::vector<std::string> places;
  if (std::string folder = ownFolder(); !folder.empty()) {
    places.push_back(folder + name);
    places.push_back(folder + "../" SLUICE_LIBRARY_FOLDER "/" + name);
    places.push_back(folder + "../lib/" + name);
  }
#ifdef SLUICE_INSTALLED_LIBRARY_FOLDER
  places.push_back(SLUICE_INSTALLED_LIBRARY_FOLDER "/" + name);
#endif
  places.push_back(name);
  return places;
}
