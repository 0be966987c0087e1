//===- API.cpp - Opening OpenCL's library ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL's library, and the drivers that it opens, are never closed: their
// threads may run until the process ends.
//
//===----------------------------------------------------------------------===//

#include "API.h"

#include "Isolation.h"

#include "sluice/Base/Text.h"

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::opencl;

static std::atomic<bool> isChild = false;

static void becomeChild() { isChild.store(true, std::memory_order_relaxed); }

bool opencl::wasForked() { return isChild.load(std::memory_order_relaxed); }

namespace {
struct OpenCLLibrary {
  OpenCLLibrary();
  API api;
  std::string problem;
};
} // namespace

OpenCLLibrary::OpenCLLibrary() {
  // Ignored in set-user-ID programs, in which the user must not choose the
  // library.
  const char *setting = ::secure_getenv("SLUICE_OPENCL_LIBRARY");
  const char *name = setting && *setting ? setting : "libOpenCL.so.1";
  if (!isolateDrivers()) {
    problem = "OpenCL's drivers may bring a Clang of their own, which this "
              "process cannot keep apart from its own under a sanitizer";
    return;
  }
  void *handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = ::dlerror();
    problem =
        concat("OpenCL's library cannot be opened (",
               reason ? reason : "no reason given",
               "); install the package 'ocl-icd-libopencl1' and a driver, or "
               "set SLUICE_OPENCL_LIBRARY to the library's path");
    return;
  }
  auto find = [&](auto &function, const char *symbol) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        ::dlsym(handle, symbol));
    return function != nullptr;
  };
#define SLUICE_OPENCL_FIND(function, result, parameters)                       \
  if (!find(api.function, #function) && problem.empty())                       \
    problem = concat(quoted(name),                                             \
                     " has no function " #function ", which OpenCL 1.2 has");
  SLUICE_OPENCL_FUNCTIONS(SLUICE_OPENCL_FIND)
#undef SLUICE_OPENCL_FIND
  ::pthread_atfork(nullptr, nullptr, becomeChild);
  find(api.clCreateProgramWithIL, "clCreateProgramWithIL");
}

Result<const API *> opencl::openAPI() {
  // Never destroyed: events may still complete during the process's exit.
  static const OpenCLLibrary &library = *new OpenCLLibrary();
  if (!library.problem.empty())
    return Status::error(StatusCode::System, library.problem);
  if (wasForked())
    return Status::error(StatusCode::System,
                         "OpenCL was used before this process was forked, "
                         "which its drivers do not allow");
  return &library.api;
}
