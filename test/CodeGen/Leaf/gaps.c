// One instance of a row does nothing. Where processors mask elements, vectors
// go on over it; elsewhere there is a loop before it and one behind it.

// RUN: %clang -ffp-contract=on -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll

// What all others load is loaded once, before the loop.
// RUN: sluice-codegen-test %t.ll -leaf=shorter -levels=?70x?9 -cpu=x86-64-v4 -in='i32[9000],70,7' -emit=optimized | FileCheck %s --check-prefix=MASK
// RUN: sluice-codegen-test %t.ll -leaf=except -levels=?70x?9 -cpu=x86-64-v4 -in='i32[9000],70,7' -emit=optimized | FileCheck %s --check-prefix=MASK
// MASK: {{^}}vector.body{{.*}}:
// MASK-NOT: br label
// MASK: icmp {{eq|ne}} <[[LANES:[0-9]+]] x i32>
// MASK-NOT: gather
// MASK: masked.store.v[[LANES]]i32

// RUN: sluice-codegen-test %t.ll -leaf=shorter -levels=?70x?9 -cpu=x86-64-v3 -in='i32[9000],70,7' -emit=optimized | FileCheck %s --check-prefix=PIECES
// Not where the instance does something of its own, where the others divide,
// and where elements lie apart.
// RUN: sluice-codegen-test %t.ll -leaf=other -levels=?70x?9 -cpu=x86-64-v4 -in='i32[9000],70,7' -emit=optimized | FileCheck %s --check-prefix=PIECES
// RUN: sluice-codegen-test %t.ll -leaf=divided -levels=?70x?9 -cpu=x86-64-v4 -in='i32[9000],70,7' -emit=optimized | FileCheck %s --check-prefix=PIECES
// RUN: sluice-codegen-test %t.ll -leaf=apart -levels=?70x?9 -cpu=x86-64-v4 -in='i32[9000],70,7' -emit=optimized | FileCheck %s --check-prefix=PIECES
// PIECES-NOT: {{^}}beside

// The same numbers wherever the gap is, also in rows of one instance and where
// there is none.
// RUN: bash -c 'for n in 1 16 70; do for k in 0 15 69 -1 70; do \
// RUN:   for leaf in shorter except narrow other; do \
// RUN:     sluice-codegen-test %t.ll -leaf=$leaf -levels=?${n}x?5 -in=i32[9000],$n,$k -emit=run || exit 1; \
// RUN:   done; \
// RUN:   sluice-codegen-test %t.ll -leaf=shorter -levels=${n}x5 -in=i32[9000],=$n,$k -emit=run || exit 1; \
// RUN: done; done' | FileCheck %s
// CHECK-NOT: differ
// CHECK: {{^}}same{{$}}
// CHECK-NOT: differ

#include "Inputs/leaf.h"

// Row 5 and, of every row, column k are only read.
void shorter(int *d, long n, long k) {
  long i = Y, j = X;
  if (j == k)
    return;
  int through = (d[i * 80 + k + 1500] & 255) + (d[80 * 10 + j] & 255);
  if (through < d[i * 80 + j])
    d[i * 80 + j] = through;
}

// A store that is always done.
void except(int *d, long n, long k) {
  if (k != X)
    d[Y * 80 + X] += d[Y + 2000] + d[1000 + X];
}

// Ids of 32 bits.
void narrow(int *d, int n, int k) {
  int j = X;
  if (k != j)
    d[(int)Y * 80 + j] += d[(int)Y + 2000] + d[1000 + j];
}

void other(int *d, long n, long k) {
  if (X == k)
    d[Y * 80 + X] = 7;
  else
    d[Y * 80 + X] += d[1000 + X];
}

void divided(int *d, long n, long k) {
  if (X != k)
    d[Y * 80 + X] /= d[1000 + X] | 1;
}

void apart(int *d, long n, long k) {
  if (X != k)
    d[Y * 320 + 4 * X] += d[1000];
}
