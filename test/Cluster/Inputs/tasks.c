/* Kernels of a task graph that runs on several ranks. */
#include <hpvm.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ARRAY(x) int64_t *x##Base, int64_t *x, int x##Offset, int x##N, int x##S

void fill(ARRAY(a), int64_t first) {
  for (int i = 0; i < aN; ++i)
    a[i * aS] = first + i;
}

void add(ARRAY(a), ARRAY(b)) {
  for (int i = 0; i < aN; ++i)
    a[i * aS] = a[i * aS] * 3 + b[i * bS];
}

/* One instance for each element. */
void twice(ARRAY(a)) {
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  a[i * aS] *= 2;
}

/* A graph of two nodes. */
static void increment(int64_t *a, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, a, 1, a);
  a[__hpvm__getNodeInstanceID_x(__hpvm__getNode())] += 1;
}

static void square(int64_t *a, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, a, 1, a);
  int64_t *at = &a[__hpvm__getNodeInstanceID_x(__hpvm__getNode())];
  *at *= *at;
  __hpvm__return(1, bytes);
}

void squares(int64_t *a, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, a, 1, a);
  void *first = __hpvm__createNodeND(1, square, bytes / sizeof(int64_t));
  void *second = __hpvm__createNodeND(1, increment, bytes / sizeof(int64_t));
  __hpvm__bindIn(first, 0, 0, 0);
  __hpvm__bindIn(first, 1, 1, 0);
  __hpvm__bindIn(second, 0, 0, 0);
  __hpvm__edge(first, second, 1, 0, 1, 0);
}

void sum(ARRAY(a), int64_t *total) {
  for (int i = 0; i < aN; ++i)
    *total += a[i * aS];
}

/* Writes no dataset. */
void show(ARRAY(a), int64_t total) {
  printf("last %ld, total %ld\n", (long)a[(aN - 1) * aS], (long)total);
}

void save(ARRAY(a), int64_t seconds) {
  FILE *file = fopen("saved", "w");
  for (int i = 0; i < aN; ++i)
    fprintf(file, "%ld\n", (long)a[i * aS]);
  fflush(file);
  sleep(seconds);
  fclose(file);
}

int end(ARRAY(a), int64_t how) {
  sleep(1);
  if (how == 1)
    exit(0);
  if (how == 2)
    abort();
  if (how == 4)
    kill(getpid(), SIGKILL);
  return how;
}
