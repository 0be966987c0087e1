// A one-to-one edge orders equal instances only, and each one reads what its
// neighbour wrote.
// RUN: not sluice check %s 2>&1 | FileCheck %s
// RUN: sluice check -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED-NOT: {{error|remark}}
// FIXED: proven free of races

#include <hpvm.h>

void fill(long *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, data);
  // CHECK-DAG: one-to-one.c:[[@LINE+1]]:{{[0-9]+}}: note: 'fill' writes it here
  data[__hpvm__getNodeInstanceID_x(__hpvm__getNode())] = 1;
  __hpvm__return(1, bytes);
}

void smooth(long *data, size_t bytes, long *to, size_t toBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, to);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  // CHECK-DAG: one-to-one.c:[[@LINE+1]]:{{[0-9]+}}: error: 'smooth' reads argument 'data' of 'root' here, and 'fill' writes it: instance (1) of 'fill' and instance (0) of 'smooth' meet, but a one-to-one edge orders equal instances only; make the edge from 'fill' to 'smooth' all-to-all [race]
  to[i] = data[i] + data[i + 1];
}

#ifdef FIXED
enum { replication = HPVM_ALL_TO_ALL };
#else
enum { replication = HPVM_ONE_TO_ONE };
#endif

void root(long *data, size_t bytes, long *to, size_t toBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 2, data, to);
  void *a = __hpvm__createNodeND(1, fill, n);
  void *b = __hpvm__createNodeND(1, smooth, n);
  __hpvm__bindIn(a, 0, 0, 0);
  __hpvm__bindIn(a, 1, 1, 0);
  __hpvm__bindIn(b, 0, 0, 0);
  __hpvm__edge(a, b, replication, 0, 1, 0);
  __hpvm__bindIn(b, 2, 2, 0);
  __hpvm__bindIn(b, 3, 3, 0);
}
