// Memory of malloc that two leaves of a work-group get along edges: each has
// its own edge from the allocation, but none to the other.
// RUN: not sluice check %s 2>&1 | FileCheck %s
// RUN: sluice check -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED-NOT: {{error|remark}}
// FIXED: proven free of races

#include <hpvm.h>

void allocate(long count) {
  __hpvm__hint(CPU_TARGET);
  long *memory = (long *)__hpvm__malloc(count * sizeof(long));
  size_t bytes = count * sizeof(long);
  __hpvm__return(4, memory, bytes, memory, bytes);
}
void fill(long *shared, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, shared);
  // CHECK-DAG: group-memory.c:[[@LINE+1]]:{{[0-9]+}}: note: 'fill' writes it here
  shared[__hpvm__getNodeInstanceID_x(__hpvm__getNode())] = 1;
  __hpvm__return(1, bytes);
}
void add(long *shared, size_t bytes, long *to, size_t toBytes, size_t done) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, shared, 1, to);
  void *group = __hpvm__getParentNode(__hpvm__getNode());
  long sum = 0;
  for (long i = 0; i < 32; ++i)
    // CHECK-DAG: group-memory.c:[[@LINE+1]]:{{[0-9]+}}: error: 'add' reads the memory that 'allocate' allocates here, and 'fill' writes it, but no edge orders the two; add an edge from 'fill' to 'add' [race]
    sum += shared[i];
  to[__hpvm__getNodeInstanceID_x(group)] = sum;
}
void group(long *to, size_t toBytes, long count) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, to);
  void *memory = __hpvm__createNodeND(0, allocate);
  void *a = __hpvm__createNodeND(1, fill, 32);
  void *b = __hpvm__createNodeND(0, add);
  __hpvm__bindIn(memory, 2, 0, 0);
  __hpvm__edge(memory, a, 1, 0, 0, 0);
  __hpvm__edge(memory, a, 1, 1, 1, 0);
  __hpvm__edge(memory, b, 1, 2, 0, 0);
  __hpvm__edge(memory, b, 1, 3, 1, 0);
  __hpvm__bindIn(b, 0, 2, 0);
  __hpvm__bindIn(b, 1, 3, 0);
#ifdef FIXED
  __hpvm__edge(a, b, 1, 0, 4, 0);
#else
  __hpvm__bindIn(b, 1, 4, 0);
#endif
}
void root(long *to, size_t toBytes, long count, long groups) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, to);
  void *node = __hpvm__createNodeND(1, group, groups);
  for (int i = 0; i < 3; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
