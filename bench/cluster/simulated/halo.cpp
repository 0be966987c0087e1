//===- halo.cpp - The tasks of halo.mlir ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank of a simulation has its own `pace`, as a process has.
//
//===----------------------------------------------------------------------===//

#include "../../rdir/halo.h"
#include "halo.rdir.h"
#include "sweeps.h"

static bench::Pace pace;

void start(const SluiceTask *, double *now, double *next,
           const SluiceDomain *block, int64_t n) {
  for (int64_t i = block->lower[0]; i < block->upper[0]; ++i)
    for (int64_t j = block->lower[1]; j < block->upper[1]; ++j)
      now[i * n + j] = next[i * n + j] = bench::startingHeat(i, j, n);
}

void sweep(const SluiceTask *, const double *from, const SluiceDomain *,
           double *to, const SluiceDomain *block, int64_t pairs,
           int64_t nanoseconds, int64_t overhead) {
  bench::sweepBox(from, to, block->lower[0], block->upper[0], block->lower[1],
                  block->upper[1], block->stride[0]);
  bench::spend(1e-9 * double(nanoseconds + overhead));
  pace.note(2 * pairs);
}

double measure(const SluiceTask *, const double *, const SluiceDomain *) {
  return pace.secondsPerSweep();
}

int64_t add(const SluiceTask *, const double *now, const SluiceDomain *block,
            int64_t n) {
  int64_t sum = 0;
  for (int64_t i = block->lower[0]; i < block->upper[0]; ++i)
    for (int64_t j = block->lower[1]; j < block->upper[1]; ++j)
      sum += bench::digestOf(now[i * n + j], i * n + j);
  return sum;
}

void report(const SluiceTask *, double pace, int64_t digest) {
  bench::report(pace, digest);
}
