//===- filters.c - Filters on a device, of one picture and of a stream ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The size of the picture that a filter wrote orders the next one after it. In
// the stream every item has pictures of its own, as many as are in flight.
//
//===----------------------------------------------------------------------===//

#include "rows.h"

#define FILTER_LEAF(NAME, FILTER)                                              \
  void NAME(float *in, size_t bytesIn, float *out, size_t bytesOut,            \
            size_t width) {                                                    \
    __hpvm__hint(GPU_TARGET);                                                  \
    __hpvm__attributes(2, in, out, 1, out);                                    \
    void *node = __hpvm__getNode();                                            \
    long x = __hpvm__getNodeInstanceID_x(node) + 1;                            \
    long y = __hpvm__getNodeInstanceID_y(node) + 1;                            \
    out[y * width + x] = FILTER(in, y * width + x, width);                     \
    __hpvm__return(1, bytesOut);                                               \
  }

FILTER_LEAF(smoothLeaf, filterSmooth)
FILTER_LEAF(sharpenLeaf, filterSharpen)
FILTER_LEAF(slopeLeaf, filterSlope)

/// Arguments: four pictures with their sizes, the width, the inner width.
enum { in, smooth, sharp, out, numPictures };
enum { widthArgument = 2 * numPictures, innerArgument };

/// The three nodes. Extents are the root's last argument, the same for all
/// items.
#define FILTER_GRAPH(STREAM)                                                   \
  void *first = __hpvm__createNodeND(2, smoothLeaf, inner, inner);             \
  void *second = __hpvm__createNodeND(2, sharpenLeaf, inner, inner);           \
  void *third = __hpvm__createNodeND(2, slopeLeaf, inner, inner);              \
  BIND_MEMORY(first, in, 0, STREAM);                                           \
  BIND_MEMORY(first, smooth, 1, STREAM);                                       \
  __hpvm__bindIn(first, widthArgument, 4, STREAM);                             \
  __hpvm__bindIn(second, 2 * smooth, 0, STREAM);                               \
  BIND_MEMORY(second, sharp, 1, STREAM);                                       \
  __hpvm__bindIn(second, widthArgument, 4, STREAM);                            \
  __hpvm__bindIn(third, 2 * sharp, 0, STREAM);                                 \
  BIND_MEMORY(third, out, 1, STREAM);                                          \
  __hpvm__bindIn(third, widthArgument, 4, STREAM);                             \
  __hpvm__edge(first, second, 1, 0, 1, STREAM);                                \
  __hpvm__edge(second, third, 1, 0, 1, STREAM);                                \
  __hpvm__bindOut(third, 0, 0, STREAM)

void filtersRoot(float *ins, size_t bytesIn, float *smooths, size_t bytesSmooth,
                 float *sharps, size_t bytesSharp, float *outs, size_t bytesOut,
                 size_t width, size_t inner) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(4, ins, smooths, sharps, outs, 3, smooths, sharps, outs);
  FILTER_GRAPH(0);
}

void streamRoot(float *ins, size_t bytesIn, float *smooths, size_t bytesSmooth,
                float *sharps, size_t bytesSharp, float *outs, size_t bytesOut,
                size_t width, size_t inner) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(4, ins, smooths, sharps, outs, 3, smooths, sharps, outs);
  FILTER_GRAPH(1);
}

typedef struct __attribute__((__packed__)) {
  float *in;
  size_t bytesIn;
  float *smooth;
  size_t bytesSmooth;
  float *sharp;
  size_t bytesSharp;
  float *out;
  size_t bytesOut;
  size_t width, inner;
  size_t written;
} FilterArguments;

//===-- one picture
//--------------------------------------------------------===//

static void runFilters(void) {
  FilterArguments arguments = {filtersPicture[0],
                               filtersBytes,
                               filtersPicture[1],
                               filtersBytes,
                               filtersPicture[2],
                               filtersBytes,
                               filtersPicture[3],
                               filtersBytes,
                               filtersSize,
                               filtersSize - 2,
                               0};
  __hpvm__wait(__hpvm__launch(0, filtersRoot, (void *)&arguments));
}

static void allocateFilters(void) {
  filtersAllocate();
  for (int i = 0; i < numPictures; ++i)
    llvm_hpvm_track_mem(filtersPicture[i], filtersBytes);
}

static void resetFilters(void) {
  for (int i = 0; i < numPictures; ++i)
    takeHome(filtersPicture[i], filtersBytes);
  filtersReset();
}

static const char *verifyFilters(void) {
  takeHome(filtersPicture[out], filtersBytes);
  return filtersVerify();
}

static void releaseFilters(void) {
  for (int i = 0; i < numPictures; ++i)
    llvm_hpvm_untrack_mem(filtersPicture[i]);
  filtersRelease();
}

BenchRow filtersRow(void) {
  BenchRow row = FILTERS_ROW(runFilters);
  row.allocate = allocateFilters, row.release = releaseFilters;
  row.reset = resetFilters, row.verify = verifyFilters;
  return row;
}

//===-- stream
//-------------------------------------------------------------===//

static FilterArguments argumentsOf(int slot) {
  FilterArguments arguments = {streamInput[slot],
                               streamBytes,
                               streamBetween[slot][0],
                               streamBytes,
                               streamBetween[slot][1],
                               streamBytes,
                               streamOutput[slot],
                               streamBytes,
                               streamSize,
                               streamSize - 2,
                               0};
  return arguments;
}

/// The host takes the item's result, and may write the next item's input.
static void popPicture(void *graph, int slot) {
  __hpvm__pop(graph);
  takeHome(streamOutput[slot], streamBytes);
  takeHome(streamInput[slot], streamBytes);
}

static void runStream(void) {
  FilterArguments arguments = argumentsOf(0);
  void *graph = __hpvm__launch(1, streamRoot, (void *)&arguments);
  for (int i = 0; i < streamItems; ++i) {
    int slot = i % streamSlots;
    if (i >= streamSlots)
      popPicture(graph, slot);
    arguments = argumentsOf(slot);
    __hpvm__push(graph, &arguments);
  }
  for (int i = 0; i < streamSlots; ++i)
    popPicture(graph, (streamItems + i) % streamSlots);
  __hpvm__wait(graph);
}

static void trackSlots(int isTracked) {
  for (int slot = 0; slot < streamSlots; ++slot) {
    float *const pictures[] = {streamInput[slot], streamBetween[slot][0],
                               streamBetween[slot][1], streamOutput[slot]};
    for (int i = 0; i < numPictures; ++i)
      if (isTracked)
        llvm_hpvm_track_mem(pictures[i], streamBytes);
      else
        llvm_hpvm_untrack_mem(pictures[i]);
  }
}

static void allocateStream(void) {
  streamAllocate();
  trackSlots(1);
}

static void resetStream(void) {
  for (int slot = 0; slot < streamSlots; ++slot) {
    takeHome(streamInput[slot], streamBytes);
    takeHome(streamBetween[slot][0], streamBytes);
    takeHome(streamBetween[slot][1], streamBytes);
    takeHome(streamOutput[slot], streamBytes);
  }
  streamReset();
}

static void releaseStream(void) {
  trackSlots(0);
  streamRelease();
}

BenchRow streamRow(void) {
  BenchRow row = STREAM_ROW(runStream);
  row.allocate = allocateStream, row.release = releaseStream;
  row.reset = resetStream;
  return row;
}
