// Rows of lanes: their members need not have the types and scopes of the first
// one, nor addresses of which as much is known.
// RUN: %clang -ffp-contract=on -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes='function(mem2reg),always-inline,function(mem2reg)' -S %t.raw.ll -o %t.ll
//
// RUN: bash -c 'for lanes in 0 4 8; do \
// RUN:   for leaf in loads stores; do \
// RUN:     sluice-codegen-test %t.ll -leaf=$leaf -levels=?70 -lanes=$lanes "-in=i32[140],i32[70],1" -emit=run || exit 1; \
// RUN:   done; \
// RUN:   sluice-codegen-test %t.ll -leaf=scopes -levels=?70 -lanes=$lanes "-in=i32[300],i32[70],1" -emit=run || exit 1; \
// RUN:   sluice-codegen-test %t.ll -leaf=mirrored -levels=?70 -lanes=$lanes "-in=i32[600],i32[600],3" -emit=run || exit 1; \
// RUN: done' | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=mirrored -levels=?70 -in=i32[600],i32[600],3 -emit=run | FileCheck %s
// CHECK-NOT: differ
// CHECK: {{^}}same{{$}}
// CHECK-NOT: differ

#include "Inputs/leaf.h"

struct pair {
  int a;
  float b;
};

// The store may change what the copy reads, but not what `a` is.
void loads(struct pair *pairs, int *out, long one) {
  long x = X;
  int a = pairs[x].a;
  float *numbers = (float *)pairs;
  numbers[2 * x + one] = (float)a * 3;
  int b;
  __builtin_memcpy(&b, &pairs[x].b, 4);
  int sum = 0;
  for (int k = 0; k < (a & 7); ++k)
    sum = sum * 3 + (b ^ k) + a;
  out[x] = sum;
}

// The load reads what the copy writes.
void stores(struct pair *pairs, int *out, long one) {
  long x = X;
  int a = pairs[x].a, sum = 0;
  for (int k = 0; k < (a & 7); ++k)
    sum = sum * 3 + k + a;
  pairs[x].a = sum;
  int b = sum ^ 77, read;
  __builtin_memcpy(&pairs[x].b, &b, 4);
  float number = ((float *)pairs)[2 * x + one];
  pairs[x].a = a;
  __builtin_memcpy(&read, &number, 4);
  out[x] = read;
}

__attribute__((always_inline)) static unsigned
change(unsigned *restrict from, unsigned *restrict to, unsigned by) {
  unsigned old = *from;
  *to = old * 3 + by;
  return old;
}

// The second load is outside of the function whose arguments are disjoint.
void scopes(unsigned *in, unsigned *out, long one) {
  long x = X;
  unsigned a = change(in + 4 * x, in + 4 * x + one, 5);
  unsigned b = in[4 * x + 1], sum = 0;
  for (unsigned k = 0; k < (a & 7); ++k)
    sum = sum * 3 + (b ^ k) + a;
  out[x] = sum;
}

// x ^ -1 is -1 - x.
void mirrored(unsigned *in, unsigned *out, int count) {
  long x = X;
  unsigned sum = 0;
  for (int j = 0; j < count + (in[x] & 1); ++j)
    sum = sum * 3 + j;
  unsigned a = in[280 - 4 * x + 2], b = in[280 + 4 * (x ^ -1l) + 5];
  out[280 - 4 * x + 2] = a + sum;
  out[280 + 4 * (x ^ -1l) + 5] = b - sum;
}
