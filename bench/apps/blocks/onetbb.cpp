//===- onetbb.cpp - A stream of blocks with parallel_pipeline -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters in order for the stages with a state, and a parallel one.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>

static void run() {
  constexpr tbb::filter_mode inOrder = tbb::filter_mode::serial_in_order;
  constexpr size_t tokens = 16;
  beginSound();
  long k = 0;
  tbb::parallel_pipeline(
      tokens,
      tbb::make_filter<void, float *>(
          inOrder,
          [&](tbb::flow_control &control) -> float * {
            if (k == numBlocks) {
              control.stop();
              return nullptr;
            }
            float *block = blockAt(k++);
            highPass(block, stateOf(0), blockLength);
            return block;
          }) &
          tbb::make_filter<float *, float *>(inOrder,
                                             [](float *block) {
                                               lowPass(block, stateOf(1),
                                                       blockLength);
                                               return block;
                                             }) &
          tbb::make_filter<float *, float *>(inOrder,
                                             [](float *block) {
                                               limitLoudness(block, stateOf(2),
                                                             blockLength);
                                               return block;
                                             }) &
          tbb::make_filter<float *, void>(
              tbb::filter_mode::parallel,
              [](float *block) { clipSoftly(block, blockLength); }));
}

int main() {
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                            static_cast<size_t>(benchThreads()));
  return appServe();
}
