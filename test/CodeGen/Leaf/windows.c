// Windows whose radius the launch says: the clamps and guards at the borders are
// cut off, whatever the radius, and inside the loads are plain vectors.
// RUN: %clang -ffp-contract=on -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll
//
// RUN: sluice-codegen-test %t.ll -leaf=clamped -levels=?900 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=INSIDE
// RUN: sluice-codegen-test %t.ll -leaf=wraps -levels=?900 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=INSIDE
// RUN: sluice-codegen-test %t.ll -leaf=dilated -levels=?900 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=INSIDE
// INSIDE: lanes:
// INSIDE-NOT: masked.{{gather|load}}
// INSIDE: load <[[LANES:[0-9]+]] x float>
// INSIDE-NOT: masked.{{gather|load}}
// INSIDE: store <[[LANES]] x float>
//
// Radii from none to more than the row, and such that numbers wrap around.
// RUN: sluice-codegen-test %t.ll -leaf=clamped -levels=?1 -in=f32[77],f32[77],0 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=clamped -levels=?1 -in=f32[77],f32[77],3 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=clamped -levels=?77 -in=f32[77],f32[77],0 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=clamped -levels=?77 -in=f32[77],f32[77],1 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=clamped -levels=?77 -in=f32[77],f32[77],5 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=clamped -levels=?77 -in=f32[77],f32[77],40 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=clamped -levels=?77 -in=f32[77],f32[77],100 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=clamped -levels=?77 -in=f32[77],f32[77],-2 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=clampedInt -levels=?1 -in=f32[77],f32[77],0 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=clampedInt -levels=?1 -in=f32[77],f32[77],3 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=clampedInt -levels=?77 -in=f32[77],f32[77],0 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=clampedInt -levels=?77 -in=f32[77],f32[77],1 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=clampedInt -levels=?77 -in=f32[77],f32[77],5 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=clampedInt -levels=?77 -in=f32[77],f32[77],40 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=clampedInt -levels=?77 -in=f32[77],f32[77],100 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=clampedInt -levels=?77 -in=f32[77],f32[77],-2 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=padded -levels=?1 -in=f32[77],f32[77],0 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=padded -levels=?1 -in=f32[77],f32[77],3 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=padded -levels=?77 -in=f32[77],f32[77],0 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=padded -levels=?77 -in=f32[77],f32[77],1 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=padded -levels=?77 -in=f32[77],f32[77],5 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=padded -levels=?77 -in=f32[77],f32[77],40 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=padded -levels=?77 -in=f32[77],f32[77],100 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=padded -levels=?77 -in=f32[77],f32[77],-2 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=wraps -levels=?1 -in=f32[77],f32[77],0 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=wraps -levels=?77 -in=f32[77],f32[77],0 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=wraps -levels=?77 -in=f32[77],f32[77],1 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=wraps -levels=?77 -in=f32[77],f32[77],5 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=wraps -levels=?77 -in=f32[77],f32[77],40 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=wraps -levels=?77 -in=f32[77],f32[77],-2 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=dilated -levels=?1 -in=f32[77],f32[77],0 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=dilated -levels=?1 -in=f32[77],f32[77],3 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=dilated -levels=?77 -in=f32[77],f32[77],0 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=dilated -levels=?77 -in=f32[77],f32[77],1 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=dilated -levels=?77 -in=f32[77],f32[77],5 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=dilated -levels=?77 -in=f32[77],f32[77],40 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=dilated -levels=?77 -in=f32[77],f32[77],100 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=dilated -levels=?77 -in=f32[77],f32[77],-2 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=far -levels=?1 -in=f32[77],f32[77],0 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=far -levels=?77 -in=f32[77],f32[77],0 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=far -levels=?77 -in=f32[77],f32[77],5 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=wholeRow -levels=?1 -in=f32[77],f32[77],0 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=wholeRow -levels=?77 -in=f32[77],f32[77],0 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=wholeRow -levels=?77 -in=f32[77],f32[77],5 -emit=run | FileCheck %s --check-prefix=SAME
// SAME: {{^}}same{{$}}

#include "Inputs/leaf.h"

void clamped(float *from, float *to, int radius) {
  long x = X, n = numX(node()), r = radius;
  float sum = 0;
  for (long t = -r; t <= r; ++t) {
    long at = x + t < 0 ? 0 : x + t < n ? x + t : n - 1;
    sum += from[at];
  }
  to[x] = sum;
}

void clampedInt(float *from, float *to, int radius) {
  int x = X, n = numX(node());
  float sum = 0;
  for (int t = -radius; t <= radius; ++t) {
    int at = x + t;
    at = at > n - 1 ? n - 1 : at;
    at = at < 0 ? 0 : at;
    sum += from[at];
  }
  to[x] = sum;
}

// What is not there is 0.
void padded(float *from, float *to, int radius) {
  long x = X, n = numX(node()), r = radius;
  float sum = 0;
  for (long t = -r; t <= r; ++t)
    if (x + t >= 0 && x + t < n)
      sum += from[x + t];
  to[x] = sum;
}

void wraps(float *from, float *to, int radius) {
  long x = X, n = numX(node()), r = radius;
  float sum = 0;
  for (long t = -r; t <= r; ++t)
    sum += from[(x + t + n) % n];
  to[x] = sum;
}

// Falling, and every third.
void dilated(float *from, float *to, int radius) {
  long x = X, n = numX(node()), r = radius;
  float sum = 0;
  for (long t = r; t >= 0; --t) {
    long at = x - 3 * t;
    sum += from[at < 0 ? 0 : at];
  }
  to[x] = sum;
}

// A loop over a whole row meets both borders from everywhere.
void wholeRow(float *from, float *to, int unused) {
  long x = X, n = numX(node());
  float sum = 0;
  for (long t = 0; t < n; ++t)
    sum += from[x + t < n ? x + t : n - 1];
  to[x] = sum;
}

// Numbers that wrap around within the window.
void far(float *from, float *to, int radius) {
  int x = X, n = numX(node());
  float sum = 0;
  for (int t = 0; t < 1 + radius; ++t) {
    int at = (int)((unsigned)x + 2147483600u + 17u * (unsigned)t);
    sum += from[at < 0 ? 0 : at < n ? at : n - 1];
  }
  to[x] = sum;
}
