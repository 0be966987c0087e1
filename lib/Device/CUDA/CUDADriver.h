//===- CUDADriver.h - The CUDA driver, opened at run time -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the driver's library, initialises it, and describes errors. The driver
// stays open until the process ends.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_CUDA_CUDADRIVER_H
#define SLUICE_LIB_DEVICE_CUDA_CUDADRIVER_H

#include "CUDAApi.h"
#include "sluice/Base/Status.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace sluice::device::cuda {

/// An initialised driver.
struct Driver {
  Api api;
  int version = 0; ///< of the interface, 13000 for CUDA 13.0

  /// "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of memory)". Makes no CUDA
  /// calls, so that callbacks of the driver may use it.
  std::string describe(Code code, const char *call) const;

  /// Retains a device's primary context once, for the rest of the process.
  Code retainContext(ContextHandle &context, Ordinal device);

  /// Name and text of each code, by number.
  std::vector<std::pair<const char *, const char *>> errors;

private:
  std::mutex mutex;
  std::map<Ordinal, ContextHandle> contexts;
};

/// The minimum version of the driver: CUDA 11.4, the first with all functions
/// used here.
constexpr int minDriverVersion = 11040;

/// "11.4" for 11040.
std::string versionText(int version);

/// Opens and initialises the library at `path`.
Result<std::unique_ptr<Driver>> openDriver(const char *path);

/// The driver of this process, opened by the first call: libcuda.so.1, or the
/// library in SLUICE_CUDA_LIBRARY.
Result<Driver *> theDriver();

/// Whether this process was forked after theDriver had opened a driver; then no
/// CUDA function may be called.
bool wasForked();

/// The error of every operation in such a process.
Status forkedError();

} // namespace sluice::device::cuda

#endif // SLUICE_LIB_DEVICE_CUDA_CUDADRIVER_H
