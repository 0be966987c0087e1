// The address leaves out one of the dimensions.
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
  long y = __hpvm__getNodeInstanceID_y(self);
#ifdef FIXED
  to[y * __hpvm__getNumNodeInstances_x(self) + i] = 1;
#else
  // CHECK: dimension.c:[[@LINE+1]]:{{[0-9]+}}: error: 'work' writes the same place of argument 'to' of 'root' in several instances: instances ({{[0-9, ]+}}) and ({{[0-9, ]+}}) meet;
  to[i] = y;
#endif
}

void root(long *data, size_t bytes, long *to, size_t toBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, to, 2, data, to);
  void *node = __hpvm__createNodeND(2, work, n, n);
  for (int i = 0; i < 5; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
