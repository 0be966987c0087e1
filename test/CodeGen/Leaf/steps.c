// Four instances that add up rows of their own run in step.

// RUN: %clang -ffp-contract=on -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll

// RUN: sluice-codegen-test %t.ll -leaf=rowSums -levels=?37 -in='!f64[37],!f64[600],!f64[16],13' -emit=optimized | FileCheck %s --check-prefix=STEPS
// RUN: sluice-codegen-test %t.ll -leaf=normalize -levels=?37 -in='!f64[600],!f64[600],!f64[16],13' -emit=optimized | FileCheck %s --check-prefix=STEPS
// STEPS: {{^}}instances{{.*}}:

// Not where instances go ways of their own, where nothing is carried, where
// rounds are long, where lanes read elements side by side, and where the rows
// are columns.
// RUN: sluice-codegen-test %t.ll -leaf=ragged -levels=?37 -in='!f64[37],!f64[600],!f64[16],13' -emit=optimized | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=copies -levels=?37 -in='!f64[600],!f64[600],!f64[16],13' -emit=optimized | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=quotients -levels=?37 -in='!f64[37],!f64[600],!f64[16],13' -emit=optimized | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=columnSums -levels=?37 -in='!f64[37],!f64[600],!f64[16],13' -emit=optimized | FileCheck %s --check-prefix=NONE
// NONE-NOT: {{^}}instances

// The same bits for every number of instances and in every loop.
// RUN: bash -c 'for n in 0 1 13; do for x in 1 5 37; do \
// RUN:   for leaf in rowSums ragged quotients columnSums; do \
// RUN:     sluice-codegen-test %t.ll -leaf=$leaf -levels=?$x -in=!f64[37],!f64[600],!f64[16],$n -emit=run || exit 1; \
// RUN:   done; \
// RUN:   for leaf in normalize copies; do \
// RUN:     sluice-codegen-test %t.ll -leaf=$leaf -levels=$x -in=!f64[600],!f64[600],!f64[16],$n -emit=run || exit 1; \
// RUN:     sluice-codegen-test %t.ll -leaf=$leaf -lanes=1 -levels=$x -in=f64[600],f64[600],f64[16],=$n -emit=run || exit 1; \
// RUN:   done; \
// RUN: done; done' | FileCheck %s
// CHECK-NOT: differ
// CHECK: {{^}}same{{$}}
// CHECK-NOT: differ

#include "Inputs/leaf.h"

double sqrt(double);

void rowSums(double *sums, double *a, double *b, long n) {
  double sum = 0;
  for (long j = 0; j < n; ++j)
    sum += a[X * n + j] * b[j];
  sums[X] = sum;
}

// The last loop is one for vectors, in each of the rows.
void normalize(double *to, double *a, double *b, long n) {
  double sum = 0, squares = 0;
  for (long j = 0; j < n; ++j)
    sum += a[X * n + j];
  double mean = sum / n;
  for (long j = 0; j < n; ++j) {
    double difference = a[X * n + j] - mean;
    squares += difference * difference;
  }
  for (long j = 0; j < n; ++j)
    to[X * n + j] = (a[X * n + j] - mean) / sqrt(squares + 1) * b[j];
}

void ragged(double *sums, double *a, double *b, long n) {
  double sum = 0;
  for (long j = 0; j < n && a[X * n + j] < 0.9; ++j)
    sum += a[X * n + j] * b[j];
  sums[X] = sum;
}

void copies(double *to, double *a, double *b, long n) {
  for (long j = 0; j < n; ++j)
    to[X * n + j] = a[X * n + j] + b[j];
}

void quotients(double *sums, double *a, double *b, long n) {
  double sum = 1;
  for (long j = 0; j < n; ++j)
    sum = a[X * n + j] / (sum + b[j] * b[j] + 1);
  sums[X] = sum;
}

void columnSums(double *sums, double *a, double *b, long n) {
  double sum = 0;
  for (long j = 0; j < n; ++j)
    sum += a[j * SIZE + X] * b[j];
  sums[X] = sum;
}
