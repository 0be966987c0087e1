// Guards at the beginning of a leaf are bounds of loops, also where extents are
// constants and LLVM makes one comparison of both ends of a range.
// RUN: %clang -ffp-contract=on -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll
//
// RUN: sluice-codegen-test %t.ll -leaf=inner -levels=77x66 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=BOUND
// RUN: sluice-codegen-test %t.ll -leaf=inner -levels=?77x?66 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=BOUND
// RUN: sluice-codegen-test %t.ll -leaf=inner -levels=16x16,8x8 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=BOUND
// RUN: sluice-codegen-test %t.ll -leaf=innerInt -levels=77x66 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=BOUND
// RUN: sluice-codegen-test %t.ll -leaf=edges -levels=77x66 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=BOUND
// RUN: sluice-codegen-test %t.ll -leaf=square -levels=128x128 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=BOUND
// RUN: sluice-codegen-test %t.ll -leaf=backward -levels=77x66 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=BOUND
// RUN: sluice-codegen-test %t.ll -leaf=cube -levels=77x66x55 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=BOUND
// BOUND-NOT: piece
// BOUND-NOT: masked{{.*}}x i1> %
// BOUND: load <8 x float>
// BOUND-NOT: masked{{.*}}x i1> %
// BOUND: store <8 x float>
// BOUND-NOT: piece
//
// Every instance, and only those that the guard lets through.
// RUN: sluice-codegen-test %t.ll -leaf=inner -levels=13x9 -in=f32[117],f32[117] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=inner -levels=1x9 -in=f32[117],f32[117] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=inner -levels=2x9 -in=f32[117],f32[117] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=inner -levels=3x3,3x3 -in=f32[117],f32[117] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=innerInt -levels=13x9 -in=f32[117],f32[117] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=innerInt -levels=?13x9 -in=f32[117],f32[117] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=edges -levels=13x9 -in=f32[117],f32[117] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=edges -levels=1x1 -in=f32[117],f32[117] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=square -levels=128x128 -in=f32[16384],f32[16384] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=square -levels=128x60 -in=f32[16384],f32[16384] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=backward -levels=13x9 -in=f32[117],f32[117] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=cube -levels=7x6x5 -in=f32[210],f32[210] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=cube -levels=4x6x5 -in=f32[210],f32[210] -emit=run | FileCheck %s --check-prefix=SAME
// SAME: {{^}}same{{$}}

#include "Inputs/leaf.h"

void inner(float *from, float *to) {
  long x = X, y = Y, w = numX(node()), h = numY(node()), i = y * w + x;
  if (x < 1 || x >= w - 1 || y < 1 || y >= h - 1)
    return;
  to[i] = from[i - 1] + from[i + 1] + from[i - w] + from[i + w];
}

void innerInt(float *from, float *to) {
  int x = X, y = Y, w = numX(node()), h = numY(node()), i = y * w + x;
  if (x > 0 && x < w - 1)
    if (!(y == 0 || y == h - 1))
      to[i] = from[i - 1] + from[i + 1] + from[i - w] + from[i + w];
}

void edges(float *from, float *to) {
  long x = X, y = Y, w = numX(node()), i = y * w + x;
  if (x != 0 && y != 0)
    to[i] = from[i - 1] + from[i - w];
}

// One comparison of both ids' union.
void square(float *from, float *to) {
  long x = X, y = Y, i = y * numX(node()) + x;
  if (x < 64 && y < 64)
    to[i] = from[i] * 2;
}

void backward(float *from, float *to) {
  long w = numX(node()), x = w - 1 - X, i = Y * w + x;
  if (x < 1 || x >= w - 1)
    return;
  to[i] = from[i - 1] + from[i + 1];
}

void cube(float *from, float *to) {
  int x = X, y = Y, z = Z, w = numX(node()), h = numY(node());
  int i = (z * h + y) * w + x;
  if (x < 2 || y < 2 || z < 2 || x >= w - 2 || y >= h - 2 ||
      z >= numZ(node()) - 2)
    return;
  to[i] = from[i - 1] + from[i + 1] + from[i - w] + from[i + w] +
          from[i - w * h] + from[i + w * h];
}
