//===- edges.c - Edge detection as a streaming graph ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every stage is a node of one instance, except the maximum, a work-group with
// a barrier. What a frame needs is pushed with it: frames in flight touch
// different buffers, so nothing orders them but their slots.
//
//===----------------------------------------------------------------------===//

#include "edges.h"

#include <hpvm.h>
#include <sluice-c/Runtime.h>

/// The result orders the two nodes that read the smoothed frame.
void smoothLeaf(uint8_t *input, size_t inputBytes, uint8_t *smooth,
                size_t smoothBytes, size_t width, size_t height) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, input, 1, smooth);
  edgesSmooth(input, smooth, width, edgesFirst(), edgesLast(height));
  __hpvm__return(2, width, width);
}

void laplacianLeaf(uint8_t *smooth, size_t smoothBytes, int16_t *laplacian,
                   size_t laplacianBytes, size_t width, size_t height) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, smooth, 1, laplacian);
  edgesLaplacian(smooth, laplacian, width, edgesFirst(), edgesLast(height));
  __hpvm__return(1, width);
}

void zeroLeaf(int16_t *laplacian, size_t laplacianBytes, uint8_t *zero,
              size_t zeroBytes, size_t width, size_t height) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, laplacian, 1, zero);
  edgesZero(laplacian, zero, width, edgesFirst(), edgesLast(height));
  __hpvm__return(1, width);
}

void gradientLeaf(uint8_t *smooth, size_t smoothBytes, int16_t *gradient,
                  size_t gradientBytes, size_t width, size_t height) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, smooth, 1, gradient);
  edgesGradient(smooth, gradient, width, edgesFirst(), edgesLast(height));
  __hpvm__return(1, width);
}

/// Every instance searches its rows, then all of them look at all results.
void maximumLeaf(int16_t *gradient, size_t gradientBytes, int32_t *partial,
                 size_t partialBytes, size_t width, size_t height) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, gradient, partial, 1, partial);
  size_t i = (size_t)__hpvm__getNodeInstanceID_x(__hpvm__getNode());
  partial[i] = edgesMaximum(gradient, width, height * i / edgesGroup,
                            height * (i + 1) / edgesGroup);
  __hpvm__barrier();
  int32_t maximum = 0;
  for (size_t k = 0; k < edgesGroup; ++k)
    maximum = partial[k] > maximum ? partial[k] : maximum;
  __hpvm__return(1, maximum);
}

void thresholdLeaf(uint8_t *zero, size_t zeroBytes, int16_t *gradient,
                   size_t gradientBytes, uint8_t *output, size_t outputBytes,
                   int32_t maximum, size_t width, size_t height) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, zero, gradient, 1, output);
  uint32_t points = edgesThreshold(zero, gradient, output, maximum, width,
                                   edgesFirst(), edgesLast(height));
  __hpvm__return(1, points);
}

/// Arguments: seven buffers with their sizes, the height, the width.
enum { input, smooth, laplacian, zero, gradient, partial, output, numBuffers };
enum { heightArgument = 2 * numBuffers, widthArgument };

/// A pushed buffer and its size become arguments 2 AT and 2 AT + 1 of NODE.
#define BIND_BUFFER(NODE, BUFFER, AT)                                          \
  __hpvm__bindIn(NODE, 2 * BUFFER, 2 * AT, 1);                                 \
  __hpvm__bindIn(NODE, 2 * BUFFER + 1, 2 * AT + 1, 1)

