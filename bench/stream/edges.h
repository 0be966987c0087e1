//===- edges.h - Edge detection, six stages a frame -------------*- C -*---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels, the frames and the oracle of the rows with real stages, shared
// by all programs:
//
//   smooth     Gaussian of 5x5
//   laplacian  of the smoothed frame
//   zero       crossings: where the Laplacian changes its sign
//   gradient   Sobel, of the smoothed frame
//   maximum    of the gradient
//   threshold  crossings with a gradient above an eighth of the maximum
//
// A kernel works on rows [begin, end). Every frame has buffers of its own; as
// many frames as there are slots circulate. The result of a frame is its
// number of edge points.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_EDGES_H
#define SLUICE_BENCH_EDGES_H

#include "../common/harness.h"

#include <stdint.h>

enum {
  edgesSlots = 8,
  edgesBorder = 2, ///< rows and columns that stay zero
  edgesGroup = 16  ///< instances that search the maximum together
};

typedef struct {
  uint8_t *input, *smooth, *zero, *output;
  int16_t *laplacian, *gradient;
  int32_t *partial; ///< edgesGroup numbers
} EdgesFrame;

static EdgesFrame edgesFrames[edgesSlots];
static size_t edgesWidth, edgesHeight;
static long edgesCount;                  ///< frames of a repetition
static uint64_t edgesFold;               ///< all results in their order
static uint64_t edgesExpected;           ///< the same of the oracle
static uint8_t *edgesOutput[edgesSlots]; ///< the oracle's outputs

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static inline void edgesSmooth(const uint8_t *__restrict input,
                               uint8_t *__restrict smooth, size_t width,
                               size_t begin, size_t end) {
  for (size_t y = begin; y < end; ++y)
    for (size_t x = edgesBorder; x < width - edgesBorder; ++x) {
      static const uint16_t weights[5] = {1, 4, 6, 4, 1};
      uint16_t sum = 128;
      for (size_t j = 0; j < 5; ++j) {
        const uint8_t *row = input + (y + j - 2) * width + x - 2;
        uint16_t across =
            (uint16_t)(row[0] + 4 * row[1] + 6 * row[2] + 4 * row[3] + row[4]);
        sum = (uint16_t)(sum + weights[j] * across);
      }
      smooth[y * width + x] = (uint8_t)(sum >> 8);
    }
}

static inline void edgesLaplacian(const uint8_t *__restrict smooth,
                                  int16_t *__restrict laplacian, size_t width,
                                  size_t begin, size_t end) {
  for (size_t y = begin; y < end; ++y)
    for (size_t x = edgesBorder; x < width - edgesBorder; ++x) {
      const uint8_t *at = smooth + y * width + x;
      const uint8_t *above = at - width, *below = at + width;
      laplacian[y * width + x] =
          (int16_t)(8 * at[0] - at[-1] - at[1] - above[-1] - above[0] -
                    above[1] - below[-1] - below[0] - below[1]);
    }
}

static inline void edgesZero(const int16_t *__restrict laplacian,
                             uint8_t *__restrict zero, size_t width,
                             size_t begin, size_t end) {
  for (size_t y = begin; y < end; ++y)
    for (size_t x = edgesBorder; x < width - edgesBorder; ++x) {
      const int16_t *at = laplacian + y * width + x;
      int isRight = (at[0] ^ at[1]) < 0, isBelow = (at[0] ^ at[width]) < 0;
      zero[y * width + x] = (uint8_t)(isRight | isBelow);
    }
}

static inline int16_t edgesAbsolute(int value) {
  return (int16_t)(value < 0 ? -value : value);
}

static inline void edgesGradient(const uint8_t *__restrict smooth,
                                 int16_t *__restrict gradient, size_t width,
                                 size_t begin, size_t end) {
  for (size_t y = begin; y < end; ++y)
    for (size_t x = edgesBorder; x < width - edgesBorder; ++x) {
      const uint8_t *at = smooth + y * width + x;
      const uint8_t *above = at - width, *below = at + width;
      int across =
          above[1] + 2 * at[1] + below[1] - above[-1] - 2 * at[-1] - below[-1];
      int down = below[-1] + 2 * below[0] + below[1] - above[-1] -
                 2 * above[0] - above[1];
      gradient[y * width + x] =
          (int16_t)(edgesAbsolute(across) + edgesAbsolute(down));
    }
}

static inline int32_t edgesMaximum(const int16_t *__restrict gradient,
                                   size_t width, size_t begin, size_t end) {
  int16_t maximum = 0;
  for (size_t i = begin * width; i < end * width; ++i)
    maximum = gradient[i] > maximum ? gradient[i] : maximum;
  return maximum;
}

/// Returns the number of edge points.
static inline uint32_t edgesThreshold(const uint8_t *__restrict zero,
                                      const int16_t *__restrict gradient,
                                      uint8_t *__restrict output,
                                      int32_t maximum, size_t width,
                                      size_t begin, size_t end) {
  const int16_t least = (int16_t)(maximum / 8);
  uint32_t count = 0;
  for (size_t y = begin; y < end; ++y)
    for (size_t x = edgesBorder; x < width - edgesBorder; ++x) {
      size_t i = y * width + x;
      uint8_t isEdge = (uint8_t)(zero[i] & (gradient[i] > least));
      output[i] = (uint8_t)(isEdge * 255);
      count += isEdge;
    }
  return count;
}

