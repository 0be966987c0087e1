//===- HostDevice.cpp - The skeleton of a back end ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device that is implemented by the host alone. Programs do not use it (they
// run nodes on the host without any device). It serves to test the parts that
// work with devices, and as the start of a new back end:
//
//  1. Copy this folder. Give the device a number in Kind, a find and an open
//     function in Backends.h, and its names in Find.cpp.
//  2. Open the vendor's library with dlopen and declare the functions that you
//     call (OpenCL/API.h is an example). A library that is missing is a Found
//     with a problem that says which package to install.
//  3. Fill in Properties from the driver; `formats` says which images load()
//     takes, best first. If the format is new, add it to SluiceDeviceFormat,
//     and code generation for it below lib/CodeGen/Device/Targets.
//  4. Replace HostBuffer, HostEvent and HostKernel by classes with the driver's
//     handles, and each function of HostQueue by the driver's call that
//     enqueues it. Keep the checks in front: drivers say less. If the driver's
//     queues run in order and wait for events, no thread is needed.
//  5. notify() is the driver's callback at the end of an operation; it may
//     come in any thread.
//  6. Keep the code that the driver builds in a Store.
//  7. Add the device's name in Testing/DevicesToTest.h. When the suites pass,
//     the runtime runs on it.
//
//===----------------------------------------------------------------------===//

#include "../Backends.h"
#include "../LaunchChecks.h"
#include "HostQueue.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <system_error>
#include <thread>
#include <unistd.h>

using namespace sluice;
using namespace sluice::device;

namespace {
/// Tables of kernels by the names of their modules.
struct HostKernelTables {
  std::mutex mutex;
  std::map<std::string, std::span<const HostKernelEntry>> tables;
};

class HostModule final : public Module {
public:
  HostModule(std::string name, std::span<const HostKernelEntry> entries,
             const Properties &properties)
      : name(std::move(name)) {
    for (const HostKernelEntry &entry : entries)
      kernels.push_back(std::make_unique<HostKernel>(entry, properties));
  }
  Result<DeviceKernel *> kernel(const char *entry) override;

private:
  const std::string name;
  std::vector<std::unique_ptr<HostKernel>> kernels;
};

class HostDevice final : public Device {
public:
  explicit HostDevice(const OpenOptions &options);
  Result<std::unique_ptr<Buffer>> allocate(uint64_t size) override;
  Result<void *> allocateHost(uint64_t size) override;
  void freeHost(void *memory) override { std::free(memory); }
  Result<std::unique_ptr<Queue>> createQueue() override {
    try {
      return std::unique_ptr<Queue>(
          std::make_unique<HostQueue>(theProperties, withTiming));
    } catch (const std::system_error &error) {
      return Status::error(StatusCode::Exhausted,
                           concat("cannot start the thread of a queue: ",
                                  error.code().message()));
    }
  }
  Result<std::unique_ptr<Module>>
  load(const SluiceDeviceModule &module) override;

private:
  const bool withTiming;
};
} // namespace

static HostKernelTables &kernelTables() {
  static HostKernelTables tables;
  return tables;
}

void device::registerHostKernels(const char *module,
                                 std::span<const HostKernelEntry> kernels) {
  HostKernelTables &all = kernelTables();
  std::lock_guard lock(all.mutex);
  all.tables[module] = kernels;
}

std::span<const HostKernelEntry> device::findHostKernels(const char *module) {
  HostKernelTables &all = kernelTables();
  std::lock_guard lock(all.mutex);
  auto found = all.tables.find(module);
  return found == all.tables.end() ? std::span<const HostKernelEntry>()
                                   : found->second;
}

Result<DeviceKernel *> HostModule::kernel(const char *entry) {
  std::string names;
  for (const auto &kernel : kernels) {
    if (std::string_view(kernel->entry.entry) == entry)
      return kernel.get();
    names += concat(names.empty() ? "" : ";", kernel->entry.entry);
  }
  return missingKernelError(name.c_str(), entry, names);
}

HostDevice::HostDevice(const OpenOptions &options)
    : withTiming(options.withTiming) {
  theProperties.kind = Kind::Host;
  theProperties.name = "host";
  theProperties.description = "the host's cores";
  theProperties.sharesMemory = true;
  theProperties.memory =
      uint64_t(::sysconf(_SC_PHYS_PAGES)) * uint64_t(::sysconf(_SC_PAGESIZE));
  theProperties.maxBuffer = theProperties.memory;
  theProperties.localMemory = 64 * 1024;
  theProperties.maxGroup = 1024;
  theProperties.maxItems = {1024, 1024, 1024};
  theProperties.maxGrid = {INT32_MAX, INT32_MAX, INT32_MAX};
  theProperties.computeUnits =
      std::max(1u, std::thread::hardware_concurrency());
  theProperties.hasDouble = true;
  theProperties.hasAtomic64 = true;
}

Result<std::unique_ptr<Buffer>> HostDevice::allocate(uint64_t size) {
  Result<void *> memory = allocateHost(size);
  if (!memory.ok())
    return memory.takeStatus();
  return std::unique_ptr<Buffer>(std::make_unique<HostBuffer>(
      static_cast<unsigned char *>(*memory), size));
}

Result<void *> HostDevice::allocateHost(uint64_t size) {
  if (Status status = checkAllocation(theProperties, size); !status.ok())
    return status;
  // A buffer of 0 bytes needs an address, too.
  if (void *memory = std::malloc(std::max<uint64_t>(size, 1)))
    return memory;
  return Status::error(StatusCode::Exhausted,
                       concat("allocation of ", size, " bytes on host: ",
                              "the system has no such memory left"));
}

Result<std::unique_ptr<Module>>
HostDevice::load(const SluiceDeviceModule &module) {
  std::span<const HostKernelEntry> entries = findHostKernels(module.name);
  if (entries.empty())
    return noImageError(module, theProperties);
  return std::unique_ptr<Module>(
      std::make_unique<HostModule>(module.name, entries, theProperties));
}

Result<std::unique_ptr<Device>> device::openHost(const OpenOptions &options) {
  return std::unique_ptr<Device>(std::make_unique<HostDevice>(options));
}
