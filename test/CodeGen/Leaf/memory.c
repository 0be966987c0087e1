// Atomics and allocations.

// RUN: %clang -ffp-contract=on -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll
// RUN: sluice-codegen-test %t.ll -levels=?1000 -in=i32[1000],i32[16],zero[64],zero[16] -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -levels=1000 -in=i32[1000],i32[16],zero[64],zero[16] -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=own -levels=?40 -in=i32[64],i32[40] -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=own -levels=4,?10 -units=1 -in=i32[64],i32[40] -emit=run | FileCheck %s
// CHECK: {{^}}same{{$}}
// RUN: sluice-codegen-test %t.ll -levels=?1000 -in=i32[1000],i32[16],zero[64],zero[16] | FileCheck %s --check-prefix=IR
// IR-DAG: atomicrmw add ptr {{.*}} i32 {{.*}} monotonic
// IR-DAG: atomicrmw min ptr {{.*}} monotonic
// IR-DAG: atomicrmw umax ptr {{.*}} monotonic
// IR-DAG: cmpxchg ptr {{.*}} monotonic monotonic
// IR-DAG: atomicrmw fadd ptr {{.*}} float {{.*}} monotonic
// RUN: sluice-codegen-test %t.ll -leaf=own -levels=?40 -in=i32[64],i32[40] | FileCheck %s --check-prefix=MALLOC
// MALLOC: call {{.*}}ptr @sluiceMalloc(ptr %invocation, i64 32)

#include "Inputs/leaf.h"

void leaf(int *in, int *out, long *sum, float *inexact) {
  int v = in[X];
  atomicAdd(&out[v & 3], v);
  atomicSub(&out[4], v);
  atomicMin(&out[5], v);
  atomicMax(&out[6], v);
  atomicMinUnsigned(&out[7], v);
  atomicMaxUnsigned(&out[8], v);
  atomicAnd(&out[9], v | 0xff00);
  atomicOr(&out[10], v & 15);
  atomicXor(&out[11], v);
  atomicIncrement(&out[12]);
  atomicDecrement(&out[13]);
  atomicSwapIf(&out[14], 7, 7);
  if (v == 100000)
    atomicExchange(&out[15], v);
  atomicAddLong(sum, v);
  atomicAddFloat(inexact, (float)(v & 3)); // whole numbers: any order
}

void own(int *in, int *out) {
  long i = X;
  int *memory = allocate(8 * sizeof(int));
  for (int k = 0; k < 8; ++k)
    memory[k] = in[(i + k) & 63];
  for (int k = 1; k < 8; ++k)
    memory[k] += memory[k - 1];
  out[i] = memory[in[i & 63] & 7];
}
