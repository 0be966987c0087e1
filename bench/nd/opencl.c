//===- opencl.c - The data-parallel rows with OpenCL ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Run with PoCL's CPU device. Buffers are the host's own memory, so that no
// copy is timed; a repetition is enqueue and finish.
//
//===----------------------------------------------------------------------===//

#define CL_TARGET_OPENCL_VERSION 120
#include "problems.h"

#include <CL/cl.h>

#ifndef KERNEL_FILE
#error "KERNEL_FILE names kernels.cl"
#endif

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_program program;

static void require(cl_int status, const char *what) {
  if (status == CL_SUCCESS)
    return;
  fprintf(stderr, "OpenCL: %s failed with status %d\n", what, status);
  exit(1);
}

static char *readSource(void) {
  FILE *file = fopen(KERNEL_FILE, "rb");
  char *text = calloc(1, 1 << 16);
  if (!file || fread(text, 1, (1 << 16) - 1, file) == 0) {
    fprintf(stderr, "cannot read '%s'\n", KERNEL_FILE);
    exit(1);
  }
  fclose(file);
  return text;
}

static void buildProgram(void) {
  char options[256];
  cl_int status;
  char *source = readSource();
  const char *sources[] = {source};
  program = clCreateProgramWithSource(context, 1, sources, 0, &status);
  require(status, "clCreateProgramWithSource");
  snprintf(options, sizeof(options),
           "-DSIZE=%d -DTILE=%d -DGRID=%d -DGROUP=%d -DSTRIDE=%d", matmulSize,
           matmulTile, stencilSize, reductionGroup, launchStride);
  require(clBuildProgram(program, 1, &device, options, 0, 0), "clBuildProgram");
  free(source);
}

static void openDevice(void) {
  cl_platform_id platforms[8];
  cl_uint numPlatforms = 0;
  cl_int status = clGetPlatformIDs(8, platforms, &numPlatforms);
  require(status, "clGetPlatformIDs");
  for (cl_uint i = 0; i < numPlatforms; ++i) {
    char name[128] = "";
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(name), name, 0);
    if (strcmp(name, "Portable Computing Language") != 0)
      continue;
    status = clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, 0);
    require(status, "clGetDeviceIDs");
    context = clCreateContext(0, 1, &device, 0, 0, &status);
    require(status, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &status);
    require(status, "clCreateCommandQueue");
    return;
  }
  fprintf(stderr, "OpenCL: no platform 'Portable Computing Language'\n");
  exit(1);
}

static cl_kernel createKernel(const char *name) {
  cl_int status;
  cl_kernel kernel = clCreateKernel(program, name, &status);
  require(status, name);
  return kernel;
}

static cl_mem wrap(void *memory, size_t bytes) {
  cl_int status;
  cl_mem buffer = clCreateBuffer(
      context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, memory, &status);
  require(status, "clCreateBuffer");
  return buffer;
}

static void bind(cl_kernel kernel, cl_uint index, cl_mem buffer) {
  require(clSetKernelArg(kernel, index, sizeof(buffer), &buffer),
          "clSetKernelArg");
}

static void start(cl_kernel kernel, cl_uint dims, size_t global0,
                  size_t global1, size_t local0, size_t local1) {
  size_t global[] = {global0, global1}, local[] = {local0, local1};
  require(clEnqueueNDRangeKernel(queue, kernel, dims, 0, global,
                                 local0 ? local : 0, 0, 0, 0),
          "clEnqueueNDRangeKernel");
}

static void finish(void) { require(clFinish(queue), "clFinish"); }

/// Objects of the row at work: at most two kernels and three buffers.
static cl_kernel kernels[2];
static cl_mem buffers[3];

static void dropAll(void) {
  for (int i = 0; i < 2; ++i)
    if (kernels[i])
      clReleaseKernel(kernels[i]);
  for (int i = 0; i < 3; ++i)
    if (buffers[i])
      clReleaseMemObject(buffers[i]);
  memset(kernels, 0, sizeof(kernels));
  memset(buffers, 0, sizeof(buffers));
}

static void allocateSaxpy(void) {
  saxpyAllocate();
  kernels[0] = createKernel("saxpy");
  bind(kernels[0], 0, buffers[0] = wrap(saxpyX, sizeof(float) * saxpySize));
  bind(kernels[0], 1, buffers[1] = wrap(saxpyY, sizeof(float) * saxpySize));
  float factor = saxpyFactor;
  require(clSetKernelArg(kernels[0], 2, sizeof(factor), &factor),
          "clSetKernelArg");
}

static void runSaxpy(void) {
  start(kernels[0], 1, saxpySize, 1, 0, 0);
  finish();
}

static void releaseSaxpy(void) {
  dropAll();
  saxpyRelease();
}

