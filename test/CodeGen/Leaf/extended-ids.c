// An id that is cut to 32 bits, used, and extended again is the id: what it
// addresses is adjacent.

// RUN: %clang -ffp-contract=on -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll
// RUN: sluice-codegen-test %t.ll -leaf=difference -levels=?800 -in='!f32[900],!f32[900],7' -cpu=znver5 -emit=optimized | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=shifted -levels=?800 -in='!f32[900],!f32[900]' -cpu=znver5 -emit=optimized | FileCheck %s
// CHECK: define {{.*}}.range(
// CHECK-NOT: scatter
// CHECK: store <{{[0-9]+}} x float>

// The same numbers, and also where 32 bits do not hold them.
// RUN: sluice-codegen-test %t.ll -leaf=difference -levels=?800 -in='!f32[900],!f32[900],7' -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=shifted -levels=?800 -in='!f32[900],!f32[900]' -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=far -levels=?4294967400 -in=!i64[256] -units=1 -from=4294967290 -units-at-most=100 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=far -levels=?2147483700 -in=!i64[256] -units=1 -from=2147483640 -units-at-most=60 -emit=run | FileCheck %s --check-prefix=SAME
// SAME: {{^}}same{{$}}

#include "Inputs/leaf.h"

void difference(float *a, float *b, int lo) {
  unsigned i = (unsigned)lo + (unsigned)X;
  b[(int)(i - lo)] = a[(int)i] * 3;
}

void shifted(float *a, float *b) {
  long id = X;
  b[(id << 32) >> 32] = a[id & 0xffffffff] * 3;
}

void far(long *out) {
  long id = X;
  int cut = (int)id;
  out[id & 255] = (long)cut + ((id << 32) >> 30) + (id & 0xffffffff) +
                  (long)(unsigned)cut + cut % 7;
}
