// One step of Floyd and Warshall's algorithm in place. Row k and column k, which
// all instances read, are left as they are; and k is a row.
// RUN: sluice check "-DSTATE=__builtin_assume(0 <= k && k < n)" %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check "-DSTATE=if (k < 0 || k >= n) return" %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check "-DSTATE=__builtin_assume((size_t)k < (size_t)n)" %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check -DNUMBER=int "-DSTATE=__builtin_assume(0 <= k && k < n)" %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check "-DPITCH=pitch" "-DSTATE=__builtin_assume(0 <= k && k < n && n <= pitch)" %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// PROVEN-NOT: {{error|remark}}
// PROVEN: proven free of races
//
// Of any other k nothing is known: rows beyond the last may be column k. And
// what guards one of both only does not help.
// RUN: sluice check %s 2>&1 | FileCheck %s
// RUN: sluice check "-DSTATE=__builtin_assume(k < n)" %s 2>&1 | FileCheck %s
// RUN: sluice check "-DSTATE=__builtin_assume(0 <= k && k <= n)" %s 2>&1 | FileCheck %s
// RUN: sluice check "-DSTATE=__builtin_assume(0 <= k && k < n)" "-DGUARD=i != k" %s 2>&1 | FileCheck %s
// RUN: sluice check "-DSTATE=__builtin_assume(0 <= k && k < n)" "-DGUARD=j != k" %s 2>&1 | FileCheck %s
// CHECK: remark: cannot tell whether instances of 'work' meet in argument 'd' of 'root'
// CHECK-NOT: proven free of races

#include <hpvm.h>

#ifndef NUMBER
#define NUMBER long
#endif
#ifndef STATE
#define STATE (void)0
#endif
#ifndef GUARD
#define GUARD i != k && j != k
#endif
#ifndef PITCH
#define PITCH n
#endif

void work(float *d, size_t bytes, NUMBER n, NUMBER k, NUMBER pitch) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, d, 1, d);
  void *self = __hpvm__getNode();
  NUMBER j = __hpvm__getNodeInstanceID_x(self);
  NUMBER i = __hpvm__getNodeInstanceID_y(self);
  STATE;
  if (GUARD) {
    float way = d[i * PITCH + k] + d[k * PITCH + j];
    if (way < d[i * PITCH + j])
      d[i * PITCH + j] = way;
  }
}

void root(float *d, size_t bytes, NUMBER n, NUMBER k, NUMBER pitch) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, d, 1, d);
  void *node = __hpvm__createNodeND(2, work, (long)n, (long)n);
  for (int i = 0; i < 5; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
