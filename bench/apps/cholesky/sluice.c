//===- sluice.c - Cholesky's factorization by tiles in HPVM-C -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch a task, on one, two or three tiles; launches that share a tile take
// turns, and the host waits for all of them at the end.
//
//===----------------------------------------------------------------------===//

#include "../tracked.h"

#include "problem.h"

void factorLeaf(double *a, size_t aBytes, long size) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, a, 1, a);
  factorSymmetric(a, size);
}

void factorRoot(double *a, size_t aBytes, long size) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, a, 1, a);
  void *task = __hpvm__createNodeND(0, factorLeaf);
  __hpvm__bindIn(task, 0, 0, 0);
  __hpvm__bindIn(task, 1, 1, 0);
  __hpvm__bindIn(task, 2, 2, 0);
}

void solveLeaf(double *l, size_t lBytes, double *x, size_t xBytes, long size) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, l, x, 1, x);
  solveTransposed(x, l, size);
}

void solveRoot(double *l, size_t lBytes, double *x, size_t xBytes, long size) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, l, x, 1, x);
  void *task = __hpvm__createNodeND(0, solveLeaf);
  __hpvm__bindIn(task, 0, 0, 0);
  __hpvm__bindIn(task, 1, 1, 0);
  __hpvm__bindIn(task, 2, 2, 0);
  __hpvm__bindIn(task, 3, 3, 0);
  __hpvm__bindIn(task, 4, 4, 0);
}

/// Updates a block on the diagonal: c -= a a^T.
void squareLeaf(double *a, size_t aBytes, double *c, size_t cBytes, long size) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, a, c, 1, c);
  subtractTransposed(c, a, a, size);
}

void squareRoot(double *a, size_t aBytes, double *c, size_t cBytes, long size) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, a, c, 1, c);
  void *task = __hpvm__createNodeND(0, squareLeaf);
  __hpvm__bindIn(task, 0, 0, 0);
  __hpvm__bindIn(task, 1, 1, 0);
  __hpvm__bindIn(task, 2, 2, 0);
  __hpvm__bindIn(task, 3, 3, 0);
  __hpvm__bindIn(task, 4, 4, 0);
}

void productLeaf(double *a, size_t aBytes, double *b, size_t bBytes, double *c,
                 size_t cBytes, long size) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, a, b, c, 1, c);
  subtractTransposed(c, a, b, size);
}

void productRoot(double *a, size_t aBytes, double *b, size_t bBytes, double *c,
                 size_t cBytes, long size) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, a, b, c, 1, c);
  void *task = __hpvm__createNodeND(0, productLeaf);
  __hpvm__bindIn(task, 0, 0, 0);
  __hpvm__bindIn(task, 1, 1, 0);
  __hpvm__bindIn(task, 2, 2, 0);
  __hpvm__bindIn(task, 3, 3, 0);
  __hpvm__bindIn(task, 4, 4, 0);
  __hpvm__bindIn(task, 5, 5, 0);
  __hpvm__bindIn(task, 6, 6, 0);
}

typedef struct __attribute__((__packed__)) {
  double *a;
  size_t aBytes;
  long size;
} OneTile;

typedef struct __attribute__((__packed__)) {
  double *a;
  size_t aBytes;
  double *b;
  size_t bBytes;
  long size;
} TwoTiles;

typedef struct __attribute__((__packed__)) {
  double *a;
  size_t aBytes;
  double *b;
  size_t bBytes;
  double *c;
  size_t cBytes;
  long size;
} ThreeTiles;

static void *launchFactor(double *a) {
  OneTile arguments = {a, tileBytes(), tileSize};
  return __hpvm__launch(0, factorRoot, &arguments);
}

static void *launchSolve(double *l, double *x) {
  TwoTiles arguments = {l, tileBytes(), x, tileBytes(), tileSize};
  return __hpvm__launch(0, solveRoot, &arguments);
}

static void *launchSquare(double *a, double *c) {
  TwoTiles arguments = {a, tileBytes(), c, tileBytes(), tileSize};
  return __hpvm__launch(0, squareRoot, &arguments);
}

static void *launchProduct(double *a, double *b, double *c) {
  ThreeTiles arguments = {a, tileBytes(), b,       tileBytes(),
                          c, tileBytes(), tileSize};
  return __hpvm__launch(0, productRoot, &arguments);
}

static void factorize(void) {
  void **graphs = (void **)malloc(sizeof(void *) * tiles * tiles * tiles);
  long count = 0;
  for (long k = 0; k < tiles; ++k) {
    graphs[count++] = launchFactor(tileAt(k, k));
    for (long i = k + 1; i < tiles; ++i)
      graphs[count++] = launchSolve(tileAt(k, k), tileAt(i, k));
    for (long i = k + 1; i < tiles; ++i) {
      for (long j = k + 1; j < i; ++j)
        graphs[count++] =
            launchProduct(tileAt(i, k), tileAt(j, k), tileAt(i, j));
      graphs[count++] = launchSquare(tileAt(i, k), tileAt(i, i));
    }
  }
  for (long i = 0; i < count; ++i)
    __hpvm__wait(graphs[i]);
  free(graphs);
}

static void run(void) {
  copyOriginal();
  const long ranges = appNumber(3) ? tiles * tiles : 0;
  for (long i = 0; i < ranges; ++i)
    llvm_hpvm_track_mem(tileAt(0, i), tileBytes());
  factorize();
  if (!ranges)
    llvm_hpvm_request_mem(matrix, matrixBytes());
  for (long i = 0; i < ranges; ++i) {
    llvm_hpvm_request_mem(tileAt(0, i), tileBytes());
    llvm_hpvm_untrack_mem(tileAt(0, i));
  }
}

int main(void) { return appServeGraphs(); }
