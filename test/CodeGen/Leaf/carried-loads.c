// Neighbours hand each other what they have loaded where most loads of a leaf
// are neighbours' loads, and where processors shuffle two vectors at once.
// RUN: %clang -ffp-contract=on -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll
//
// RUN: sluice-codegen-test %t.ll -leaf=filter -levels=?77x?9 -cpu=znver5 -emit=optimized | FileCheck %s --check-prefix=CARRIED
// RUN: sluice-codegen-test %t.ll -leaf=filter -levels=77x9 -cpu=znver5 -emit=optimized | FileCheck %s --check-prefix=CARRIED
// CARRIED: vector.body{{[0-9]*}}:
// CARRIED: %vector.recur{{.*}} = phi <[[LANES:[0-9]+]] x float>
// CARRIED: shufflevector <[[LANES]] x float> %vector.recur
//
// What is beyond whole vectors runs under a mask all the same.
// RUN: sluice-codegen-test %t.ll -leaf=filter -levels=?77x?9 -cpu=icelake-server -emit=optimized | FileCheck %s --check-prefix=MASKED
// RUN: sluice-codegen-test %t.ll -leaf=filter -levels=77x9 -cpu=icelake-server -emit=optimized | FileCheck %s --check-prefix=MASKED
// MASKED: phi <16 x float>
// MASKED: @llvm.masked.store.v16f32
//
// Not in vectors that are shorter than a line of the cache, in short rows, nor where few or many loads are of neighbours, nor where
// an instance has written before.
// RUN: sluice-codegen-test %t.ll -leaf=filter -levels=?77x?9 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=filter -levels=30x9 -cpu=znver5 -emit=optimized | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=star -levels=?77x?9 -cpu=znver5 -emit=optimized | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=wide -levels=?77x?9 -cpu=znver5 -emit=optimized | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=written -levels=?77 -cpu=znver5 -emit=optimized | FileCheck %s --check-prefix=NONE
// NONE-NOT: vector.recur
// NONE: ret void
//
// RUN: sluice-codegen-test %t.ll -leaf=filter -levels=?77x?9 -in=f32[900],f32[900] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=filter -levels=77x9 -in=f32[900],f32[900] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=filter -levels=?1x?9 -in=f32[900],f32[900] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=filter -levels=?77x?9 -in=f32[900],f32[900] -cpu=x86-64 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=written -levels=?77 -in=f32[90],f32[90] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=inPlace -levels=?77 -in=f32[900],f32[900] -emit=run | FileCheck %s --check-prefix=SAME
// SAME: {{^}}same{{$}}

#include "Inputs/leaf.h"

void filter(float *from, float *to) {
  long w = numX(node());
  float *row = from + 80 + Y * w + X;
  to[80 + Y * w + X] = (row[-1] + row[0]) + row[1] * 2;
}

void star(float *from, float *to) {
  long w = numX(node()), i = Y * w + X;
  to[i] = from[i] + from[i + 1] + from[i + 2] + from[i + w] + from[i + 2 * w] +
          from[i + 3 * w];
}

void wide(float *from, float *to) {
  long i = Y * numX(node()) + X;
  to[i] = from[i] + from[i + 1] + from[i + 2] + from[i + 3] + from[i + 4];
}

// Reads what it has written itself.
void written(float *from, float *to) {
  long x = X;
  to[x] = from[x];
  to[x] += to[x] * 2 + from[x] + from[x + 1];
}

// Each instance has two elements of its own.
void inPlace(float *from, float *to) {
  float *own = to + 2 * X;
  float first = own[0], second = own[1];
  own[0] = second + from[X];
  own[1] = first + from[X + 1];
}
