//===- edges-plain.c - Edge detection in loops and with OpenMP ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Without OpenMP one thread runs one frame after another. With it, built by
// clang, there are two ways: whole frames in parallel, as many at a time as
// there are slots, or the rows of every stage (BY_ROWS).
//
//===----------------------------------------------------------------------===//

#include "edges.h"

static uint32_t points[edgesSlots];

#ifdef BY_ROWS

/// The rows [first, last) in as many parts as there are threads.
static uint32_t runFrame(const EdgesFrame *frame, size_t parts) {
  const size_t width = edgesWidth, first = edgesFirst();
  const size_t rows = edgesLast(edgesHeight) - first;
  int32_t maximum = 0;
  uint32_t count = 0;
#define PARTS                                                                  \
  _Pragma("omp for schedule(static)") for (size_t i = 0; i < parts; ++i)
#define ROWS width, first + rows *i / parts, first + rows *(i + 1) / parts
#pragma omp parallel
  {
    PARTS edgesSmooth(frame->input, frame->smooth, ROWS);
    PARTS edgesLaplacian(frame->smooth, frame->laplacian, ROWS);
    PARTS edgesZero(frame->laplacian, frame->zero, ROWS);
    PARTS edgesGradient(frame->smooth, frame->gradient, ROWS);
#pragma omp for schedule(static) reduction(max : maximum)
    for (size_t i = 0; i < parts; ++i) {
      int32_t found = edgesMaximum(frame->gradient, ROWS);
      maximum = found > maximum ? found : maximum;
    }
#pragma omp for schedule(static) reduction(+ : count)
    for (size_t i = 0; i < parts; ++i)
      count += edgesThreshold(frame->zero, frame->gradient, frame->output,
                              maximum, ROWS);
  }
  return count;
}

static void runSlots(long count) {
  for (long i = 0; i < count; ++i)
    points[i] = runFrame(&edgesFrames[i], (size_t)benchThreads());
}

#else

static void runSlots(long count) {
#pragma omp parallel for schedule(dynamic)
  for (long i = 0; i < count; ++i)
    points[i] = edgesWhole(&edgesFrames[i]);
}

#endif

static void runEdges(void) {
  for (long begin = 0; begin < edgesCount; begin += edgesSlots) {
    long count = edgesCount - begin;
    if (count > edgesSlots)
      count = edgesSlots;
    runSlots(count);
    for (long i = 0; i < count; ++i)
      edgesFold = edgesFoldResult(edgesFold, points[i]);
  }
}

int main(void) {
  static const BenchRow rows[] = {EDGES_ROWS(runEdges)};
  return benchServe(rows, 2);
}
