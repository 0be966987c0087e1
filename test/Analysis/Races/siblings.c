// Two siblings share an argument, one writes, and no edge orders them.
// RUN: not sluice check %s 2>&1 | FileCheck %s
// RUN: not sluice run %s 2>&1 | FileCheck %s
// RUN: sluice check -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED-NOT: {{error|warning|remark}}
// FIXED: proven free of races

#include <hpvm.h>

void fill(long *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, data);
  // CHECK-DAG: siblings.c:[[@LINE+1]]:{{[0-9]+}}: note: 'fill' writes it here
  data[__hpvm__getNodeInstanceID_x(__hpvm__getNode())] = 1;
  __hpvm__return(1, bytes);
}

void copy(long *data, size_t bytes, long *to, size_t toBytes, size_t done) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, to);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  // CHECK-DAG: siblings.c:[[@LINE+1]]:{{[0-9]+}}: error: 'copy' reads argument 'data' of 'root' here, and 'fill' writes it, but no edge orders the two; add an edge from 'fill' to 'copy' [race]
  to[i] = data[i];
}

void root(long *data, size_t bytes, long *to, size_t toBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 2, data, to);
  void *a = __hpvm__createNodeND(1, fill, n);
  void *b = __hpvm__createNodeND(1, copy, n);
  __hpvm__bindIn(a, 0, 0, 0);
  __hpvm__bindIn(a, 1, 1, 0);
  __hpvm__bindIn(b, 0, 0, 0);
  __hpvm__bindIn(b, 1, 1, 0);
  __hpvm__bindIn(b, 2, 2, 0);
  __hpvm__bindIn(b, 3, 3, 0);
#ifdef FIXED
  __hpvm__edge(a, b, 1, 0, 4, 0);
#else
  __hpvm__bindIn(b, 1, 4, 0);
#endif
}
