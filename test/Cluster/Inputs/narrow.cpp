// Says how much memory the largest rank had at most, beside that of its cells.
#include "narrow.rdir.h"

#include <algorithm>
#include <cstdio>
#include <sys/resource.h>

/// The mean of four neighbours of a cell is the cell.
static double cell(int64_t i, int64_t j) { return double(3 * i + 5 * j); }

void start(const SluiceTask *, double *now, double *next,
           const SluiceDomain *block) {
  for (int64_t i = block->lower[0]; i < block->upper[0]; ++i)
    for (int64_t j = block->lower[1]; j < block->upper[1]; ++j)
      now[i * block->stride[0] + j] = next[i * block->stride[0] + j] =
          cell(i, j);
}

void sweep(const SluiceTask *, const double *from, const SluiceDomain *halo,
           double *to, const SluiceDomain *block) {
  const int64_t row = halo->stride[0];
  const int64_t end = std::min(block->upper[1], block->extent[1] - 1);
  for (int64_t i = std::max<int64_t>(block->lower[0], 1);
       i < std::min(block->upper[0], block->extent[0] - 1); ++i)
    for (int64_t j = std::max<int64_t>(block->lower[1], 1); j < end; ++j) {
      const double *at = from + i * row + j;
      to[i * block->stride[0] + j] =
          (at[-row] + at[row] + at[-1] + at[1]) / 4;
    }
}

int64_t countWrong(const SluiceTask *, const double *now, const double *next,
                   const SluiceDomain *block) {
  int64_t wrong = 0;
  for (int64_t i = block->lower[0]; i < block->upper[0]; ++i)
    for (int64_t j = block->lower[1]; j < block->upper[1]; ++j)
      wrong += now[i * block->stride[0] + j] != cell(i, j) ||
               next[i * block->stride[0] + j] != cell(i, j);
  return wrong;
}

int64_t measure(const SluiceTask *, const double *, const double *,
                const SluiceDomain *) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

void show(const SluiceTask *, int64_t wrong, int64_t peak, int64_t rows,
          int64_t columns) {
  std::printf("%lld cells wrong, %lld bytes of cells a rank, %lld bytes at "
              "most\n",
              (long long)wrong, (long long)(rows * (columns / 4 + 2) * 16),
              (long long)peak);
}
