// Pointers that a node gives to others: into the middle of one of two objects,
// and to memory of the C library.
// RUN: sluice check -DMIDDLE %s 2>&1 | FileCheck %s
// RUN: not sluice check -DMALLOC %s 2>&1 | FileCheck %s --check-prefix=MALLOC
// CHECK-NOT: proven
// CHECK: remark: cannot tell
// CHECK-NOT: proven
// MALLOC: error: 'use' writes the same place of the memory that 'make' allocates in several instances
// RUN: sluice check -DSTART %s 2>&1 | FileCheck %s --check-prefix=START
// START-NOT: {{error|remark}}
// START: proven free of races

#include <hpvm.h>
#include <stdlib.h>

void make(long *A, size_t bytes, long *B, size_t bBytes, int s) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, A, B, 2, A, B);
#if defined(MIDDLE)
  long *p = s ? A + 4 : B;
#elif defined(MALLOC)
  long *p = malloc(bytes);
#else
  long *p = s ? A : B;
#endif
  __hpvm__return(2, p, bytes);
}

void use(long *p, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, p);
#ifdef MALLOC
  p[0] = 1;
#else
  p[__hpvm__getNodeInstanceID_x(__hpvm__getNode())] = 1;
#endif
}

void peek(long *A, size_t bytes, size_t ready) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, A, 1, A);
  A[5] = A[4];
}

void root(long *A, size_t bytes, long *B, size_t bBytes, int s) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, A, B, 2, A, B);
  void *a = __hpvm__createNodeND(0, make);
  void *b = __hpvm__createNodeND(1, use, (size_t)4);
  void *c = __hpvm__createNodeND(0, peek);
  for (int i = 0; i < 5; ++i)
    __hpvm__bindIn(a, i, i, 0);
  __hpvm__edge(a, b, 1, 0, 0, 0);
  __hpvm__edge(a, b, 1, 1, 1, 0);
  __hpvm__bindIn(c, 0, 0, 0);
  __hpvm__bindIn(c, 1, 1, 0);
  __hpvm__edge(a, c, 1, 1, 2, 0);
}
