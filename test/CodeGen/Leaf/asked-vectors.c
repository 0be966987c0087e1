// Loops that the user wants as vectors may add up in any order: what they carry
// says so itself, and nothing asks for vectors that may not come.
// RUN: %clang -fopenmp-simd -ffp-contract=on -w -O2 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll
//
// RUN: sluice-codegen-test %t.ll -leaf=asked -levels=?64 -emit=ir | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=simd -levels=?64 -emit=ir | FileCheck %s
// CHECK: define
// CHECK: fmul contract
// CHECK: fadd reassoc contract
// CHECK-NOT: vectorize.enable
//
// RUN: sluice-codegen-test %t.ll -leaf=asked -levels=?64 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=VECTORS
// RUN: sluice-codegen-test %t.ll -leaf=simd -levels=?64 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=VECTORS
// VECTORS: llvm.vector.reduce.fadd
//
// Only what goes from round to round: not what a round computes by itself, and
// nothing in other loops.
// RUN: sluice-codegen-test %t.ll -leaf=parts -levels=?64 -emit=ir | FileCheck %s --check-prefix=PARTS
// PARTS: fadd float
// PARTS: fadd reassoc float
// PARTS-NOT: reassoc
// RUN: sluice-codegen-test %t.ll -leaf=plain -levels=?64 -emit=ir | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=compensated -levels=?64 -emit=ir | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=doubled -levels=?64 -emit=ir | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=seen -levels=?64 -emit=ir | FileCheck %s --check-prefix=PLAIN
// PLAIN: define
// PLAIN-NOT: reassoc

#include "Inputs/leaf.h"

void asked(float *in, float *by, float *out, long count) {
  float sum = 0;
#pragma clang loop vectorize(enable)
  for (long i = 0; i < count; ++i)
    sum += in[X * count + i] * by[i];
  out[X] = sum;
}

void simd(float *in, float *by, float *out, long count) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (long i = 0; i < count; ++i)
    sum += in[X * count + i] * by[i];
  out[X] = sum;
}

void parts(float *in, float *by, float *out, long count) {
  float sum = 0;
#pragma clang loop vectorize(enable)
  for (long i = 0; i < count; ++i)
    sum += in[X * count + i] + by[i];
  float product = 1;
  for (long i = 0; i < count; ++i)
    product *= by[i];
  out[X] = sum + product;
}

void plain(float *in, float *by, float *out, long count) {
  float sum = 0;
#pragma clang loop vectorize(disable)
  for (long i = 0; i < count; ++i)
    sum += in[X * count + i] * by[i];
  out[X] = sum;
}

// What a loop carries for more than a sum keeps its order.
void compensated(float *in, float *by, float *out, long count) {
  float sum = 0, lost = 0;
#pragma clang loop vectorize(enable)
  for (long i = 0; i < count; ++i) {
    float next = in[X * count + i] - lost, total = sum + next;
    lost = (total - sum) - next;
    sum = total;
  }
  out[X] = sum;
}

void doubled(float *in, float *by, float *out, long count) {
  float high = 1, low = 0;
#pragma clang loop vectorize(enable)
  for (long i = 0; i < count; ++i) {
    float product = high * in[i];
    float rest = __builtin_fmaf(high, in[i], -product) + low * in[i];
    float sum = product + rest;
    low = rest - (sum - product);
    high = sum;
  }
  out[X] = high + low;
}

void seen(float *in, float *by, float *out, long count) {
  float sum = 0;
#pragma clang loop vectorize(enable)
  for (long i = 0; i < count; ++i) {
    sum += in[i];
    by[X * count + i] = sum;
  }
  out[X] = sum;
}
