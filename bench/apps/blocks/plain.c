//===- plain.c - A stream of blocks with state in plain loops -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks that depend on their block and on the state of their stage; the first
// two stages are one task, and so are the last two, for that divides the work.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

#ifdef _OPENMP
static void process(void) {
  float *filters = stateOf(0), *limiter = stateOf(2);
  for (long k = 0; k < numBlocks; ++k) {
    float *block = blockAt(k);
#pragma omp task depend(inout : filters[0], block[0])
    {
      highPass(block, stateOf(0), blockLength);
      lowPass(block, stateOf(1), blockLength);
    }
#pragma omp task depend(inout : limiter[0], block[0])
    {
      limitLoudness(block, stateOf(2), blockLength);
      clipSoftly(block, blockLength);
    }
  }
}
#else
static void process(void) { processSerial(); }
#endif

static void run(void) {
  beginSound();
#pragma omp parallel
#pragma omp single
  process();
}

int main(void) { return appServe(); }
