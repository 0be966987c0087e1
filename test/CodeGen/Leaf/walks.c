// Instances that go through rows of their own. One after another they read in
// order; as lanes, each round reads one element of every row.
// RUN: %clang -ffp-contract=on -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll
//
// What is soon computed runs one after another.
// RUN: sluice-codegen-test %t.ll -leaf=running -levels=?64 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=ALONE
// RUN: sluice-codegen-test %t.ll -leaf=highest -levels=?64 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=ALONE
// ALONE-NOT: lanes
// ALONE-NOT: gather
// ALONE-NOT: instances:
//
// Where each round waits for the one before it, several run in step, unless
// their rows share places of the cache.
// RUN: sluice-codegen-test %t.ll -leaf=lines -levels=?64 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=APART
// APART: [[LOW:%.*]] = and i64 {{.*}}, 1023
// APART: [[SHARED:%.*]] = icmp {{eq|ne}} i64 [[LOW]], 0
// APART: instances:
//
// RUN: sluice-codegen-test %t.ll -leaf=running -levels=?1 -in=i32[23],f32[23],f32[23],f32[23],7 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=running -levels=?3 -in=i32[3088],f32[3088],f32[3088],f32[3088],1024 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=running -levels=?9 -in=i32[9232],f32[9232],f32[9232],f32[9232],1024 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=running -levels=?40 -in=i32[56],f32[56],f32[56],f32[56],1 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=running -levels=?40 -in=i32[2576],f32[2576],f32[2576],f32[2576],64 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=running -levels=?37 -in=i32[3716],f32[3716],f32[3716],f32[3716],100 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=running -levels=?33 -in=i32[49],f32[49],f32[49],f32[49],0 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=highest -levels=?1 -in=i32[23],f32[23],f32[23],f32[23],7 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=highest -levels=?3 -in=i32[3088],f32[3088],f32[3088],f32[3088],1024 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=highest -levels=?9 -in=i32[9232],f32[9232],f32[9232],f32[9232],1024 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=highest -levels=?40 -in=i32[56],f32[56],f32[56],f32[56],1 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=highest -levels=?40 -in=i32[2576],f32[2576],f32[2576],f32[2576],64 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=highest -levels=?37 -in=i32[3716],f32[3716],f32[3716],f32[3716],100 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=highest -levels=?33 -in=i32[49],f32[49],f32[49],f32[49],0 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=lines -levels=?1 -in=i32[23],f32[23],f32[23],f32[23],7 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=lines -levels=?3 -in=i32[3088],f32[3088],f32[3088],f32[3088],1024 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=lines -levels=?9 -in=i32[9232],f32[9232],f32[9232],f32[9232],1024 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=lines -levels=?40 -in=i32[56],f32[56],f32[56],f32[56],1 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=lines -levels=?40 -in=i32[2576],f32[2576],f32[2576],f32[2576],64 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=lines -levels=?37 -in=i32[3716],f32[3716],f32[3716],f32[3716],100 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=lines -levels=?33 -in=i32[49],f32[49],f32[49],f32[49],0 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=functions -levels=?1 -in=i32[23],f32[23],f32[23],f32[23],7 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=functions -levels=?3 -in=i32[3088],f32[3088],f32[3088],f32[3088],1024 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=functions -levels=?9 -in=i32[9232],f32[9232],f32[9232],f32[9232],1024 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=functions -levels=?40 -in=i32[56],f32[56],f32[56],f32[56],1 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=functions -levels=?40 -in=i32[2576],f32[2576],f32[2576],f32[2576],64 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=functions -levels=?37 -in=i32[3716],f32[3716],f32[3716],f32[3716],100 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=functions -levels=?33 -in=i32[49],f32[49],f32[49],f32[49],0 -emit=run | FileCheck %s --check-prefix=SAME
// SAME: {{^}}same{{$}}

#include "Inputs/leaf.h"

void running(int *from, float *a, float *b, float *to, long n) {
  long row = X;
  int sum = 0;
  for (long i = 0; i < n; ++i) {
    sum += from[row * n + i];
    ((int *)to)[row * n + i] = sum;
  }
}

void highest(int *from, float *a, float *b, float *to, long n) {
  long row = X, at = 0;
  int most = -1;
  for (long i = 0; i < n; ++i)
    if (from[row * n + i] > most) {
      most = from[row * n + i];
      at = i;
    }
  ((int *)to)[row] = most + (int)at;
}

// Both ways through four rows.
void lines(int *from, float *a, float *b, float *to, long n) {
  long row = X;
  float *A = a + row * n, *B = b + row * n, *T = to + row * n;
  float p = 0, q = 0;
  for (long i = 0; i < n; ++i) {
    p = B[i] * (0.5f - A[i] * p);
    q = (float)from[row * n + i] * 0.01f - A[i] * q + p;
    T[i] = q;
  }
  float v = 0;
  for (long i = n - 1; i >= 0; --i) {
    v = T[i] - B[i] * v;
    T[i] = v;
  }
}

// Much is computed for each element.
void functions(int *from, float *a, float *b, float *to, long n) {
  long row = X;
  float v = 1;
  for (long i = 0; i < n; ++i) {
    float x = a[row * n + i] + v;
    for (int k = 0; k < 6; ++k)
      x = x > 1 ? x * 0.25f + 1 / (x * x + 1) : x * x * 0.5f + 0.1f;
    v = x;
  }
  to[row] = v;
}
