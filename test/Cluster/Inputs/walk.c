/* The tasks of walk.mlir. `dies`: the iteration in which point 4 ends its
   process by a signal; 0: none. */
#include "walk.rdir.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

void start(const SluiceTask *task, double *x, const SluiceDomain *blocks) {
  for (int64_t i = blocks->lower[0]; i < blocks->upper[0]; ++i)
    x[i] = 1.0 / (double)(1 + i % 37);
}

void mean(const SluiceTask *task, const double *x, const SluiceDomain *halos,
          int64_t count, double *y, const SluiceDomain *blocks, int64_t dies) {
  if (dies && count == dies && task->point[0] == 4)
    raise(SIGKILL);
  for (int64_t i = blocks->lower[0]; i < blocks->upper[0]; ++i) {
    double sum = x[i];
    if (i > 0)
      sum += x[i - 1];
    if (i < 999)
      sum += x[i + 1];
    y[i] = sum / 3;
  }
}

int64_t add(const SluiceTask *task, int64_t count) { return count + 1; }

void show(const SluiceTask *task, const double *x, const SluiceDomain *line,
          int64_t count) {
  uint64_t all = 0, bits;
  for (int64_t i = 0; i < 1000; ++i) {
    memcpy(&bits, &x[i], sizeof(bits));
    all = all * 31 + bits;
  }
  printf("%d iterations, %016llx\n", (int)count, (unsigned long long)all);
}