static void allocateMatmul(const char *kernel) {
  const size_t bytes = sizeof(float) * matmulSize * matmulSize;
  float *const memory[] = {matmulA, matmulB, matmulC};
  kernels[0] = createKernel(kernel);
  for (cl_uint i = 0; i < 3; ++i)
    bind(kernels[0], i, buffers[i] = wrap(memory[i], bytes));
}

static void allocateMatmulTiled(void) {
  matmulAllocate();
  allocateMatmul("matmulTiled");
}

static void allocateMatmulNaive(void) {
  matmulAllocate();
  allocateMatmul("matmulNaive");
}

static void runMatmul(void) {
  start(kernels[0], 2, matmulSize, matmulSize, matmulTile, matmulTile);
  finish();
}

static void releaseMatmul(void) {
  dropAll();
  matmulRelease();
}

static void allocateStencil(void) {
  const size_t bytes = sizeof(float) * stencilSize * stencilSize;
  stencilAllocate();
  buffers[0] = wrap(stencilFrom, bytes);
  buffers[1] = wrap(stencilTo, bytes);
  float weight = stencilWeight;
  for (int i = 0; i < 2; ++i) {
    kernels[i] = createKernel("stencil");
    bind(kernels[i], 0, buffers[i]);
    bind(kernels[i], 1, buffers[1 - i]);
    require(clSetKernelArg(kernels[i], 2, sizeof(weight), &weight),
            "clSetKernelArg");
  }
}

/// The queue keeps the sweeps in order, so one finish is enough.
static void runStencil(void) {
  for (int i = 0; i < stencilSweeps; ++i)
    start(kernels[i % 2], 2, stencilSize, stencilSize, 0, 0);
  finish();
}

static void releaseStencil(void) {
  dropAll();
  stencilRelease();
}

static void allocateReduction(void) {
  reductionAllocate();
  kernels[0] = createKernel("reduction");
  buffers[0] = wrap(reductionInput, sizeof(int) * reductionSize);
  buffers[1] = wrap(reductionSum, sizeof(int));
  bind(kernels[0], 0, buffers[0]);
  bind(kernels[0], 1, buffers[1]);
}

static void runReduction(void) {
  *reductionSum = 0;
  start(kernels[0], 1, reductionSize, 1, reductionGroup, 1);
  finish();
}

static void releaseReduction(void) {
  dropAll();
  reductionRelease();
}

static void allocateHistogram(void) {
  histogramAllocate();
  kernels[0] = createKernel("histogram");
  buffers[0] = wrap(histogramInput, sizeof(int) * histogramSize);
  buffers[1] = wrap(histogramCounts, sizeof(int) * histogramBins);
  bind(kernels[0], 0, buffers[0]);
  bind(kernels[0], 1, buffers[1]);
}

static void runHistogram(void) {
  start(kernels[0], 1, histogramSize, 1, 0, 0);
  finish();
}

static void releaseHistogram(void) {
  dropAll();
  histogramRelease();
}

static void allocateLaunch(void) {
  launchAllocate();
  kernels[0] = createKernel("launch");
  buffers[0] = wrap(launchOutput, sizeof(int) * launchStride * launchInstances);
  bind(kernels[0], 0, buffers[0]);
}

static void runLaunch(void) {
  start(kernels[0], 1, launchInstances, 1, 1, 1);
  finish();
}

static void releaseLaunch(void) {
  dropAll();
  launchRelease();
}

/// The shared row with OpenCL's objects beside the memory.
static BenchRow withObjects(BenchRow row, void (*allocate)(void),
                            void (*release)(void)) {
  row.allocate = allocate;
  row.release = release;
  return row;
}

int main(void) {
  BenchRow saxpy = SAXPY_ROW(runSaxpy);
  BenchRow tiled = MATMUL_ROW("matmul-tiled", runMatmul, 2);
  BenchRow naive = MATMUL_ROW("matmul-naive", runMatmul, 2);
  BenchRow stencil = STENCIL_ROW("stencil", runStencil);
  BenchRow reduction = REDUCTION_ROW("reduction", runReduction);
  BenchRow histogram = HISTOGRAM_ROW("histogram", runHistogram);
  BenchRow launch = LAUNCH_ROW(runLaunch);
  const BenchRow rows[] = {
      withObjects(saxpy, allocateSaxpy, releaseSaxpy),
      withObjects(tiled, allocateMatmulTiled, releaseMatmul),
      withObjects(naive, allocateMatmulNaive, releaseMatmul),
      withObjects(stencil, allocateStencil, releaseStencil),
      withObjects(reduction, allocateReduction, releaseReduction),
      withObjects(histogram, allocateHistogram, releaseHistogram),
      withObjects(launch, allocateLaunch, releaseLaunch),
  };
  openDevice();
  buildProgram();
  return benchServe(rows, sizeof(rows) / sizeof(rows[0]));
}
