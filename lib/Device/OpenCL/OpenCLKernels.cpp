//===- OpenCLKernels.cpp - Programs and kernels of an OpenCL device -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets arguments and enqueues kernels; queries the driver for the maximum
// number of items per group.
//
//===----------------------------------------------------------------------===//

#include "OpenCLKernels.h"

#include "../LaunchChecks.h"
#include "OpenCLMemory.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <cstring>

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::opencl;

/// Preferred number of items per group: on CPUs a group is a loop, which should
/// not be short.
static constexpr uint64_t goodOnAccelerator = 256, goodOnProcessor = 1024;

static uint64_t goodGroup(const Properties &properties, uint64_t largest,
                          uint64_t multiple) {
  uint64_t wanted =
      properties.isAccelerator ? goodOnAccelerator : goodOnProcessor;
  wanted = std::min(wanted, largest);
  if (multiple > 1 && wanted >= multiple)
    wanted -= wanted % multiple;
  return std::max<uint64_t>(wanted, 1);
}

Status OpenCLKernel::open() {
  const API &api = context.api;
  UInt numParameters = 0;
  Status status = context.check(api.clGetKernelInfo(handle, KernelNumArgs,
                                                    sizeof(numParameters),
                                                    &numParameters, nullptr),
                                "clGetKernelInfo");
  if (!status.ok())
    return status;
  stored.resize(numParameters);
  size_t largest = 0, multiple = 0;
  status = context.check(
      api.clGetKernelWorkGroupInfo(handle, context.device, KernelWorkGroupSize,
                                   sizeof(largest), &largest, nullptr),
      "clGetKernelWorkGroupInfo");
  if (!status.ok())
    return status;
  if (api.clGetKernelWorkGroupInfo(handle, context.device,
                                   KernelPreferredMultiple, sizeof(multiple),
                                   &multiple, nullptr) != Success)
    multiple = 1;
  maxGroup = largest;
  DeviceKernel::goodGroup = ::goodGroup(properties, largest, multiple);
  return {};
}

Status OpenCLKernel::check(const LaunchShape &shape,
                           std::span<const KernelArgument> arguments) const {
  return checkLaunch({properties, name, maxGroup, stored.size()}, shape,
                     arguments);
}

bool OpenCLKernel::isSame(const Stored &stored, const KernelArgument &argument,
                          const OpenCLBuffer *buffer) {
  if (!stored.isSet || stored.kind != argument.kind)
    return false;
  switch (argument.kind) {
  case KernelArgument::Kind::Value:
    return stored.value.size() == argument.size &&
           std::memcmp(stored.value.data(), argument.value, argument.size) == 0;
  case KernelArgument::Kind::Memory:
    return stored.serial == (buffer ? buffer->serial : 0);
  case KernelArgument::Kind::Local:
    return stored.size == argument.size;
  }
  return false;
}

void OpenCLKernel::store(Stored &stored, const KernelArgument &argument,
                         const OpenCLBuffer *buffer) {
  stored.kind = argument.kind;
  stored.size = argument.size;
  stored.serial = buffer ? buffer->serial : 0;
  if (argument.kind == KernelArgument::Kind::Value)
    stored.value.assign(static_cast<const char *>(argument.value),
                        argument.size);
  stored.isSet = true;
}

Int OpenCLKernel::callSetArgument(UInt index, const KernelArgument &argument,
                                  const OpenCLBuffer *buffer) {
  const API &api = context.api;
  switch (argument.kind) {
  case KernelArgument::Kind::Value:
    return api.clSetKernelArg(handle, index, argument.size, argument.value);
  case KernelArgument::Kind::Memory: {
    MemoryID memory = buffer ? buffer->handle : nullptr;
    return api.clSetKernelArg(handle, index, sizeof(memory), &memory);
  }
  case KernelArgument::Kind::Local:
    break;
  }
  // OpenCL refuses group memory of 0 bytes.
  return api.clSetKernelArg(handle, index, std::max<uint64_t>(argument.size, 1),
                            nullptr);
}

Status OpenCLKernel::setArgument(UInt index, const KernelArgument &argument) {
  const OpenCLBuffer *buffer = nullptr;
  if (argument.kind == KernelArgument::Kind::Memory && argument.buffer) {
    buffer = OpenCLBuffer::from(context, argument.buffer);
    if (!buffer)
      return foreignError(context.name, "a buffer");
  }
  if (isSame(stored[index], argument, buffer))
    return {};
  stored[index].isSet = false;
  Int code = callSetArgument(index, argument, buffer);
  if (code == Success) {
    store(stored[index], argument, buffer);
    return {};
  }
  Status status = context.check(code, "clSetKernelArg");
  std::string size = argument.kind == KernelArgument::Kind::Memory
                         ? ""
                         : concat(" of ", argument.size, " bytes");
  return Status::error(status.code(),
                       concat("kernel ", quoted(name), ", argument ", index,
                              size, ": ", status.message()));
}

Status OpenCLKernel::enqueue(QueueID queue, const LaunchShape &shape,
                             std::span<const KernelArgument> arguments,
                             const WaitList &waits, EventID &event) {
  std::lock_guard lock(mutex);
  for (UInt i = 0; i != arguments.size(); ++i)
    if (Status status = setArgument(i, arguments[i]); !status.ok())
      return status;
  size_t global[3];
  size_t local[3];
  UInt dimensions = 1;
  for (UInt d = 0; d != 3; ++d) {
    local[d] = shape.items[d];
    global[d] = shape.groups[d] * shape.items[d];
    if (global[d] > 1)
      dimensions = d + 1;
  }
  Int code = context.api.clEnqueueNDRangeKernel(
      queue, handle, dimensions, nullptr, global, local, waits.size(),
      waits.data(), &event);
  if (code == Success)
    return {};
  Status status = context.check(code, "clEnqueueNDRangeKernel");
  return Status::error(status.code(),
                       concat("kernel ", quoted(name), ": ", status.message()));
}

OpenCLModule::~OpenCLModule() {
  kernels.clear();
  context.release(context.api.clReleaseProgram, handle);
}

/// An error that lists the kernels of the module.
Status OpenCLModule::missingKernel(const char *entry) {
  size_t size = 0;
  std::string names;
  if (context.api.clGetProgramInfo(handle, ProgramKernelNames, 0, nullptr,
                                   &size) == Success) {
    names.resize(size);
    if (context.api.clGetProgramInfo(handle, ProgramKernelNames, size,
                                     names.data(), nullptr) != Success)
      names.clear();
    names = names.c_str();
  }
  return missingKernelError(name.c_str(), entry, names);
}

Result<DeviceKernel *> OpenCLModule::kernel(const char *entry) {
  std::lock_guard lock(mutex);
  if (auto found = kernels.find(entry); found != kernels.end())
    return found->second.get();
  if (Status status = context.checkUsable(); !status.ok())
    return status;
  Int code = Success;
  KernelID kernelHandle = context.api.clCreateKernel(handle, entry, &code);
  if (!kernelHandle && code == InvalidKernelName)
    return missingKernel(entry);
  if (!kernelHandle)
    return context.check(code, "clCreateKernel");
  auto made =
      std::make_unique<OpenCLKernel>(context, properties, kernelHandle, entry);
  if (Status status = made->open(); !status.ok())
    return status;
  return kernels.emplace(entry, std::move(made)).first->second.get();
}
