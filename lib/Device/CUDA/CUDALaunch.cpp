//===- CUDALaunch.cpp - Launching kernels on CUDA queues ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All limits are checked here first, since the driver reports only "invalid
// argument" for each of them. Allocates only the event.
//
//===----------------------------------------------------------------------===//

#include "../LaunchChecks.h"
#include "CUDAQueue.h"

#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::cuda;

namespace {
/// The addresses of the parameters' values, in the form that the driver takes.
class Parameters {
public:
  /// `context`: the context of allowed buffers.
  Status set(const CUDAContext &context,
             std::span<const KernelArgument> arguments);

  void **pointers() { return values.empty() ? fewValues : values.data(); }
  uint64_t sharedSize = 0;

private:
  Result<void *> value(const CUDAContext &context,
                       const KernelArgument &argument, uint64_t &offset);

  static constexpr size_t few = 48;
  void *fewValues[few];
  uint64_t fewOffsets[few];
  std::vector<void *> values; ///< of kernels with many parameters
  std::vector<uint64_t> offsets;
};
} // namespace

Result<void *> Parameters::value(const CUDAContext &context,
                                 const KernelArgument &argument,
                                 uint64_t &offset) {
  if (argument.kind == KernelArgument::Kind::Value)
    return const_cast<void *>(argument.value);
  if (argument.kind == KernelArgument::Kind::Memory) {
    static const Address null = 0;
    if (!argument.buffer)
      return const_cast<Address *>(&null);
    auto *buffer = dynamic_cast<CUDABuffer *>(argument.buffer);
    if (!buffer || &buffer->context != &context)
      return foreignError(context.name, "a buffer");
    return const_cast<Address *>(&buffer->address);
  }
  constexpr uint64_t alignment = 16;
  offset = (sharedSize + alignment - 1) & ~(alignment - 1);
  sharedSize = offset + argument.size;
  return &offset;
}

Status Parameters::set(const CUDAContext &context,
                       std::span<const KernelArgument> arguments) {
  if (arguments.size() > few) {
    values.resize(arguments.size());
    offsets.resize(arguments.size());
  }
  void **pointer = pointers();
  uint64_t *offset = offsets.empty() ? fewOffsets : offsets.data();
  for (size_t i = 0; i < arguments.size(); ++i) {
    Result<void *> found = value(context, arguments[i], offset[i]);
    if (!found.ok())
      return found.takeStatus();
    pointer[i] = *found;
  }
  return {};
}

Result<Event> CUDAQueue::launch(DeviceKernel &kernel, const LaunchShape &shape,
                                std::span<const KernelArgument> arguments,
                                std::span<const Event> after) {
  auto *own = dynamic_cast<CUDAKernel *>(&kernel);
  if (!own || &own->context != &context)
    return foreignError(context.name, "a kernel");
  if (Status status = own->check(properties, shape, arguments); !status.ok())
    return status;
  Parameters parameters;
  if (Status status = parameters.set(context, arguments); !status.ok())
    return status;
  if (Status status = own->allowShared(parameters.sharedSize); !status.ok())
    return status;
  return run("cuLaunchKernel", after, [&]() -> Code {
    if (isEmpty(shape))
      return cudaSuccess;
    const auto &[gridX, gridY, gridZ] = shape.groups;
    const auto &[blockX, blockY, blockZ] = shape.items;
    return context.api.cuLaunchKernel(
        own->function, unsigned(gridX), unsigned(gridY), unsigned(gridZ),
        unsigned(blockX), unsigned(blockY), unsigned(blockZ),
        unsigned(parameters.sharedSize), stream, parameters.pointers(),
        nullptr);
  });
}
