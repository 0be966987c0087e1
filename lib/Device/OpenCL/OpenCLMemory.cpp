//===- OpenCLMemory.cpp - Buffers of an OpenCL device ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates buffers, and pinned host memory by mapping a buffer.
//
//===----------------------------------------------------------------------===//

#include "OpenCLMemory.h"

#include "../LaunchChecks.h"
#include "sluice/Base/Text.h"

#include <algorithm>

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::opencl;

OpenCLBuffer::OpenCLBuffer(OpenCLContext &context, MemoryID handle,
                           uint64_t size)
    : Buffer(size), handle(handle), context(context) {}

Result<std::unique_ptr<Buffer>>
opencl::allocateBuffer(OpenCLContext &context, uint64_t size,
                       const Properties &properties) {
  if (Status status = context.checkUsable(); !status.ok())
    return status;
  if (Status status = checkAllocation(properties, size); !status.ok())
    return status;
  Int code = Success;
  // OpenCL refuses buffers of 0 bytes.
  MemoryID handle =
      context.api.clCreateBuffer(context.handle, MemReadWrite,
                                 std::max<uint64_t>(size, 1), nullptr, &code);
  if (!handle) {
    Status status = context.check(code, "clCreateBuffer");
    return Status::error(status.code(),
                         concat("allocation of ", size, " bytes on ",
                                properties.name, ": ", status.message()));
  }
  return std::unique_ptr<Buffer>(
      std::make_unique<OpenCLBuffer>(context, handle, size));
}

PinnedMemory::~PinnedMemory() {
  for (auto [memory, handle] : buffers)
    release(memory, handle);
  context.release(context.api.clFinish, queue);
  context.release(context.api.clReleaseCommandQueue, queue);
}

Result<void *> PinnedMemory::allocate(uint64_t size) {
  std::lock_guard lock(mutex);
  if (Status status = context.checkUsable(); !status.ok())
    return status;
  if (!queue) {
    Result<QueueID> created = context.createQueue();
    if (!created.ok())
      return created.takeStatus();
    queue = *created;
  }
  size = std::max<uint64_t>(size, 1);
  Int code = Success;
  MemoryID handle = context.api.clCreateBuffer(
      context.handle, MemReadWrite | MemAllocHostPointer, size, nullptr, &code);
  if (!handle)
    return context.check(code, "clCreateBuffer");
  void *memory = context.api.clEnqueueMapBuffer(
      queue, handle, True, MapReadWrite, 0, size, 0, nullptr, nullptr, &code);
  if (!memory) {
    context.api.clReleaseMemObject(handle);
    return context.check(code, "clEnqueueMapBuffer");
  }
  buffers.emplace(memory, handle);
  return memory;
}

void PinnedMemory::free(void *memory) {
  std::lock_guard lock(mutex);
  auto found = buffers.find(memory);
  if (found == buffers.end())
    return;
  release(memory, found->second);
  buffers.erase(found);
}

/// Errors are ignored: the memory is released in any case.
void PinnedMemory::release(void *memory, MemoryID handle) {
  if (wasForked())
    return;
  context.api.clEnqueueUnmapMemObject(queue, handle, memory, 0, nullptr,
                                      nullptr);
  context.api.clFinish(queue);
  context.api.clReleaseMemObject(handle);
}
