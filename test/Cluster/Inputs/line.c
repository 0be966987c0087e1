/* The tasks of line.mlir. `how` 1: point 3 ends by a signal; 2: by exit; 3:
   each point prints a line, in pieces; 4: point 3 works for four seconds; 5: it
   takes memory until there is none, once the file SLUICE_TEST_BEGIN is there;
   6: point 3 ends by exit as if all were well; 7: so does point 0;
   9: point 3 ends by _exit. */
#include "line.rdir.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void start(const SluiceTask *task, double *x, const SluiceDomain *blocks,
           int64_t how) {
  if (how == 1 && task->point[0] == 3)
    raise(SIGKILL);
  if (how == 2 && task->point[0] == 3)
    exit(7);
  if ((how == 6 && task->point[0] == 3) || (how == 7 && task->point[0] == 0))
    exit(0);
  if (how == 9 && task->point[0] == 3)
    _exit(0);
  if (how == 8 && task->point[0] == 3)
    exit(256);
  if (how == 3) {
    printf("point ");
    fflush(stdout);
    printf("%d\n", (int)task->point[0]);
    fflush(stdout);
  }
  if (how == 4 && task->point[0] == 3)
    for (double begin = seconds(); seconds() < begin + 4;)
      continue;
  if (how == 5 && task->point[0] == 3) {
    while (access(getenv("SLUICE_TEST_BEGIN"), F_OK) != 0)
      usleep(1000);
    for (;;) {
      static char *volatile taken;
      taken = malloc(1 << 20);
      memset(taken, 1, 1 << 20);
    }
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
