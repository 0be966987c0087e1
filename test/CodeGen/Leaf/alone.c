// Relaxed atomics beside loads and stores, which run where nothing else does.
// `-emit=run` runs a whole range alone, and parts of it not.
// RUN: %clang -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll
// RUN: sluice-codegen-test %t.ll -leaf=places -levels=?64 -emit=optimized | FileCheck %s --check-prefix=BOTH
// RUN: sluice-codegen-test %t.ll -leaf=reals -levels=?64 -emit=optimized | FileCheck %s --check-prefix=REAL
// RUN: sluice-codegen-test %t.ll -leaf=highest -levels=?64 -emit=optimized | FileCheck %s --check-prefix=EXCHANGE
// RUN: sluice-codegen-test %t.ll -leaf=ordered -levels=?64 -emit=optimized | FileCheck %s --check-prefix=ORDERED
// BOTH: [[PLACE:%.*]] = getelementptr inbounds{{.*}} i8, ptr %invocation, i64 24
// BOTH: load i32, ptr [[PLACE]]
// BOTH: br i1 %alone
// BOTH-NOT: atomicrmw
// BOTH: %old{{.*}} = load i32, ptr [[NEXT:%.*]], align 4
// BOTH-NEXT: [[NEW:%new.*]] = add i32 %old{{.*}}, 1
// BOTH-NEXT: store i32 [[NEW]], ptr [[NEXT]], align 4
// BOTH: atomicrmw add ptr {{.*}} monotonic
// REAL: br i1 %alone
// REAL-NOT: atomicrmw
// REAL: store float {{.*}}, align 4
// REAL: atomicrmw fadd ptr {{.*}} monotonic
// EXCHANGE: br i1 %alone
// EXCHANGE-NOT: cmpxchg
// EXCHANGE: store i32 {{.*}}, align 4
// EXCHANGE: cmpxchg ptr {{.*}} monotonic monotonic
// ORDERED-NOT: br i1 %alone
// ORDERED-NOT: store atomic
// ORDERED: atomicrmw add ptr {{.*}} seq_cst
// ORDERED-NOT: store atomic
//
// Code that is not known may start threads, and others see variables.
// RUN: sluice-codegen-test %t.ll -leaf=starts -levels=?64 -emit=optimized | FileCheck %s --check-prefix=SEEN
// RUN: sluice-codegen-test %t.ll -leaf=counts -levels=?64 -emit=optimized | FileCheck %s --check-prefix=SEEN
// SEEN-NOT: store atomic
// SEEN: atomicrmw add ptr {{.*}} monotonic
// SEEN-NOT: store atomic
//
// Updates of one place are collected in any case.
// RUN: sluice-codegen-test %t.ll -leaf=sum -levels=?64 -emit=optimized | FileCheck %s --check-prefix=SUM
// SUM: phi
// SUM: atomicrmw add
//
// Behind its loop, an update is there twice, not all of the code.
// RUN: sluice-codegen-test %t.ll -leaf=sum -levels=?64 -in='!i32[64],!zero[8]' -emit=optimized | FileCheck %s --check-prefix=ONE
// ONE-DAG: load atomic i32, ptr {{.*}} monotonic
// ONE-DAG: store atomic i32 {{.*}} monotonic
// ONE-DAG: atomicrmw add ptr {{.*}} monotonic
//
// RUN: sluice-codegen-test %t.ll -leaf=places -levels=?1 -in=i32[64],i32[8],i32[512] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=places -levels=?64 -in=i32[64],i32[8],i32[512] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=highest -levels=?64 -in=i32[64],i32[8],i32[512] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=reals -levels=?64 -in=i32[64],f32[8] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=ordered -levels=?64 -in=i32[64],i32[8] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=sum -levels=?64 -in=i32[64],i32[8] -emit=run | FileCheck %s --check-prefix=SAME
// SAME: {{^}}same{{$}}

#include "Inputs/leaf.h"

// Whoever comes writes behind those that came before.
void places(int *from, int *next, int *to) {
  int key = from[X] & 7;
  int at = __atomic_fetch_add(&next[key], 1, __ATOMIC_RELAXED);
  to[key * 64 + (at & 63)] = key;
}

// Whole numbers, which floats add in any order.
void reals(int *from, float *to) {
  float value = (float)(from[X] & 15);
  __atomic_fetch_add(&to[from[X] & 7], value, __ATOMIC_RELAXED);
}

void highest(int *from, int *to, int *unused) {
  int *place = &to[from[X] & 7], value = from[X];
  int old = __atomic_load_n(place, __ATOMIC_RELAXED);
  while (old < value &&
         !__atomic_compare_exchange_n(place, &old, value, 0, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED))
    ;
}

void ordered(int *from, int *to) {
  __atomic_fetch_add(&to[from[X] & 7], 1, __ATOMIC_SEQ_CST);
}

void start(int *to);
void starts(int *from, int *to) {
  start(to);
  __atomic_fetch_add(&to[from[X] & 7], 1, __ATOMIC_RELAXED);
}

int numCounted;
void counts(int *from, int *to) {
  __atomic_fetch_add(&numCounted, 1, __ATOMIC_RELAXED);
  to[X] = __atomic_fetch_add(&to[64 + (from[X] & 7)], 1, __ATOMIC_RELAXED);
}

void sum(int *from, int *to) {
  __atomic_fetch_add(to, from[X], __ATOMIC_RELAXED);
}
