/* The tasks of pieces.mlir: from the file IN to OUT, both named by the
   environment. OUT has 16 bytes in front of the elements of x, and those of y
   behind them. `how`: point 2 of `store`
     1: ends its process by SIGKILL when it has written,
     2: writes where no byte of a file is,
     3: crashes,
     4: calls exit. */
#include "pieces.rdir.h"
#include "sluice-c/Files.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t size(void) {
  return (uint64_t)parameter_rows * (uint64_t)parameter_columns;
}

void scatter(const int64_t *color, SluiceColoring *elements) {
  for (int64_t at = 7 * color[0]; at < (int64_t)size(); at += 28) {
    int64_t end = at + 7;
    elements->add(elements, at, end < (int64_t)size() ? end : (int64_t)size());
  }
}

void load(const SluiceTask *task, double *x, const SluiceDomain *blocks) {
  sluiceReadElements(getenv("IN"), 0, blocks, x, sizeof(double));
}

void change(const SluiceTask *task, double *x, const SluiceDomain *stripes) {
  for (int64_t i = stripes->lower[0]; i < stripes->upper[0]; ++i)
    for (int64_t j = stripes->lower[1]; j < stripes->upper[1]; ++j)
      x[i * stripes->stride[0] + j] += 1000 * (double)i + (double)j;
}

void derive(const SluiceTask *task, const double *x, const SluiceDomain *from,
            int32_t (*y)[3], const SluiceDomain *stripes) {
  for (int64_t i = stripes->lower[0]; i < stripes->upper[0]; ++i)
    for (int64_t j = stripes->lower[1]; j < stripes->upper[1]; ++j)
      for (int k = 0; k < 3; ++k)
        y[i * stripes->stride[0] + j][k] =
            (int32_t)x[i * stripes->stride[0] + j] * (k + 1);
}

void store(const SluiceTask *task, const double *x, const SluiceDomain *part,
           const int32_t (*y)[3], const SluiceDomain *same, int64_t how) {
  const char *out = getenv("OUT");
  sluiceWriteElements(out, 16, part, x, sizeof(double));
  sluiceWriteElements(out, 16 + size() * sizeof(double), same, y, sizeof y[0]);
  if (task->point[0] != 2)
    return;
  if (how == 1)
    raise(SIGKILL);
  if (how == 2)
    sluiceWriteElements(out, INT64_MAX, part, x, sizeof(double));
  if (how == 3)
    *(volatile int *)16 = 1;
  if (how == 4)
    exit(9);
}

void storeHead(const SluiceTask *task) {
  char head[17];
  snprintf(head, sizeof head, "%7d %7d\n", (int)parameter_rows,
           (int)parameter_columns);
  sluiceWriteBytes(getenv("OUT"), 0, head, 16);
}

void again(const SluiceTask *task, double *x, const SluiceDomain *stripes) {
  sluiceReadElements(getenv("OUT"), 16, stripes, x, sizeof(double));
}

void show(const SluiceTask *task, const double *x, const SluiceDomain *grid) {
  double sum = 0;
  for (int64_t i = 0; i < grid->count; ++i)
    sum += x[i] * (double)(i % 13);
  printf("%.17g\n", sum);
}
