// A short loop of an instance that needs nothing but registers is unrolled, and
// does not become rounds over the variables of many instances in memory. Loops
// that are long, or read what each instance has of its own, still do. A longer
// one is unrolled if that makes its divisors constants. Lanes load once what only
// some of them load of what all share.
// RUN: %clang -ffp-contract=on -w -O2 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll
//
// RUN: sluice-codegen-test %t.ll -leaf=horner -levels=?700 -in=f64[700],f64[40],f64[700] -cpu=x86-64-v3 -emit=optimized | FileCheck %s --check-prefix=WHOLE
// RUN: sluice-codegen-test %t.ll -leaf=divided -levels=?700 -in=f64[700],f64[40],f64[700] -cpu=x86-64-v3 -emit=optimized | FileCheck %s --check-prefix=DIVIDED
// RUN: sluice-codegen-test %t.ll -leaf=shared -levels=?700 -in=f64[700],f64[40],f64[700] -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=SHARED
// WHOLE-NOT: .instances.
// WHOLE: fmuladd.v4f64
// WHOLE-NOT: .instances.
// DIVIDED-NOT: .instances.
// DIVIDED: fmul <4 x double> {{.*}}, splat (double 2.500000e-01)
// DIVIDED-NOT: .instances.
// SHARED-NOT: .instances.
// SHARED-NOT: gather
// RUN: sluice-codegen-test %t.ll -leaf=far -levels=?700 -in=f64[700],f64[40],f64[700] -cpu=x86-64-v3 -emit=optimized | FileCheck %s --check-prefix=CUT
// RUN: sluice-codegen-test %t.ll -leaf=own -levels=?700 -in=f64[8400],f64[40],f64[700] -cpu=x86-64-v3 -emit=optimized | FileCheck %s --check-prefix=CUT
// CUT: .instances.
//
// RUN: sluice-codegen-test %t.ll -leaf=horner -levels=?700 -in=f64[700],f64[40],f64[700] -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=far -levels=?700 -in=f64[700],f64[40],f64[700] -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=own -levels=?700 -in=f64[8400],f64[40],f64[700] -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=divided -levels=?700 -in=f64[700],f64[40],f64[700] -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=shared -levels=?700 -in=f64[700],f64[40],f64[700] -emit=run | FileCheck %s
// CHECK: {{^}}same{{$}}

#include "Inputs/leaf.h"

void horner(double *in, double *by, double *out) {
  double x = in[X], sum = 0;
  for (int k = 0; k < 12; ++k)
    sum = sum * x + by[k];
  out[X] = sum;
}

void far(double *in, double *by, double *out) {
  double x = in[X], sum = 0;
  for (int k = 0; k < 40; ++k)
    sum = sum * x + by[k];
  out[X] = sum;
}

void own(double *in, double *by, double *out) {
  double sum = 0;
  for (int k = 0; k < 12; ++k)
    sum = sum * by[k] + in[k * 700 + X];
  out[X] = sum;
}

void divided(double *in, double *by, double *out) {
  double x = in[X], last = 1, sum = x;
  for (int k = 2; k < 14; ++k) {
    double next = ((2 * k - 1) * x * sum - (k - 1) * last) / k;
    last = sum;
    sum = next + last / (k + 1);
  }
  out[X] = sum;
}

void shared(double *in, double *by, double *out) {
  double x = in[X], sum = 0;
  for (int k = 0; k < 40; ++k)
    if (k * x < 3)
      sum += x * by[k];
  out[X] = sum;
}
