//===- openmp-for.cpp - The stencil in parallel loops ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One parallel region; threads keep their rows, with a barrier after each
// sweep.
//
//===----------------------------------------------------------------------===//

#include "halo.h"

using namespace bench;

void bench::prepareHalo() {}
void bench::releaseHalo() {}

void bench::runHalo() {
  int64_t n = plate.n;
#pragma omp parallel
  for (int64_t sweep = 0; sweep < 2 * plate.pairs; ++sweep) {
    const double *from = sweep % 2 ? plate.next : plate.now;
    double *to = sweep % 2 ? plate.now : plate.next;
#pragma omp for schedule(static)
    for (int64_t i = 1; i < n - 1; ++i)
      sweepRow(from + i * n, to + i * n, 1, n - 1, n);
  }
}

void bench::instantiateHalo() {}

int main() { return serveHalo(); }
