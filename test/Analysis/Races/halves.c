// Bytes count: four-byte elements at a distance of two bytes overlap.
// RUN: not sluice check %s 2>&1 | FileCheck %s
// RUN: sluice check -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED-NOT: {{error|remark}}
// FIXED: proven free of races

#include <hpvm.h>

void work(short *data, size_t bytes, short *to, size_t toBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, to, 2, data, to);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
#ifdef FIXED
  to[i] = 1;
#else
  // CHECK: halves.c:[[@LINE+1]]:{{[0-9]+}}: error: 'work' writes the same place of argument 'to' of 'root' in several instances: instances ({{[0-9]+}}) and ({{[0-9]+}}) meet;
  *(int *)(to + i) = 1;
#endif
}

void root(short *data, size_t bytes, short *to, size_t toBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, to, 2, data, to);
  void *node = __hpvm__createNodeND(1, work, n);
  for (int i = 0; i < 5; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
