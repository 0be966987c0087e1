// Instances that each transform a block, with an array of their own between the
// loops: their accesses lie a block apart, so no loop moves outside of them.
// RUN: %clang -ffp-contract=on -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll
// RUN: sluice-codegen-test %t.ll -leaf=eight -levels=?20x?3 -emit=ir | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=sixteen -levels=?20x?3 -emit=ir | FileCheck %s
// CHECK: define
// CHECK-NOT: {{^}}fragment
//
// A loop over elements that lie side by side does, with the same test at its top.
// RUN: sluice-codegen-test %t.ll -leaf=columns -levels=?20 -emit=ir | FileCheck %s --check-prefix=CUT
// CUT: {{^}}fragment
//
// RUN: sluice-codegen-test %t.ll -leaf=eight -levels=?20x?3 -in=f32[3840],f32[64],f32[3840],160 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=sixteen -levels=?5x?3 -in=f32[3840],f32[256],f32[3840],80 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=columns -levels=?20 -in=f32[180],f32[9],f32[20] -emit=run | FileCheck %s --check-prefix=SAME
// SAME: {{^}}same{{$}}

#include "Inputs/leaf.h"

#define TRANSFORM(NAME, SIZE)                                                  \
  void NAME(float *in, float *factors, float *out, long width) {               \
    float own[SIZE * SIZE];                                                    \
    for (int r = 0; r < SIZE; ++r)                                             \
      for (int c = 0; c < SIZE; ++c) {                                         \
        float sum = 0;                                                         \
        for (int k = 0; k < SIZE; ++k)                                         \
          sum += factors[r * SIZE + k] *                                       \
                 in[(Y * SIZE + k) * width + X * SIZE + c];                    \
        own[r * SIZE + c] = sum;                                               \
      }                                                                        \
    for (int r = 0; r < SIZE; ++r)                                             \
      for (int c = 0; c < SIZE; ++c) {                                         \
        float sum = 0;                                                         \
        for (int k = 0; k < SIZE; ++k)                                         \
          sum += own[r * SIZE + k] * factors[c * SIZE + k];                    \
        out[(Y * SIZE + r) * width + X * SIZE + c] = sum;                      \
      }                                                                        \
  }

TRANSFORM(eight, 8)
TRANSFORM(sixteen, 16)

void columns(float *in, float *factors, float *out) {
  float sum = 0;
  for (int k = 0; k < 9; ++k)
    sum += factors[k] * in[20 * k + X];
  out[X] = sum;
}
