// What is refused, and where.

// RUN: %clang -ffp-contract=on -w -g -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll
// RUN: not sluice-codegen-test %t.ll -levels=?8 -leaf=divergent -check-barriers 2>&1 | FileCheck %s --check-prefix=DIVERGENT
// RUN: not sluice-codegen-test %t.ll -levels=1,?8 -leaf=divergent 2>&1 | FileCheck %s --check-prefix=DIVERGENT
// DIVERGENT: errors.c:{{[0-9]+}}: a barrier in 'divergent' is not reached by all instances of its work-group: they may take the branch around it ({{.*}}errors.c:{{[0-9]+}}) differently
// RUN: not sluice-codegen-test %t.ll -leaf=inHelper -check-barriers 2>&1 | FileCheck %s --check-prefix=HELPER
// HELPER: a barrier in 'inHelper' is not reached by all
// RUN: not sluice-codegen-test %t.ll -leaf=loaded -check-barriers 2>&1 | FileCheck %s --check-prefix=LOADED
// LOADED: a barrier in 'loaded' is not reached by all
// RUN: sluice-codegen-test %t.ll -leaf=uniform -check-barriers 2>&1 | FileCheck %s --check-prefix=UNIFORM
// UNIFORM: no divergent barrier
// RUN: not sluice-codegen-test %t.ll -leaf=uniform -levels=?8 -units=1 2>&1 | FileCheck %s --check-prefix=UNITS
// UNITS: leaf 'uniform' has a barrier, so its units must be whole groups
// RUN: not sluice-codegen-test %t.ll -leaf=handle -levels=?8,8 2>&1 | FileCheck %s --check-prefix=HANDLE
// HANDLE: errors.c:{{[0-9]+}}: leaf 'handle': the node handle of a query must come from getNode or getParentNode directly
// RUN: not sluice-codegen-test %t.ll -leaf=launches -levels=?8 2>&1 | FileCheck %s --check-prefix=LAUNCH
// LAUNCH: leaf 'launches': a leaf may not call 'llvm.hpvm.wait'
// RUN: not sluice-codegen-test %t.ll -leaf=recursive -levels=?8 2>&1 | FileCheck %s --check-prefix=RECURSION
// RECURSION: leaf 'recursive': a function it calls uses HPVM's intrinsics and calls itself
// RUN: not sluice-codegen-test %t.ll -leaf=variable -levels=1,?8 -in=i32[8],3 2>&1 | FileCheck %s --check-prefix=VARIABLE
// VARIABLE: leaf 'variable' has both a barrier and an array of variable length

#include "Inputs/leaf.h"

void wait_(void *) __asm__("llvm.hpvm.wait");

void divergent(int *in) {
  if (X < 3)
    barrier();
}

static void helper(int v) {
  if (v)
    barrier();
}
void inHelper(int *in) { helper(in[X]); }

void loaded(int *in) {
  while (in[X])
    barrier();
}

void uniform(int *in, int n) {
  for (int i = 0; i < n && in[i]; ++i)
    barrier();
  if (numX(node()) > 4)
    helper(n);
}

void handle(int *out, int n) {
  void *h = n ? node() : parent(node());
  out[0] = idX(h);
}

void launches(int *out) { wait_(out); }

static int again(int n) { return n ? again(n - 1) + idX(node()) : 0; }
void recursive(int *out) { out[0] = again(out[1]); }

void variable(int *out, int n) {
  int array[n];
  array[X % n] = 1;
  barrier();
  out[X] = array[0];
}
