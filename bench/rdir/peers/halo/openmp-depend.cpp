//===- openmp-depend.cpp - The stencil as OpenMP tasks --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task per block and sweep, after those of the block and its four neighbours.
//
//===----------------------------------------------------------------------===//

#include "halo.h"

using namespace bench;

namespace {
/// What dependences are declared on: one per field and block, with a margin.
std::vector<char> tokens[2];

char *tokenOf(int field, int64_t i, int64_t j) {
  return &tokens[field][(i + 1) * (plate.columns + 2) + j + 1];
}

void submit(int field, int64_t i, int64_t j) {
  const double *from = field ? plate.next : plate.now;
  double *to = field ? plate.now : plate.next;
  const char *own = tokenOf(field, i, j), *north = tokenOf(field, i - 1, j),
             *south = tokenOf(field, i + 1, j),
             *west = tokenOf(field, i, j - 1), *east = tokenOf(field, i, j + 1);
  char *written = tokenOf(1 - field, i, j);
#pragma omp task firstprivate(from, to, i, j)                                  \
    depend(in                                                                  \
           : *own, *north, *south, *west, *east) depend(inout                  \
                                                        : *written)
  plate.sweepBlock(from, to, i, j);
}
} // namespace

void bench::prepareHalo() {
  for (std::vector<char> &field : tokens)
    field.assign((plate.rows + 2) * (plate.columns + 2), 0);
}
void bench::releaseHalo() {}

void bench::runHalo() {
#pragma omp parallel
#pragma omp single
  for (int64_t sweep = 0; sweep < 2 * plate.pairs; ++sweep)
    for (int64_t i = 0; i < plate.rows; ++i)
      for (int64_t j = 0; j < plate.columns; ++j)
        submit(sweep % 2, i, j);
}

void bench::instantiateHalo() {}

int main() { return serveHalo(); }
