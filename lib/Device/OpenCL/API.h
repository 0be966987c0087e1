//===- API.h - The part of OpenCL that devices use ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL's loader, libOpenCL.so.1, is opened at run time. Its interface is
// declared here, so that building Sluice needs neither its headers nor the
// library. Names and numbers are those of the standard, which describes the
// functions.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_OPENCL_API_H
#define SLUICE_LIB_DEVICE_OPENCL_API_H

#include "sluice/Base/Status.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace sluice::device::opencl {

using Int = int32_t;
using UInt = uint32_t;
using Bits = uint64_t;

// Handles are pointers to types that only the library knows.
using PlatformID = struct PlatformObject *;
using DeviceID = struct DeviceObject *;
using ContextID = struct ContextObject *;
using QueueID = struct QueueObject *;
using MemoryID = struct MemoryObject *;
using ProgramID = struct ProgramObject *;
using KernelID = struct KernelObject *;
using EventID = struct EventObject *;

enum Code : Int {
  Success = 0,
  DeviceNotFound = -1,
  DeviceNotAvailable = -2,
  MemoryAllocationFailure = -4,
  OutOfResources = -5,
  OutOfHostMemory = -6,
  FailedWaitList = -14,
  InvalidValue = -30,
  InvalidQueue = -36,
  InvalidKernelName = -46,
  InvalidBufferSize = -61,
  NoPlatform = -1001,
};

enum Number : Bits {
  True = 1,
  // clGetPlatformInfo
  PlatformVersion = 0x0901,
  PlatformName = 0x0902,
  // clGetDeviceIDs, clGetDeviceInfo
  DeviceTypeCPU = 1 << 1,
  DeviceTypeAll = 0xFFFFFFFF,
  DeviceType = 0x1000,
  DeviceMaxComputeUnits = 0x1002,
  DeviceMaxWorkItemDimensions = 0x1003,
  DeviceMaxWorkGroupSize = 0x1004,
  DeviceMaxWorkItemSizes = 0x1005,
  DeviceMaxMemAllocSize = 0x1010,
  DeviceSingleConfig = 0x101B,
  DeviceGlobalMemSize = 0x101F,
  DeviceLocalMemSize = 0x1023,
  DeviceAvailable = 0x1027,
  DeviceCompilerAvailable = 0x1028,
  DeviceName = 0x102B,
  DriverVersion = 0x102D,
  DeviceVersion = 0x102F,
  DeviceExtensions = 0x1030,
  DeviceDoubleConfig = 0x1032,
  DeviceHostUnifiedMemory = 0x1035,
  DeviceILVersion = 0x105B,
  RoundsDivisionAndSqrt = 1 << 7,
  // clCreateContext
  ContextPlatform = 0x1084,
  // clCreateCommandQueue
  QueueProfiling = 1 << 1,
  // clCreateBuffer, clEnqueueMapBuffer
  MemReadWrite = 1 << 0,
  MemAllocHostPointer = 1 << 4,
  MapReadWrite = 3,
  // clGetProgramInfo, clGetProgramBuildInfo
  ProgramBinarySizes = 0x1165,
  ProgramBinaries = 0x1166,
  ProgramKernelNames = 0x1168,
  ProgramBuildLog = 0x1183,
  // clGetKernelInfo, clGetKernelWorkGroupInfo
  KernelNumArgs = 0x1191,
  KernelWorkGroupSize = 0x11B0,
  KernelLocalMemSize = 0x11B2,
  KernelPreferredMultiple = 0x11B3,
  // clGetEventInfo, clGetEventProfilingInfo, clSetEventCallback
  EventExecutionStatus = 0x11D3,
  Running = 1,
  ProfilingStart = 0x1282,
  ProfilingEnd = 0x1283,
  Complete = 0,
};

