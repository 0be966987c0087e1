// Instances that wait for each other by atomic operations: that is not followed,
// so what they do afterwards is unknown, but no error.
// RUN: sluice check -DPUBLISH %s 2>&1 | FileCheck %s
// RUN: sluice check -DWAIT %s 2>&1 | FileCheck %s
// RUN: sluice check -DSPIN %s 2>&1 | FileCheck %s
// RUN: sluice check -DLAST %s 2>&1 | FileCheck %s
// RUN: sluice check -DRETURN %s 2>&1 | FileCheck %s
// CHECK-NOT: {{error|proven}}
// CHECK: remark: cannot tell whether instances of 'work' meet
// CHECK-NOT: {{error|proven}}
//
// What comes before is not ordered.
// RUN: not sluice check -DBEFORE %s 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: 'work' {{reads|writes}} {{.*}} instances ({{[0-9]+}}) and ({{[0-9]+}}) meet

#include <hpvm.h>

void work(long *A, size_t bytes, int *B, size_t bBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, A, B, 2, A, B);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
#if defined(PUBLISH) || defined(WAIT)
  if (i == 0) {
    A[0] = 5;
    __atomic_store_n(B, 1, __ATOMIC_RELEASE);
    return;
  }
#endif
#if defined(PUBLISH)
  if (__atomic_load_n(B, __ATOMIC_ACQUIRE))
    A[i] = A[0];
#elif defined(WAIT)
  while (!__atomic_load_n(B, __ATOMIC_ACQUIRE))
    ;
  A[i] = A[0];
#elif defined(SPIN) || defined(BEFORE)
#ifdef BEFORE
  A[0] += i;
#endif
  while (__atomic_exchange_n(B, 1, __ATOMIC_ACQUIRE))
    ;
  A[0] += i;
  __atomic_store_n(B, 0, __ATOMIC_RELEASE);
#elif defined(LAST)
  A[i] = i;
  if (__atomic_add_fetch(B, 1, __ATOMIC_ACQ_REL) == n)
    for (long k = 0; k < n; ++k)
      A[n] += A[k];
#elif defined(RETURN)
  A[i] = i;
  if (__atomic_add_fetch(B, 1, __ATOMIC_ACQ_REL) != n)
    return;
  for (long k = 0; k < n; ++k)
    A[n] += A[k];
#endif
}

void root(long *A, size_t bytes, int *B, size_t bBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, A, B, 2, A, B);
  void *node = __hpvm__createNodeND(1, work, n);
  for (int i = 0; i < 5; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
