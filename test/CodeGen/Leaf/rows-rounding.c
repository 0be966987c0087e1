// In rows whose length is known, instance IDs become constants. What is computed
// of them has the bits that plain loops have, whose counters are none: a product
// that is added to something is rounded once where the processor can, and libm's
// functions are libm's.
//
// RUN: %sluice run -DLENGTH=7 %s | FileCheck %s
// RUN: %sluice run -DLENGTH=7 -march=native %s | FileCheck %s
// RUN: %sluice run -DLENGTH=7 -march=x86-64 %s | FileCheck %s
// RUN: %sluice run -DLENGTH=7 --reference %s | FileCheck %s
// RUN: %sluice run -DLENGTH=40 -DFUNCTION=sinhf -ffp-contract=off -fmath-errno %s | FileCheck %s

#include "hpvm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef FUNCTION
#define FUNCTION(x) ((x) * (x))
#endif

enum { rows = 4003 };

static inline float next(long x, float before) {
  return (float)x * 0.1f + before + (float)x * 0.3f * FUNCTION((float)x * 0.11f);
}

void rowLeaf(float *Out, size_t OutBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, Out, 1, Out);
  void *Node = __hpvm__getNode();
  long X = __hpvm__getNodeInstanceID_x(Node);
  long Y = __hpvm__getNodeInstanceID_y(Node);
  Out[Y * LENGTH + X] = next(X, Out[Y * LENGTH + X]);
}

void rowRoot(float *Out, size_t OutBytes, size_t Rows) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, Out, 1, Out);
  void *Node = __hpvm__createNodeND(2, rowLeaf, (size_t)LENGTH, Rows);
  __hpvm__bindIn(Node, 0, 0, 0);
  __hpvm__bindIn(Node, 1, 1, 0);
}

int main(void) {
  static float found[rows * LENGTH], expected[rows * LENGTH];
  for (long i = 0; i < rows * LENGTH; ++i)
    found[i] = expected[i] = (float)(i * 7919 % 1000) / 777.0f;
  struct __attribute__((packed)) {
    float *Out;
    size_t OutBytes, Rows;
  } arguments = {found, sizeof found, rows};
  __hpvm__init();
  llvm_hpvm_track_mem(found, sizeof found);
  __hpvm__wait(__hpvm__launch(0, rowRoot, &arguments));
  llvm_hpvm_request_mem(found, sizeof found);
  llvm_hpvm_untrack_mem(found);
  __hpvm__cleanup();
  for (long y = 0; y < rows; ++y)
    for (volatile long x = 0; x < LENGTH; ++x) {
      const long column = x;
      float *at = &expected[y * LENGTH + column];
      *at = next(column, *at);
    }
  long numOthers = 0;
  for (long i = 0; i < rows * LENGTH; ++i)
    numOthers += memcmp(&found[i], &expected[i], sizeof(float)) != 0;
  // CHECK: 0 of {{[0-9]+}} differ
  printf("%ld of %d differ\n", numOthers, rows * LENGTH);
  return 0;
}
