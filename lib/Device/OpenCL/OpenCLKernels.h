//===- OpenCLKernels.h - Programs and kernels of an OpenCL device ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An OpenCL program, built for one device, and its kernels with their most
// recent arguments.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_OPENCL_OPENCLKERNELS_H
#define SLUICE_LIB_DEVICE_OPENCL_OPENCLKERNELS_H

#include "Event.h"
#include "OpenCLMemory.h"
#include "sluice/Device/Device.h"

#include <map>
#include <mutex>

namespace sluice::device::opencl {

/// An OpenCL kernel object stores its arguments, so only one thread at a time
/// may use it. Arguments equal to those of the last launch are not set again.
class OpenCLKernel final : public DeviceKernel {
public:
  OpenCLKernel(OpenCLContext &context, const Properties &properties,
               KernelID handle, std::string name)
      : context(context), properties(properties), handle(handle),
        name(std::move(name)) {}
  ~OpenCLKernel() override {
    context.release(context.api.clReleaseKernel, handle);
  }
  /// Casts `kernel` to one of this device, or returns null.
  static OpenCLKernel *from(const OpenCLContext &context,
                            DeviceKernel &kernel) {
    auto *own = dynamic_cast<OpenCLKernel *>(&kernel);
    return own && &own->context == &context ? own : nullptr;
  }
  /// Reads the limits and parameters of the kernel from the driver.
  Status open();

  Status check(const LaunchShape &shape,
               std::span<const KernelArgument> arguments) const;
  /// Sets the arguments and enqueues the kernel; `event` receives that of the
  /// launch.
  Status enqueue(QueueID queue, const LaunchShape &shape,
                 std::span<const KernelArgument> arguments,
                 const WaitList &waits, EventID &event);

private:
  /// The last value of an argument.
  struct Stored {
    bool isSet = false;
    KernelArgument::Kind kind = KernelArgument::Kind::Value;
    uint64_t size = 0;   ///< Local
    uint64_t serial = 0; ///< Memory; 0: null
    std::string value;   ///< Value
  };
  static bool isSame(const Stored &stored, const KernelArgument &argument,
                     const OpenCLBuffer *buffer);
  static void store(Stored &stored, const KernelArgument &argument,
                    const OpenCLBuffer *buffer);
  /// Sets an argument, unless it already has this value.
  Status setArgument(UInt index, const KernelArgument &argument);
  Int callSetArgument(UInt index, const KernelArgument &argument,
                      const OpenCLBuffer *buffer);

  OpenCLContext &context;
  const Properties &properties;
  const KernelID handle;
  const std::string name;
  std::mutex mutex;
  std::vector<Stored> stored;
};

class OpenCLModule final : public Module {
public:
  /// Takes ownership of the program.
  OpenCLModule(OpenCLContext &context, const Properties &properties,
               ProgramID handle, std::string name)
      : context(context), properties(properties), handle(handle),
        name(std::move(name)) {}
  ~OpenCLModule() override;
  Result<DeviceKernel *> kernel(const char *entry) override;

private:
  Status missingKernel(const char *entry);

  OpenCLContext &context;
  const Properties &properties;
  const ProgramID handle;
  const std::string name;
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<OpenCLKernel>, std::less<>> kernels;
};

/// Builds the module's best image, or loads it from the cache in `cache`.
Result<ProgramID> buildProgram(OpenCLContext &context,
                               const Properties &properties,
                               const SluiceDeviceModule &module,
                               const std::string &cache);

} // namespace sluice::device::opencl

#endif // SLUICE_LIB_DEVICE_OPENCL_OPENCLKERNELS_H
