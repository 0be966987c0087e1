//===- CUDADriver.cpp - The CUDA driver, opened at run time ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library is opened with RTLD_LOCAL, so that its symbols do not interfere
// with a program's own use of CUDA. It is never closed: its threads and exit
// handlers outlive all objects here.
//
//===----------------------------------------------------------------------===//

#include "CUDADriver.h"

#include "sluice/Base/Text.h"

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::cuda;

static Status problem(std::string text) {
  return Status::error(StatusCode::System, std::move(text));
}

std::string cuda::versionText(int version) {
  return concat(version / 1000, '.', version % 1000 / 10);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// All codes of the driver are smaller.
static constexpr Code numCodes = 1000;

static void readErrors(Driver &driver) {
  driver.errors.resize(numCodes);
  for (Code code = 0; code < numCodes; ++code) {
    auto &[name, text] = driver.errors[code];
    if (driver.api.cuGetErrorName(code, &name) != cudaSuccess)
      name = nullptr;
    if (driver.api.cuGetErrorString(code, &text) != cudaSuccess)
      text = nullptr;
  }
}

std::string Driver::describe(Code code, const char *call) const {
  if (code < 0 || size_t(code) >= errors.size() || !errors[code].first)
    return concat(call, ": CUDA error ", code);
  const auto &[name, text] = errors[code];
  return text ? concat(call, ": ", name, " (", text, ')')
              : concat(call, ": ", name);
}

Code Driver::retainContext(ContextHandle &context, Ordinal device) {
  std::lock_guard lock(mutex);
  if (auto found = contexts.find(device); found != contexts.end()) {
    context = found->second;
    return cudaSuccess;
  }
  Code code = api.cuDevicePrimaryCtxRetain(&context, device);
  if (code == cudaSuccess)
    contexts.emplace(device, context);
  else
    context = nullptr;
  return code;
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

/// Finds all symbols; the error names the first missing one.
static Status findSymbols(void *library, const char *path, Api &api) {
  const char *missing = nullptr;
  auto find = [&](auto &function, const char *symbol, bool isOptional) {
    using Function = std::remove_reference_t<decltype(function)>;
    function = reinterpret_cast<Function>(dlsym(library, symbol));
    if (!function && !isOptional && !missing)
      missing = symbol;
  };
#define SLUICE_CUDA_FIND(name, version, parameters)                            \
  find(api.name, #name #version, false);
  SLUICE_CUDA_FUNCTIONS(SLUICE_CUDA_FIND)
#undef SLUICE_CUDA_FIND
#define SLUICE_CUDA_FIND(name, version, parameters)                            \
  find(api.name, #name #version, true);
  SLUICE_CUDA_OPTIONAL_FUNCTIONS(SLUICE_CUDA_FIND)
#undef SLUICE_CUDA_FIND
  if (!missing)
    return {};
  return problem(concat(quoted(path), " has no function ", quoted(missing),
                        "; Sluice needs the driver of CUDA ",
                        versionText(minDriverVersion), " or newer"));
}

static Status initialise(Driver &driver) {
  Api &api = driver.api;
  if (Code code = api.cuDriverGetVersion(&driver.version))
    return problem(driver.describe(code, "cuDriverGetVersion"));
  if (driver.version < minDriverVersion)
    return problem(concat("the driver is of CUDA ", versionText(driver.version),
                          ", Sluice needs CUDA ", versionText(minDriverVersion),
                          " or newer"));
  if (Code code = api.cuInit(0))
    return problem(driver.describe(code, "cuInit"));
  return {};
}

Result<std::unique_ptr<Driver>> cuda::openDriver(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return problem(
        concat("no CUDA driver (", reason ? reason : "no reason given",
               "); install NVIDIA's driver, on Debian the packages "
               "'nvidia-driver' and 'libcuda1', or set SLUICE_CUDA_LIBRARY to "
               "the path of libcuda.so.1"));
  }
  auto driver = std::make_unique<Driver>();
  if (Status status = findSymbols(library, path, driver->api); !status.ok())
    return status;
  readErrors(*driver);
  if (Status status = initialise(*driver); !status.ok())
    return status;
  return driver;
}

//===----------------------------------------------------------------------===//
// The driver of the process
//===----------------------------------------------------------------------===//

static std::atomic<bool> isChild = false;

bool cuda::wasForked() { return isChild.load(std::memory_order_relaxed); }

Status cuda::forkedError() {
  return Status::misuse("this process was forked after CUDA was initialised, "
                        "which CUDA does not support; start processes before "
                        "the first use of a device, or with exec");
}

static Result<Driver *> openTheDriver() {
  // Ignored in set-user-ID programs, in which the user must not choose the
  // library.
  const char *setting = secure_getenv("SLUICE_CUDA_LIBRARY");
  Result<std::unique_ptr<Driver>> driver =
      openDriver(setting && *setting ? setting : "libcuda.so.1");
  if (!driver.ok())
    return driver.takeStatus();
  pthread_atfork(nullptr, nullptr, [] { isChild = true; });
  return driver->release();
}

Result<Driver *> cuda::theDriver() {
  if (wasForked())
    return forkedError();
  // Never destroyed: devices may be in use until the process ends.
  static auto &driver = *new Result<Driver *>(openTheDriver());
  if (driver.ok())
    return *driver;
  return Status::error(driver.status().code(), driver.status().message());
}
