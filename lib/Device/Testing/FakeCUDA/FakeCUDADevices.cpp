//===- FakeCUDADevices.cpp - Devices, contexts and memory of the fake -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's functions for initialisation, devices, contexts and memory.
//
//===----------------------------------------------------------------------===//

#include "FakeCUDAModel.h"

#include <algorithm>
#include <cstdlib>

using namespace fake;

#define EXPORT extern "C" __attribute__((visibility("default"))) Code

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

EXPORT cuInit(unsigned flags) {
  Call call("cuInit", nothing);
  if (call.code)
    return call.code;
  if (flags != 0)
    return call.violation(cudaInvalidValue, "flags must be 0");
  if (call.world.options.numDevices == 0)
    return cudaNoDevice;
  call.world.isInitialised = true;
  return cudaSuccess;
}

EXPORT cuDriverGetVersion(int *version) {
  Call call("cuDriverGetVersion", nothing);
  if (call.code == cudaSuccess)
    *version = call.world.options.version;
  return call.code;
}

static const std::map<Code, std::pair<const char *, const char *>> errorNames =
    {
        {0, {"CUDA_SUCCESS", "no error"}},
        {1, {"CUDA_ERROR_INVALID_VALUE", "invalid argument"}},
        {2, {"CUDA_ERROR_OUT_OF_MEMORY", "out of memory"}},
        {3, {"CUDA_ERROR_NOT_INITIALIZED", "initialization error"}},
        {4, {"CUDA_ERROR_DEINITIALIZED", "driver shutting down"}},
        {100, {"CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"}},
        {101, {"CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"}},
        {201, {"CUDA_ERROR_INVALID_CONTEXT", "invalid device context"}},
        {218, {"CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"}},
        {222,
         {"CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
          "the provided PTX was compiled with an unsupported toolchain."}},
        {400, {"CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"}},
        {500, {"CUDA_ERROR_NOT_FOUND", "named symbol not found"}},
        {600, {"CUDA_ERROR_NOT_READY", "device not ready"}},
        {700,
         {"CUDA_ERROR_ILLEGAL_ADDRESS",
          "an illegal memory access was encountered"}},
        {701,
         {"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
          "too many resources requested for launch"}},
        {719, {"CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"}},
        {800, {"CUDA_ERROR_NOT_PERMITTED", "operation not permitted"}},
        {803,
         {"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
          "system has unsupported display driver / cuda driver combination"}},
        {900,
         {"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
          "operation not permitted when stream is capturing"}},
        {901,
         {"CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
          "operation failed due to a previous error during capture"}},
};

EXPORT cuGetErrorName(Code code, const char **name) {
  auto found = errorNames.find(code);
  *name = found == errorNames.end() ? nullptr : found->second.first;
  return *name ? cudaSuccess : cudaInvalidValue;
}

