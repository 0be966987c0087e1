// A write through a pointer that is marked `in` only is a write.
// RUN: not sluice check %s 2>&1 | FileCheck %s
// RUN: sluice check -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED-NOT: {{error|remark}}
// FIXED: proven free of races

#include <hpvm.h>

void mark(long *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 0);
  // CHECK-DAG: in-only.c:[[@LINE+1]]:{{[0-9]+}}: note: 'mark' writes it here
  data[0] = 1;
  __hpvm__return(1, bytes);
}
void use(long *data, size_t bytes, long *to, size_t toBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, to);
  // CHECK-DAG: in-only.c:[[@LINE+1]]:{{[0-9]+}}: error: 'use' reads argument 'data' of 'root' here, and 'mark' writes it, but no edge orders the two; add an edge from 'mark' to 'use' [race]
  to[0] = data[0];
}
void root(long *data, size_t bytes, long *to, size_t toBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, to);
  void *a = __hpvm__createNodeND(0, mark);
  void *b = __hpvm__createNodeND(0, use);
  __hpvm__bindIn(a, 0, 0, 0);
  __hpvm__bindIn(a, 1, 1, 0);
  __hpvm__bindIn(b, 0, 0, 0);
#ifdef FIXED
  __hpvm__edge(a, b, 1, 0, 1, 0);
#else
  __hpvm__bindIn(b, 1, 1, 0);
#endif
  __hpvm__bindIn(b, 2, 2, 0);
  __hpvm__bindIn(b, 3, 3, 0);
}