/// Name, result and parameters of every function.
#define SLUICE_OPENCL_FUNCTIONS(F)                                             \
  F(clGetPlatformIDs, Int, (UInt, PlatformID *, UInt *))                       \
  F(clGetPlatformInfo, Int, (PlatformID, UInt, size_t, void *, size_t *))      \
  F(clGetDeviceIDs, Int, (PlatformID, Bits, UInt, DeviceID *, UInt *))         \
  F(clGetDeviceInfo, Int, (DeviceID, UInt, size_t, void *, size_t *))          \
  F(clCreateContext, ContextID,                                                \
    (const intptr_t *, UInt, const DeviceID *,                                 \
     void (*)(const char *, const void *, size_t, void *), void *, Int *))     \
  F(clReleaseContext, Int, (ContextID))                                        \
  F(clCreateCommandQueue, QueueID, (ContextID, DeviceID, Bits, Int *))         \
  F(clReleaseCommandQueue, Int, (QueueID))                                     \
  F(clCreateBuffer, MemoryID, (ContextID, Bits, size_t, void *, Int *))        \
  F(clReleaseMemObject, Int, (MemoryID))                                       \
  F(clCreateProgramWithBinary, ProgramID,                                      \
    (ContextID, UInt, const DeviceID *, const size_t *,                        \
     const unsigned char **, Int *, Int *))                                    \
  F(clCreateProgramWithSource, ProgramID,                                      \
    (ContextID, UInt, const char **, const size_t *, Int *))                   \
  F(clBuildProgram, Int,                                                       \
    (ProgramID, UInt, const DeviceID *, const char *,                          \
     void (*)(ProgramID, void *), void *))                                     \
  F(clReleaseProgram, Int, (ProgramID))                                        \
  F(clGetProgramInfo, Int, (ProgramID, UInt, size_t, void *, size_t *))        \
  F(clGetProgramBuildInfo, Int,                                                \
    (ProgramID, DeviceID, UInt, size_t, void *, size_t *))                     \
  F(clCreateKernel, KernelID, (ProgramID, const char *, Int *))                \
  F(clReleaseKernel, Int, (KernelID))                                          \
  F(clGetKernelInfo, Int, (KernelID, UInt, size_t, void *, size_t *))          \
  F(clGetKernelWorkGroupInfo, Int,                                             \
    (KernelID, DeviceID, UInt, size_t, void *, size_t *))                      \
  F(clSetKernelArg, Int, (KernelID, UInt, size_t, const void *))               \
  F(clEnqueueNDRangeKernel, Int,                                               \
    (QueueID, KernelID, UInt, const size_t *, const size_t *, const size_t *,  \
     UInt, const EventID *, EventID *))                                        \
  F(clEnqueueWriteBuffer, Int,                                                 \
    (QueueID, MemoryID, UInt, size_t, size_t, const void *, UInt,              \
     const EventID *, EventID *))                                              \
  F(clEnqueueReadBuffer, Int,                                                  \
    (QueueID, MemoryID, UInt, size_t, size_t, void *, UInt, const EventID *,   \
     EventID *))                                                               \
  F(clEnqueueCopyBuffer, Int,                                                  \
    (QueueID, MemoryID, MemoryID, size_t, size_t, size_t, UInt,                \
     const EventID *, EventID *))                                              \
  F(clEnqueueWriteBufferRect, Int,                                             \
    (QueueID, MemoryID, UInt, const size_t *, const size_t *, const size_t *,  \
     size_t, size_t, size_t, size_t, const void *, UInt, const EventID *,      \
     EventID *))                                                               \
  F(clEnqueueReadBufferRect, Int,                                              \
    (QueueID, MemoryID, UInt, const size_t *, const size_t *, const size_t *,  \
     size_t, size_t, size_t, size_t, void *, UInt, const EventID *,            \
     EventID *))                                                               \
  F(clEnqueueMapBuffer, void *,                                                \
    (QueueID, MemoryID, UInt, Bits, size_t, size_t, UInt, const EventID *,     \
     EventID *, Int *))                                                        \
  F(clEnqueueUnmapMemObject, Int,                                              \
    (QueueID, MemoryID, void *, UInt, const EventID *, EventID *))             \
  F(clEnqueueMarkerWithWaitList, Int,                                          \
    (QueueID, UInt, const EventID *, EventID *))                               \
  F(clFlush, Int, (QueueID))                                                   \
  F(clFinish, Int, (QueueID))                                                  \
  F(clCreateUserEvent, EventID, (ContextID, Int *))                            \
  F(clSetUserEventStatus, Int, (EventID, Int))                                 \
  F(clWaitForEvents, Int, (UInt, const EventID *))                             \
  F(clGetEventInfo, Int, (EventID, UInt, size_t, void *, size_t *))            \
  F(clGetEventProfilingInfo, Int, (EventID, UInt, size_t, void *, size_t *))   \
  F(clSetEventCallback, Int,                                                   \
    (EventID, Int, void (*)(EventID, Int, void *), void *))                    \
  F(clReleaseEvent, Int, (EventID))                                            \
  F(clGetExtensionFunctionAddressForPlatform, void *,                          \
    (PlatformID, const char *))

/// The functions of an opened library.
struct API {
#define SLUICE_OPENCL_MEMBER(name, result, parameters)                         \
  result(*name) parameters = nullptr;
  SLUICE_OPENCL_FUNCTIONS(SLUICE_OPENCL_MEMBER)
#undef SLUICE_OPENCL_MEMBER
  /// New in OpenCL 2.1; null in older libraries.
  ProgramID (*clCreateProgramWithIL)(ContextID, const void *, size_t,
                                     Int *) = nullptr;
};

/// Opens the library on the first call: $SLUICE_OPENCL_LIBRARY, or
/// libOpenCL.so.1. An error says what to install.
Result<const API *> openAPI();

/// Whether this process was forked after the library had been opened. Then the
/// drivers' threads do not exist in it, so no function may be called.
bool wasForked();

/// "CL_OUT_OF_RESOURCES (-5)".
std::string codeName(Int code);

/// The error of a failed call: "clFinish: CL_OUT_OF_RESOURCES (-5)".
Status callError(const char *call, Int code);

} // namespace sluice::device::opencl

#endif // SLUICE_LIB_DEVICE_OPENCL_API_H
