// What an instance overwrites under a condition, and has loaded, becomes a
// choice on processors that cannot store some elements of a vector.

// RUN: %clang -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll

// RUN: sluice-codegen-test %t.ll -leaf=least -levels=?1000 -in='i32[1000],i32[1000],i32[1000]' -cpu=x86-64-v2 -emit=optimized | FileCheck %s --check-prefix=CHOICE
// RUN: sluice-codegen-test %t.ll -leaf=otherwise -levels=?1000 -in='i32[1000],i32[1000],i32[1000]' -cpu=x86-64-v2 -emit=optimized | FileCheck %s --check-prefix=CHOICE
// CHOICE: define {{.*}}.range(
// CHOICE-NOT: pred.store
// CHOICE: store <4 x i32>
// CHOICE-NOT: pred.store

// Others have instructions for it.
// RUN: sluice-codegen-test %t.ll -leaf=least -levels=?1000 -in='i32[1000],i32[1000],i32[1000]' -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=MASK
// MASK: call void @llvm.masked.store

// What is not loaded in any case, may be another place, has been written since,
// or is not one of neighbours, stays under its condition.
// RUN: sluice-codegen-test %t.ll -leaf=blind -levels=?1000 -in='i32[1000],i32[1000],i32[1000]' -cpu=x86-64-v2 -emit=optimized | FileCheck %s --check-prefix=BRANCH
// RUN: sluice-codegen-test %t.ll -leaf=neighbour -levels=?999 -in='i32[1000],i32[1000],i32[1000]' -cpu=x86-64-v2 -emit=optimized | FileCheck %s --check-prefix=BRANCH
// RUN: sluice-codegen-test %t.ll -leaf=indirect -levels=?1000 -in='i32[1000],i32[1000],i32[1000]' -cpu=x86-64-v2 -emit=optimized | FileCheck %s --check-prefix=BRANCH
// BRANCH: define {{.*}}.range(
// BRANCH-NOT: store <4 x i32>
// BRANCH: store i32

// RUN: sluice-codegen-test %t.ll -leaf=least -levels=?1000 -in='i32[1000],i32[1000],i32[1000]' -cpu=x86-64-v2 -pieces=7 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=otherwise -levels=?1000 -in='i32[1000],i32[1000],i32[1000]' -cpu=x86-64-v2 -pieces=7 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=blind -levels=?1000 -in='i32[1000],i32[1000],i32[1000]' -cpu=x86-64-v2 -pieces=7 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=twice -levels=?1000 -in='i32[1000],i32[1000],i32[1000]' -cpu=x86-64-v2 -pieces=7 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=twice -levels=?1000 -in='!i32[1000],!i32[1000],!i32[1000]' -cpu=x86-64-v2 -emit=run | FileCheck %s
// CHECK: {{^}}same{{$}}

#include "Inputs/leaf.h"

void least(int *a, int *b, int *best) {
  int through = a[X] + b[X];
  if (through < best[X])
    best[X] = through;
}

void otherwise(int *a, int *b, int *best) {
  if (best[X] < a[X])
    ;
  else
    best[X] = a[X] * 3 - 1;
}

void blind(int *a, int *b, int *best) {
  if (a[X] < b[X])
    best[X] = a[X];
}

void neighbour(int *a, int *b, int *best) {
  if (a[X] < best[X])
    best[X + 1] = a[X];
}

void indirect(int *a, int *b, int *best) {
  int place = b[X] & 511;
  if (a[X] < best[place])
    best[place] = a[X];
}

// The second store is of an element that has been written by the first.
void twice(int *a, int *b, int *best) {
  int old = best[X];
  if (a[X] < old)
    best[X] = a[X];
  if (b[X] < old)
    best[X] = b[X] + 1;
}
