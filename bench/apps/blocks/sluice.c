//===- sluice.c - A stream of blocks with state in HPVM-C -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An item is a block with memory of its own; the states are given at the
// launch and shared by all items. Up to 64 blocks are in flight.
//
//===----------------------------------------------------------------------===//

#include "../tracked.h"

#include "problem.h"

enum { mostInFlight = 64 };

void highPassLeaf(float *state, size_t stateBytes, float *block,
                  size_t blockBytes, long count) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, state, block, 2, state, block);
  highPass(block, state, count);
  __hpvm__return(1, blockBytes);
}

void lowPassLeaf(float *state, size_t stateBytes, float *block,
                 size_t blockBytes, long count) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, state, block, 2, state, block);
  lowPass(block, state, count);
  __hpvm__return(1, blockBytes);
}

void limitLeaf(float *state, size_t stateBytes, float *block, size_t blockBytes,
               long count) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, state, block, 2, state, block);
  limitLoudness(block, state, count);
  __hpvm__return(1, blockBytes);
}

void clipLeaf(float *block, size_t blockBytes, long count) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, block, 1, block);
  clipSoftly(block, count);
  __hpvm__return(1, blockBytes);
}

void soundRoot(float *a, size_t aBytes, float *b, size_t bBytes, float *c,
               size_t cBytes, float *block, size_t blockBytes, long count) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(4, a, b, c, block, 4, a, b, c, block);
  void *high = __hpvm__createNodeND(0, highPassLeaf);
  void *low = __hpvm__createNodeND(0, lowPassLeaf);
  void *limit = __hpvm__createNodeND(0, limitLeaf);
  void *clip = __hpvm__createNodeND(0, clipLeaf);
  __hpvm__bindIn(high, 0, 0, 0);
  __hpvm__bindIn(high, 1, 1, 0);
  __hpvm__bindIn(high, 6, 2, 1);
  __hpvm__bindIn(high, 7, 3, 1);
  __hpvm__bindIn(high, 8, 4, 0);
  __hpvm__bindIn(low, 2, 0, 0);
  __hpvm__bindIn(low, 3, 1, 0);
  __hpvm__bindIn(low, 6, 2, 1);
  __hpvm__edge(high, low, 1, 0, 3, 1);
  __hpvm__bindIn(low, 8, 4, 0);
  __hpvm__bindIn(limit, 4, 0, 0);
  __hpvm__bindIn(limit, 5, 1, 0);
  __hpvm__bindIn(limit, 6, 2, 1);
  __hpvm__edge(low, limit, 1, 0, 3, 1);
  __hpvm__bindIn(limit, 8, 4, 0);
  __hpvm__bindIn(clip, 6, 0, 1);
  __hpvm__edge(limit, clip, 1, 0, 1, 1);
  __hpvm__bindIn(clip, 8, 2, 0);
  __hpvm__bindOut(clip, 0, 0, 1);
}

typedef struct __attribute__((__packed__)) {
  float *a;
  size_t aBytes;
  float *b;
  size_t bBytes;
  float *c;
  size_t cBytes;
  float *block;
  size_t blockBytes;
  long count;
} Arguments;

static void run(void) {
  const size_t stateBytes = sizeof(float) * stateStride;
  const size_t blockBytes = sizeof(float) * blockLength;
  llvm_hpvm_request_mem(result, soundBytes());
  llvm_hpvm_request_mem(states, sizeof(float) * stateFloats);
  beginSound();
  Arguments arguments = {stateOf(0), stateBytes, stateOf(1),
                         stateBytes, stateOf(2), stateBytes,
                         blockAt(0), blockBytes, blockLength};
  void *graph = __hpvm__launch(1, soundRoot, &arguments);
  long inFlight = 0;
  for (long k = 0; k < numBlocks; ++k) {
    if (inFlight == mostInFlight) {
      __hpvm__pop(graph);
      --inFlight;
    }
    arguments.block = blockAt(k);
    __hpvm__push(graph, &arguments);
    ++inFlight;
  }
  for (; inFlight > 0; --inFlight)
    __hpvm__pop(graph);
  __hpvm__wait(graph);
  llvm_hpvm_request_mem(result, soundBytes());
}

int main(void) { return appServeGraphs(); }
