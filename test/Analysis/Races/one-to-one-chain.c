// Two one-to-one edges in a row order no more than one. The twin reads the
// element of its own instance only.
// RUN: not sluice check %s 2>&1 | FileCheck %s
// RUN: sluice check -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED-NOT: {{error|remark}}
// FIXED: proven free of races

#include <hpvm.h>

void fill(long *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, data);
  // CHECK-DAG: one-to-one-chain.c:[[@LINE+1]]:{{[0-9]+}}: note: 'fill' writes it here
  data[__hpvm__getNodeInstanceID_x(__hpvm__getNode())] = 1;
  __hpvm__return(1, bytes);
}

void pass(size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__return(1, bytes);
}

void reverse(long *data, size_t bytes, long *to, size_t toBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, to);
  void *self = __hpvm__getNode();
  long i = __hpvm__getNodeInstanceID_x(self);
#ifdef FIXED
  to[i] = data[i];
#else
  // CHECK-DAG: one-to-one-chain.c:[[@LINE+1]]:{{[0-9]+}}: error: 'reverse' reads argument 'data' of 'root' here, and 'fill' writes it: instance ({{[0-9]+}}) of 'fill' and instance ({{[0-9]+}}) of 'reverse' meet, but a one-to-one edge orders equal instances only; make the edge from 'fill' to 'reverse' all-to-all [race]
  to[i] = data[15 - i];
#endif
}

void root(long *data, size_t bytes, long *to, size_t toBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 2, data, to);
  void *a = __hpvm__createNodeND(1, fill, 16);
  void *b = __hpvm__createNodeND(1, pass, 16);
  void *c = __hpvm__createNodeND(1, reverse, 16);
  __hpvm__bindIn(a, 0, 0, 0);
  __hpvm__bindIn(a, 1, 1, 0);
  __hpvm__edge(a, b, 0, 0, 0, 0);
  __hpvm__bindIn(c, 0, 0, 0);
  __hpvm__edge(b, c, 0, 0, 1, 0);
  __hpvm__bindIn(c, 2, 2, 0);
  __hpvm__bindIn(c, 3, 3, 0);
}
