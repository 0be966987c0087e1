// Loops over instances that take their number apart become loops over blocks,
// in which what the number addresses lies side by side.

// RUN: %clang -w -g -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll

// RUN: sluice-codegen-test %t.ll -leaf=butterfly -levels=?1000 -in='!f32[2000],!f32[4000],!f32[1000]' -pieces=7 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=pairs -levels=?1000 -in='!f32[2000],!f32[4000],!f32[1000]' -pieces=7 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=picture -levels=?10007 -in='!f32[16384],!f32[16384],!f32[256]' -pieces=3 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=cube -levels=?10007 -in='!f32[32768],!f32[32768]' -pieces=3 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=product -levels=?10000 -in='!f32[16384],!f32[16384],!f32[10000]' -pieces=3 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=wraps -levels=?1000 -in='!f32[4096],!f32[1000]' -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=negative -levels=?1000 -in='!f32[4096],!f32[1000]' -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=picture -levels=?0 -in='!f32[16384],!f32[16384],!f32[256]' -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=picture -levels=?1 -in='!f32[16384],!f32[16384],!f32[256]' -emit=run | FileCheck %s
// CHECK: {{^}}same{{$}}

// Blocks of the size that is divided by, and nothing gathered.
// RUN: sluice-codegen-test %t.ll -leaf=butterfly -levels=?1000 -in='!f32[2000],!f32[4000],!f32[1000]' -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefixes=BLOCKS,BUTTERFLY
// RUN: sluice-codegen-test %t.ll -leaf=picture -levels=?10007 -in='!f32[16384],!f32[16384],!f32[256]' -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=BLOCKS
// RUN: sluice-codegen-test %t.ll -leaf=cube -levels=?10007 -in='!f32[32768],!f32[32768]' -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=BLOCKS
// RUN: sluice-codegen-test %t.ll -leaf=product -levels=?10000 -in='!f32[16384],!f32[16384],!f32[10000]' -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: define {{.*}} @{{.*}}.range(
// BUTTERFLY: and i64 %begin, 63
// BLOCKS: {{^}}blocks:
// BLOCKS-NOT: {{gather|scatter}}
// BLOCKS: load <{{[0-9]+}} x float>
// BLOCKS-NOT: {{gather|scatter}}

// A size that is known at launch only: blocks where it is not small, else the
// loop as it was.
// RUN: sluice-codegen-test %t.ll -leaf=unknown -levels=?1000 -in='!f32[1000],!f32[1000],64' -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=UNKNOWN
// RUN: sluice-codegen-test %t.ll -leaf=masks -levels=?1000 -in='!f32[4096],!f32[4096],64' -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefixes=UNKNOWN,MASKS
// UNKNOWN: icmp ult i64 %{{.*}}, 1073741809
// MASKS: call {{.*}} @llvm.ctpop
// UNKNOWN: load <{{[0-9]+}} x float>
// RUN: sluice-codegen-test %t.ll -leaf=unknown -levels=?1000 -in='!f32[1000],!f32[1000],1' -pieces=7 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=unknown -levels=?1000 -in='!f32[1000],!f32[1000],16' -pieces=7 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=unknown -levels=?1000 -in='!f32[1000],!f32[1000],37' -pieces=7 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=unknown -levels=?1000 -in='!f32[1000],!f32[1000],1001' -pieces=7 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=unknown -levels=?1000 -in='!f32[1000],!f32[1000],-20' -pieces=7 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=unknown -levels=?1000 -in='!f32[1000],!f32[1000],99999999999' -pieces=7 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=masks -levels=?1000 -in='!f32[4096],!f32[4096],8' -pieces=7 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=masks -levels=?1000 -in='!f32[4096],!f32[4096],16' -pieces=7 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=masks -levels=?1000 -in='!f32[4096],!f32[4096],128' -pieces=7 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=masks -levels=?1000 -in='!f32[4096],!f32[4096],1024' -pieces=7 -emit=run | FileCheck %s
//
// As written: remainders that only decide, of other values than the number, one
// access to halves, and without lanes.
// RUN: sluice-codegen-test %t.ll -leaf=decides -levels=?1000 -in='!f32[1000],!f32[1000]' -emit=optimized | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=wraps -levels=?1000 -in='!f32[4096],!f32[1000]' -emit=optimized | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=halves -levels=?1000 -in='!f32[1000],!f32[1000]' -emit=optimized | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=butterfly -lanes=0 -levels=?1000 -in='!f32[2000],!f32[4000],!f32[1000]' -emit=optimized | FileCheck %s --check-prefix=PLAIN
// PLAIN-NOT: {{^}}blocks:

#include "Inputs/leaf.h"

void butterfly(float *in, float *out, float *root) {
  long i = X, k = i & 63, begin = i - k, at = 2 * begin + k;
  float a = in[i], b = in[i + 1000];
  out[at] = a + b;
  out[at + 64] = (a - b) * root[begin];
}

void pairs(float *in, float *out, float *root) {
  long i = X, k = i & 1, begin = i - k, at = 2 * begin + k;
  float a = in[i], b = in[i + 1000];
  out[at] = a + b;
  out[at + 2] = (a - b) * root[begin] + root[k];
}

void picture(float *in, float *out, float *rows) {
  int x = X % 100, y = X / 100;
  out[y * 128 + x] = in[y * 128 + x] * rows[y];
}

void cube(float *in, float *out) {
  long x = X % 20, y = X / 20 % 30, z = X / 600;
  out[(z * 32 + y) * 32 + x] = in[(z * 32 + y) * 32 + x] * 2;
}

void product(float *a, float *b, float *c) {
  long x = X % 100, y = X / 100;
  float sum = 0;
  for (long k = 0; k < 50; ++k)
    sum += a[y * 64 + k] * b[k * 128 + x];
  c[X] = sum;
}

void wraps(float *in, float *out) { out[X] = in[(X * 7) & 1023]; }

void negative(float *in, float *out) {
  int i = (int)X - 500;
  out[X] = in[i % 64 + 100] + in[i / 64 + 100] + in[(i & 31) + (i >> 5) + 100];
}

void decides(float *in, float *out) { out[X] = X % 64 == 3 ? in[X] : 1; }

void halves(float *in, float *out) { out[X] = in[X / 2]; }

void masks(float *in, float *out, long stride) {
  long i = X, k = i & (stride - 1), begin = i - k, at = 2 * begin + k;
  out[at] = in[i] + in[begin];
  out[at + stride] = in[i] - in[begin];
}

void unknown(float *in, float *out, long width) { out[X] = in[X % width]; }
