/* The tasks of far.mlir: from the file IN to OUT, both named by the
   environment. */
#include "far.rdir.h"
#include "sluice-c/Files.h"

#include <stdlib.h>

void spot(const int64_t *color, SluiceColoring *elements) {
  int64_t begin = parameter_n / 8 * color[0] + 12345;
  elements->add(elements, begin, begin + 1000);
}

void load(const SluiceTask *task, double *x, const SluiceDomain *spots) {
  sluiceReadElements(getenv("IN"), 0, spots, x, sizeof(double));
}

void twice(const SluiceTask *task, double *x, const SluiceDomain *spots) {
  for (int64_t r = 0; r < spots->numRuns; ++r)
    for (int64_t i = spots->runs[r].begin; i < spots->runs[r].end; ++i)
      x[i] *= 2;
  if (!spots->runs)
    for (int64_t i = spots->lower[0]; i < spots->upper[0]; ++i)
      x[i] *= 2;
}

void store(const SluiceTask *task, const double *x, const SluiceDomain *spots) {
  sluiceWriteElements(getenv("OUT"), 0, spots, x, sizeof(double));
}
