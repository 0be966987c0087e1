#include "parts.rdir.h"
#include "sluice-c/Files.h"
#include <signal.h>
#include <stdlib.h>

void start(const SluiceTask *task, double *x, const SluiceDomain *block) {
  for (int64_t i = block->lower[0]; i < block->upper[0]; ++i)
    x[i] = i;
}

void storeHead(const SluiceTask *task) {
  sluiceWriteBytes(getenv("OUT"), 0, "head of the file", 16);
}

void step(const SluiceTask *task, double *x, const SluiceDomain *block,
          int64_t count, int64_t dies) {
  if (dies && count == dies && task->point[0] == 3)
    raise(SIGKILL);
  for (int64_t i = block->lower[0]; i < block->upper[0]; ++i)
    x[i] += 1;
}

int64_t add(const SluiceTask *task, int64_t count) { return count + 1; }

void store(const SluiceTask *task, const double *x, const SluiceDomain *block) {
  sluiceWriteElements(getenv("OUT"), 16, block, x, sizeof *x);
}
