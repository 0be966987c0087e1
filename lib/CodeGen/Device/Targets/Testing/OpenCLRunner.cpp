//===- OpenCLRunner.cpp - Running a kernel of an image in tests -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs an image with plain OpenCL, without the runtime, so that a failing test
// points to the generated code.
//
//===----------------------------------------------------------------------===//

#define CL_TARGET_OPENCL_VERSION 120
#include "OpenCLRunner.h"

#include <CL/cl.h>
#include <dlfcn.h>

using namespace sluice::testing;

struct OpenCLRunner::State {
  void *library = nullptr;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_program program = nullptr;
  std::string built; ///< the image of `program`

  template <typename Function> Function *get(Function *, const char *name) {
    return reinterpret_cast<Function *>(dlsym(library, name));
  }
};

/// A function of the library, by its declaration.
#define CALL(name) state->get(static_cast<decltype(&name)>(nullptr), #name)

OpenCLRunner::OpenCLRunner() : state(std::make_unique<State>()) {}

std::unique_ptr<OpenCLRunner> OpenCLRunner::open(std::string &problem) {
  std::unique_ptr<OpenCLRunner> runner(new OpenCLRunner());
  State *state = runner->state.get();
  state->library = dlopen("libOpenCL.so.1", RTLD_NOW);
  if (!state->library) {
    problem = "there is no libOpenCL.so.1";
    return nullptr;
  }
  cl_platform_id platforms[8];
  cl_uint count = 0;
  CALL(clGetPlatformIDs)(8, platforms, &count);
  for (cl_uint i = 0; i < count && i < 8; ++i) {
    char name[128] = "";
    CALL(clGetPlatformInfo)
    (platforms[i], CL_PLATFORM_NAME, sizeof(name) - 1, name, nullptr);
    // Other implementations claim to accept SPIR and abort on it.
    if (std::string(name) != "Portable Computing Language")
      continue;
    cl_int error = CALL(clGetDeviceIDs)(platforms[i], CL_DEVICE_TYPE_ALL, 1,
                                        &state->device, nullptr);
    if (error)
      continue;
    state->context = CALL(clCreateContext)(nullptr, 1, &state->device, nullptr,
                                           nullptr, &error);
    state->queue =
        CALL(clCreateCommandQueue)(state->context, state->device, 0, &error);
    return runner;
  }
  problem = "no OpenCL device takes SPIR";
  return nullptr;
}

OpenCLRunner::~OpenCLRunner() {
  if (state->program)
    CALL(clReleaseProgram)(state->program);
  if (state->queue)
    CALL(clReleaseCommandQueue)(state->queue);
  if (state->context)
    CALL(clReleaseContext)(state->context);
}

static std::string failed(const char *what, cl_int error) {
  return std::string(what) + " failed with " + std::to_string(error);
}

std::string OpenCLRunner::run(const std::string &spir, const std::string &entry,
                              const std::vector<Parameter> &parameters,
                              size_t groups, size_t items) {
  cl_int error = 0;
  if (!state->program || state->built != spir) {
    if (state->program)
      CALL(clReleaseProgram)(state->program);
    auto *code = reinterpret_cast<const unsigned char *>(spir.data());
    size_t size = spir.size();
    state->built = spir;
    state->program = CALL(clCreateProgramWithBinary)(
        state->context, 1, &state->device, &size, &code, nullptr, &error);
    if (error)
      return failed("clCreateProgramWithBinary", error);
    error = CALL(clBuildProgram)(state->program, 1, &state->device,
                                 "-x spir -spir-std=1.2", nullptr, nullptr);
    if (error) {
      std::string log(8192, '\0');
      CALL(clGetProgramBuildInfo)
      (state->program, state->device, CL_PROGRAM_BUILD_LOG, log.size(),
       log.data(), nullptr);
      return failed("clBuildProgram", error) + ": " + log.c_str();
    }
  }
  cl_kernel kernel =
      CALL(clCreateKernel)(state->program, entry.c_str(), &error);
  if (error)
    return failed("clCreateKernel", error);
  std::vector<cl_mem> buffers;
  cl_uint index = 0;
  for (const Parameter &parameter : parameters) {
    cl_int one = 0;
    switch (parameter.kind) {
    case Parameter::Kind::Buffer:
      buffers.push_back(CALL(clCreateBuffer)(
          state->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
          parameter.size, parameter.data, &one));
      if (!one)
        one = CALL(clSetKernelArg)(kernel, index, sizeof(cl_mem),
                                   &buffers.back());
      break;
    case Parameter::Kind::Local:
      one = CALL(clSetKernelArg)(kernel, index, parameter.size, nullptr);
      break;
    case Parameter::Kind::Value:
      one =
          CALL(clSetKernelArg)(kernel, index, parameter.size, &parameter.value);
      break;
    }
    if (one)
      error = one;
    ++index;
  }
  std::string problem = error ? failed("clSetKernelArg", error) : "";
  size_t all = groups * items;
  if (!error &&
      (error = CALL(clEnqueueNDRangeKernel)(state->queue, kernel, 1, nullptr,
                                            &all, &items, 0, nullptr, nullptr)))
    problem = failed("clEnqueueNDRangeKernel", error);
  if (!error && (error = CALL(clFinish)(state->queue)))
    problem = failed("clFinish", error);
  size_t next = 0;
  for (const Parameter &parameter : parameters)
    if (parameter.kind == Parameter::Kind::Buffer) {
      cl_mem memory = buffers[next++];
      if (!error)
        CALL(clEnqueueReadBuffer)
      (state->queue, memory, CL_TRUE, 0, parameter.size, parameter.data, 0,
       nullptr, nullptr);
      CALL(clReleaseMemObject)(memory);
    }
  CALL(clReleaseKernel)(kernel);
  return problem;
}
