// Locks that are shared by those who read, and locks that are only asked for;
// what gives a lock back under another name.
// RUN: sluice check -DREAD %s 2>&1 | FileCheck %s
// RUN: sluice check -DTRY %s 2>&1 | FileCheck %s
// RUN: sluice check -DTRYNOT %s 2>&1 | FileCheck %s
// RUN: sluice check -DTRYLOOP %s 2>&1 | FileCheck %s
// RUN: sluice check -DWAIT %s 2>&1 | FileCheck %s
// CHECK-NOT: error
// CHECK: remark: instances of 'work' take turns at argument 'A' of 'root', with a lock in argument 'm' of 'root': that is no race
// CHECK: proven free of races; results may depend on the order in which instances take turns
//
// RUN: not sluice check -DREADWRITE %s 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not sluice check -DHELPER %s 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not sluice check -DPORTS %s 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: 'work' {{reads|writes}} {{.*}} instances ({{[0-9]+}}) and ({{[0-9]+}}) meet
//
// RUN: sluice check -DTRYWRONG %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sluice check -DOTHERLOCK %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN-NOT: {{error|proven}}
// UNKNOWN: remark: cannot tell
// UNKNOWN-NOT: {{error|proven}}

#include <hpvm.h>
#include <pthread.h>

static void giveBack(pthread_mutex_t *m) { pthread_mutex_unlock(m); }
void anyLock(void *), anyUnlock(void *);

void work(long *A, size_t bytes, void *m, size_t mBytes, void *k,
          size_t kBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, A, m, k, 3, A, m, k);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
#if defined(READ)
  if (i == 3) {
    pthread_rwlock_wrlock(m);
    A[0] = 5;
  } else {
    pthread_rwlock_rdlock(m);
    A[1 + i] = A[0];
  }
  pthread_rwlock_unlock(m);
#elif defined(READWRITE)
  pthread_rwlock_rdlock(m);
  A[0] += i;
  pthread_rwlock_unlock(m);
#elif defined(TRY)
  if (pthread_mutex_trylock(m) == 0) {
    A[0] += i;
    pthread_mutex_unlock(m);
  }
#elif defined(TRYNOT)
  if (pthread_mutex_trylock(m))
    return;
  A[0] += i;
  pthread_mutex_unlock(m);
#elif defined(TRYLOOP)
  while (pthread_mutex_trylock(m) != 0)
    ;
  A[0] += i;
  pthread_mutex_unlock(m);
#elif defined(TRYWRONG)
  if (pthread_mutex_trylock(m))
    A[0] += i;
#elif defined(WAIT)
  pthread_mutex_lock(m);
  while (A[0] < i)
    pthread_cond_wait(k, m);
  A[0] += 1;
  pthread_cond_broadcast(k);
  pthread_mutex_unlock(m);
#elif defined(HELPER)
  pthread_mutex_lock(m);
  giveBack(m);
  A[0] += i;
#elif defined(PORTS)
  // Both are the same argument of the root.
  pthread_mutex_lock(m);
  pthread_mutex_unlock(k);
  A[0] += i;
#elif defined(OTHERLOCK)
  // It may keep the others waiting.
  anyLock(m);
  A[0] += i;
  anyUnlock(m);
#endif
}

void root(long *A, size_t bytes, void *m, size_t mBytes, void *k,
          size_t kBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, A, m, k, 3, A, m, k);
  void *node = __hpvm__createNodeND(1, work, (size_t)100);
  for (int i = 0; i < 4; ++i)
    __hpvm__bindIn(node, i, i, 0);
#ifdef PORTS
  __hpvm__bindIn(node, 2, 4, 0);
  __hpvm__bindIn(node, 3, 5, 0);
#else
  __hpvm__bindIn(node, 4, 4, 0);
  __hpvm__bindIn(node, 5, 5, 0);
#endif
}
