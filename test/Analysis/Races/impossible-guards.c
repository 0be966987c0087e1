// Guards that no instance fulfils, or that contradict each other in two
// instances, leave nothing that could meet; a guard that no one can evaluate is
// no error.
// RUN: sluice check -DGUARD='i %% 3 == 0 && i %% 3 == 1' %s 2>&1 | FileCheck %s
// RUN: sluice check -DGUARD='n %% 3 == 0 && n %% 3 == 1' %s 2>&1 | FileCheck %s
// RUN: sluice check -DGUARD='i < 5 && i > 7' %s 2>&1 | FileCheck %s
// RUN: sluice check -DGUARD='i * 2 < n && i * 3 > n * 2' %s 2>&1 | FileCheck %s
// RUN: sluice check -DGUARD='i / 2 == 0 && i %% 2 == 1' %s 2>&1 | FileCheck %s
// RUN: sluice check -DGUARD='(unsigned)i < (unsigned)s && s == 1' %s 2>&1 | FileCheck %s
// RUN: sluice check -DGUARD='(n & 6) == 9' %s 2>&1 | FileCheck %s
// CHECK-NOT: {{error|remark}}
// CHECK: proven free of races

#include <hpvm.h>

void work(long *A, size_t bytes, long n, int s) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, A, 1, A);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  if (GUARD)
    A[0] = i;
}

void root(long *A, size_t bytes, long n, int s) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, A, 1, A);
  void *node = __hpvm__createNodeND(1, work, n);
  for (int i = 0; i < 4; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
