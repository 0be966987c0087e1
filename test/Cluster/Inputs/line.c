/* The tasks of line.mlir. `how` 1: point 3 ends by a signal; 2: by exit; 3:
   each point prints a line. */
#include "line.rdir.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

void start(const SluiceTask *task, double *x, const SluiceDomain *blocks,
           int64_t how) {
  if (how == 1 && task->point[0] == 3)
    raise(SIGKILL);
  if (how == 2 && task->point[0] == 3)
    exit(7);
  if (how == 3) {
    printf("point %d\n", (int)task->point[0]);
    fflush(stdout);
  }
  for (int64_t i = blocks->lower[0]; i < blocks->upper[0]; ++i)
    x[i] = (double)(i * i);
}

void show(const SluiceTask *task, const double *x, const SluiceDomain *line) {
  double sum = 0;
  for (int64_t i = 0; i < line->upper[0]; ++i)
    sum += x[i];
  printf("sum %g\n", sum);
}
