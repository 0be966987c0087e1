//===- FakeOpenCL.cpp - An OpenCL library that lies on request ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Is loaded in front of the real library, which defines all functions that are
// not defined here. The functions here first check SLUICE_FAKE_OPENCL, a list
// of words and of settings: "clFinish=-5 il". A function with a setting returns
// that code, or creates nothing and sets the code. The words:
//
//   rusticl           all platforms have this name
//   unavailable       all devices say that they are not available
//   no-formats        devices take neither SPIR-V nor SPIR
//   il                devices say that they take SPIR-V, and SPIR
//   il-works          and clCreateProgramWithIL takes it, as if it were SPIR
//   no-rounding       devices cannot round division, and builds are refused
//                     that ask for it
//   needs-rounding    builds are refused that do not ask for it
//   refuse-binaries   clCreateProgramWithBinary takes SPIR only
//   abort             the driver ends the process while it builds a program
//   event=CODE        operations end with this status, for who asks
//   callback=CODE     and for who is called back
//
//===----------------------------------------------------------------------===//

#include "../OpenCL/API.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>

using namespace sluice::device::opencl;

/// The text after `name` in the list; nothing if it is not in the list.
static std::optional<std::string> setting(std::string_view name) {
  const char *all = std::getenv("SLUICE_FAKE_OPENCL");
  std::string_view rest = all ? all : "";
  while (!rest.empty()) {
    std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    std::string_view key = word.substr(0, word.find('='));
    if (key == name)
      return std::string(word.substr(std::min(key.size() + 1, word.size())));
  }
  return std::nullopt;
}

static std::optional<Int> code(std::string_view name) {
  if (auto text = setting(name))
    return std::atoi(text->c_str());
  return std::nullopt;
}

template <typename Function>
static Function *real(Function *, const char *name) {
  return reinterpret_cast<Function *>(::dlsym(RTLD_NEXT, name));
}

