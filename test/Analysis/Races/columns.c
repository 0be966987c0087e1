// A picture of 64 columns: instance (x, y) writes at y * 64 + x. With 65
// columns, rows overlap.
// RUN: not sluice check %s 2>&1 | FileCheck %s
// RUN: sluice check -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED-NOT: {{error|remark}}
// FIXED: proven free of races

#include <hpvm.h>

void work(long *data, size_t bytes, long *to, size_t toBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, to, 2, data, to);
  void *self = __hpvm__getNode();
  long x = __hpvm__getNodeInstanceID_x(self);
  long y = __hpvm__getNodeInstanceID_y(self);
  // CHECK: columns.c:[[@LINE+1]]:{{[0-9]+}}: error: 'work' writes the same place of argument 'to' of 'root' in several instances: instances ({{[0-9, ]+}}) and ({{[0-9, ]+}}) meet;
  to[y * 64 + x] = 1;
}

#ifdef FIXED
enum { columns = 64 };
#else
enum { columns = 65 };
#endif

void root(long *data, size_t bytes, long *to, size_t toBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, to, 2, data, to);
  void *node = __hpvm__createNodeND(2, work, columns, n);
  for (int i = 0; i < 5; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
