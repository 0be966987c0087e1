// What many rows of instances read in their loops is copied first.
// RUN: %clang -ffp-contract=on -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll
//
// A product: the columns of the second factor. Tiles read them one after
// another from the panel.
// RUN: sluice-codegen-test %t.ll -leaf=product -levels=?200x?100 -emit=ir | FileCheck %s --check-prefix=PRODUCT
// RUN: sluice-codegen-test %t.ll -leaf=product -levels=?200x?100 -panels=0 -emit=ir | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=product -levels=?200x?100 -in=f32[1700],f32[3400],f32[20000],17 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=product -levels=?200x?100 -in=f32[1700],f32[3400],f32[20000],0 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=product -levels=?200x?100 -in=f32[1700],f32[3400],f32[20000],1 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=product -levels=?64x?33 -in=f32[561],f32[1088],f32[2112],17 -cpu=x86-64 -vector-bits=128 -emit=run | FileCheck %s --check-prefix=SAME
// PRODUCT: column.shared:
// PRODUCT: [[COPY:%.*]] = call noalias align 64 ptr @sluiceGroupMalloc
// PRODUCT: load float
// PRODUCT-NEXT: {{.*}}mul
// PRODUCT: getelementptr inbounds i8, ptr [[COPY]]
// PRODUCT: store float
// PRODUCT: call void @sluiceGroupFree(ptr %invocation, ptr [[COPY]])
// NONE-NOT: sluiceGroupMalloc
// SAME: {{^}}same{{$}}
//
// The second factor transposed: what vectors would gather lies side by side.
// RUN: sluice-codegen-test %t.ll -leaf=transposed -levels=?200x?100 -emit=ir | FileCheck %s --check-prefix=COPIED
// RUN: sluice-codegen-test %t.ll -leaf=transposed -levels=?200x?100 -in=f64[1700],f64[3400],f64[20000],17 -emit=run | FileCheck %s --check-prefix=SAME
// COPIED: call {{.*}} @sluiceGroupMalloc
//
// Two factors with an index in 32 bits, sums of whole numbers, a scaled sum,
// products of many pairs of matrices.
// RUN: sluice-codegen-test %t.ll -leaf=twice -levels=?200x?100 -emit=ir | FileCheck %s --check-prefix=COPIED
// RUN: sluice-codegen-test %t.ll -leaf=twice -levels=?200x?100 -in=i32[1700],i32[3400],i32[3400],i32[20000],17 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=scaled -levels=?200x?100 -in=f32[1700],f32[3400],f32[20000],17,0.5,2.0 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=scaled -levels=?200x?100 -emit=ir | FileCheck %s --check-prefix=COPIED
// RUN: sluice-codegen-test %t.ll -leaf=many -levels=?70x?40x?3 -in=f32[1560],f32[2730],f32[8400],13 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=many -levels=?70x?40x?3 -emit=ir | FileCheck %s --check-prefix=COPIED
//
// Loops in loops, and rows that other loads choose.
// RUN: sluice-codegen-test %t.ll -leaf=nested -levels=?130x?70 -in=f32[840],f32[1560],f32[9100],3,4 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=nested -levels=?130x?70 -emit=ir | FileCheck %s --check-prefix=COPIED
// RUN: sluice-codegen-test %t.ll -leaf=chosen -levels=?130x?70 -in=f32[840],f32[16640],zero[36],f32[9100],9 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=chosen -levels=?130x?70 -emit=ir | FileCheck %s --check-prefix=COPIED
//
// Not what only some rounds or only some launches read, nor what an instance
// may have written itself.
// RUN: sluice-codegen-test %t.ll -leaf=sometimes -levels=?200x?100 -emit=ir | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=perhaps -levels=?200x?100 -emit=ir | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=perhaps -levels=?200x?100 -in=f32[1700],0,f32[20000],17,0 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=before -levels=?200x?100 -emit=ir | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=inside -levels=?200x?100 -emit=ir | FileCheck %s --check-prefix=NONE

#include "Inputs/leaf.h"

void product(float *a, float *b, float *c, long size) {
  float sum = 0;
  long x = X, y = Y, width = numX(node());
  for (long k = 0; k < size; ++k)
    sum += a[y * size + k] * b[k * width + x];
  c[y * width + x] = sum;
}

void transposed(double *a, double *b, double *c, long size) {
  double sum = 0;
  long x = X, y = Y, width = numX(node());
  for (long k = 0; k < size; ++k)
    sum += a[y * size + k] * b[x * size + k];
  c[y * width + x] = sum;
}

void twice(int *a, int *b, int *c, int *out, int size) {
  int sum = 0, x = X, y = Y, width = numX(node());
  for (int k = 0; k < size; ++k)
    sum += a[y * size + k] * b[k * width + x] ^ c[k * width + x];
  out[y * width + x] = sum;
}

void scaled(float *a, float *b, float *c, long size, float alpha, float beta) {
  float sum = 0;
  long x = X, y = Y, width = numX(node());
  for (long k = 0; k < size; ++k)
    sum += a[y * size + k] * b[k * width + x];
  c[y * width + x] = alpha * sum + beta * c[y * width + x];
}

void many(float *a, float *b, float *c, long size) {
  float sum = 0;
  long x = X, y = Y, z = Z, width = numX(node()), height = numY(node());
  for (long k = 0; k < size; ++k)
    sum += a[(z * height + y) * size + k] * b[(z * size + k) * width + x];
  c[(z * height + y) * width + x] = sum;
}

void nested(float *a, float *b, float *c, long size, long inner) {
  float sum = 0;
  long x = X, y = Y, width = numX(node());
  for (long k = 0; k < size; ++k)
    for (long j = 0; j < inner; ++j)
      sum += a[(y * size + k) * inner + j] * b[(k * inner + j) * width + x];
  c[y * width + x] = sum;
}

void chosen(float *a, float *b, int *rows, float *c, long size) {
  float sum = 0;
  long x = X, y = Y, width = numX(node());
  for (long k = 0; k < size; ++k)
    sum += a[y * size + k] * b[(rows[k] & 127) * width + x];
  c[y * width + x] = sum;
}

void sometimes(float *a, float *b, float *c, long size) {
  float sum = 0;
  long x = X, y = Y, width = numX(node());
  for (long k = 0; k < size; ++k)
    if (a[y * size + k] != 0)
      sum += a[y * size + k] * b[k * width + x];
  c[y * width + x] = sum;
}

void perhaps(float *a, float *b, float *c, long size, int has) {
  float sum = 0;
  long x = X, y = Y, width = numX(node());
  if (has)
    for (long k = 0; k < size; ++k)
      sum += a[y * size + k] * b[k * width + x];
  c[y * width + x] = sum;
}

void before(float *a, float *b, float *c, long size) {
  float sum = 0;
  long x = X, y = Y, width = numX(node());
  c[y * width + x] = 1;
  for (long k = 0; k < size; ++k)
    sum += a[y * size + k] * b[k * width + x];
  c[y * width + x] += sum;
}

void inside(float *a, float *b, float *c, long size) {
  long x = X, y = Y, width = numX(node());
  for (long k = 0; k < size; ++k)
    c[y * width + x] += a[y * size + k] * b[k * width + x];
}
