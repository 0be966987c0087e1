// Leaves of a batch run in processes of their own: one that races differs, one
// that reads beyond its input ends, and the next one runs.
// RUN: rm -rf %t && mkdir %t
// RUN: %clang -O1 -Xclang -disable-llvm-passes -c -emit-llvm %s -I %S/Inputs -o %t/leaves.bc
// RUN: echo "races -levels=?64 -in=i32[65]" > %t/lines
// RUN: echo "reads -levels=64 -in=i32[64] -level=1" >> %t/lines
// RUN: echo "plain -levels=?64 -in=i32[64] -quick-code" >> %t/lines
// RUN: not sluice-codegen-test %t/leaves.bc -batch=%t/lines 2>%t/errors | FileCheck %s
// CHECK: whole range: input 0 differs first at byte
// CHECK: different
// CHECK-NEXT: {{^}}races: status 1
// CHECK-NEXT: {{^}}reads: signal 11
// CHECK-NEXT: same
// CHECK-NEXT: {{^}}plain: status 0

// RUN: echo "plain -levels=?5x3 -in=i32[64] -seed=3" > %t/lines
// RUN: sluice-codegen-test %t/leaves.bc -batch=%t/lines | FileCheck %s --check-prefix=ALL
// ALL: plain: status 0
#include "leaf.h"

void races(int *a) { a[X + 1] = a[X] + 1; }
void reads(int *a) { a[X] = a[X + 1]; }
void plain(int *a) { a[X] = a[X] * 3 + (int)X; }
