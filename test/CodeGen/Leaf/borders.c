// Instances at the borders of a grid run apart from those inside.
// RUN: %clang -ffp-contract=on -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll
//
// A clamp at both ends: plain vectors inside, and no border is a vector loop.
// RUN: sluice-codegen-test %t.ll -leaf=clamped -levels=?77 -cpu=x86-64-v3 -emit=optimized | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=equal -levels=?77 -cpu=x86-64-v3 -emit=optimized | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=clamped -levels=77 -cpu=x86-64-v3 -emit=optimized | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=clamped -levels=77x9 -cpu=x86-64-v3 -emit=optimized | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=equal -levels=77x9 -cpu=x86-64-v3 -emit=optimized | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=unioned -levels=70x9 -cpu=x86-64-v3 -emit=optimized | FileCheck %s --check-prefix=PLAIN
//
// What a whole row chooses alike is one load, of one of two addresses.
// RUN: sluice-codegen-test %t.ll -leaf=heat -levels=77x9 -cpu=x86-64-v3 -emit=optimized | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=heat -levels=?77x?9 -cpu=x86-64-v3 -emit=optimized | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=clamped -levels=?77 -cpu=x86-64-v4 -split-borders=0 -emit=optimized | FileCheck %s --check-prefix=NONE
// PLAIN-NOT: masked
// PLAIN: vector.body
// PLAIN-NOT: masked
// PLAIN: load <[[LANES:[0-9]+]] x float>
// PLAIN-NOT: masked
// PLAIN: store <[[LANES]] x float>
// PLAIN-NOT: masked
// NONE-NOT: piece
//
// Guards in two dimensions: those along y are no part of the loop.
// RUN: sluice-codegen-test %t.ll -leaf=guarded -levels=?77x?9 -cpu=x86-64-v3 -emit=optimized | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=guarded -levels=77x9 -cpu=x86-64-v3 -emit=optimized | FileCheck %s --check-prefix=PLAIN
//
// Remainders: none inside.
// RUN: sluice-codegen-test %t.ll -leaf=wraps -levels=?77 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=WRAPS
// RUN: sluice-codegen-test %t.ll -leaf=wrapsInt -levels=?77 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=WRAPS
// RUN: sluice-codegen-test %t.ll -leaf=wraps -levels=77x9 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=WRAPS
// RUN: sluice-codegen-test %t.ll -leaf=wrapsInt -levels=77x9 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=WRAPS
// RUN: sluice-codegen-test %t.ll -leaf=wraps -levels=128x9 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=WRAPS
// RUN: sluice-codegen-test %t.ll -leaf=wrapsInt -levels=128x9 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=WRAPS
// WRAPS: load <[[LANES:[0-9]+]] x float>
// WRAPS-NOT: rem
// WRAPS: store <[[LANES]] x float>
//
// One row and one column are left out: they are a gap in the inside, on both
// sides of which all lanes load, and what all of them read is loaded once.
// RUN: sluice-codegen-test %t.ll -leaf=pivot -levels=?77x?9 -cpu=x86-64-v3 -emit=optimized | FileCheck %s --check-prefix=PIVOT
// PIVOT-NOT: masked.gather
// PIVOT-NOT: masked.load
// PIVOT: load <[[LANES:[0-9]+]] x i32>
// PIVOT-NOT: masked.{{gather|load}}
// PIVOT: call void @llvm.masked.store.v[[LANES]]i32
// PIVOT: load <[[LANES]] x i32>
// PIVOT-NOT: masked.{{gather|load}}
// PIVOT: call void @llvm.masked.store.v[[LANES]]i32
// PIVOT-NOT: masked.{{gather|load}}
//
// Choices among values are no reason to cut.
// RUN: sluice-codegen-test %t.ll -leaf=chosen -levels=?77 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=NONE
//
// Rows of every length, with begins and ends in the borders.
// RUN: sluice-codegen-test %t.ll -leaf=clamped -levels=?1 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=clamped -levels=?2 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=clamped -levels=?3 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=clamped -levels=?77 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=clamped -levels=77 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=clampedTwice -levels=?1 -in=f32[77],f32[77],3 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=clampedTwice -levels=?2 -in=f32[77],f32[77],3 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=clampedTwice -levels=?3 -in=f32[77],f32[77],3 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=clampedTwice -levels=?77 -in=f32[77],f32[77],3 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=clampedTwice -levels=77 -in=f32[77],f32[77],3 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=wraps -levels=?1 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=wraps -levels=?2 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=wraps -levels=?3 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=wraps -levels=?77 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=wraps -levels=77 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=wrapsInt -levels=?1 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=wrapsInt -levels=?2 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=wrapsInt -levels=?3 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=wrapsInt -levels=?77 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=wrapsInt -levels=77 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=equal -levels=?1 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=equal -levels=?2 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=equal -levels=?3 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=equal -levels=?77 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=equal -levels=77 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=pivot -levels=?43x?43 -in=i32[1849],0 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=pivot -levels=?43x?43 -in=i32[1849],1 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=pivot -levels=?43x?43 -in=i32[1849],20 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=pivot -levels=?43x?43 -in=i32[1849],41 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=pivot -levels=?43x?43 -in=i32[1849],42 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=pivot -levels=?43x?43 -in=i32[1849],43 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=pivot -levels=?43x?43 -in=i32[1849],-1 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=pivot -levels=?43x?43 -in=i32[1849],8 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=pivot -levels=43x43 -in=i32[1849],=0 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=pivot -levels=43x43 -in=i32[1849],=8 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=pivot -levels=43x43 -in=i32[1849],=20 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=pivot -levels=43x43 -in=i32[1849],=42 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=pivotOfBytes -levels=?600 -in=f32[600],f32[600],0 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=pivotOfBytes -levels=?600 -in=f32[600],f32[600],1 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=pivotOfBytes -levels=?600 -in=f32[600],f32[600],40 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=pivotOfBytes -levels=?600 -in=f32[600],f32[600],76 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=pivotOfBytes -levels=?600 -in=f32[600],f32[600],255 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=pivotOfBytes -levels=?600 -in=f32[600],f32[600],257 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=pivotOfBytes -levels=?600 -in=f32[600],f32[600],300 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=far -levels=?1 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=far -levels=?2 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=far -levels=?3 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=far -levels=?77 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=far -levels=77 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=sums -levels=?1 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=sums -levels=?2 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=sums -levels=?3 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=sums -levels=?77 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=sums -levels=77 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=guarded -levels=?1x?1 -in=f32[120],f32[120] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=guarded -levels=?2x?2 -in=f32[120],f32[120] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=guarded -levels=?3x?3 -in=f32[120],f32[120] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=guarded -levels=?40x?3 -in=f32[120],f32[120] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=guarded -levels=11x7 -in=f32[120],f32[120] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=wraps -levels=64 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=wrapsInt -levels=64 -in=f32[77],f32[77] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=unioned -levels=70x9 -in=f32[640],f32[640] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=heat -levels=13x9 -in=f32[117],f32[117] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=heat -levels=?39x?3 -in=f32[117],f32[117] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=heat -levels=?77x?1 -in=f32[117],f32[117] -emit=run | FileCheck %s --check-prefix=SAME
// SAME: {{^}}same{{$}}

