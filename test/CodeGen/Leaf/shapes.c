// What is done for speed, seen in the code: guards become bounds, uniform
// loops move outside, groups are joined, accesses are marked as independent,
// and 32-bit ids are not extended again in the loop.

// RUN: %clang -ffp-contract=on -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll
// RUN: sluice-codegen-test %t.ll -leaf=guarded -levels=?1000 -in=f32[1000],f32[1000],990 | FileCheck %s --check-prefix=GUARD
// GUARD: call i64 @llvm.smin
// GUARD: x{{.*}}: ; preds
// GUARD-NOT: icmp
// GUARD: load float, {{.*}} !llvm.access.group [[GROUP:![0-9]+]]
// GUARD-NOT: icmp
// GUARD: store float {{.*}} !llvm.access.group [[GROUP]]

// RUN: sluice-codegen-test %t.ll -leaf=product -levels=?64x?64 -in=f32[4096],f32[4096],f32[4096],64 -emit=optimized -cpu=x86-64-v3 -vector-bits=256 | FileCheck %s --check-prefix=TILE
// The k loop is innermost; its sums stand in registers.
// TILE-LABEL: define {{.*}}void @product.range(
// TILE: phi <[[N:[0-9]+]] x float>
// TILE: call {{.*}}<[[N]] x float> @llvm.fmuladd

// RUN: sluice-codegen-test %t.ll -leaf=joined -levels=?8,16 -units=1 -in=f32[128],f32[128] | FileCheck %s --check-prefix=JOIN
// One loop over groups and items, with 64-bit indices only.
// JOIN: define internal void @joined.range(
// JOIN: x{{.*}}: ; preds
// JOIN-NOT: {{sext|trunc}}
// JOIN: store float
// JOIN: br i1 {{.*}} label %x
// JOIN: call void @joined.range.large(

// RUN: sluice-codegen-test %t.ll -leaf=guarded -levels=?1000 -in=f32[1000],f32[1000],990 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=guarded -levels=?1000 -in=f32[1000],f32[1000],-3 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=guarded -levels=?1000 -in=f32[1000],f32[1000],5000000000 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=product -levels=?67x?61 -in=f32[8192],f32[8192],f32[8192],67 -pieces=40 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=product -levels=67x61 -in=f32[8192],f32[8192],f32[8192],0 -vector-bits=128 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=joined -levels=?8,16 -units=1 -in=f32[128],f32[128] -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=joined -levels=?8,16 -units=0 -in=f32[128],f32[128] -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=joined -levels=?8,16 -units=2 -in=f32[128],f32[128] -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=edges -levels=?9x?7,16x?4 -units=1 -in=i32[4032],zero[16128],144,28 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=edges -levels=?9x?7,16x?4 -units=1 -in=i32[4032],zero[16128],1,28 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=edges -levels=9x7,16x4 -units=0 -in=i32[4032],zero[16128],100,20 -emit=run | FileCheck %s
// Groups joined in x only, where the range starts and ends inside of one.
// RUN: sluice-codegen-test %t.ll -leaf=rows -levels=?4,?8x?4 -units=2 -in=i32[128],zero[512] -pieces=7 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=rows -levels=?1,?8x?4 -units=2 -in=i32[128],zero[512] -pieces=7 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=rows -levels=4,8x4 -units=2 -in=i32[128],zero[512] -pieces=7 -emit=run | FileCheck %s
// CHECK: {{^}}same{{$}}

#include "Inputs/leaf.h"

void guarded(float *in, float *out, long n) {
  long i = X;
  if (i < n)
    out[i] = in[i] * 2;
}

void product(float *a, float *b, float *c, int n) {
  int x = X, y = Y;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

void joined(float *in, float *out) {
  int i = GROUP * 16 + X;
  out[i] = in[i] + 1;
}

void rows(int *in, int *out) {
  long x = GROUP * SIZE + X;
  if (Y > 2)
    return;
  out[Y * 32 + x] = in[Y * 32 + x] + Y;
}

void edges(int *in, int *out, unsigned width, int height) {
  int x = GROUP * SIZE + X;
  int y = idY(parent(node())) * numY(node()) + Y;
  if (x == 0 || x >= width - 1 || y < 1 || height - 1 <= y)
    return;
  out[y * 144 + x] = in[y * 144 + x - 1] + in[y * 144 + x + 1] +
                     in[(y - 1) * 144 + x] - in[(y + 1) * 144 + x];
}
