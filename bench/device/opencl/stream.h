//===- stream.h - The stream of pictures in OpenCL --------------*- C -*---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Double buffering as it is written by hand: a queue for uploads, one for
// kernels, one for downloads, events between them, and a set of buffers for
// each of the items in flight.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_DEVICE_OPENCL_STREAM_H
#define SLUICE_BENCH_DEVICE_OPENCL_STREAM_H

#include "shared.h"

enum { numStages = 3 };

typedef struct {
  cl_mem pictures[numStages + 1];
  cl_kernel kernels[numStages];
  cl_event read; ///< the end of the item that had this slot; 0: none
} StreamSlot;

static StreamSlot streamSlot[streamSlots];
static cl_command_queue uploads, downloads;

static void streamOpenSlot(StreamSlot *slot) {
  static const char *const names[numStages] = {"smooth", "sharpen", "slope"};
  static const float zero = 0.0f;
  for (int i = 0; i <= numStages; ++i) {
    slot->pictures[i] = createBuffer(streamBytes);
    require(clEnqueueFillBuffer(queue, slot->pictures[i], &zero, sizeof(zero),
                                0, streamBytes, 0, 0, 0),
            "clEnqueueFillBuffer");
  }
  for (int i = 0; i < numStages; ++i) {
    slot->kernels[i] = createKernel(names[i]);
    setBuffer(slot->kernels[i], 0, slot->pictures[i]);
    setBuffer(slot->kernels[i], 1, slot->pictures[i + 1]);
    setSize(slot->kernels[i], 2, streamSize);
  }
}

static void allocateStream(void) {
  streamAllocate();
  uploads = createQueue();
  downloads = createQueue();
  for (int i = 0; i < streamSlots; ++i)
    streamOpenSlot(&streamSlot[i]);
  finish();
}

static void streamWait(StreamSlot *slot) {
  if (!slot->read)
    return;
  require(clWaitForEvents(1, &slot->read), "clWaitForEvents");
  clReleaseEvent(slot->read);
  slot->read = 0;
}

static void streamPush(StreamSlot *slot, const float *input, float *output) {
  cl_event written, computed;
  require(clEnqueueWriteBuffer(uploads, slot->pictures[0], CL_FALSE, 0,
                               streamBytes, input, 0, 0, &written),
          "clEnqueueWriteBuffer");
  clFlush(uploads);
  for (int i = 0; i < numStages; ++i)
    enqueueGrid(queue, slot->kernels[i], streamSize - 2, streamSize - 2, i == 0,
                i == 0 ? &written : 0, i == numStages - 1 ? &computed : 0);
  clFlush(queue);
  require(clEnqueueReadBuffer(downloads, slot->pictures[numStages], CL_FALSE, 0,
                              streamBytes, output, 1, &computed, &slot->read),
          "clEnqueueReadBuffer");
  clFlush(downloads);
  clReleaseEvent(written);
  clReleaseEvent(computed);
}

static void runStream(void) {
  for (int i = 0; i < streamItems; ++i) {
    int slot = i % streamSlots;
    streamWait(&streamSlot[slot]);
    streamPush(&streamSlot[slot], streamInput[slot], streamOutput[slot]);
  }
  for (int slot = 0; slot < streamSlots; ++slot)
    streamWait(&streamSlot[slot]);
}

static void releaseStream(void) {
  for (int slot = 0; slot < streamSlots; ++slot) {
    for (int i = 0; i <= numStages; ++i)
      clReleaseMemObject(streamSlot[slot].pictures[i]);
    for (int i = 0; i < numStages; ++i)
      clReleaseKernel(streamSlot[slot].kernels[i]);
  }
  clReleaseCommandQueue(uploads);
  clReleaseCommandQueue(downloads);
  streamRelease();
}

#endif // SLUICE_BENCH_DEVICE_OPENCL_STREAM_H
