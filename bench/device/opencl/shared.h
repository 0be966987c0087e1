//===- shared.h - What the rows in OpenCL share -----------------*- C -*---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One device, one context, one program. Groups have the sizes that Sluice
// chooses where a leaf knows nothing of groups: a line of `groupItems`.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_DEVICE_OPENCL_SHARED_H
#define SLUICE_BENCH_DEVICE_OPENCL_SHARED_H

#define CL_TARGET_OPENCL_VERSION 120
#include "../problems.h"

#include <CL/cl.h>

static cl_context context;
static cl_device_id device;
static cl_program program;
/// In order; the stream has two more for its transfers.
static cl_command_queue queue;
static size_t groupItems;

static inline void require(cl_int status, const char *what) {
  if (status == CL_SUCCESS)
    return;
  fprintf(stderr, "OpenCL: %s failed with status %d\n", what, status);
  exit(1);
}

static inline cl_command_queue createQueue(void) {
  cl_int status;
  cl_command_queue result = clCreateCommandQueue(context, device, 0, &status);
  require(status, "clCreateCommandQueue");
  return result;
}

static inline cl_kernel createKernel(const char *name) {
  cl_int status;
  cl_kernel kernel = clCreateKernel(program, name, &status);
  require(status, name);
  return kernel;
}

static inline cl_mem createBuffer(size_t bytes) {
  cl_int status;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, 0, &status);
  require(status, "clCreateBuffer");
  return buffer;
}

static inline void setArgument(cl_kernel kernel, cl_uint index, size_t size,
                               const void *value) {
  require(clSetKernelArg(kernel, index, size, value), "clSetKernelArg");
}

static inline void setBuffer(cl_kernel kernel, cl_uint index, cl_mem buffer) {
  setArgument(kernel, index, sizeof(buffer), &buffer);
}

static inline void setSize(cl_kernel kernel, cl_uint index, cl_ulong size) {
  setArgument(kernel, index, sizeof(size), &size);
}

static inline void enqueue(cl_command_queue queue, cl_kernel kernel,
                           const size_t *groups, const size_t *items,
                           cl_uint numAfter, const cl_event *after,
                           cl_event *end) {
  size_t global[] = {groups[0] * items[0], groups[1] * items[1]};
  require(clEnqueueNDRangeKernel(queue, kernel, 2, 0, global, items, numAfter,
                                 after, end),
          "clEnqueueNDRangeKernel");
}

/// Instances of `columns` x `rows`, in lines.
static inline void enqueueGrid(cl_command_queue queue, cl_kernel kernel,
                               size_t columns, size_t rows, cl_uint numAfter,
                               const cl_event *after, cl_event *end) {
  size_t line = columns < groupItems ? columns : groupItems;
  size_t groups[] = {(columns + line - 1) / line, rows}, items[] = {line, 1};
  enqueue(queue, kernel, groups, items, numAfter, after, end);
}

static inline void start(cl_kernel kernel, size_t columns, size_t rows) {
  enqueueGrid(queue, kernel, columns, rows, 0, 0, 0);
}

static inline void finish(void) { require(clFinish(queue), "clFinish"); }

static inline void writeAll(cl_mem buffer, const void *from, size_t bytes) {
  require(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, from, 0, 0, 0),
          "clEnqueueWriteBuffer");
}

static inline void readAll(cl_mem buffer, void *to, size_t bytes) {
  require(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, to, 0, 0, 0),
          "clEnqueueReadBuffer");
}

#endif // SLUICE_BENCH_DEVICE_OPENCL_SHARED_H
