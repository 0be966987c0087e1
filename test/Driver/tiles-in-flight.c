// A Cholesky factorisation with a launch for every task on a tile, all of them
// in flight at once over one tracked array: the bits are those of the tasks one
// after another.
// RUN: env SLUICE_WORKERS=1 sluice run %s | FileCheck %s
// RUN: env SLUICE_WORKERS=2 sluice run %s | FileCheck %s
// RUN: env SLUICE_WORKERS=3 sluice run %s | FileCheck %s
// RUN: env SLUICE_EXECUTOR=sequential sluice run %s | FileCheck %s
// CHECK: 364 tasks on 78 tiles: equal

#include <hpvm.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { Side = 8, Tiles = 12, TileSize = Side * Side };
enum { TileBytes = TileSize * sizeof(double), NumTiles = Tiles * (Tiles + 1) / 2 };

static inline void factor(double *a) {
  for (int k = 0; k < Side; ++k) {
    a[k * Side + k] = sqrt(a[k * Side + k]);
    for (int i = k + 1; i < Side; ++i) {
      a[i * Side + k] /= a[k * Side + k];
      for (int j = k + 1; j <= i; ++j)
        a[i * Side + j] -= a[i * Side + k] * a[j * Side + k];
    }
  }
}
static inline void solve(const double *l, double *a) {
  for (int i = 0; i < Side; ++i)
    for (int k = 0; k < Side; ++k) {
      for (int j = 0; j < k; ++j)
        a[i * Side + k] -= a[i * Side + j] * l[k * Side + j];
      a[i * Side + k] /= l[k * Side + k];
    }
}
static inline void update(const double *x, const double *y, double *a) {
  for (int i = 0; i < Side; ++i)
    for (int j = 0; j < Side; ++j)
      for (int k = 0; k < Side; ++k)
        a[i * Side + j] -= x[i * Side + k] * y[j * Side + k];
}

void factorLeaf(double *a, size_t aBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, a, 1, a);
  factor(a);
}
void factorRoot(double *a, size_t aBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, a, 1, a);
  void *node = __hpvm__createNodeND(0, factorLeaf);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}
void solveLeaf(double *l, size_t lBytes, double *a, size_t aBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, l, a, 1, a);
  solve(l, a);
}
void solveRoot(double *l, size_t lBytes, double *a, size_t aBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, l, a, 1, a);
  void *node = __hpvm__createNodeND(0, solveLeaf);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindIn(node, 3, 3, 0);
}
void updateLeaf(double *x, size_t xBytes, double *y, size_t yBytes, double *a,
                size_t aBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, x, y, a, 1, a);
  update(x, y, a);
}
void updateRoot(double *x, size_t xBytes, double *y, size_t yBytes, double *a,
                size_t aBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, x, y, a, 1, a);
  void *node = __hpvm__createNodeND(0, updateLeaf);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindIn(node, 3, 3, 0);
  __hpvm__bindIn(node, 4, 4, 0);
  __hpvm__bindIn(node, 5, 5, 0);
}

struct __attribute__((packed)) Arguments {
  double *x;
  size_t xBytes;
  double *y;
  size_t yBytes;
  double *a;
  size_t aBytes;
};

static double matrix[NumTiles * TileSize], expected[NumTiles * TileSize];
static void *tasks[Tiles * Tiles * Tiles];

static double *tile(double *all, int i, int j) {
  return all + (i * (i + 1) / 2 + j) * TileSize;
}

static void fill(double *all) {
  for (int i = 0; i < Tiles; ++i)
    for (int j = 0; j <= i; ++j)
      for (int r = 0; r < Side; ++r)
        for (int c = 0; c < Side; ++c) {
          int x = i * Side + r, y = j * Side + c;
          tile(all, i, j)[r * Side + c] =
              x == y ? 200 : 1.0 / (1 + (x < y ? y - x : x - y));
        }
}

/// Launches one task, or runs it here.
static int count;
static void work(double *all, int isLaunched, const double *x, const double *y,
                 double *a) {
  struct Arguments arguments = {(double *)x, TileBytes, (double *)y, TileBytes,
                                a,           TileBytes};
  if (!isLaunched) {
    if (x && y)
      update(x, y, a);
    else if (y)
      solve(y, a);
    else
      factor(a);
    return;
  }
  if (x && y)
    tasks[count++] = __hpvm__launch(0, updateRoot, &arguments);
  else if (y)
    tasks[count++] = __hpvm__launch(0, solveRoot, &arguments.y);
  else
    tasks[count++] = __hpvm__launch(0, factorRoot, &arguments.a);
}

static void factorAll(double *all, int isLaunched) {
  for (int k = 0; k < Tiles; ++k) {
    work(all, isLaunched, 0, 0, tile(all, k, k));
    for (int i = k + 1; i < Tiles; ++i)
      work(all, isLaunched, 0, tile(all, k, k), tile(all, i, k));
    for (int i = k + 1; i < Tiles; ++i)
      for (int j = k + 1; j <= i; ++j)
        work(all, isLaunched, tile(all, i, k), tile(all, j, k),
             tile(all, i, j));
  }
}

int main(void) {
  fill(expected);
  fill(matrix);
  factorAll(expected, 0);
  __hpvm__init();
  llvm_hpvm_track_mem(matrix, sizeof matrix);
  factorAll(matrix, 1);
  for (int i = count; i-- > 0;)
    __hpvm__wait(tasks[i]);
  llvm_hpvm_request_mem(matrix, sizeof matrix);
  printf("%d tasks on %d tiles: %s\n", count, NumTiles,
         memcmp(matrix, expected, sizeof matrix) ? "different" : "equal");
  llvm_hpvm_untrack_mem(matrix);
  __hpvm__cleanup();
  return 0;
}
