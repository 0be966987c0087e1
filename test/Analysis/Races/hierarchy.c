// A leaf deep in one sibling writes what a leaf deep in the other one reads:
// the missing edge is between the siblings.
// RUN: not sluice check %s 2>&1 | FileCheck %s
// RUN: sluice check -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED-NOT: {{error|remark}}
// FIXED: proven free of races

#include <hpvm.h>

void produce(int *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, data);
  // CHECK-DAG: hierarchy.c:[[@LINE+1]]:{{[0-9]+}}: note: 'produce' writes it here
  data[__hpvm__getNodeInstanceID_x(__hpvm__getNode())] = 1;
  __hpvm__return(1, bytes);
}
void consume(int *data, size_t bytes, int *sum, size_t sumBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, sum);
  int total = 0;
  for (long i = 0; i < n; ++i)
    // CHECK-DAG: hierarchy.c:[[@LINE+1]]:{{[0-9]+}}: error: 'consume' reads argument 'data' of 'root' here, and 'produce' writes it, but no edge orders the two; add an edge from 'left' to 'right' [race]
    total += data[i];
  *sum = total;
}

void left(int *data, size_t bytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, data);
  void *node = __hpvm__createNodeND(1, produce, n);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindOut(node, 0, 0, 0);
}
void inner(int *data, size_t bytes, int *sum, size_t sumBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, sum);
  void *node = __hpvm__createNodeND(0, consume);
  for (int i = 0; i < 5; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
void right(int *data, size_t bytes, int *sum, size_t sumBytes, long n,
           size_t done) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, sum);
  void *node = __hpvm__createNodeND(0, inner);
  for (int i = 0; i < 5; ++i)
    __hpvm__bindIn(node, i, i, 0);
}

void root(int *data, size_t bytes, int *sum, size_t sumBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 2, data, sum);
  void *a = __hpvm__createNodeND(0, left);
  void *b = __hpvm__createNodeND(0, right);
  __hpvm__bindIn(a, 0, 0, 0);
  __hpvm__bindIn(a, 1, 1, 0);
  __hpvm__bindIn(a, 4, 2, 0);
  for (int i = 0; i < 5; ++i)
    __hpvm__bindIn(b, i, i, 0);
#ifdef FIXED
  __hpvm__edge(a, b, 1, 0, 5, 0);
#else
  __hpvm__bindIn(b, 1, 5, 0);
#endif
}
