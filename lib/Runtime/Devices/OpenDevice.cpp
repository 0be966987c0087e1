//===- OpenDevice.cpp - A device that nodes run on ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads the kernels of plans on the first use of each module, and reports once
// why a device is no longer used.
//
//===----------------------------------------------------------------------===//

#include "OpenDevice.h"

#include "../Scheduling/Clock.h"
#include "DeviceTrace.h"

#include "sluice/Base/Text.h"

#include <cstdio>

using namespace sluice;

OpenDevice::OpenDevice(std::unique_ptr<device::Device> device,
                       std::unique_ptr<DevicePlace> place,
                       std::unique_ptr<device::Queue> compute,
                       MemoryPlace number, DeviceTrace *trace)
    : number(number), trace(trace), theDevice(std::move(device)),
      thePlace(std::move(place)), theCompute(std::move(compute)) {}

OpenDevice::~OpenDevice() = default;

OpenDevice::Loaded &OpenDevice::load(const SluiceDeviceModule &module) {
  auto [entry, isNew] = modules.try_emplace(module.hash);
  if (!isNew)
    return entry->second;
  Result<std::unique_ptr<device::Module>> loaded = theDevice->load(module);
  if (loaded.ok())
    entry->second.module = std::move(*loaded);
  else
    entry->second.problem = loaded.status().message();
  return entry->second;
}

Result<device::DeviceKernel *> OpenDevice::kernel(const SluicePlan &plan,
                                                  const SluicePlanNode &node) {
  std::lock_guard lock(modulesMutex);
  const uint64_t start = trace ? clockNanoseconds() : 0;
  const size_t numBefore = modules.size();
  Loaded &loaded = load(*plan.deviceModule);
  if (trace && modules.size() != numBefore)
    trace->addCompilation(plan.name, start, clockNanoseconds());
  if (!loaded.module)
    return Status::error(StatusCode::System, loaded.problem);
  const char *entry = node.device->entry;
  if (auto known = loaded.kernels.find(entry); known != loaded.kernels.end())
    return known->second;
  Result<device::DeviceKernel *> kernel = loaded.module->kernel(entry);
  if (!kernel.ok())
    return kernel;
  loaded.kernels.emplace(entry, *kernel);
  if (trace)
    trace->nameKernel(*kernel, node.name);
  return kernel;
}

void OpenDevice::fail(const Status &status, const char *node) {
  if (!usable.exchange(false))
    return;
  std::string subject =
      node ? concat("node ", quoted(node), " failed on ") : std::string();
  std::fprintf(stderr,
               "sluice: warning: %sdevice %s%s: %s; the host goes on without "
               "it\n",
               subject.c_str(), name(), node ? "" : " failed",
               status.message().c_str());
}