/// A function that fails if it has a setting, and otherwise calls the real one.
#define FAILING(name, parameters, arguments)                                   \
  extern "C" Int name parameters {                                             \
    if (auto failure = code(#name))                                            \
      return *failure;                                                         \
    return real(&name, #name) arguments;                                       \
  }

/// The same for a function that creates an object.
#define MAKING(result, name, parameters, arguments)                            \
  extern "C" result name parameters {                                          \
    if (auto failure = code(#name)) {                                          \
      *status = *failure;                                                      \
      return nullptr;                                                          \
    }                                                                          \
    return real(&name, #name) arguments;                                       \
  }

FAILING(clGetPlatformIDs, (UInt n, PlatformID *ids, UInt *count),
        (n, ids, count))
FAILING(clGetDeviceIDs,
        (PlatformID platform, Bits type, UInt n, DeviceID *ids, UInt *count),
        (platform, type, n, ids, count))
FAILING(clEnqueueNDRangeKernel,
        (QueueID queue, KernelID kernel, UInt dimensions, const size_t *offset,
         const size_t *global, const size_t *local, UInt n,
         const EventID *events, EventID *event),
        (queue, kernel, dimensions, offset, global, local, n, events, event))
FAILING(clEnqueueWriteBuffer,
        (QueueID queue, MemoryID memory, UInt blocking, size_t offset,
         size_t size, const void *from, UInt n, const EventID *events,
         EventID *event),
        (queue, memory, blocking, offset, size, from, n, events, event))
FAILING(clEnqueueReadBuffer,
        (QueueID queue, MemoryID memory, UInt blocking, size_t offset,
         size_t size, void *to, UInt n, const EventID *events, EventID *event),
        (queue, memory, blocking, offset, size, to, n, events, event))
FAILING(clEnqueueMarkerWithWaitList,
        (QueueID queue, UInt n, const EventID *events, EventID *event),
        (queue, n, events, event))
FAILING(clFlush, (QueueID queue), (queue))
FAILING(clFinish, (QueueID queue), (queue))
FAILING(clSetKernelArg,
        (KernelID kernel, UInt index, size_t size, const void *value),
        (kernel, index, size, value))
FAILING(clGetEventProfilingInfo,
        (EventID event, UInt what, size_t size, void *value, size_t *written),
        (event, what, size, value, written))
MAKING(ContextID, clCreateContext,
       (const intptr_t *properties, UInt n, const DeviceID *devices,
        void (*function)(const char *, const void *, size_t, void *),
        void *context, Int *status),
       (properties, n, devices, function, context, status))
MAKING(QueueID, clCreateCommandQueue,
       (ContextID context, DeviceID device, Bits properties, Int *status),
       (context, device, properties, status))
MAKING(MemoryID, clCreateBuffer,
       (ContextID context, Bits flags, size_t size, void *host, Int *status),
       (context, flags, size, host, status))
MAKING(KernelID, clCreateKernel,
       (ProgramID program, const char *name, Int *status),
       (program, name, status))
MAKING(void *, clEnqueueMapBuffer,
       (QueueID queue, MemoryID memory, UInt blocking, Bits flags,
        size_t offset, size_t size, UInt n, const EventID *events,
        EventID *event, Int *status),
       (queue, memory, blocking, flags, offset, size, n, events, event, status))

/// Answers a query with a text.
static Int answer(std::string_view text, size_t size, void *value,
                  size_t *written) {
  if (written)
    *written = text.size() + 1;
  if (!value)
    return Success;
  if (size < text.size() + 1)
    return InvalidValue;
  std::memcpy(value, text.data(), text.size());
  static_cast<char *>(value)[text.size()] = 0;
  return Success;
}

extern "C" Int clGetPlatformInfo(PlatformID platform, UInt what, size_t size,
                                 void *value, size_t *written) {
  if (what == PlatformName && setting("rusticl"))
    return answer("rusticl", size, value, written);
  return real(&clGetPlatformInfo, "clGetPlatformInfo")(platform, what, size,
                                                       value, written);
}

extern "C" Int clGetDeviceInfo(DeviceID device, UInt what, size_t size,
                               void *value, size_t *written) {
  if (what == DeviceAvailable && setting("unavailable")) {
    *static_cast<UInt *>(value) = 0;
    return Success;
  }
  if (what == DeviceSingleConfig && setting("no-rounding")) {
    *static_cast<Bits *>(value) = 0;
    return Success;
  }
  if (what == DeviceILVersion && (setting("il") || setting("il-works")))
    return answer("SPIR-V_1.2", size, value, written);
  if (what == DeviceExtensions && setting("no-formats"))
    return answer("cl_khr_fp64", size, value, written);
  return real(&clGetDeviceInfo, "clGetDeviceInfo")(device, what, size, value,
                                                   written);
}

/// Programs made by clCreateProgramWithIL.
static ProgramID programFromIL = nullptr;

extern "C" ProgramID clCreateProgramWithBinary(ContextID context, UInt n,
                                               const DeviceID *devices,
                                               const size_t *sizes,
                                               const unsigned char **binaries,
                                               Int *accepted, Int *status) {
  bool isBitcode = sizes[0] > 2 && std::memcmp(binaries[0], "BC", 2) == 0;
  if (setting("refuse-binaries") && !isBitcode) {
    *accepted = *status = -42;
    return nullptr;
  }
  return real(&clCreateProgramWithBinary, "clCreateProgramWithBinary")(
      context, n, devices, sizes, binaries, accepted, status);
}

extern "C" ProgramID clCreateProgramWithIL(ContextID context, const void *code,
                                           size_t size, Int *status) {
  if (!setting("il-works"))
    return real(&clCreateProgramWithIL, "clCreateProgramWithIL")(context, code,
                                                                 size, status);
  // These tests run with one device.
  PlatformID platform = nullptr;
  DeviceID device = nullptr;
  clGetPlatformIDs(1, &platform, nullptr);
  clGetDeviceIDs(platform, DeviceTypeAll, 1, &device, nullptr);
  auto *bytes = static_cast<const unsigned char *>(code);
  Int accepted = Success;
  programFromIL = clCreateProgramWithBinary(context, 1, &device, &size, &bytes,
                                            &accepted, status);
  return programFromIL;
}

extern "C" Int clBuildProgram(ProgramID program, UInt n,
                              const DeviceID *devices, const char *options,
                              void (*function)(ProgramID, void *),
                              void *context) {
  if (setting("abort")) {
    constexpr std::string_view last = "LLVM ERROR: cannot select\n";
    (void)!::write(2, last.data(), last.size());
    std::abort();
  }
  if (auto failure = code("clBuildProgram"))
    return *failure;
  bool rounds = std::strstr(options, "-cl-fp32-correctly-rounded-divide-sqrt");
  if (rounds ? setting("no-rounding") : setting("needs-rounding"))
    return -43; // CL_INVALID_BUILD_OPTIONS
  if (program == programFromIL)
    options = "-x spir -spir-std=1.2";
  return real(&clBuildProgram, "clBuildProgram")(program, n, devices, options,
                                                 function, context);
}

extern "C" Int clGetProgramBuildInfo(ProgramID program, DeviceID device,
                                     UInt what, size_t size, void *value,
                                     size_t *written) {
  if (what == ProgramBuildLog && setting("clBuildProgram"))
    return answer("line 1: wrong\nline 2: wrong too\n\n", size, value, written);
  return real(&clGetProgramBuildInfo, "clGetProgramBuildInfo")(
      program, device, what, size, value, written);
}

extern "C" Int clGetEventInfo(EventID event, UInt what, size_t size,
                              void *value, size_t *written) {
  if (auto status = code("event"); status && what == EventExecutionStatus) {
    *static_cast<Int *>(value) = *status;
    return Success;
  }
  return real(&clGetEventInfo, "clGetEventInfo")(event, what, size, value,
                                                 written);
}

extern "C" Int clWaitForEvents(UInt n, const EventID *events) {
  Int result = real(&clWaitForEvents, "clWaitForEvents")(n, events);
  return setting("event") ? Int(FailedWaitList) : result;
}

namespace {
struct Callback {
  void (*function)(EventID, Int, void *);
  void *context;
  Int status;
};
} // namespace

static void callBack(EventID event, Int, void *context) {
  auto *callback = static_cast<Callback *>(context);
  callback->function(event, callback->status, callback->context);
  delete callback;
}

extern "C" Int clSetEventCallback(EventID event, Int type,
                                  void (*function)(EventID, Int, void *),
                                  void *context) {
  if (auto failure = code("clSetEventCallback"))
    return *failure;
  auto set = real(&clSetEventCallback, "clSetEventCallback");
  if (auto status = code("callback"))
    return set(event, type, callBack, new Callback{function, context, *status});
  return set(event, type, function, context);
}
