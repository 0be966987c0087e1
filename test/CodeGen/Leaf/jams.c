// Four rounds of an outer loop that update the same row go through it at once.

// RUN: %clang -ffp-contract=on -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll

// RUN: sluice-codegen-test %t.ll -leaf=product -levels=?3 -in='!f64[600],!f64[600],!f64[600],13' -emit=optimized | FileCheck %s --check-prefix=JAM
// RUN: sluice-codegen-test %t.ll -leaf=downward -levels=?3 -in='!i32[600],!i32[600],!i32[600],13' -emit=optimized | FileCheck %s --check-prefix=JAM
// JAM: {{^}}vector.body{{.*}}:
// JAM: load <[[LANES:[0-9]+]] x
// JAM: load <[[LANES]] x
// JAM: load <[[LANES]] x
// JAM: load <[[LANES]] x
// JAM: load <[[LANES]] x
// JAM: store <[[LANES]] x
// JAM: br i1

// Not where memory may be the same, where a round reads what an earlier one
// wrote elsewhere, where rows are others each time, where inner loops have
// other lengths each time, and where sums go on from row to row.
// RUN: sluice-codegen-test %t.ll -leaf=product -levels=?3 -in='f64[600],f64[600],f64[600],13' -emit=optimized | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=shifted -levels=?3 -in='!f64[600],!f64[600],!f64[600],13' -emit=optimized | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=rows -levels=?3 -in='!f64[600],!f64[600],!f64[600],13' -emit=optimized | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=triangle -levels=?3 -in='!f64[600],!f64[600],!f64[600],13' -emit=optimized | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=sums -levels=?3 -in='!f64[600],!f64[600],!f64[600],13' -emit=optimized | FileCheck %s --check-prefix=NONE
// NONE-NOT: {{^}}jam

// RUN: bash -c 'for n in 0 1 2 3 4 5 6 7 8 9 12 13; do \
// RUN:   sluice-codegen-test %t.ll -leaf=product -levels=?3 -in=!f64[600],!f64[600],!f64[600],$n -emit=run || exit 1; \
// RUN:   sluice-codegen-test %t.ll -leaf=product -levels=?3 -in=f64[600],f64[600],f64[600],$n -emit=run || exit 1; \
// RUN:   sluice-codegen-test %t.ll -leaf=downward -levels=?3 -in=!i32[600],!i32[600],!i32[600],$n -emit=run || exit 1; \
// RUN:   sluice-codegen-test %t.ll -leaf=shifted -levels=?3 -in=!f64[600],!f64[600],!f64[600],$n -emit=run || exit 1; \
// RUN:   sluice-codegen-test %t.ll -leaf=rows -levels=?3 -in=!f64[600],!f64[600],!f64[600],$n -emit=run || exit 1; \
// RUN:   sluice-codegen-test %t.ll -leaf=triangle -levels=?3 -in=!f64[600],!f64[600],!f64[600],$n -emit=run || exit 1; \
// RUN:   sluice-codegen-test %t.ll -leaf=sums -levels=?3 -in=!f64[600],!f64[600],!f64[600],$n -emit=run || exit 1; \
// RUN:   sluice-codegen-test %t.ll -leaf=tile -levels=?3 -in=!f32[600],!f32[600],!f32[600],$n -emit=run || exit 1; \
// RUN:   sluice-codegen-test %t.ll -leaf=twice -levels=?3 -in=!f32[600],!f32[600],!f32[600],$n -emit=run || exit 1; \
// RUN: done' | FileCheck %s
// CHECK-NOT: differ
// CHECK: {{^}}same{{$}}
// CHECK-NOT: differ

#include "Inputs/leaf.h"

void product(double *c, double *a, double *b, long n) {
  c += X * n * n;
  for (long i = 0; i < n; ++i)
    for (long k = 0; k < n; ++k) {
      double factor = a[i * n + k];
      for (long j = 0; j < n; ++j)
        c[i * n + j] -= factor * b[k * n + j];
    }
}

// Both loops count down, the inner one over a part of the row.
void downward(int *c, int *a, int *b, int n) {
  c += X * n;
  for (int k = n - 1; k >= 0; --k)
    for (int j = 1; j < n; ++j)
      c[j] = (c[j] ^ b[k * n + j]) * 3 + a[k] / (k + 1) + k;
}

void shifted(double *c, double *a, double *b, long n) {
  c += X * (n + 1);
  for (long k = 0; k < n; ++k)
    for (long j = 0; j < n; ++j)
      c[j] += c[j + 1] * b[k * n + j];
}

void rows(double *c, double *a, double *b, long n) {
  c += X * n * n;
  for (long k = 0; k < n; ++k)
    for (long j = 0; j < n; ++j)
      c[k * n + j] += a[k] * b[j];
}

void triangle(double *c, double *a, double *b, long n) {
  c += X * n;
  for (long k = 0; k < n; ++k)
    for (long j = k; j < n; ++j)
      c[j] += a[k] * b[k * n + j];
}

void sums(double *c, double *a, double *b, long n) {
  double sum = X;
  c += X * n;
  for (long k = 0; k < n; ++k)
    for (long j = 0; j < n; ++j) {
      sum += b[k * n + j];
      c[j] += sum;
    }
}

// The element is read twice, and what is stored does not depend on it always.
void twice(float *c, float *a, float *b, long n) {
  c += X * n;
  for (long k = 0; k < n; ++k)
    for (long j = 0; j < n; ++j)
      c[j] = c[j] > a[k] ? c[j] * b[k * n + j] : b[k * n + j];
}

// Three rows at a time, each of which may be longer than its part of the array.
void tile(float *c, float *a, float *b, long n) {
  float rows[24 + 16] = {0};
  for (long k = 0; k < n; ++k)
    for (long j = 0; j < n; ++j)
      for (long y = 0; y < 3; ++y)
        rows[12 * y + j] += a[(X + y) * n + k] * b[k * n + j];
  for (long j = 0; j < 40; ++j)
    c[X * 40 + j] = rows[j];
}
