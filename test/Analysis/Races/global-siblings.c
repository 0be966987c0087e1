// Two siblings share a global variable that no port shows.
// RUN: not sluice check %s 2>&1 | FileCheck %s
// RUN: sluice check -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED-NOT: {{error|remark}}
// FIXED: proven free of races

#include <hpvm.h>

static long total[8];

void add(long *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 0);
  // CHECK-DAG: global-siblings.c:[[@LINE+1]]:{{[0-9]+}}: note: 'add' writes it here
  total[0] = data[0];
  __hpvm__return(1, bytes);
}
void report(long *to, size_t toBytes, size_t done) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, to);
  // CHECK-DAG: global-siblings.c:[[@LINE+1]]:{{[0-9]+}}: error: 'report' reads global variable 'total' here, and 'add' writes it, but no edge orders the two; add an edge from 'add' to 'report' [race]
  to[0] = total[0];
}
void root(long *data, size_t bytes, long *to, size_t toBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, to);
  void *a = __hpvm__createNodeND(0, add);
  void *b = __hpvm__createNodeND(0, report);
  __hpvm__bindIn(a, 0, 0, 0);
  __hpvm__bindIn(a, 1, 1, 0);
  __hpvm__bindIn(b, 2, 0, 0);
  __hpvm__bindIn(b, 3, 1, 0);
#ifdef FIXED
  __hpvm__edge(a, b, 1, 0, 2, 0);
#else
  __hpvm__bindIn(b, 1, 2, 0);
#endif
}
