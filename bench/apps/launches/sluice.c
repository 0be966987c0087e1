//===- sluice.c - Many small launches in HPVM-C ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch a step, each waited for.
//
//===----------------------------------------------------------------------===//

#include "../tracked.h"

#include "problem.h"

void stepLeaf(float *values, size_t valuesBytes, float shift) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, values, 1, values);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  values[i] = nextValue(values[i], shift);
}

void stepRoot(float *values, size_t valuesBytes, float shift, size_t count) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, values, 1, values);
  void *node = __hpvm__createNodeND(1, stepLeaf, count);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
}

typedef struct __attribute__((__packed__)) {
  float *values;
  size_t valuesBytes;
  float shift;
  size_t count;
} Arguments;

static void run(void) {
  Arguments arguments = {data, sizeof(float) * length, 0, length};
  for (long step = 0; step < steps; ++step) {
    arguments.shift = shiftOf(step);
    __hpvm__wait(__hpvm__launch(0, stepRoot, &arguments));
  }
  llvm_hpvm_request_mem(data, sizeof(float) * length);
}

int main(void) { return appServeGraphs(); }
