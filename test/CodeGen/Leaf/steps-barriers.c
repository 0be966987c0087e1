// Instances in step that wait for each other in a loop: what one writes before a
// barrier another reads after it, in the same code.
// RUN: %clang -ffp-contract=on -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll
// RUN: sluice-codegen-test %t.ll -leaf=turns -levels=1,4 -in='f32[40],f32[60],f32[2],13,5,0' -emit=optimized | FileCheck %s --check-prefix=STEPS --implicit-check-not='alias.scope.domain'
// STEPS: {{^}}instances{{.*}}:
// RUN: sluice-codegen-test %t.ll -leaf=turns -levels=1,4 -in='f32[40],f32[60],f32[2],13,5,0' -seed=3 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=turns -levels=1,4 -in='f32[40],f32[60],f32[2],13,5,0' -seed=4 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=turns -levels=1,4 -in='f32[40],f32[60],f32[2],13,5,21' -seed=5 -emit=run | FileCheck %s --check-prefix=SAME
// SAME: {{^}}same{{$}}

#include "Inputs/leaf.h"

static float shared[8192];

void turns(float *out, float *in, float *flags, long n, long turns, long bits) {
  long x = X, next = 700 * ((x + 1) & 3);
  shared[700 * x] = x;
  shared[4000 + 700 * x] = 2 * x;
  barrier();
  for (long t = 0; t < turns; ++t) {
    float sum;
    long bit = (bits >> (t & 31)) & 1;
    if (flags[t & 1] > 0) {
      sum = shared[4000 + next];
      for (long j = 0; j < n; ++j)
        sum = sum * 0.5f + in[x * n + j];
      shared[700 * x + bit] = sum;
      ((short *)out)[2 * (x + 8)] = 1;
    } else {
      sum = shared[next];
      for (long j = 0; j < n; ++j)
        sum = sum * 0.25f + in[x * n + j];
      shared[4000 + 700 * x + bit] = sum;
      ((char *)out)[64 + 8 * x] = t;
    }
    out[x] = sum;
    barrier();
  }
  out[x] += shared[700 * x] + shared[4000 + 700 * x];
}
