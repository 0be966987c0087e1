//===- CUDAApi.h - The part of the CUDA driver's interface in use ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The binary interface of libcuda.so.1, as far as Sluice uses it, so that no
// SDK is needed. Functions have the names in CUDA's documentation; the symbols
// behind them are the current versions of the interface (_v2).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_CUDA_CUDAAPI_H
#define SLUICE_LIB_DEVICE_CUDA_CUDAAPI_H

#include <cstddef>
#include <cstdint>

namespace sluice::device::cuda {

using Code = int;                   ///< CUresult
using Ordinal = int;                ///< CUdevice
using Address = unsigned long long; ///< CUdeviceptr
using ContextHandle = struct CUctx_st *;
using StreamHandle = struct CUstream_st *;
using EventHandle = struct CUevent_st *;
using ModuleHandle = struct CUmod_st *;
using FunctionHandle = struct CUfunc_st *;
using GraphHandle = struct CUgraph_st *;
using GraphExecHandle = struct CUgraphExec_st *;
using StreamCallback = void (*)(StreamHandle, Code, void *);

/// Codes that are handled specially; all others are only reported.
enum : Code {
  cudaSuccess = 0,
  cudaInvalidValue = 1,
  cudaOutOfMemory = 2,
  cudaDeinitialized = 4,
  cudaNoDevice = 100,
  cudaECCUncorrectable = 214,
  cudaNVLinkUncorrectable = 220,
  cudaContained = 226,
  cudaNotFound = 500,
  cudaNotReady = 600,
  cudaIllegalAddress = 700,
  cudaLaunchTimeout = 702,
  cudaContextIsDestroyed = 709,
  cudaAssert = 710,
  cudaHardwareStackError = 714,
  cudaIllegalInstruction = 715,
  cudaMisalignedAddress = 716,
  cudaInvalidAddressSpace = 717,
  cudaInvalidPC = 718,
  cudaLaunchFailed = 719,
  cudaTensorMemoryLeak = 721,
  cudaMPSRPCFailure = 806,
  cudaMPSClientTerminated = 810,
  cudaExternalDevice = 911,
  cudaUnknown = 999,
};

enum DeviceAttribute : int {
  maxThreadsPerBlock = 1,
  maxBlockDimX = 2, ///< y and z follow
  maxGridDimX = 5,  ///< y and z follow
  maxSharedMemoryPerBlock = 8,
  warpSize = 10,
  maxPitch = 11,
  multiprocessorCount = 16,
  integrated = 18,
  computeMode = 20,
  computeCapabilityMajor = 75,
  computeCapabilityMinor = 76,
  maxSharedMemoryPerBlockOptin = 97,
};
constexpr int computeModeProhibited = 2;

enum FunctionAttribute : int {
  functionMaxThreadsPerBlock = 0,
  functionSharedSize = 1,
  functionMaxDynamicSharedSize = 8,
};

enum JITOption : int {
  jitInfoLogBuffer = 3,
  jitInfoLogBufferSize = 4,
  jitErrorLogBuffer = 5,
  jitErrorLogBufferSize = 6,
};

constexpr unsigned streamNonBlocking = 1;
constexpr unsigned eventDefault = 0, eventDisableTiming = 2;
constexpr int captureThreadLocal = 1, captureRelaxed = 2;
constexpr unsigned memoryTypeHost = 1, memoryTypeDevice = 2;

/// CUDA_MEMCPY3D
struct Copy3D {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  unsigned srcMemoryType;
  const void *srcHost;
  Address srcDevice;
  void *srcArray, *reserved0;
  size_t srcPitch, srcHeight;
  size_t dstXInBytes, dstY, dstZ, dstLOD;
  unsigned dstMemoryType;
  void *dstHost;
  Address dstDevice;
  void *dstArray, *reserved1;
  size_t dstPitch, dstHeight;
  size_t widthInBytes, height, depth;
};
static_assert(sizeof(Copy3D) == 200, "laid out as the driver expects it");

/// X(name, version of the symbol, parameters)
#define SLUICE_CUDA_FUNCTIONS(X)                                               \
  X(cuInit, , (unsigned flags))                                                \
  X(cuDriverGetVersion, , (int *version))                                      \
  X(cuGetErrorName, , (Code code, const char **name))                          \
  X(cuGetErrorString, , (Code code, const char **text))                        \
  X(cuDeviceGetCount, , (int *count))                                          \
  X(cuDeviceGet, , (Ordinal * device, int number))                             \
  X(cuDeviceGetName, , (char *name, int size, Ordinal device))                 \
  X(cuDeviceTotalMem, _v2, (size_t * bytes, Ordinal device))                   \
  X(cuDeviceGetAttribute, , (int *value, int attribute, Ordinal device))       \
  X(cuDevicePrimaryCtxRetain, , (ContextHandle * context, Ordinal device))     \
  X(cuCtxGetCurrent, , (ContextHandle * context))                              \
  X(cuCtxSetCurrent, , (ContextHandle context))                                \
  X(cuMemAlloc, _v2, (Address * address, size_t size))                         \
  X(cuMemFree, _v2, (Address address))                                         \
  X(cuMemAllocHost, _v2, (void **memory, size_t size))                         \
  X(cuMemFreeHost, , (void *memory))                                           \
  X(cuMemcpyHtoDAsync, _v2,                                                    \
    (Address to, const void *from, size_t size, StreamHandle stream))          \
  X(cuMemcpyDtoHAsync, _v2,                                                    \
    (void *to, Address from, size_t size, StreamHandle stream))                \
  X(cuMemcpyDtoDAsync, _v2,                                                    \
    (Address to, Address from, size_t size, StreamHandle stream))              \
  X(cuMemcpy3DAsync, _v2, (const Copy3D *copy, StreamHandle stream))           \
  X(cuStreamCreate, , (StreamHandle * stream, unsigned flags))                 \
  X(cuStreamDestroy, _v2, (StreamHandle stream))                               \
  X(cuStreamSynchronize, , (StreamHandle stream))                              \
  X(cuStreamWaitEvent, ,                                                       \
    (StreamHandle stream, EventHandle event, unsigned flags))                  \
  X(cuStreamAddCallback, ,                                                     \
    (StreamHandle stream, StreamCallback function, void *context,              \
     unsigned flags))                                                          \
  X(cuEventCreate, , (EventHandle * event, unsigned flags))                    \
  X(cuEventRecord, , (EventHandle event, StreamHandle stream))                 \
  X(cuEventQuery, , (EventHandle event))                                       \
  X(cuEventSynchronize, , (EventHandle event))                                 \
  X(cuEventDestroy, _v2, (EventHandle event))                                  \
  X(cuEventElapsedTime, ,                                                      \
    (float *milliseconds, EventHandle start, EventHandle end))                 \
  X(cuModuleLoadDataEx, ,                                                      \
    (ModuleHandle * module, const void *image, unsigned numOptions,            \
     int *options, void **values))                                             \
  X(cuModuleUnload, , (ModuleHandle module))                                   \
  X(cuModuleGetFunction, ,                                                     \
    (FunctionHandle * function, ModuleHandle module, const char *name))        \
  X(cuFuncGetAttribute, ,                                                      \
    (int *value, int attribute, FunctionHandle function))                      \
  X(cuFuncSetAttribute, , (FunctionHandle function, int attribute, int value)) \
  X(cuOccupancyMaxPotentialBlockSize, ,                                        \
    (int *minGrid, int *block, FunctionHandle function,                        \
     size_t (*sharedOfBlock)(int), size_t shared, int limit))                  \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, ,                             \
    (int *blocks, FunctionHandle function, int block, size_t shared))          \
  X(cuLaunchKernel, ,                                                          \
    (FunctionHandle function, unsigned gridX, unsigned gridY, unsigned gridZ,  \
     unsigned blockX, unsigned blockY, unsigned blockZ, unsigned shared,       \
     StreamHandle stream, void **parameters, void **extra))                    \
  X(cuThreadExchangeStreamCaptureMode, , (int *mode))                          \
  X(cuStreamBeginCapture, _v2, (StreamHandle stream, int mode))                \
  X(cuStreamEndCapture, , (StreamHandle stream, GraphHandle * graph))          \
  X(cuGraphInstantiateWithFlags, ,                                             \
    (GraphExecHandle * exec, GraphHandle graph, unsigned long long flags))     \
  X(cuGraphLaunch, , (GraphExecHandle exec, StreamHandle stream))              \
  X(cuGraphExecDestroy, , (GraphExecHandle exec))                              \
  X(cuGraphDestroy, , (GraphHandle graph))

/// Functions of newer drivers; null if they are missing.
#define SLUICE_CUDA_OPTIONAL_FUNCTIONS(X)                                      \
  X(cuFuncGetParamInfo, ,                                                      \
    (FunctionHandle function, size_t index, size_t * offset, size_t * size))

/// The driver's functions.
struct Api {
#define SLUICE_CUDA_FIELD(name, version, parameters)                           \
  Code(*name) parameters = nullptr;
  SLUICE_CUDA_FUNCTIONS(SLUICE_CUDA_FIELD)
  SLUICE_CUDA_OPTIONAL_FUNCTIONS(SLUICE_CUDA_FIELD)
#undef SLUICE_CUDA_FIELD
};

} // namespace sluice::device::cuda

#endif // SLUICE_LIB_DEVICE_CUDA_CUDAAPI_H
