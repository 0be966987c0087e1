// A lock for each element, or for several of them: two instances that meet at
// an element hold the same lock, if its place follows from that of the element.
// RUN: sluice check -DACCESS='WITH(B[i], A[B[i]] += 1)' %s 2>&1 | FileCheck %s
// RUN: sluice check -DACCESS='long k = L[i]; WITH(k, A[k] += 1)' %s 2>&1 | FileCheck %s
// RUN: sluice check -DACCESS='unsigned k = B[i]; WITH(k, A[k] += 1)' %s 2>&1 | FileCheck %s
// RUN: sluice check -DACCESS='int k = B[i]; WITH(k %% 16, A[k] += 1)' %s 2>&1 | FileCheck %s
// RUN: sluice check -DACCESS='int k = B[i]; WITH(k & 15, A[k] += 1)' %s 2>&1 | FileCheck %s
// RUN: sluice check -DACCESS='unsigned k = B[i]; WITH((k ^ k >> 8) * 31u %% 7, A[k] += 1)' %s 2>&1 | FileCheck %s
// RUN: sluice check -DACCESS='WITH(i %% 8, A[i %% 8] += 1)' %s 2>&1 | FileCheck %s
// RUN: sluice check -DACCESS='for (int k = 0; k < 4; ++k) WITH(B[4 * i + k], A[B[4 * i + k]] += 1)' %s 2>&1 | FileCheck %s
// RUN: sluice check -DACCESS='int k = B[i]; WITH(k & 3, A[k & 7] += 1)' %s 2>&1 | FileCheck %s
// RUN: sluice check -DACCESS='int k = B[i]; WITH(B[k], A[k] += 1)' %s 2>&1 | FileCheck %s
// RUN: sluice check -DACCESS='long k = B[i]; WITH(k, for (int j = 0; j < 4; ++j) A[k * 4 + j] += 1)' %s 2>&1 | FileCheck %s
// CHECK-NOT: error
// CHECK: remark: instances of 'work' take turns at argument 'A' of 'root', with a lock in argument 'm' of 'root' for each place: that is no race, but
// CHECK: proven free of races; results may depend on the order in which instances take turns
//
// The lock stands beside what it protects.
// RUN: sluice check -DACCESS='struct Cell *c = (struct Cell *)A + B[i]; pthread_mutex_lock(&c->lock); c->count += 1; pthread_mutex_unlock(&c->lock);' %s 2>&1 | FileCheck %s --check-prefix=CELL
// CELL: with a lock in argument 'A' of 'root' for each place
// CELL: proven free of races; results may depend
//
// What no other instance uses needs no lock, and is not spoken of.
// RUN: sluice check -DACCESS='WITH(0, A[i] = 1)' %s 2>&1 | FileCheck %s --check-prefix=OWN
// OWN-NOT: {{error|remark}}
// OWN: {{^}}proven free of races{{$}}
//
// The lock of something else, one that was given back, one that was taken in an
// earlier turn, one whose number has changed.
// RUN: not sluice check -DACCESS='WITH(i, A[0] += 1)' %s 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not sluice check -DACCESS='WITH(i %% 8, A[i %% 4] += 1)' %s 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not sluice check -DACCESS='WITH(0, A[0] += 1) A[0] += 1;' %s 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: 'work' {{reads|writes}} {{.*}} instances ({{[0-9]+}}) and ({{[0-9]+}}) meet
// RUN: sluice check -DACCESS='WITH(i, A[B[i]] += 1)' %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sluice check -DACCESS='int k = B[i]; WITH(k, ) A[k] += 1;' %s 2>&1 | FileCheck %s --check-prefix=TESTED
// RUN: sluice check -DACCESS='int k = B[i]; WITH(k, A[k] += A[k + 1])' %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sluice check -DACCESS='for (int k = 0; k < 4; ++k) { int v = B[i + k]; A[v] += 1; pthread_mutex_lock(&m[v]); }' %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sluice check -DACCESS='WITH(B[i], B[i] += 1; A[B[i]] += 1)' %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sluice check -DACCESS='int k = B[i]; WITH(k & 7, A[k & 3] += 1)' %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sluice check -DACCESS='int k = B[i]; WITH(8 + k %% 8, A[8 + (k & 7)] += 1)' %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sluice check -DACCESS='WITH(B[i], *(long *)((char *)A + B[i]) += 1)' %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sluice check -DACCESS='WITH(B[i] + i %% 2, A[B[i]] += 1)' %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sluice check -DACCESS='long k = B[i]; WITH(k, for (int j = 0; j < 5; ++j) A[k * 4 + j] += 1)' %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// TESTED: {{^}}free of races if no two of the entries that are read in 'B' are equal
// UNKNOWN-NOT: {{error|proven}}
// UNKNOWN: remark: cannot tell
// UNKNOWN-NOT: {{error|proven}}

#include <hpvm.h>
#include <pthread.h>

#define WITH(number, what)                                                     \
  {                                                                            \
    pthread_mutex_lock(&m[number]);                                            \
    what;                                                                      \
    pthread_mutex_unlock(&m[number]);                                          \
  }

struct Cell {
  pthread_mutex_t lock;
  long count;
};

void work(long *A, size_t bytes, int *B, size_t bBytes, long *L, size_t lBytes,
          pthread_mutex_t *m, size_t mBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(4, A, B, L, m, 3, A, B, m);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  ACCESS
}

void root(long *A, size_t bytes, int *B, size_t bBytes, long *L, size_t lBytes,
          pthread_mutex_t *m, size_t mBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(4, A, B, L, m, 3, A, B, m);
  void *node = __hpvm__createNodeND(1, work, n);
  for (int i = 0; i < 8; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
