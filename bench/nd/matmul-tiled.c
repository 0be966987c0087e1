//===- matmul-tiled.c - Matrix product in 16x16 work-groups ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every group copies two tiles into local memory and synchronises twice for
// each step along the inner dimension.
//
//===----------------------------------------------------------------------===//

#include "extents.h"
#include "problems.h"

#include <hpvm.h>

#define TILE(ARGUMENT) EXTENT(ARGUMENT, matmulTile)
#define SIZE(ARGUMENT) EXTENT(ARGUMENT, matmulSize)

/// Gives the group its two tiles.
void allocateTiles(size_t tile) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 0);
  size_t bytes = TILE(tile) * TILE(tile) * sizeof(float);
  void *aTile = __hpvm__malloc(bytes);
  void *bTile = __hpvm__malloc(bytes);
  __hpvm__return(4, aTile, bytes, bTile, bytes);
}

void multiplyTile(float *a, size_t bytesA, float *b, size_t bytesB, float *c,
                  size_t bytesC, size_t size, size_t tile, float *aTile,
                  size_t bytesATile, float *bTile, size_t bytesBTile) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(5, a, b, c, aTile, bTile, 3, c, aTile, bTile);
  void *node = __hpvm__getNode();
  void *group = __hpvm__getParentNode(node);
  long x = __hpvm__getNodeInstanceID_x(node);
  long y = __hpvm__getNodeInstanceID_y(node);
  long side = TILE(tile);
  long pitch = SIZE(size);
  long column = __hpvm__getNodeInstanceID_x(group) * side + x;
  long row = __hpvm__getNodeInstanceID_y(group) * side + y;
  float sum = 0.0f;
  for (long t = 0; t < pitch / side; ++t) {
    aTile[y * side + x] = a[row * pitch + t * side + x];
    bTile[y * side + x] = b[(t * side + y) * pitch + column];
    __hpvm__barrier();
    for (long k = 0; k < side; ++k)
      sum += aTile[y * side + k] * bTile[k * side + x];
    __hpvm__barrier();
  }
  c[row * pitch + column] = sum;
}

void matmulGroup(float *a, size_t bytesA, float *b, size_t bytesB, float *c,
                 size_t bytesC, size_t size, size_t tile) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, a, b, c, 1, c);
  void *tiles = __hpvm__createNodeND(0, allocateTiles);
  void *product = __hpvm__createNodeND(2, multiplyTile, TILE(tile), TILE(tile));
  __hpvm__bindIn(tiles, 7, 0, 0);
  __hpvm__bindIn(product, 0, 0, 0);
  __hpvm__bindIn(product, 1, 1, 0);
  __hpvm__bindIn(product, 2, 2, 0);
  __hpvm__bindIn(product, 3, 3, 0);
  __hpvm__bindIn(product, 4, 4, 0);
  __hpvm__bindIn(product, 5, 5, 0);
  __hpvm__bindIn(product, 6, 6, 0);
  __hpvm__bindIn(product, 7, 7, 0);
  __hpvm__edge(tiles, product, 1, 0, 8, 0);
  __hpvm__edge(tiles, product, 1, 1, 9, 0);
  __hpvm__edge(tiles, product, 1, 2, 10, 0);
  __hpvm__edge(tiles, product, 1, 3, 11, 0);
}

void matmulRoot(float *a, size_t bytesA, float *b, size_t bytesB, float *c,
                size_t bytesC, size_t size, size_t tile, size_t groups) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, a, b, c, 1, c);
  void *group = __hpvm__createNodeND(2, matmulGroup,
                                     EXTENT(groups, matmulSize / matmulTile),
                                     EXTENT(groups, matmulSize / matmulTile));
  __hpvm__bindIn(group, 0, 0, 0);
  __hpvm__bindIn(group, 1, 1, 0);
  __hpvm__bindIn(group, 2, 2, 0);
  __hpvm__bindIn(group, 3, 3, 0);
  __hpvm__bindIn(group, 4, 4, 0);
  __hpvm__bindIn(group, 5, 5, 0);
  __hpvm__bindIn(group, 6, 6, 0);
  __hpvm__bindIn(group, 7, 7, 0);
}

typedef struct __attribute__((__packed__)) {
  float *a;
  size_t bytesA;
  float *b;
  size_t bytesB;
  float *c;
  size_t bytesC;
  size_t size;
  size_t tile;
  size_t groups;
} MatmulArguments;

static const size_t matrixBytes = sizeof(float) * matmulSize * matmulSize;

static void runMatmul(void) {
  MatmulArguments arguments = {
      matmulA,     matrixBytes, matmulB,
      matrixBytes, matmulC,     matrixBytes,
      matmulSize,  matmulTile,  matmulSize / matmulTile};
  __hpvm__wait(__hpvm__launch(0, matmulRoot, (void *)&arguments));
}

static void allocate(void) {
  matmulAllocate();
  llvm_hpvm_track_mem(matmulA, matrixBytes);
  llvm_hpvm_track_mem(matmulB, matrixBytes);
  llvm_hpvm_track_mem(matmulC, matrixBytes);
}

static void release(void) {
  llvm_hpvm_untrack_mem(matmulA);
  llvm_hpvm_untrack_mem(matmulB);
  llvm_hpvm_untrack_mem(matmulC);
  matmulRelease();
}

int main(void) {
  BenchRow row = MATMUL_ROW("matmul-tiled", runMatmul, 20);
  row.allocate = allocate;
  row.release = release;
  __hpvm__init();
  int status = benchServe(&row, 1);
  __hpvm__cleanup();
  return status;
}
