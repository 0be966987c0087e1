// Between a round of a table of distances and the next stand one addition and
// one minimum, of 64 bits.

// RUN: %clang -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll

// RUN: sluice-codegen-test %t.ll -leaf=distance -levels=?20 -lanes=0 -in='!i32[2000],!i32[2000],!i32[2000]' -emit=optimized | FileCheck %s --check-prefixes=CHAIN,MIN
// RUN: sluice-codegen-test %t.ll -leaf=scores -levels=?20 -lanes=0 -in='!i32[2000],!i32[2000],!i32[2000]' -emit=optimized | FileCheck %s --check-prefixes=CHAIN,MAX
// CHAIN: define {{.*}}.range(
// MIN-NOT: call i{{16|32}} @llvm.smin
// MIN: call i64 @llvm.smin.i64(
// MIN-NOT: call i{{16|32}} @llvm.smin
// MAX-NOT: call i{{16|32}} @llvm.smax
// MAX: call i64 @llvm.smax.i64(
// MAX-NOT: call i{{16|32}} @llvm.smax

// As written: one minimum a round, and sums that may wrap around.
// RUN: sluice-codegen-test %t.ll -leaf=least -levels=?20 -lanes=0 -in='!i32[2000],!i32[2000],!i32[2000]' -emit=optimized | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=wraps -levels=?20 -lanes=0 -in='!i32[2000],!i32[2000],!i32[2000]' -emit=optimized | FileCheck %s --check-prefix=NONE
// NONE-NOT: call i64 @llvm

// RUN: sluice-codegen-test %t.ll -leaf=distance -levels=?20 -in='!i32[2000],!i32[2000],!i32[2000]' -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=scores -levels=?20 -in='!i32[2000],!i32[2000],!i32[2000]' -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=shorts -levels=?20 -in='!i32[2000],!i32[2000],!i32[2000]' -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=least -levels=?20 -in='!i32[2000],!i32[2000],!i32[2000]' -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=wraps -levels=?20 -in='!i32[2000],!i32[2000],!i32[2000]' -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=extremes -levels=?20 -in='!i32[2000],!i32[2000],!i32[2000]' -emit=run | FileCheck %s
// CHECK: {{^}}same{{$}}

#include "Inputs/leaf.h"

enum { length = 100 };

static int min(int a, int b) { return a < b ? a : b; }
static int max(int a, int b) { return a > b ? a : b; }

void distance(int *above, int *costs, int *out) {
  long first = X * length;
  int left = X;
  for (long j = first; j < first + length; ++j) {
    left = min(min(above[j] & 1023, left) + 1, costs[j] & 1023);
    out[j] = left;
  }
}

// Two gaps, and a bound below.
void scores(int *above, int *costs, int *out) {
  long first = X * length;
  int left = 0;
  for (long j = first; j < first + length; ++j) {
    int best = max(left - 2, (above[j] & 1023) - 3);
    best = max(best - (costs[j] & 3), 0);
    left = max(best, costs[j] & 255);
    out[j] = left;
  }
}

void shorts(int *above, int *costs, int *out) {
  long first = X * length;
  short left = X;
  for (long j = first; j < first + length; ++j) {
    int next = min(min(above[j] & 1023, left) + 3, costs[j] & 1023);
    left = next;
    out[j] = next;
  }
}

void least(int *above, int *costs, int *out) {
  long first = X * length;
  int left = X;
  for (long j = first; j < first + length; ++j) {
    left = min(left, above[j]);
    out[j] = left;
  }
}

void wraps(int *above, int *costs, int *out) {
  long first = X * length;
  unsigned left = X;
  for (long j = first; j < first + length; ++j) {
    unsigned own = above[j];
    left = (own < left ? own : left) + 1;
    left = left < (unsigned)costs[j] ? left : costs[j];
    out[j] = left;
  }
}

// The largest and the least numbers: what is not chosen would overflow.
void extremes(int *above, int *costs, int *out) {
  long first = X * length;
  int left = 5;
  for (long j = first; j < first + length; ++j) {
    int far = above[j] & 1 ? 2147483647 : above[j] & 1023;
    int own = costs[j] & 1 ? -2147483647 - 1 : costs[j] & 1023;
    left = min(min(far, left) + 1, max(own, -1000000));
    left = min(max(left, own) + 1, costs[j] & 2047);
    out[j] = left;
  }
}
