//===- OpenCLDevice.cpp - Devices behind an OpenCL library ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens OpenCL devices and creates their buffers, queues and modules.
//
//===----------------------------------------------------------------------===//

#include "../Backends.h"
#include "OpenCLKernels.h"
#include "OpenCLMemory.h"
#include "PendingAtExit.h"
#include "Platforms.h"
#include "Queue.h"
#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::opencl;

namespace {
class OpenCLDevice final : public Device {
public:
  OpenCLDevice(const API &api, const FoundDevice &found,
               const OpenOptions &options)
      : context(api, found.platform, found.device), pinned(context),
        cacheDirectory(options.cacheDirectory) {
    theProperties = found.found.properties;
    context.name = theProperties.name;
  }
  ~OpenCLDevice() override { forgetAtExit(context); }
  Status open(bool withTiming) { return context.open(withTiming); }

  Result<std::unique_ptr<Buffer>> allocate(uint64_t size) override {
    return allocateBuffer(context, size, theProperties);
  }
  Result<void *> allocateHost(uint64_t size) override {
    return pinned.allocate(size);
  }
  void freeHost(void *memory) override { pinned.free(memory); }
  Result<std::unique_ptr<Queue>> createQueue() override;
  Result<std::unique_ptr<Module>>
  load(const SluiceDeviceModule &module) override;
  bool isUsable() override { return !context.isLost(); }

private:
  OpenCLContext context;
  PinnedMemory pinned;
  std::string cacheDirectory;
};
} // namespace

Result<std::unique_ptr<Queue>> OpenCLDevice::createQueue() {
  if (Status status = context.checkUsable(); !status.ok())
    return status;
  Result<QueueID> handle = context.createQueue();
  if (!handle.ok())
    return handle.takeStatus();
  auto state = std::make_shared<QueueState>(context, *handle);
  if (!theProperties.isAccelerator)
    waitForAtExit(state);
  return std::unique_ptr<Queue>(std::make_unique<OpenCLQueue>(
      std::move(state), theProperties.isAccelerator));
}

Result<std::unique_ptr<Module>>
OpenCLDevice::load(const SluiceDeviceModule &module) {
  if (Status status = context.checkUsable(); !status.ok())
    return status;
  Result<ProgramID> program =
      buildProgram(context, theProperties, module, cacheDirectory);
  if (!program.ok())
    return program.takeStatus();
  return std::unique_ptr<Module>(std::make_unique<OpenCLModule>(
      context, theProperties, *program, module.name));
}

static Status cannotOpen(const FoundDevice &entry) {
  const Properties &properties = entry.found.properties;
  return Status::error(
      StatusCode::System,
      concat(
          "cannot use ", quoted(properties.name),
          properties.description.empty() ? "" : " (", properties.description,
          properties.description.empty() ? ": " : "): ", entry.found.problem));
}

Result<std::unique_ptr<Device>>
device::openOpenCL(std::optional<unsigned> number, const OpenOptions &options) {
  std::vector<FoundDevice> all = findAll();
  const FoundDevice *chosen = nullptr;
  std::string name = number ? concat("opencl:", *number) : "";
  for (const FoundDevice &entry : all)
    if (!chosen && (number ? entry.found.properties.name == name
                           : entry.found.problem.empty()))
      chosen = &entry;
  if (!chosen && number && all.front().device)
    return Status::invalidArgument(
        concat("there is no device ", quoted(name),
               "; 'sluice devices' lists those that were found"));
  if (!chosen)
    return cannotOpen(all.front());
  if (!chosen->found.problem.empty())
    return cannotOpen(*chosen);
  Result<const API *> api = openAPI();
  if (!api.ok())
    return api.takeStatus();
  auto opened = std::make_unique<OpenCLDevice>(**api, *chosen, options);
  if (Status status = opened->open(options.withTiming); !status.ok())
    return Status::error(status.code(),
                         concat("cannot open ",
                                quoted(chosen->found.properties.name), ": ",
                                status.message()));
  return std::unique_ptr<Device>(std::move(opened));
}
