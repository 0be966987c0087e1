//===- sluice.cpp - The factorization A = L U by tiles in Hetero-C++ ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch a task; launches that share a tile run in the order of the
// launches, and the host waits for all of them at the end.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

#include <hetero.h>

#include <vector>

void factor(double *a, size_t aBytes, long size) {
  void *section = __hetero_section_begin();
  void *task = __hetero_task_begin(2, a, aBytes, size, 1, a, aBytes);
  factorTile(a, size);
  __hetero_task_end(task);
  __hetero_section_end(section);
}

void lower(double *l, size_t lBytes, double *x, size_t xBytes, long size) {
  void *section = __hetero_section_begin();
  void *task = __hetero_task_begin(3, l, lBytes, x, xBytes, size, 1, x, xBytes);
  solveLower(x, l, size);
  __hetero_task_end(task);
  __hetero_section_end(section);
}

void upper(double *u, size_t uBytes, double *x, size_t xBytes, long size) {
  void *section = __hetero_section_begin();
  void *task = __hetero_task_begin(3, u, uBytes, x, xBytes, size, 1, x, xBytes);
  solveUpper(x, u, size);
  __hetero_task_end(task);
  __hetero_section_end(section);
}

void update(double *a, size_t aBytes, double *b, size_t bBytes, double *c,
            size_t cBytes, long size) {
  void *section = __hetero_section_begin();
  void *task = __hetero_task_begin(4, a, aBytes, b, bBytes, c, cBytes, size, 1,
                                   c, cBytes);
  subtractProduct(c, a, b, size);
  __hetero_task_end(task);
  __hetero_section_end(section);
}

static void run() {
  const size_t bytes = tileBytes();
  std::vector<void *> graphs;
  copyOriginal();
  for (long k = 0; k < tiles; ++k) {
    double *diagonal = tileAt(k, k);
    graphs.push_back(__hetero_launch((void *)factor, 2, diagonal, bytes,
                                     tileSize, 1, diagonal, bytes));
    for (long i = k + 1; i < tiles; ++i) {
      double *right = tileAt(k, i), *below = tileAt(i, k);
      graphs.push_back(__hetero_launch((void *)lower, 3, diagonal, bytes, right,
                                       bytes, tileSize, 1, right, bytes));
      graphs.push_back(__hetero_launch((void *)upper, 3, diagonal, bytes, below,
                                       bytes, tileSize, 1, below, bytes));
    }
    for (long i = k + 1; i < tiles; ++i)
      for (long j = k + 1; j < tiles; ++j) {
        double *left = tileAt(i, k), *above = tileAt(k, j), *sum = tileAt(i, j);
        graphs.push_back(__hetero_launch((void *)update, 4, left, bytes, above,
                                         bytes, sum, bytes, tileSize, 1, sum,
                                         bytes));
      }
  }
  for (void *graph : graphs)
    __hetero_wait(graph);
}

int main() { return appServe(); }
