// A histogram with a lock for several bins, and one value that many read and
// few write: it counts all, and the checker finds nothing.
// RUN: sluice check %s 2>&1 | FileCheck %s
// CHECK-NOT: error
// CHECK: proven free of races; results may depend on the order in which instances take turns
// RUN: env SLUICE_WORKERS=4 sluice run %s | FileCheck %s --check-prefix=COUNT
// RUN: env SLUICE_CHECK=1 sluice run %s | FileCheck %s --check-prefix=COUNT
// COUNT: 20000 instances in 100 bins, 20000 saw 7 or -7

#include <hpvm.h>
#include <pthread.h>
#include <stdio.h>

enum { N = 20000, Bins = 100, Locks = 8 };
typedef struct {
  pthread_mutex_t locks[Locks];
  pthread_rwlock_t last;
} State;

void leaf(long *bins, size_t bytes, int *bin, size_t binBytes, State *state,
          size_t stateBytes, long *last, size_t lastBytes, char *seen,
          size_t seenBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(4, bins, bin, state, last, 4, bins, state, last, seen);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  pthread_mutex_lock(&state->locks[bin[i] % Locks]);
  bins[bin[i]] += 1;
  pthread_mutex_unlock(&state->locks[bin[i] % Locks]);
  if (i % 1000 == 0) {
    pthread_rwlock_wrlock(&state->last);
    *last = -*last;
    pthread_rwlock_unlock(&state->last);
  }
  pthread_rwlock_rdlock(&state->last);
  seen[i] = *last == 7 || *last == -7;
  pthread_rwlock_unlock(&state->last);
}

void root(long *bins, size_t bytes, int *bin, size_t binBytes, State *state,
          size_t stateBytes, long *last, size_t lastBytes, char *seen,
          size_t seenBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(4, bins, bin, state, last, 4, bins, state, last, seen);
  void *node = __hpvm__createNodeND(1, leaf, (size_t)N);
  for (int k = 0; k < 10; ++k)
    __hpvm__bindIn(node, k, k, 0);
}

int main(void) {
  static long bins[Bins];
  static long last = 7;
  static int bin[N];
  static char seen[N];
  static State state;
  for (int k = 0; k < Locks; ++k)
    pthread_mutex_init(&state.locks[k], NULL);
  pthread_rwlock_init(&state.last, NULL);
  for (int i = 0; i < N; ++i)
    bin[i] = i * 31 % Bins;
  struct __attribute__((packed)) {
    long *bins;
    size_t bytes;
    int *bin;
    size_t binBytes;
    State *state;
    size_t stateBytes;
    long *last;
    size_t lastBytes;
    char *seen;
    size_t seenBytes;
  } arguments = {bins,          sizeof(bins), bin,  sizeof(bin),
                 &state,        sizeof(state), &last, sizeof(last),
                 seen,          sizeof(seen)};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
  __hpvm__cleanup();
  long all = 0, good = 0;
  for (int k = 0; k < Bins; ++k)
    all += bins[k];
  for (int i = 0; i < N; ++i)
    good += seen[i];
  printf("%ld instances in %d bins, %ld saw 7 or -7\n", all, Bins,
         good);
}
