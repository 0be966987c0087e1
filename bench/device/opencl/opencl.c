//===- opencl.c - The table of devices, written by hand in OpenCL ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BENCH_DEVICE says which device of which platform, by the number that Sluice
// gives it ("opencl:1"); BENCH_GROUP how many items a group has.
//
//===----------------------------------------------------------------------===//

#include "rows.h"
#include "stream.h"

#ifndef KERNEL_FILE
#error "KERNEL_FILE names kernels.cl"
#endif

/// The device number `wanted` over all platforms, in their order.
static void findDevice(unsigned wanted) {
  cl_platform_id platforms[16];
  cl_uint numPlatforms = 0;
  require(clGetPlatformIDs(16, platforms, &numPlatforms), "clGetPlatformIDs");
  for (cl_uint i = 0; i < numPlatforms; ++i) {
    cl_device_id devices[16];
    cl_uint numDevices = 0;
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 16, devices,
                       &numDevices) != CL_SUCCESS)
      continue;
    if (wanted < numDevices) {
      device = devices[wanted];
      return;
    }
    wanted -= numDevices;
  }
  fprintf(stderr, "OpenCL: there is no such device\n");
  exit(1);
}

static void openDevice(void) {
  const char *name = getenv("BENCH_DEVICE");
  const char *number = name ? strchr(name, ':') : 0;
  findDevice(number ? (unsigned)atoi(number + 1) : 0);
  cl_int status;
  context = clCreateContext(0, 1, &device, 0, 0, &status);
  require(status, "clCreateContext");
  queue = createQueue();
  const char *items = getenv("BENCH_GROUP");
  groupItems = items && atoi(items) > 0 ? (size_t)atoi(items) : 1024;
}

static void buildProgram(void) {
  static char text[1 << 16];
  FILE *file = fopen(KERNEL_FILE, "rb");
  if (!file || fread(text, 1, sizeof(text) - 1, file) == 0) {
    fprintf(stderr, "cannot read '%s'\n", KERNEL_FILE);
    exit(1);
  }
  fclose(file);
  cl_int status;
  const char *source = text;
  program = clCreateProgramWithSource(context, 1, &source, 0, &status);
  require(status, "clCreateProgramWithSource");
  char options[128];
  snprintf(options, sizeof(options),
           "-cl-std=CL1.2 -DGRID=%d -DSIZE=%d -DTILE=%d -DGROUP=%d",
           stencilSize, matmulSize, matmulTile, reductionGroup);
  require(clBuildProgram(program, 1, &device, options, 0, 0), "clBuildProgram");
}

int main(void) {
  BenchRow rows[] = {SAXPY_ROW(runSaxpy),
                     STENCIL_ROW("stencil", runStencil),
                     MATMUL_ROW("matmul-tiled", runMatmul, 2),
                     HISTOGRAM_ROW("histogram", runHistogram),
                     REDUCTION_ROW("reduction", runReduction),
                     FILTERS_ROW(runFilters),
                     UPLOAD_ROW(runUpload),
                     DOWNLOAD_ROW(runDownload),
                     LAUNCH_ROW(runLaunch),
                     CHAIN_ROW(runChain),
                     STREAM_ROW(runStream)};
#define ROW(AT, NAME)                                                          \
  rows[AT].allocate = allocate##NAME, rows[AT].reset = reset##NAME,            \
  rows[AT].verify = verify##NAME, rows[AT].release = release##NAME
  ROW(0, Saxpy);
  ROW(1, Stencil);
  ROW(2, Matmul);
  ROW(3, Histogram);
  ROW(4, Reduction);
  ROW(5, Filters);
  rows[6].allocate = allocateUpload, rows[6].verify = verifyUpload;
  rows[7].allocate = allocateDownload;
  rows[6].release = rows[7].release = releaseTransfer;
  ROW(8, Launch);
  ROW(9, Chain);
  rows[10].allocate = allocateStream, rows[10].release = releaseStream;
  openDevice();
  buildProgram();
  return benchServe(rows, sizeof(rows) / sizeof(rows[0]));
}
