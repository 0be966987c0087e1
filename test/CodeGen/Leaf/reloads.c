// What an instance loads that the one before has loaded, too: no round waits for
// the one before, and ends of rows run under masks.
// RUN: %clang -ffp-contract=on -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll
// RUN: sluice-codegen-test %t.ll -leaf=three -levels=?1000 -cpu=x86-64-v3 -emit=optimized | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=edges -levels=?300x?20 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefixes=CHECK,MASKED
// RUN: sluice-codegen-test %t.ll -leaf=widening -levels=?300x?20 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefixes=CHECK,MASKED
// CHECK: <{{[0-9]+}} x {{float|i8|i16}}>
// CHECK-NOT: vector.recur
// MASKED: call {{.*}}@llvm.masked.store.v
//
// In the loop of a leaf, where rounds follow each other, what is kept stays.
// RUN: sluice-codegen-test %t.ll -leaf=serial -levels=?40 -emit=optimized | FileCheck %s --check-prefix=KEPT
// KEPT: phi i32
// KEPT: phi i32
//
// RUN: sluice-codegen-test %t.ll -leaf=three -levels=?1000 -in=f32[1002],f32[1000] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=three -levels=?1 -in=f32[3],f32[1] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=edges -levels=?77x?9 -in=i8[1200],i8[1200],80 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=edges -levels=?191x?5 -cpu=x86-64-v3 -in=i8[1400],i8[1400],193 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=widening -levels=?77x?9 -in=i16[900],i64[900],80 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=backwards -levels=?333 -in=f32[340],f32[340] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=strided -levels=?100 -in=i32[310],i32[100] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=serial -levels=?40 -in=i32[440],i32[40],10 -emit=run | FileCheck %s --check-prefix=SAME
// SAME: {{^}}same{{$}}

#include "Inputs/leaf.h"

void three(float *in, float *out) {
  out[X] = 0.25f * in[X] + 0.5f * in[X + 1] + 0.25f * in[X + 2];
}

static int absolute(int value) { return value < 0 ? -value : value; }

void edges(unsigned char *in, unsigned char *out, long width) {
  unsigned char *a = in + Y * width + X, *b = a + width, *c = b + width;
  int x = a[2] + 2 * b[2] + c[2] - a[0] - 2 * b[0] - c[0];
  int y = c[0] + 2 * c[1] + c[2] - a[0] - 2 * a[1] - a[2];
  int sum = absolute(x) + absolute(y);
  out[Y * width + X] = sum > 255 ? 255 : sum;
}

void widening(short *in, long *out, long width) {
  short *a = in + Y * width + X, *b = a + width;
  out[Y * width + X] = a[0] + 3L * a[1] - b[0] + 5L * b[1];
}

void backwards(float *in, float *out) {
  out[332 - X] = in[334 - X] - in[333 - X] * in[332 - X];
}

void strided(int *in, int *out) { out[X] = in[3 * X] + in[3 * X + 3]; }

void serial(int *in, int *out, int count) {
  int sum = 0;
  for (int k = 1; k < count; ++k)
    sum = 3 * sum + in[X * 11 + k] - in[X * 11 + k - 1];
  out[X] = sum;
}
