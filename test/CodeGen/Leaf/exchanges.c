// A compare-exchange of an expected constant looks first, as most fail.

// RUN: %clang -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll

// The results are used as conditions, as values, and not at all.
// RUN: sluice-codegen-test %t.ll -leaf=claim -levels=?1000 -in='!i32[1000],!zero[1024],!zero[4]' -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=claimNothing -levels=?1000 -in='!i32[1000],!zero[1024],!zero[4]' -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=argument -levels=?1000 -in='!i32[1000],!zero[1024],!zero[4000],0' -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=ordered -levels=?1000 -in='!i32[1000],!zero[1024],!zero[4000]' -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=unused -levels=?1000 -in='!i32[1000],!zero[1024]' -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=pointers -levels=?1000 -in='!i32[1000],!zero[2048]' -emit=run | FileCheck %s
// CHECK: {{^}}same{{$}}

// RUN: sluice-codegen-test %t.ll -leaf=claim -levels=?1000 -in='!i32[1000],!zero[1024],!zero[4]' -emit=optimized | FileCheck %s --check-prefix=CLAIM
// CLAIM: %[[FOUND:.*]] = load atomic i32, ptr %[[PLACE:.*]] monotonic, align 4
// CLAIM: icmp eq i32 %[[FOUND]], 0
// CLAIM: cmpxchg ptr %[[PLACE]], i32 0, i32 7 monotonic monotonic, align 4

// The load orders what the failed exchange would.
// RUN: sluice-codegen-test %t.ll -leaf=ordered -levels=?1000 -in='!i32[1000],!zero[1024],!zero[4000]' -emit=optimized | FileCheck %s --check-prefix=ORDERED
// ORDERED: load atomic i32, ptr %{{.*}} acquire, align 4
// ORDERED: cmpxchg ptr %{{.*}}, i32 0, i32 7 acq_rel acquire, align 4

// As written: what is volatile, wide, or expects what it has read. Where the
// latter is alone, it is a load and a store.
// RUN: sluice-codegen-test %t.ll -leaf=everyAccess -levels=?1000 -in='!i32[1000],!zero[1024]' -emit=optimized | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=wide -levels=?1000 -in='!i32[1000],!zero[4096]' -emit=optimized | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=computed -levels=?1000 -in='!i32[1000],!zero[1024]' -emit=optimized | FileCheck %s --check-prefix=COMPUTED
// PLAIN-NOT: load atomic
// PLAIN: cmpxchg
// COMPUTED-NOT: load atomic
// COMPUTED: br i1 %alone
// COMPUTED-NOT: cmpxchg
// COMPUTED: mul nsw i32 {{.*}}, 3
// COMPUTED-NEXT: [[NEW:%.*]] = add nsw i32 {{.*}}, 1
// COMPUTED-NEXT: store i32 [[NEW]], ptr {{.*}}, align 4
// COMPUTED-NOT: load atomic
// COMPUTED: cmpxchg
// COMPUTED-NOT: load atomic

#include "Inputs/leaf.h"

void claim(int *in, int *level, int *count) {
  if (atomicSwapIf(&level[in[X] & 255], 0, 7) == 0)
    atomicAdd(count, 1);
}

void claimNothing(int *in, int *level, int *count) {
  if (atomicSwapIf(&level[in[X] & 255], 5, 7) != 0)
    atomicAdd(count, 1);
}

void argument(int *in, int *level, int *old, int expected) {
  int place = in[X] & 255;
  old[X] = atomicSwapIf(&level[place], expected, 0) + place;
}

void ordered(int *in, int *level, int *old) {
  int expected = 0;
  int isFirst = __atomic_compare_exchange_n(&level[in[X] & 255], &expected, 7,
                                            0, __ATOMIC_ACQ_REL,
                                            __ATOMIC_ACQUIRE);
  old[X] = isFirst | expected != 0;
}

void unused(int *in, int *level) { atomicSwapIf(&level[in[X] & 255], 0, 7); }

void pointers(int *in, int **first) {
  int *expected = 0;
  __atomic_compare_exchange_n(&first[in[X] & 255], &expected,
                              (int *)64, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void everyAccess(int *in, int *level) {
  int expected = 0;
  __atomic_compare_exchange_n((volatile int *)&level[in[X] & 255], &expected, 7,
                              0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

__attribute__((target("cx16"))) void wide(int *in, __int128 *level) {
  __int128 expected = 0;
  __atomic_compare_exchange_n(&level[in[X] & 255], &expected, 7, 0,
                              __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void computed(int *in, int *level) {
  int *place = &level[in[X] & 255], old = *place;
  while (!__atomic_compare_exchange_n(place, &old, old * 3 + 1, 1,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}
