// Short rows whose length is known have code of their own, which whole rows
// run; the ends of a range run code for any part of a row.

// RUN: %clang -ffp-contract=on -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll

// RUN: sluice-codegen-test %t.ll -leaf=four -levels=32x?40 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=WHOLE
// WHOLE: define {{.*}}@four.range(
// WHOLE-NOT: vector.body
// WHOLE: store <{{.*}} x float>
// WHOLE: {{^}}row.cut:
// WHOLE-NEXT: call {{.*}}@four.range.group(
// WHOLE: {{^}}row.end:

// Not where the length is known at launch, rows are long, or instances are one
// row; not for updates by atomics, nor for gaps at places known at launch.
// RUN: sluice-codegen-test %t.ll -leaf=neighbours -levels=?64x40 -emit=ir | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=neighbours -levels=2049x40 -emit=ir | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=neighbours -levels=64 -emit=ir | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=counted -levels=64x40 -emit=ir | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=pairs -levels=64x40 -emit=ir | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=neighbours -levels=64x40 -reference -emit=ir | FileCheck %s --check-prefix=NONE
// NONE-NOT: {{^}}row.whole

// Ranges that begin and end anywhere in rows, of all lengths.
// RUN: bash -c 'for x in 1 3 7 8 16 17 64; do \
// RUN:   for levels in ${x}x9 ${x}x?40; do \
// RUN:     sluice-codegen-test %t.ll -leaf=pairs -levels=$levels -pieces=1,5,23 -in=!i32[4096],64,7 -emit=run || exit 1; \
// RUN:     sluice-codegen-test %t.ll -leaf=sums -levels=$levels -pieces=1,5,23 -in=f32[8192],f32[4096],64 -emit=run || exit 1; \
// RUN:     sluice-codegen-test %t.ll -leaf=four -levels=$levels -pieces=1,5,23 -in=f32[8192],f32[8192],70 -emit=run || exit 1; \
// RUN:   done; \
// RUN:   sluice-codegen-test %t.ll -leaf=neighbours -levels=${x}x3x?5 -pieces=1,5,23 -in=f32[16384],f32[16384],70 -emit=run || exit 1; \
// RUN: done' | FileCheck %s
// CHECK-NOT: differ
// CHECK: {{^}}same{{$}}
// CHECK-NOT: differ

#include "Inputs/leaf.h"

// A step of Floyd and Warshall's algorithm, with its gaps.
void pairs(int *distance, long count, long k) {
  long j = X, i = Y;
  if (i == k || j == k)
    return;
  int through = distance[i * count + k] + distance[k * count + j];
  if (through < distance[i * count + j])
    distance[i * count + j] = through;
}

void neighbours(float *in, float *out, long width) {
  long at = (Z * 40 + Y + 1) * width + X + 1;
  float sum = in[at - width] + in[at + width];
  if (X != 0)
    sum += in[at - 1];
  if (X + 1 < width - 38)
    sum = sum * 0.5f + in[at + 1];
  out[at] = sum;
}

void four(float *in, float *out, long width) {
  long at = (Y + 1) * width + X + 1;
  out[at] = in[at - width] + in[at + width] + in[at - 1] + in[at + 1];
}

void counted(int *counts, long width) { atomicAdd(&counts[X & 7], 1); }

// A loop in each instance, with as many rounds as its row.
void sums(float *in, float *out, long width) {
  float sum = 0;
  for (long i = 0; i <= Y; ++i)
    sum += in[i * width + X] * in[4096 + i];
  out[Y * width + X] = sum;
}
