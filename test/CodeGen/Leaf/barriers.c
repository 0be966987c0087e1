// Barriers in straight lines, uniform branches and loops of all shapes; values
// and private arrays that live across them.

// RUN: %clang -ffp-contract=on -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll
// RUN: sluice-codegen-test %t.ll -levels=8,32 -in=i32[64],i32[256],7 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -levels=?8,?32 -in=i32[64],i32[256],2 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -levels=?8,1 -in=i32[64],i32[256],4 -emit=run | FileCheck %s
// RUN: not sluice-codegen-test %t.ll -levels=?32 -in=i32[64],i32[256],4 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: sluice-codegen-test %t.ll -leaf=arrays -levels=8,32 -in=i32[64],i32[256],7 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=arrays -levels=?8,?32 -in=i32[64],i32[256],4 -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=arrays -levels=?2,?3000 -in=i32[64],i32[6000],4 -emit=run | FileCheck %s
// CHECK: {{^}}same{{$}}
// ERROR: error: leaf 'leaf': a query goes 1 levels up, but only 0 levels lie between the leaf and the root

#include "Inputs/leaf.h"

void leaf(int *in, int *out, int n) {
  long l = X, g = GROUP, size = SIZE;
  int v = in[(g * size + l) & 63];
  if (g > 6)
    return;
  if (n > 2) {
    out[g * size + l] = v;
    barrier();
    v += out[g * size + (l ^ 1) % size];
    barrier();
  } else {
    v *= 3;
  }
  int i = 0;
  while (i < n + g) {
    out[g * size + l] = v;
    barrier();
    int w = out[g * size + (l + 1) % size];
    if (l & 1) {
      for (int j = 0; j < (w & 3); ++j)
        v += j * w;
    } else {
      v -= w;
    }
    barrier();
    int j = 0;
    do {
      out[g * size + l] += v + j;
      barrier();
      v ^= out[g * size + size - 1 - l];
      barrier();
    } while (++j < 2);
    ++i;
  }
  out[g * size + l] = v;
}

void arrays(int *in, int *out, int n) {
  int own[8];
  long l = X, g = GROUP, size = SIZE;
  for (int i = 0; i < 8; ++i)
    own[i] = in[(l * 8 + i) & 63] + i;
  out[g * size + l] = own[l & 7];
  barrier();
  int sum = out[g * size + (l + 1) % size];
  for (int r = 0; r < n; ++r) {
    own[(r + l) & 7] += sum;
    barrier();
    out[g * size + l] += own[r & 7];
    barrier();
    if (r == 3 && n > 5)
      break;
    sum += out[g * size + (l + 3) % size];
    barrier();
  }
  barrier();
  out[g * size + l] = sum + own[3];
}
