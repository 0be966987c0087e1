// Values that leave a leaf: of the last instance, and of each in an array; and
// one value for each instance as input.

// RUN: %clang -ffp-contract=on -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll
// RUN: sluice-codegen-test %t.ll -levels=?6,?7 -in=i32[64],i32[64],40 -units=1 -out=last,both@0 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -levels=?6,?7 -in=i32[64],i32[64],40 -units=2 -out=both@1,both@0 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -levels=6,7 -in=i32[64],i32[64],40 -units=0 -out=last,array@1 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -levels=?6,?7 -in=i32[64],i32[64],40 -fixed=1 -units=1 -fixed-ids=3 -out=last,array@1 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -levels=0,?7 -in=i32[64],i32[64],40 -units=1 -out=last,both@0 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -levels=3,?0 -in=i32[64],i32[64],40 -units=1 -out=last,both@0 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -levels=1,1 -in=i32[64],i32[64],40 -units=2 -out=last,none -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=grouped -levels=?6,?7 -in=i32[64],i32[64],4,i64[1]@0 -units=1 -out=last,both@0 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=grouped -levels=?6,8 -in=i32[64],i32[64],4,i64[1]@1 -units=0 -out=both@1,both@0 -emit=run | FileCheck %s
// CHECK: {{^}}same{{$}}
// RUN: not sluice-codegen-test %t.ll -levels=?6,?7 -in=i32[64],i32[64],40 -out=last 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: leaf 'leaf': expected 1 outputs, but it returns 2

#include "Inputs/leaf.h"

struct Result {
  long a;
  long b;
};

struct Result leaf(int *in, int *out, long n) {
  long l = X, g = GROUP, i = g * SIZE + l;
  if (i < n)
    out[i] = in[i] * 3;
  struct Result result = {i * 7 + n, g - l};
  return result;
}

struct Result grouped(int *in, int *out, long n, long start) {
  long l = X, g = GROUP, i = g * SIZE + l;
  int sum = start;
  for (long k = 0; k < n; ++k) {
    out[i] = sum + k;
    barrier();
    sum += out[g * SIZE + (l + 1) % SIZE];
    barrier();
  }
  struct Result result = {i * 7 + sum, g - l};
  return result;
}
