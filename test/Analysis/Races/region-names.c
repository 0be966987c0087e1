// Tasks of printed regions are C functions: leaves that are called as a function
// of the C library, as a word of C++, as Sluice's own or as nothing that C has,
// get other names, and those that one may define keep theirs.
// RUN: sluice build %s --print=rdir > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: sluice check %t.mlir

// CHECK: %read = rdir.task @read_task2 over
// CHECK: %read_task = rdir.task @read_task over
// CHECK: %class.c = rdir.task @class_c_task over
// CHECK: %sluiced = rdir.task @task_sluiced over
// CHECK: %class.e = rdir.task @class_e_task over

#include <hpvm.h>
void read(long *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  data[__hpvm__getNodeInstanceID_x(__hpvm__getNode())] = 1;
  __hpvm__return(1, bytes);
}
void read_task(long *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  data[__hpvm__getNodeInstanceID_x(__hpvm__getNode())] += 1;
  __hpvm__return(1, bytes);
}
void class(long *data, size_t bytes, long *to, size_t b2) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, to, 1, to);
  to[__hpvm__getNodeInstanceID_x(__hpvm__getNode())] = data[__hpvm__getNodeInstanceID_x(__hpvm__getNode())];
  __hpvm__return(1, bytes);
}
void sluiced(long *data, size_t bytes, long *to, size_t b2) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, to, 1, to);
  to[__hpvm__getNodeInstanceID_x(__hpvm__getNode())] = data[__hpvm__getNodeInstanceID_x(__hpvm__getNode())];
  __hpvm__return(1, bytes);
}
void root(long *data, size_t bytes, long *to, size_t toBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, to, 2, data, to);
  void *a = __hpvm__createNodeND(1, read, n);
  void *b = __hpvm__createNodeND(1, read_task, n);
  void *c = __hpvm__createNodeND(1, class, n);
  void *d = __hpvm__createNodeND(1, sluiced, n);
  void *e = __hpvm__createNodeND(1, class, n);
  __hpvm__bindIn(a, 0, 0, 0);
  __hpvm__bindIn(a, 1, 1, 0);
  __hpvm__bindIn(b, 0, 0, 0);
  __hpvm__edge(a, b, 1, 0, 1, 0);
  __hpvm__bindIn(c, 0, 0, 0);
  __hpvm__edge(b, c, 1, 0, 1, 0);
  __hpvm__bindIn(c, 2, 2, 0);
  __hpvm__bindIn(c, 3, 3, 0);
  __hpvm__bindIn(d, 0, 0, 0);
  __hpvm__edge(c, d, 1, 0, 1, 0);
  __hpvm__bindIn(d, 2, 2, 0);
  __hpvm__bindIn(d, 3, 3, 0);
  __hpvm__bindIn(e, 0, 0, 0);
  __hpvm__edge(d, e, 1, 0, 1, 0);
  __hpvm__bindIn(e, 0, 2, 0);
  __hpvm__bindIn(e, 3, 3, 0);
}
