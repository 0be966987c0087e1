// What rows are longer than whole vectors runs in masked vectors on processors
// that have them.

// RUN: %clang -ffp-contract=on -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll

// RUN: sluice-codegen-test %t.ll -leaf=sum -levels=?77x?9 -in='f32[800],f32[800]' -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=MASK
// RUN: sluice-codegen-test %t.ll -leaf=sum -levels=77x9 -in='f32[800],f32[800]' -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=MASK
// RUN: sluice-codegen-test %t.ll -leaf=bytes -levels=?77x?9 -in='i8[800],i8[800]' -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=MASK
// RUN: sluice-codegen-test %t.ll -leaf=chosen -levels=?77x?9 -in='f32[800],f32[800]' -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=MASK
// MASK: define {{.*}}.range(
// MASK: @llvm.masked.load
// MASK: @llvm.masked.store

// Not on other processors, where rows are whole vectors, and where accesses are
// not of neighbours or operations are not those of vectors.
// RUN: sluice-codegen-test %t.ll -leaf=sum -levels=?77x?9 -in='f32[800],f32[800]' -cpu=x86-64-v3 -emit=optimized | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=sum -levels=64x?9 -in='f32[800],f32[800]' -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=spread -levels=?77x?9 -in='f32[1600],f32[800]' -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=share -levels=?77x?9 -in='i32[800],i32[800]' -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=PLAIN
// PLAIN: define {{.*}}.range(
// PLAIN-NOT: @llvm.masked.load
// PLAIN: ret void

// All lengths around whole vectors, in one piece and in some.
// RUN: bash -c 'for n in 1 2 3 7 8 9 15 16 17 31 32 33 63 64 65 77; do \
// RUN:   sluice-codegen-test %t.ll -leaf=sum -levels=?${n}x?9 -in=f32[800],f32[800] -emit=run || exit 1; \
// RUN:   sluice-codegen-test %t.ll -leaf=sum -levels=${n}x9 -in=f32[800],f32[800] -emit=run || exit 1; \
// RUN:   sluice-codegen-test %t.ll -leaf=bytes -levels=?${n}x?9 -in=i8[800],i8[800] -pieces=3 -emit=run || exit 1; \
// RUN:   sluice-codegen-test %t.ll -leaf=shorts -levels=?${n}x?9 -in=i16[800],i32[800] -emit=run || exit 1; \
// RUN:   sluice-codegen-test %t.ll -leaf=chosen -levels=?${n}x?9 -in=f32[800],f32[800] -pieces=7 -emit=run || exit 1; \
// RUN:   sluice-codegen-test %t.ll -leaf=doubles -levels=?${n}x?9 -in=f64[800],f64[800] -pieces=2 -emit=run || exit 1; \
// RUN:   sluice-codegen-test %t.ll -leaf=steps -levels=?${n}x?${n} -in=!i32[6000] -emit=run || exit 1; \
// RUN: done' | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=sum -levels=?0x?9 -in='f32[800],f32[800]' -emit=run | FileCheck %s
// CHECK-NOT: differ
// CHECK: {{^}}same{{$}}
// CHECK-NOT: differ

// An address that all instances of a row load stays in a register.
// RUN: sluice-codegen-test %t.ll -leaf=steps -levels=?64x?64 -in='!i32[6000]' -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=LIFTED
// LIFTED: define {{.*}}.range(
// LIFTED: vector.body:
// LIFTED-NOT: load i32
// LIFTED: br i1

// The only instance of a loop may write it first.
// RUN: sluice-codegen-test %t.ll -leaf=own -levels=?1x?9 -in='!i32[16],!i32[16]' -emit=run | FileCheck %s

#include "Inputs/leaf.h"

void sum(float *a, float *b) {
  long i = Y * numX(node()) + X;
  b[i] = a[i] * 3 + b[i];
}

void bytes(unsigned char *a, unsigned char *b) {
  long i = Y * numX(node()) + X;
  b[i] = a[i] > 100 ? a[i] - b[i] : b[i];
}

void shorts(short *a, int *b) {
  long i = Y * numX(node()) + X;
  b[i] += a[i] * 3;
}

void chosen(float *a, float *b) {
  long i = Y * numX(node()) + X;
  if (a[i] > b[i])
    b[i] = a[i];
}

void doubles(double *a, double *b) {
  long i = Y * numX(node()) + X;
  b[i] = a[i] < 0 ? 1 / a[i] : a[i] * b[i];
}

void spread(float *a, float *b) {
  long i = Y * numX(node()) + X;
  b[i] += a[2 * i];
}

void share(int *a, int *b) {
  long i = Y * numX(node()) + X;
  b[i] /= a[i] | 1;
}

// A step of Floyd and Warshall's.
void steps(int *d) {
  long n = numX(node()), k = n / 2, i = Y, j = X;
  if (i == k || j == k)
    return;
  int through = d[i * n + k] + d[k * n + j];
  if (through < d[i * n + j])
    d[i * n + j] = through;
}

void own(int *a, int *b) {
  int *first = a + Y;
  first[X] = 7 + Y;
  b[X + Y] = *first * 2;
}
