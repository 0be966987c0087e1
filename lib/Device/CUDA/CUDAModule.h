//===- CUDAModule.h - Kernels on CUDA devices -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loaded CUDA module and its kernels: what the driver says of their limits
// and parameters, kept so that each launch can be checked without asking again.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_CUDA_CUDAMODULE_H
#define SLUICE_LIB_DEVICE_CUDA_CUDAMODULE_H

#include "CUDAContext.h"
#include "sluice/Device/Device.h"

#include <map>

namespace sluice::device::cuda {

class CUDAKernel final : public DeviceKernel {
public:
  CUDAKernel(CUDAContext &context, std::string name, FunctionHandle function)
      : context(context), name(std::move(name)), function(function) {}

  /// Asks the driver for limits and parameters.
  Status inspect(const Properties &properties);
  /// Lets groups have `size` bytes of dynamic shared memory.
  Status allowShared(uint64_t size) {
    if (size <= sharedAllowed.load(std::memory_order_relaxed)) [[likely]]
      return {};
    return raiseShared(size);
  }
  /// An error if a launch exceeds a limit, or lacks an argument that the kernel
  /// takes (as far as the driver knows the kernel's parameters).
  Status check(const Properties &properties, const LaunchShape &shape,
               std::span<const KernelArgument> arguments) const;

  CUDAContext &context;
  const std::string name;
  const FunctionHandle function;

private:
  Status attribute(int &value, FunctionAttribute attribute);
  Status findGoodGroup();
  void findParameters();
  Status raiseShared(uint64_t size);

  uint64_t sharedLimit = 0; ///< most dynamic shared memory, with opting in
  std::atomic<uint64_t> sharedAllowed = 0;
  bool knowsParameters = false;
  std::vector<size_t> parameterSizes;
};

class CUDAModule final : public Module {
public:
  CUDAModule(CUDAContext &context, const Properties &properties,
             std::string name, std::string entries, ModuleHandle handle)
      : context(context), properties(properties), name(std::move(name)),
        entries(std::move(entries)), handle(handle) {}
  ~CUDAModule() override;

  Result<DeviceKernel *> kernel(const char *entry) override;

private:
  CUDAContext &context;
  const Properties &properties;
  const std::string name;
  const std::string entries; ///< of the kernels, for messages
  const ModuleHandle handle;
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<CUDAKernel>> kernels;
};

/// The image for the newest chip that is not newer than `target`, "sm_90".
Result<const SluiceDeviceImage *> chooseImage(const SluiceDeviceModule &module,
                                              const std::string &device,
                                              const std::string &target);

/// Lets the driver build the module, or take it from the cache that the driver
/// itself keeps on disk.
Result<std::unique_ptr<Module>> loadModule(CUDAContext &context,
                                           const Properties &properties,
                                           const SluiceDeviceModule &module);

} // namespace sluice::device::cuda

#endif // SLUICE_LIB_DEVICE_CUDA_CUDAMODULE_H
