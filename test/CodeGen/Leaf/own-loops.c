// Rounds of a leaf's own loops as lanes, where that depends on sizes and pointers.
// RUN: %clang -ffp-contract=on -w -O1 -Xclang -disable-llvm-passes -c -emit-llvm %s -o %t.bc
//
// Where rows that overlap are written, the last one must win.
// RUN: bash -c 'for step in 0 3 4; do \
// RUN:   sluice-codegen-test %t.bc -leaf=rows -levels=?1 -own-lanes=8 -in=i32[900],i32[900],100,$step,4 -emit=run || exit 1; \
// RUN: done' | FileCheck %s
// RUN: sluice-codegen-test %t.bc -leaf=rows -levels=?1 -own-lanes=8 -in=i32[900],i32[900],100,4,4 -emit=optimized | FileCheck %s --check-prefix=LANES
// LANES: lanes.part
//
// Two pointers into one array, up to 40 elements apart.
// RUN: bash -c 'for apart in -7 0 1 40; do \
// RUN:   sluice-codegen-test %t.bc -leaf=shifted -levels=?1 -own-lanes=8 -in=i32[300],40,3,$apart -emit=run || exit 1; \
// RUN: done' | FileCheck %s
// RUN: sluice-codegen-test %t.bc -leaf=shifted -levels=?1 -own-lanes=8 -in=i32[300],40,3,40 -emit=optimized | FileCheck %s --check-prefix=LANES
//
// Instances are lanes if the loop has few rounds, and rounds are if it has many.
// RUN: bash -c 'for columns in 3 65; do \
// RUN:   sluice-codegen-test %t.bc -leaf=sums -levels=?20 -in=f32[1400],f32[4300],f32[1400],$columns -emit=run || exit 1; \
// RUN: done' | FileCheck %s
// CHECK-NOT: differ
// CHECK: {{^}}same{{$}}
// CHECK-NOT: differ

#include "Inputs/leaf.h"

void rows(unsigned *to, unsigned *from, int n, int step, int m) {
  for (int j = 0; j < n; ++j)
    for (int k = 0; k < m; ++k)
      to[j * step + k] = from[j] + k;
}

void shifted(unsigned *array, int n, int m, int apart) {
  unsigned *to = array + 128, *from = to + apart;
  for (int j = 0; j < n; ++j) {
    unsigned sum = 0;
    for (int k = 0; k < m; ++k)
      sum = sum * 3 + from[j];
    to[j] = sum;
  }
}

void sums(float *to, float *a, float *b, int n) {
  for (int j = 0; j < n; ++j) {
    float sum = 0;
    for (int k = 0; k < n; ++k)
      sum += a[j + k * n] * b[X * n + k];
    to[X * n + j] = sum;
  }
}
