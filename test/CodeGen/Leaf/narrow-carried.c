// Numbers of 64 bits that loops carry, but that are chosen among such as fit into
// 32: half as wide, vectors of everything else are twice as long.
// RUN: %clang -ffp-contract=on -w -O2 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll
// RUN: sluice-codegen-test %t.ll -leaf=nearest -levels=?64 -emit=ir | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=nested -levels=?64 -emit=ir | FileCheck %s
// CHECK: define
// CHECK-NOT: alloca [{{[0-9]+}} x i64]
//
// The counter has no bound, or what is chosen may not fit.
// RUN: sluice-codegen-test %t.ll -leaf=any -levels=?64 -emit=ir | FileCheck %s --check-prefix=WIDE
// RUN: sluice-codegen-test %t.ll -leaf=loaded -levels=?64 -emit=ir | FileCheck %s --check-prefix=WIDE
// WIDE: alloca [{{[0-9]+}} x i64]
//
// RUN: sluice-codegen-test %t.ll -leaf=nearest -levels=?70 -in=f32[70],f32[40],i64[70],40 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=nearest -levels=?70 -in=f32[70],f32[40],i64[70],0 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=nested -levels=?70 -in=f32[70],f32[40],i64[70],6 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=any -levels=?70 -in=f32[70],f32[40],i64[70],40 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=loaded -levels=?70 -in=f32[70],f32[40],i64[70],40 -emit=run | FileCheck %s --check-prefix=SAME
// SAME: {{^}}same{{$}}

#include "Inputs/leaf.h"

#define NEAREST(NAME, TYPE, CHOSEN)                                            \
  void NAME(float *x, float *centre, long *to, TYPE n) {                       \
    float best = 1e30f;                                                        \
    long which = -1;                                                           \
    for (long k = 0; k < n; ++k) {                                             \
      float d = (centre[k] - x[X]) * (centre[k] - x[X]);                       \
      if (d < best) {                                                          \
        best = d;                                                              \
        which = CHOSEN;                                                        \
      }                                                                        \
    }                                                                          \
    to[X] = which;                                                             \
  }

NEAREST(nearest, int, k)
NEAREST(any, long, k)
NEAREST(loaded, int, to[X] + k)

void nested(float *x, float *centre, long *to, int n) {
  float best = 1e30f;
  long which = 0;
  for (long j = 0; j < n; ++j)
    for (long k = 0; k < n; ++k) {
      float d = (centre[j + 6 * k] - x[X]) * (centre[j] - x[X]);
      if (d < best) {
        best = d;
        which = j & 1 ? k : which > 3 ? -7 : j;
      }
    }
  to[X] = which;
}
