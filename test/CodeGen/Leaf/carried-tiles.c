// What instances carry through a loop stays in registers: tiles are smaller
// where that is more.
// RUN: %clang -ffp-contract=on -w -O2 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll
// RUN: sluice-codegen-test %t.ll -leaf=one -levels=?700 -in=f64[28000],f64[45],f64[700] -cpu=x86-64-v3 -vector-bits=256 -emit=optimized | FileCheck %s --check-prefix=ONE
// RUN: sluice-codegen-test %t.ll -leaf=six -levels=?700 -in=f64[28000],f64[45],f64[700] -cpu=x86-64-v3 -vector-bits=256 -emit=optimized | FileCheck %s --check-prefix=SIX
// ONE-COUNT-8: phi <4 x double> [ zeroinitializer
// ONE-NOT: phi <4 x double> [ zeroinitializer
// ONE: call <4 x double> @llvm.fmuladd
// SIX-COUNT-12: phi <4 x double> [ zeroinitializer
// SIX-NOT: phi <4 x double> [ zeroinitializer
// SIX: call <4 x double> @llvm.fmuladd
// RUN: sluice-codegen-test %t.ll -leaf=six -levels=?700 -in=f64[28000],f64[45],f64[700] -emit=run | FileCheck %s
// CHECK: {{^}}same{{$}}

#include "Inputs/leaf.h"

void one(double *in, double *by, double *out) {
  double a = 0;
  for (int k = 0; k < 40; ++k)
    a += in[k * 700 + X] * by[k];
  out[X] = a;
}

void six(double *in, double *by, double *out) {
  double a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
  for (int k = 0; k < 40; ++k) {
    double x = in[k * 700 + X];
    a += x * by[k];
    b += x * by[k + 1];
    c += x * by[k + 2];
    d += x * by[k + 3];
    e += x * by[k + 4];
    f += x * by[k + 5];
  }
  out[X] = a + b * c + d * e - f;
}
