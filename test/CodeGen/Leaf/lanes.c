// Instances with loops in them run as lanes of vectors.
// RUN: %clang -ffp-contract=on -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll
//
// A loop that instances leave in different rounds: its variables are vectors,
// which a mask goes along with, but for the number of rounds.
// RUN: sluice-codegen-test %t.ll -leaf=escape -levels=?64 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=ESCAPE
// RUN: sluice-codegen-test %t.ll -leaf=escape -levels=?64 -cpu=x86-64-v4 -lanes=0 -emit=optimized | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=escape -levels=?77 -in=i32[77],f32[77],99 -emit=run | FileCheck %s --check-prefix=SAME
// ESCAPE: lanes.loop:
// ESCAPE-DAG: phi <{{16|32}} x float>
// ESCAPE-DAG: phi <{{16|32}} x i1>
// ESCAPE-DAG: phi i32
// ESCAPE: fmul <{{16|32}} x float>
// NONE-NOT: {{^}}lanes
// SAME: {{^}}same{{$}}
//
// A loop that all leave alike stays one of scalars. What all share is loaded
// once, neighbours as a vector, rows of neighbours as vectors that are shuffled,
// before the loops.
// RUN: sluice-codegen-test %t.ll -leaf=nearest -levels=?64 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=NEAREST
// RUN: sluice-codegen-test %t.ll -leaf=nearest -levels=?77 -in=f32[308],f32[40],i32[77],10 -emit=run | FileCheck %s --check-prefix=SAME
// NEAREST: lanes:
// NEAREST-NOT: masked
// NEAREST: load <{{[0-9]+}} x float>, ptr
// NEAREST: shufflevector <{{[0-9]+}} x float>
// NEAREST-NOT: masked
// NEAREST: lanes.loop{{[0-9]*}}:
// NEAREST-NOT: {{masked|live}}
// NEAREST: load float, ptr
// NEAREST-NOT: {{masked|live}}
// NEAREST: store <{{[0-9]+}} x i32>
//
// Loads and divisions that only some do.
// RUN: sluice-codegen-test %t.ll -leaf=some -levels=?70 -lanes=8 -in=i32[70],i32[70] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=some -levels=?70 -lanes=4 -cpu=x86-64 -in=i32[70],i32[70] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=some -levels=?70 -lanes=8 -emit=optimized | FileCheck %s --check-prefix=SOME
// SOME: lanes:
//
// LLVM makes vectors of the inner loop; rows of a sparse matrix only read.
// RUN: sluice-codegen-test %t.ll -leaf=inside -levels=?64 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=sparse -levels=?64 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=NONE
//
// What lanes cannot do.
// RUN: sluice-codegen-test %t.ll -leaf=atomic -levels=?64 -lanes=8 -emit=optimized | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=device -levels=?64 -lanes=8 -emit=optimized | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=calls -levels=?64 -lanes=8 -emit=optimized | FileCheck %s --check-prefix=NONE

#include "Inputs/leaf.h"

void escape(int *out, float *start, int most) {
  float a = start[X], x = 0;
  int round = 0;
  while (round < most && x * x < 4) {
    x = x * x + a;
    ++round;
  }
  out[X] = round;
}

void nearest(float *points, float *centres, int *out, int count) {
  float least = 1e30f;
  int best = 0;
  for (int c = 0; c < count; ++c) {
    float sum = 0;
    for (int f = 0; f < 4; ++f) {
      float distance = points[4 * X + f] - centres[4 * c + f];
      sum += distance * distance;
    }
    best = sum < least ? c : best;
    least = sum < least ? sum : least;
  }
  out[X] = best;
}

void some(int *in, int *out) {
  int value = in[X], sum = 0;
  for (int round = 0; round < (value & 15); ++round) {
    if (value >= 0 && value < 70)
      sum += in[value];
    if (value != round)
      sum += 1000 / (value - round);
    sum ^= value << round;
  }
  out[X] = sum;
}

void inside(int *in, int *out, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i)
    sum += in[X * count + i];
  out[X] = sum;
}

void sparse(int *rows, int *columns, double *values, double *x, double *y) {
  double sum = 0;
  for (int i = rows[X]; i < rows[X + 1]; ++i)
    sum += values[i] * x[columns[i]];
  y[X] = sum;
}

void atomic(int *in, int *out) {
  for (int i = 0; i < in[X]; ++i)
    atomicAdd(out, i * i);
}

void device(volatile int *in, int *out) {
  int sum = 0;
  for (int i = 0; i < 100 && sum < 50; ++i)
    sum += in[X];
  out[X] = sum;
}

int unknown(int) __attribute__((noinline));
int unknown(int value) {
  __asm__ volatile("" : "+r"(value));
  return value;
}
void calls(int *in, int *out) {
  int sum = 0;
  for (int i = 0; i < in[X]; ++i)
    sum += unknown(i);
  out[X] = sum;
}
