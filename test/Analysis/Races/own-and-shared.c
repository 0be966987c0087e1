// A leaf with so many accesses that places are compared without conditions: that
// each instance has memory of its own at some place says nothing of memory that
// all share, at the same offsets.
//
// RUN: not %sluice check %s 2>&1 | FileCheck %s
// CHECK-DAG: error: 'get1' reads the memory that 'make' allocates here, and 'put1' writes it
// CHECK-DAG: error: 'get2' reads the memory that 'make' allocates here, and 'put2' writes it

#include <hpvm.h>
void make(long k) {
  __hpvm__hint(CPU_TARGET);
  long *p = (long *)__hpvm__malloc(8000);
  long *q = (long *)__hpvm__malloc(8000);
  size_t bytes = 8000;
  __hpvm__return(8, p, bytes, q, bytes, p, bytes, q, bytes);
}
#define S(j) a[64 * x + j] = 1;
#define FILL S(0) S(1) S(2) S(3) S(4) S(5) S(6) S(7) S(8) S(9) S(10) S(11) S(12) S(13) S(14) S(15) S(16) S(17) S(18) S(19) S(20) S(21) S(22) S(23) S(24)
#define LEAVES(n, fill)                                                        \
void put##n(long *p, size_t pb, long *q, size_t qb, long *a, size_t ab, long k) { \
  __hpvm__hint(CPU_TARGET);                                                    \
  __hpvm__attributes(3, p, q, a, 3, p, q, a);                                  \
  long x = __hpvm__getNodeInstanceID_x(__hpvm__getNode());                     \
  fill                                                                         \
  if (k > 0) { p[x] = 1; q[x] = 1; }                                           \
}                                                                              \
void get##n(long *p, size_t pb, long *q, size_t qb, long *b, size_t bb, long k) { \
  __hpvm__hint(CPU_TARGET);                                                    \
  __hpvm__attributes(3, p, q, b, 1, b);                                        \
  long x = __hpvm__getNodeInstanceID_x(__hpvm__getNode());                     \
  if (k > 0) b[x] = p[x + 1] + q[x + 1];                                       \
}                                                                              \
void root##n(long *a, size_t ab, long *b, size_t bb, long k, size_t m) {       \
  __hpvm__hint(CPU_TARGET);                                                    \
  __hpvm__attributes(2, a, b, 2, a, b);                                        \
  void *M = __hpvm__createNodeND(1, make, m);                                  \
  void *A = __hpvm__createNodeND(1, put##n, m);                                \
  void *B = __hpvm__createNodeND(1, get##n, m);                                \
  __hpvm__bindIn(M, 4, 0, 0);                                                  \
  for (int i = 0; i < 4; ++i) {                                                \
    __hpvm__edge(M, A, 0, i, i, 0);                                            \
    __hpvm__edge(M, B, i >= 2, i + 4, i, 0);                                       \
  }                                                                            \
  __hpvm__bindIn(A, 0, 4, 0); __hpvm__bindIn(A, 1, 5, 0); __hpvm__bindIn(A, 4, 6, 0); \
  __hpvm__bindIn(B, 2, 4, 0); __hpvm__bindIn(B, 3, 5, 0); __hpvm__bindIn(B, 4, 6, 0); \
}
LEAVES(1, )
LEAVES(2, FILL)
