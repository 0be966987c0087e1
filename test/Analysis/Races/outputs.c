// Pointers that a node gives to others: into the middle of one of two pieces of
// memory, which is not followed, and to their start.
// RUN: sluice check -DMIDDLE %s 2>&1 | FileCheck %s
// CHECK-NOT: {{error|proven}}
// CHECK: remark: cannot tell what memory 'use' touches here: through a pointer of another node, which may point into one of several objects
// CHECK-NOT: {{error|proven}}
// RUN: sluice check %s 2>&1 | FileCheck %s --check-prefix=START
// START-NOT: {{error|remark}}
// START: proven free of races
// RUN: sluice check -DSAME %s 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: remark: cannot tell whether 'use' and 'peek' meet in the memory that 'make' allocates

#include <hpvm.h>

void make(int s) {
  __hpvm__hint(CPU_TARGET);
  long *a = (long *)__hpvm__malloc(800);
  long *b = (long *)__hpvm__malloc(800);
#ifdef MIDDLE
  long *p = s ? a + 4 : b;
#else
  long *p = s ? a : b;
#endif
  size_t bytes = 800;
  __hpvm__return(4, p, bytes, a, bytes);
}

void use(long *p, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, p);
  p[0] = 1;
}

void peek(long *p, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, p, 1, p);
#ifdef SAME
  p[0] = 2;
#else
  p[5] = p[4];
#endif
}

void root(int s) {
  __hpvm__hint(CPU_TARGET);
  void *a = __hpvm__createNodeND(0, make);
  void *b = __hpvm__createNodeND(0, use);
  void *c = __hpvm__createNodeND(0, peek);
  __hpvm__bindIn(a, 0, 0, 0);
  __hpvm__edge(a, b, 1, 0, 0, 0);
  __hpvm__edge(a, b, 1, 1, 1, 0);
  __hpvm__edge(a, c, 1, 2, 0, 0);
  __hpvm__edge(a, c, 1, 3, 1, 0);
}
