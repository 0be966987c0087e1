// A guard lets one instance write; one that lets two write does not help.
// RUN: not sluice check %s 2>&1 | FileCheck %s
// RUN: sluice check -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED-NOT: {{error|remark}}
// FIXED: proven free of races

#include <hpvm.h>

void work(long *data, size_t bytes, long *to, size_t toBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, to, 2, data, to);
  void *self = __hpvm__getNode();
  long i = __hpvm__getNodeInstanceID_x(self);
#ifdef FIXED
  if (i < 1)
#else
  if (i < 2)
#endif
    // CHECK: guard.c:[[@LINE+1]]:{{[0-9]+}}: error: 'work' writes the same place of argument 'to' of 'root' in several instances: instances (0) and (1) meet;
    to[0] = i;
}

void root(long *data, size_t bytes, long *to, size_t toBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, to, 2, data, to);
  void *node = __hpvm__createNodeND(1, work, n);
  for (int i = 0; i < 5; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
