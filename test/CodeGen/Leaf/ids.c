// Ids and extents of a leaf and its ancestors, written out and read by eye.

// RUN: %clang -ffp-contract=on -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll
// RUN: sluice-codegen-test %t.ll -levels=2,?2x2 -in=zero[64] -print=0 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -levels=2,2x?2 -units=0 -in=zero[64] -print=0 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -levels=2,2x2 -units=1 -in=zero[64] -print=0 -emit=run | FileCheck %s
// CHECK: input 0: 0 1 10 11 100 101 110 111 0 0 0 0 0 0 0 0
// RUN: sluice-codegen-test %t.ll -levels=2,2x2 -fixed=1 -fixed-ids=1 -units=1 -in=zero[64] -print=0 -emit=run | FileCheck %s --check-prefix=FIXED
// FIXED: input 0: 0 0 0 0 100 101 110 111 0 0 0 0 0 0 0 0
// RUN: sluice-codegen-test %t.ll -leaf=shape -levels=?5x4x3,-,?2x7 -units=2 -in=zero[64] -print=0 -emit=run | FileCheck %s --check-prefix=SHAPE
// SHAPE: input 0: 2 7 1 1 1 1 5 4 3 2 0 3
//
// Every split of every number of levels.
// RUN: sluice-codegen-test %t.ll -leaf=three -levels=?2x3x2,3x?2,?2x2x3 -units=0 -in=i32[864] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=three -levels=?2x3x2,3x?2,?2x2x3 -units=1 -in=i32[864] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=three -levels=?2x3x2,3x?2,?2x2x3 -units=2 -in=i32[864] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=three -levels=?2x3x2,3x?2,?2x2x3 -units=3 -pieces=40 -in=i32[864] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=three -levels=?2x0x2,3x?2,?2x2x3 -units=1 -in=i32[864] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=three -levels=?2x3x2,3x?2,?2x?0x3 -units=2 -in=i32[864] -emit=run | FileCheck %s --check-prefix=SAME
// SAME: {{^}}same{{$}}

#include "Inputs/leaf.h"

void leaf(int *out) {
  long g = GROUP, x = X, y = Y;
  out[(g * 2 + y) * 2 + x] = g * 100 + y * 10 + x;
}

void shape(int *out) {
  void *n = node(), *p = parent(n), *r = parent(p);
  out[0] = numX(n);
  out[1] = numY(n);
  out[2] = numZ(n);
  out[3] = numX(p);
  out[4] = numY(p);
  out[5] = numZ(p);
  out[6] = numX(r);
  out[7] = numY(r);
  out[8] = numZ(r);
  out[9] = numDims(n);
  out[10] = numDims(p);
  out[11] = numDims(r);
}

void three(int *out) {
  void *n = node(), *p = parent(n), *r = parent(p);
  long at = (idZ(r) * numY(r) + idY(r)) * numX(r) + idX(r);
  at = (at * numY(p) + idY(p)) * numX(p) + idX(p);
  at = ((at * numZ(n) + idZ(n)) * numY(n) + idY(n)) * numX(n) + idX(n);
  out[at] = out[at] * 3 + at;
}