static inline size_t edgesFirst(void) { return edgesBorder; }
static inline size_t edgesLast(size_t height) { return height - edgesBorder; }

/// All stages of one frame, one after another.
static inline uint32_t edgesWhole(const EdgesFrame *frame) {
  const size_t width = edgesWidth;
  const size_t first = edgesFirst(), last = edgesLast(edgesHeight);
  edgesSmooth(frame->input, frame->smooth, width, first, last);
  edgesLaplacian(frame->smooth, frame->laplacian, width, first, last);
  edgesZero(frame->laplacian, frame->zero, width, first, last);
  edgesGradient(frame->smooth, frame->gradient, width, first, last);
  int32_t maximum = edgesMaximum(frame->gradient, width, 0, edgesHeight);
  return edgesThreshold(frame->zero, frame->gradient, frame->output, maximum,
                        width, first, last);
}

static inline uint64_t edgesFoldResult(uint64_t fold, uint32_t points) {
  return fold * 31 + points;
}

//===----------------------------------------------------------------------===//
// Frames and oracle
//===----------------------------------------------------------------------===//

static inline size_t edgesPixels(void) { return edgesWidth * edgesHeight; }

/// Discs and a ramp with some noise; another picture in every slot.
static inline void edgesDraw(uint8_t *input, int slot) {
  uint32_t noise = 12345u + (uint32_t)slot;
  for (size_t y = 0; y < edgesHeight; ++y)
    for (size_t x = 0; x < edgesWidth; ++x) {
      long dx = (long)(x % 160) - 80 + slot, dy = (long)(y % 120) - 60;
      noise = noise * 1664525u + 1013904223u;
      input[y * edgesWidth + x] =
          (uint8_t)((dx * dx + dy * dy < 1600 ? 200 : 40) + (x + y) % 32 / 2 +
                    (noise >> 30));
    }
}

static inline void edgesClear(EdgesFrame *frame) {
  memset(frame->smooth, 0, edgesPixels());
  memset(frame->zero, 0, edgesPixels());
  memset(frame->output, 0, edgesPixels());
  memset(frame->laplacian, 0, edgesPixels() * sizeof(int16_t));
  memset(frame->gradient, 0, edgesPixels() * sizeof(int16_t));
}

static inline void edgesReset(void) {
  for (int slot = 0; slot < edgesSlots; ++slot)
    edgesClear(&edgesFrames[slot]);
  edgesFold = 0;
}

static inline EdgesFrame edgesMakeFrame(int slot) {
  const size_t bytes = edgesPixels();
  EdgesFrame frame;
  frame.input = (uint8_t *)benchAllocate(bytes);
  frame.smooth = (uint8_t *)benchAllocate(bytes);
  frame.zero = (uint8_t *)benchAllocate(bytes);
  frame.output = (uint8_t *)benchAllocate(bytes);
  frame.laplacian = (int16_t *)benchAllocate(bytes * sizeof(int16_t));
  frame.gradient = (int16_t *)benchAllocate(bytes * sizeof(int16_t));
  frame.partial = (int32_t *)benchAllocate(edgesGroup * sizeof(int32_t));
  edgesDraw(frame.input, slot);
  return frame;
}

static inline void edgesAllocate(size_t width, size_t height, long count) {
  uint32_t points[edgesSlots];
  edgesWidth = width;
  edgesHeight = height;
  edgesCount = count;
  for (int slot = 0; slot < edgesSlots; ++slot) {
    edgesFrames[slot] = edgesMakeFrame(slot);
    points[slot] = edgesWhole(&edgesFrames[slot]);
    edgesOutput[slot] = (uint8_t *)benchAllocate(edgesPixels());
    memcpy(edgesOutput[slot], edgesFrames[slot].output, edgesPixels());
  }
  edgesExpected = 0;
  for (long i = 0; i < count; ++i)
    edgesExpected = edgesFoldResult(edgesExpected, points[i % edgesSlots]);
}

static inline void edgesAllocateSmall(void) { edgesAllocate(640, 480, 64); }
static inline void edgesAllocateLarge(void) { edgesAllocate(1920, 1080, 16); }

static inline const char *edgesVerify(void) {
  if (edgesFold != edgesExpected)
    return "the numbers of edge points, or their order";
  for (int slot = 0; slot < edgesSlots; ++slot)
    for (size_t i = 0; i < edgesPixels(); ++i)
      if (edgesFrames[slot].output[i] != edgesOutput[slot][i])
        return benchWrong("output", (long)i, edgesOutput[slot][i],
                          edgesFrames[slot].output[i]);
  return 0;
}

static inline void edgesRelease(void) {
  for (int slot = 0; slot < edgesSlots; ++slot) {
    EdgesFrame *frame = &edgesFrames[slot];
    free(frame->input);
    free(frame->smooth);
    free(frame->zero);
    free(frame->output);
    free(frame->laplacian);
    free(frame->gradient);
    free(frame->partial);
    free(edgesOutput[slot]);
  }
}

/// A row's time is that of one frame.
#define EDGES_ROW(NAME, ALLOCATE, COUNT, RUN)                                  \
  { NAME, 1, 3, ALLOCATE, edgesReset, RUN, edgesVerify, edgesRelease, COUNT, 0 }
#define EDGES_ROWS(RUN)                                                        \
  EDGES_ROW("edges", edgesAllocateSmall, 64, RUN),                             \
      EDGES_ROW("edges-large", edgesAllocateLarge, 16, RUN)

#endif // SLUICE_BENCH_EDGES_H