EXPORT cuGetErrorString(Code code, const char **text) {
  auto found = errorNames.find(code);
  *text = found == errorNames.end() ? nullptr : found->second.second;
  return *text ? cudaSuccess : cudaInvalidValue;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

EXPORT cuDeviceGetCount(int *count) {
  Call call("cuDeviceGetCount", initialised);
  if (call.code == cudaSuccess)
    *count = call.world.options.numDevices;
  return call.code;
}

EXPORT cuDeviceGet(Ordinal *device, int number) {
  Call call("cuDeviceGet", initialised);
  if (call.code)
    return call.code;
  if (number < 0 || number >= call.world.options.numDevices)
    return call.violation(invalidDevice, "there is no such device");
  *device = number;
  return cudaSuccess;
}

static Code checkDevice(Call &call, Ordinal device) {
  if (call.code)
    return call.code;
  if (device < 0 || device >= call.world.options.numDevices)
    return call.violation(invalidDevice, "there is no such device");
  return cudaSuccess;
}

EXPORT cuDeviceGetName(char *name, int size, Ordinal device) {
  Call call("cuDeviceGetName", initialised);
  if (Code code = checkDevice(call, device))
    return code;
  snprintf(name, size_t(size), "Fake H100 %d", device);
  return cudaSuccess;
}

EXPORT cuDeviceTotalMem_v2(size_t *bytes, Ordinal device) {
  Call call("cuDeviceTotalMem", initialised);
  if (Code code = checkDevice(call, device))
    return code;
  *bytes = call.world.options.memory;
  return cudaSuccess;
}

EXPORT cuDeviceGetAttribute(int *value, int attribute, Ordinal device) {
  Call call("cuDeviceGetAttribute", initialised);
  if (Code code = checkDevice(call, device))
    return code;
  const FakeCUDAOptions &options = call.world.options;
  const std::map<int, int> values = {
      {maxThreadsPerBlock, 1024},
      {maxBlockDimX, 1024},
      {maxBlockDimX + 1, 1024},
      {maxBlockDimX + 2, 64},
      {maxGridDimX, 2147483647},
      {maxGridDimX + 1, 65535},
      {maxGridDimX + 2, 65535},
      {maxSharedMemoryPerBlock, options.sharedPerBlock},
      {warpSize, 32},
      {maxPitch, 2147483647},
      {multiprocessorCount, 132},
      {integrated, 0},
      {computeMode, options.computeMode},
      {computeCapabilityMajor, options.computeMajor},
      {computeCapabilityMinor, options.computeMinor},
      {maxSharedMemoryPerBlockOptin, options.sharedPerBlockOptin}};
  auto found = values.find(attribute);
  if (found == values.end())
    return call.violation(cudaInvalidValue, "an unknown attribute");
  *value = found->second;
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

EXPORT cuDevicePrimaryCtxRetain(ContextHandle *context, Ordinal device) {
  Call call("cuDevicePrimaryCtxRetain", initialised);
  if (Code code = checkDevice(call, device))
    return code;
  CUctx_st &primary = call.world.contexts[size_t(device)];
  primary.isRetained = true;
  *context = &primary;
  return cudaSuccess;
}

EXPORT cuCtxGetCurrent(ContextHandle *context) {
  Call call("cuCtxGetCurrent", initialised);
  if (call.code == cudaSuccess)
    *context = threadState.current;
  return call.code;
}

EXPORT cuCtxSetCurrent(ContextHandle context) {
  Call call("cuCtxSetCurrent", initialised);
  if (call.code)
    return call.code;
  if (context && !context->isRetained)
    return call.violation(invalidContext, "the context is not retained");
  threadState.current = context;
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

std::shared_ptr<Allocation> fake::allocateMemory(World &world, uint64_t size) {
  auto allocation = std::make_shared<Allocation>();
  allocation->address = world.nextAddress;
  allocation->size = size;
  allocation->bytes = std::make_unique<unsigned char[]>(size);
  // Not cleared, as on a real device.
  std::memset(allocation->bytes.get(), 0xa5, size);
  allocation->context = threadState.current;
  world.nextAddress += (size + 8191) & ~uint64_t(4095);
  world.memoryInUse += size;
  world.allocations.push_back(allocation);
  return allocation;
}

EXPORT cuMemAlloc_v2(Address *address, size_t size) {
  Call call("cuMemAlloc", context | noCapture);
  if (call.code)
    return call.code;
  if (size == 0)
    return call.violation(cudaInvalidValue, "0 bytes");
  World &world = call.world;
  if (size > world.options.memory - world.memoryInUse)
    return cudaOutOfMemory;
  *address = allocateMemory(world, size)->address;
  return cudaSuccess;
}

static Code release(Call &call, std::vector<std::shared_ptr<Allocation>> &list,
                    uint64_t address, uint64_t &inUse) {
  auto found = std::find_if(list.begin(), list.end(), [&](const auto &entry) {
    return entry->address == address;
  });
  if (found == list.end())
    return call.violation(cudaInvalidValue, "no allocation begins there");
  std::shared_ptr<Allocation> allocation = *found;
  if (allocation->context && allocation->context != threadState.current)
    return call.violation(cudaInvalidValue, "memory of another context");
  if (allocation->uses)
    call.world.violate(std::string(call.name) +
                       ": an operation under way uses the memory");
  // The real driver waits for the device.
  call.world.changed.wait(call.lock, [&] { return allocation->uses == 0; });
  allocation->isFreed = true;
  allocation->bytes.reset();
  inUse -= allocation->size;
  std::erase(list, allocation);
  return cudaSuccess;
}

EXPORT cuMemFree_v2(Address address) {
  Call call("cuMemFree", context | noCapture);
  if (call.code)
    return call.code;
  return release(call, call.world.allocations, address, call.world.memoryInUse);
}

EXPORT cuMemAllocHost_v2(void **memory, size_t size) {
  Call call("cuMemAllocHost", context | noCapture);
  if (call.code)
    return call.code;
  if (size == 0)
    return call.violation(cudaInvalidValue, "0 bytes");
  // As if the host had as much memory as the device.
  if (size > call.world.options.memory)
    return cudaOutOfMemory;
  auto block = std::make_shared<Allocation>();
  block->bytes = std::make_unique<unsigned char[]>(size);
  block->address = uint64_t(uintptr_t(block->bytes.get()));
  block->size = size;
  *memory = block->bytes.get();
  call.world.pinned.push_back(std::move(block));
  return cudaSuccess;
}

EXPORT cuMemFreeHost(void *memory) {
  Call call("cuMemFreeHost", context | noCapture);
  if (call.code)
    return call.code;
  uint64_t size = UINT64_MAX;
  return release(call, call.world.pinned, uint64_t(uintptr_t(memory)), size);
}
