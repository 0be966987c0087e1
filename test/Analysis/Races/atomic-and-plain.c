// Atomic updates do not race with each other, but with a plain access of the
// same place.
// RUN: not sluice check %s 2>&1 | FileCheck %s
// RUN: sluice check -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED-NOT: {{error|remark}}
// FIXED: proven free of races

#include <hpvm.h>

void work(int *data, size_t bytes, int *to, size_t toBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, to, 2, data, to);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  // CHECK-DAG: atomic-and-plain.c:[[@LINE+1]]:{{[0-9]+}}: note: 'work' updates it here
  __hpvm__atomic_add(data, (int)i);
#ifdef FIXED
  to[i] = __hpvm__atomic_add(data, 0);
#else
  // CHECK-DAG: atomic-and-plain.c:[[@LINE+1]]:{{[0-9]+}}: error: 'work' reads argument 'data' of 'root' here, where another instance updates it at the same time:
  to[i] = data[0];
#endif
}

void root(int *data, size_t bytes, int *to, size_t toBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, to, 2, data, to);
  void *node = __hpvm__createNodeND(1, work, n);
  for (int i = 0; i < 5; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