#include "Inputs/leaf.h"

void clamped(float *from, float *to) {
  long n = numX(node());
  long left = X > 0 ? X - 1 : X, right = X < n - 1 ? X + 1 : X;
  to[X] = from[left] + from[X] + from[right];
}

void clampedTwice(float *from, float *to, int r) {
  int x = X, n = numX(node());
  float sum = 0;
  for (int k = -2; k <= 2; ++k) {
    int at = x + k;
    at = at < 0 ? 0 : at;
    at = at > n - 1 ? n - 1 : at;
    sum += from[at];
  }
  to[x] = sum;
}

void guarded(float *from, float *to) {
  long x = X, y = Y, w = numX(node()), h = numY(node()), i = y * w + x;
  if (x > 0 && y > 0 && x < w - 1 && y < h - 1)
    to[i] = from[i - 1] + from[i + 1] + from[i - w] + from[i + w];
  else
    to[i] = from[i] * 2;
}

// A neighbour that is not there is as this one.
void heat(float *from, float *to) {
  long x = X, y = Y, w = numX(node()), h = numY(node()), i = y * w + x;
  float here = from[i];
  float north = y > 0 ? from[i - w] : here;
  float south = y < h - 1 ? from[i + w] : here;
  float west = x > 0 ? from[i - 1] : here;
  float east = x < w - 1 ? from[i + 1] : here;
  to[i] = here * 2 + (north + south) * 3 + (west + east);
}

// One comparison of both ids' union.
void unioned(float *from, float *to) {
  long x = X, y = Y, w = numX(node()), i = y * w + x;
  to[i] = x < 64 && y < 64 ? from[i + 1] : 1;
}

void wraps(float *from, float *to) {
  unsigned long x = X, n = numX(node());
  to[x] = from[(x + 1) % n] + from[(x - 1 + n) % n];
}

void wrapsInt(float *from, float *to) {
  int x = X, n = numX(node());
  to[x] = from[(x + 2) % n] + from[(x - 1 + n) % n];
}

void equal(float *from, float *to) {
  long x = X, n = numX(node());
  float left = x == 0 ? 1 : from[x - 1], right = x == n - 1 ? 2 : from[x + 1];
  to[x] = left - right;
}

// The row and the column of `k` do not change.
void pivot(int *data, long k) {
  long x = X, y = idY(node()), n = numX(node());
  if (y == k || x == k || k < 0 || k >= n)
    return;
  int through = data[y * n + k] + data[k * n + x];
  if (through < data[y * n + x])
    data[y * n + x] = through;
}

// Equal to `k` more than once.
void pivotOfBytes(float *from, float *to, int k) {
  unsigned char x = X;
  to[X] = x == (unsigned char)k ? 1 : from[X] + from[k];
}

void chosen(float *from, float *to) {
  to[X] = X < numX(node()) - 1 ? from[X] : from[X] * 2;
}

// Numbers that wrap around.
void far(float *from, float *to) {
  unsigned x = X, n = numX(node());
  unsigned at = x + 4294967290u < 5u ? x + 4294967290u : x;
  unsigned last = x - 1 < n ? x - 1 : n - 1;
  to[x] = from[at] + from[last];
}

// Values that go from round to round within an instance.
void sums(float *from, float *to) {
  long x = X, n = numX(node());
  float sum = 0;
  for (long k = x > 2 ? x - 3 : 0; k <= x && k < n - 1; ++k)
    sum += from[k];
  to[x] = sum;
}
