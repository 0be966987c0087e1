// Two siblings write the same elements; the twin writes even and odd ones.
// RUN: not sluice check %s 2>&1 | FileCheck %s
// RUN: sluice check -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED-NOT: {{error|remark}}
// FIXED: proven free of races

#include <hpvm.h>

void even(long *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, data);
  // CHECK-DAG: two-writers.c:[[@LINE+1]]:{{[0-9]+}}: note: 'even' writes it here
  data[2 * __hpvm__getNodeInstanceID_x(__hpvm__getNode())] = 0;
}

#ifdef FIXED
enum { first = 1 };
#else
enum { first = 2 };
#endif

void odd(long *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, data);
  // CHECK-DAG: two-writers.c:[[@LINE+1]]:{{[0-9]+}}: error: 'odd' writes argument 'data' of 'root' here, and 'even' writes it, but no edge orders the two; add an edge from 'even' to 'odd' [race]
  data[2 * __hpvm__getNodeInstanceID_x(__hpvm__getNode()) + first] = 1;
}

void root(long *data, size_t bytes, long n, long m) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, data);
  void *a = __hpvm__createNodeND(1, even, n);
  void *b = __hpvm__createNodeND(1, odd, m);
  __hpvm__bindIn(a, 0, 0, 0);
  __hpvm__bindIn(a, 1, 1, 0);
  __hpvm__bindIn(b, 0, 0, 0);
  __hpvm__bindIn(b, 1, 1, 0);
}