void edgesRoot(uint8_t *inputs, size_t inputBytes, uint8_t *smooths,
               size_t smoothBytes, int16_t *laplacians, size_t laplacianBytes,
               uint8_t *zeros, size_t zeroBytes, int16_t *gradients,
               size_t gradientBytes, int32_t *partials, size_t partialBytes,
               uint8_t *outputs, size_t outputBytes, size_t height,
               size_t width) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(6, inputs, smooths, laplacians, zeros, gradients, partials,
                     6, smooths, laplacians, zeros, gradients, partials,
                     outputs);
  void *smoothing = __hpvm__createNodeND(0, smoothLeaf);
  void *second = __hpvm__createNodeND(0, laplacianLeaf);
  void *crossings = __hpvm__createNodeND(0, zeroLeaf);
  void *sobel = __hpvm__createNodeND(0, gradientLeaf);
  void *search = __hpvm__createNodeND(1, maximumLeaf, edgesGroup);
  void *last = __hpvm__createNodeND(0, thresholdLeaf);
  BIND_BUFFER(smoothing, input, 0);
  BIND_BUFFER(smoothing, smooth, 1);
  BIND_BUFFER(second, smooth, 0);
  BIND_BUFFER(second, laplacian, 1);
  BIND_BUFFER(crossings, laplacian, 0);
  BIND_BUFFER(crossings, zero, 1);
  BIND_BUFFER(sobel, smooth, 0);
  BIND_BUFFER(sobel, gradient, 1);
  BIND_BUFFER(search, gradient, 0);
  BIND_BUFFER(search, partial, 1);
  BIND_BUFFER(last, zero, 0);
  BIND_BUFFER(last, gradient, 1);
  BIND_BUFFER(last, output, 2);
  __hpvm__bindIn(smoothing, widthArgument, 4, 0);
  __hpvm__bindIn(smoothing, heightArgument, 5, 0);
  __hpvm__bindIn(second, heightArgument, 5, 0);
  __hpvm__bindIn(crossings, heightArgument, 5, 0);
  __hpvm__bindIn(sobel, heightArgument, 5, 0);
  __hpvm__bindIn(search, heightArgument, 5, 0);
  __hpvm__bindIn(last, heightArgument, 8, 0);
  __hpvm__edge(smoothing, second, 1, 0, 4, 1);
  __hpvm__edge(smoothing, sobel, 1, 1, 4, 1);
  __hpvm__edge(second, crossings, 1, 0, 4, 1);
  __hpvm__edge(sobel, search, 1, 0, 4, 1);
  __hpvm__edge(search, last, 1, 0, 6, 1);
  __hpvm__edge(crossings, last, 1, 0, 7, 1);
  __hpvm__bindOut(last, 0, 0, 1);
}

typedef struct __attribute__((__packed__)) {
  uint8_t *input;
  size_t inputBytes;
  uint8_t *smooth;
  size_t smoothBytes;
  int16_t *laplacian;
  size_t laplacianBytes;
  uint8_t *zero;
  size_t zeroBytes;
  int16_t *gradient;
  size_t gradientBytes;
  int32_t *partial;
  size_t partialBytes;
  uint8_t *output;
  size_t outputBytes;
  size_t height, width;
} EdgesArguments;

static EdgesArguments argumentsOf(const EdgesFrame *frame) {
  const size_t bytes = edgesPixels(), wide = bytes * sizeof(int16_t);
  const size_t partialBytes = edgesGroup * sizeof(int32_t);
  EdgesArguments arguments = {
      frame->input,     bytes, frame->smooth,  bytes,
      frame->laplacian, wide,  frame->zero,    bytes,
      frame->gradient,  wide,  frame->partial, partialBytes,
      frame->output,    bytes, edgesHeight,    edgesWidth};
  return arguments;
}

static void popResult(void *graph) {
  uint32_t points = *(uint32_t *)__hpvm__pop(graph);
  edgesFold = edgesFoldResult(edgesFold, points);
}

static void runEdges(void) {
  EdgesArguments arguments = argumentsOf(&edgesFrames[0]);
  void *graph = __hpvm__launch(1, edgesRoot, (void *)&arguments);
  sluiceSetStreamBound(graph, edgesSlots);
  for (long i = 0; i < edgesCount; ++i) {
    if (i >= edgesSlots)
      popResult(graph); // the frame that had this slot
    arguments = argumentsOf(&edgesFrames[i % edgesSlots]);
    __hpvm__push(graph, &arguments);
  }
  for (int i = 0; i < edgesSlots; ++i)
    popResult(graph);
  __hpvm__wait(graph);
}

static void trackFrame(const EdgesFrame *frame, int isTracked) {
  const EdgesArguments arguments = argumentsOf(frame);
  void *const buffers[] = {arguments.input,     arguments.smooth,
                           arguments.laplacian, arguments.zero,
                           arguments.gradient,  arguments.partial,
                           arguments.output};
  const size_t bytes[] = {arguments.inputBytes,     arguments.smoothBytes,
                          arguments.laplacianBytes, arguments.zeroBytes,
                          arguments.gradientBytes,  arguments.partialBytes,
                          arguments.outputBytes};
  for (int i = 0; i < numBuffers; ++i)
    if (isTracked)
      llvm_hpvm_track_mem(buffers[i], bytes[i]);
    else
      llvm_hpvm_untrack_mem(buffers[i]);
}

static void trackFrames(int isTracked) {
  for (int slot = 0; slot < edgesSlots; ++slot)
    trackFrame(&edgesFrames[slot], isTracked);
}

static void allocateSmall(void) {
  edgesAllocateSmall();
  trackFrames(1);
}

static void allocateLarge(void) {
  edgesAllocateLarge();
  trackFrames(1);
}

static void release(void) {
  trackFrames(0);
  edgesRelease();
}

int main(void) {
  BenchRow rows[] = {EDGES_ROWS(runEdges)};
  rows[0].allocate = allocateSmall;
  rows[1].allocate = allocateLarge;
  rows[0].release = rows[1].release = release;
  __hpvm__init();
  int status = benchServe(rows, 2);
  __hpvm__cleanup();
  return status;
}
