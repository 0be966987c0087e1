//===- OpenCLMemory.h - Buffers of an OpenCL device -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers, and pinned memory of the host, which in OpenCL is a buffer mapped
// into the host's memory.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_OPENCL_OPENCLMEMORY_H
#define SLUICE_LIB_DEVICE_OPENCL_OPENCLMEMORY_H

#include "OpenCLContext.h"

#include <map>
#include <mutex>

namespace sluice::device::opencl {

class OpenCLBuffer final : public Buffer {
public:
  /// Takes ownership of the memory object.
  OpenCLBuffer(OpenCLContext &context, MemoryID handle, uint64_t size);
  ~OpenCLBuffer() override {
    context.release(context.api.clReleaseMemObject, handle);
  }
  /// Casts `buffer` to one of this device, or returns null.
  static OpenCLBuffer *from(const OpenCLContext &context, Buffer *buffer) {
    auto *own = dynamic_cast<OpenCLBuffer *>(buffer);
    return own && &own->context == &context ? own : nullptr;
  }

  const MemoryID handle;

private:
  OpenCLContext &context;
};

Result<std::unique_ptr<Buffer>> allocateBuffer(OpenCLContext &context,
                                               uint64_t size,
                                               const Properties &properties);

class PinnedMemory {
public:
  explicit PinnedMemory(OpenCLContext &context) : context(context) {}
  ~PinnedMemory();
  Result<void *> allocate(uint64_t size);
  void free(void *memory);

private:
  void release(void *memory, MemoryID handle);

  OpenCLContext &context;
  std::mutex mutex;
  QueueID queue = nullptr; ///< for mapping
  std::map<void *, MemoryID> buffers;
};

} // namespace sluice::device::opencl

#endif // SLUICE_LIB_DEVICE_OPENCL_OPENCLMEMORY_H
