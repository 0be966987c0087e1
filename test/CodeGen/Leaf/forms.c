// Where data decide how long lanes wait for each other, or where they load from,
// a kernel has both forms, and some calls are timed.
// RUN: %clang -w -O2 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll
//
// RUN: sluice-codegen-test %t.ll -leaf=steps -levels=?300 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=BOTH
// RUN: sluice-codegen-test %t.ll -leaf=largest -levels=?300 -cpu=x86-64-v4 -in='i32[6000],i32[300],20' -emit=optimized | FileCheck %s --check-prefix=BOTH
// BOTH: @[[TRIAL:.*]] = internal global [5 x i64] zeroinitializer, align 8
// BOTH-NOT: memory(
// BOTH: {{^}}define
// BOTH: [[STATE:%.*]] = load atomic i32, ptr @[[TRIAL]] monotonic, align 8
// BOTH: icmp ugt i32 [[STATE]], 3
// BOTH-DAG: [[LEFT:%.*]] = add i32 [[STATE]], -4
// BOTH-DAG: store atomic i32 [[LEFT]], ptr @[[TRIAL]] monotonic, align 8
// BOTH-DAG: [[BEGUN:%.*]] = {{.*}}call i64 @sluiceBeginTrial({{.*}}@[[TRIAL]])
// BOTH-DAG: phi i64 [ {{.*}} ]
// BOTH-DAG: {{^}}lanes{{.*}}:
// BOTH-DAG: call void @sluiceEndTrial({{.*}}@[[TRIAL]]
//
// Lanes that all do the same, with what lies side by side, are faster.
// RUN: sluice-codegen-test %t.ll -leaf=alike -levels=?300 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=ONE
// ONE-NOT: Trial
// ONE: {{^}}lanes{{.*}}:
// ONE-NOT: Trial
//
// A table, of which LLVM's vectors would gather, and a row far from the next:
// there is a loop that stays as it is.
// RUN: sluice-codegen-test %t.ll -leaf=table -levels=?300 -cpu=x86-64-v4 -in='!i32[300],!i32[64],!i32[300]' -emit=optimized | FileCheck %s --check-prefix=TWIN
// RUN: sluice-codegen-test %t.ll -leaf=column -levels=?300 -cpu=x86-64-v4 -in='!i32[6000],!i32[300],20' -emit=optimized | FileCheck %s --check-prefix=TWIN
// TWIN: call i64 @sluiceBeginTrial
// TWIN-DAG: {{^}}vector.body{{.*}}:
// TWIN-DAG: {{^}}{{.*}}.plain{{.*}}:
//
// Elements side by side: there is no doubt.
// RUN: sluice-codegen-test %t.ll -leaf=beside -levels=?300 -cpu=x86-64-v4 -in='!i32[300],!i32[300]' -emit=optimized | FileCheck %s --check-prefix=NONE
// NONE-NOT: Trial
//
// Both forms, in calls that are timed and in others, for parts of any size.
// RUN: sluice-codegen-test %t.ll -leaf=steps -levels=?300 -in=i32[300],i32[300] -pieces=9 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=steps -levels=?0 -in=i32[300],i32[300] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=largest -levels=?300 -in=i32[6000],i32[300],20 -pieces=9 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=largest -levels=?30x?10 -cpu=x86-64-v3 -in=i32[6000],i32[300],20 -pieces=5 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=table -levels=?300 -in='!i32[300],!i32[64],!i32[300]' -pieces=9 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=table -levels=?30x?10 -in='!i32[300],!i32[64],!i32[300]' -pieces=7 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=column -levels=?300 -in='!i32[6000],!i32[300],20' -pieces=9 -emit=run | FileCheck %s --check-prefix=SAME
// SAME: {{^}}same{{$}}

#include "Inputs/leaf.h"

void steps(unsigned *in, int *out) {
  unsigned value = in[X] & 1023;
  int count = 0;
  for (; value > 1; ++count)
    value = value & 1 ? 3 * value + 1 : value >> 1;
  out[X] = count;
}

/// The place of the largest number so far says where to load.
void largest(int *in, int *out, long length) {
  long best = 0, row = (X + Y * 30) * length;
  for (long k = 1; k < length; ++k)
    if (in[row + k] > in[row + best])
      best = k;
  out[X + Y * 30] = best;
}

void alike(unsigned *in, unsigned *out, long rounds) {
  unsigned w[16], sum = 0;
  for (int k = 0; k < 16; ++k)
    w[k] = in[X] + k;
  for (long r = 0; r < rounds; ++r)
    w[r & 15] += w[(r + 1) & 15] ^ (w[(r + 9) & 15] >> 3);
  for (int k = 0; k < 16; ++k)
    sum = 3 * sum + w[k];
  out[X] = sum;
}

void table(int *in, int *values, int *out) {
  out[X + 30 * Y] = values[in[X + 30 * Y] & 63] + values[in[X + 30 * Y] >> 5 & 63];
}

void column(int *in, int *out, long width) {
  out[X] = in[X * width] ^ in[X * width + 1];
}

void beside(int *in, int *out) { out[X] = in[X] * 3; }
