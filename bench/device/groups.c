//===- groups.c - Matrix product and reduction on a device ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two levels: work-groups with local memory and barriers.
//
//===----------------------------------------------------------------------===//

#include "rows.h"

//===-- matrix product
//-----------------------------------------------------===//

enum { tileBytes = sizeof(float) * matmulTile * matmulTile };

void allocateTiles(size_t bytes) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(0, 0);
  void *aTile = __hpvm__malloc(tileBytes);
  void *bTile = __hpvm__malloc(tileBytes);
  __hpvm__return(4, aTile, (size_t)tileBytes, bTile, (size_t)tileBytes);
}

void multiplyTile(float *a, size_t bytesA, float *b, size_t bytesB, float *c,
                  size_t bytesC, float *aTile, size_t bytesATile, float *bTile,
                  size_t bytesBTile) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(5, a, b, c, aTile, bTile, 3, c, aTile, bTile);
  void *node = __hpvm__getNode();
  void *group = __hpvm__getParentNode(node);
  long x = __hpvm__getNodeInstanceID_x(node);
  long y = __hpvm__getNodeInstanceID_y(node);
  long column = __hpvm__getNodeInstanceID_x(group) * matmulTile + x;
  long row = __hpvm__getNodeInstanceID_y(group) * matmulTile + y;
  float sum = 0.0f;
  for (long t = 0; t < matmulSize / matmulTile; ++t) {
    aTile[y * matmulTile + x] = a[row * matmulSize + t * matmulTile + x];
    bTile[y * matmulTile + x] = b[(t * matmulTile + y) * matmulSize + column];
    __hpvm__barrier();
    for (long k = 0; k < matmulTile; ++k)
      sum += aTile[y * matmulTile + k] * bTile[k * matmulTile + x];
    __hpvm__barrier();
  }
  c[row * matmulSize + column] = sum;
}

void matmulGroup(float *a, size_t bytesA, float *b, size_t bytesB, float *c,
                 size_t bytesC) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(3, a, b, c, 1, c);
  void *tiles = __hpvm__createNodeND(0, allocateTiles);
  void *product = __hpvm__createNodeND(2, multiplyTile, (size_t)matmulTile,
                                       (size_t)matmulTile);
  __hpvm__bindIn(tiles, 1, 0, 0);
  BIND_MEMORY(product, 0, 0, 0);
  BIND_MEMORY(product, 1, 1, 0);
  BIND_MEMORY(product, 2, 2, 0);
  __hpvm__edge(tiles, product, 1, 0, 6, 0);
  __hpvm__edge(tiles, product, 1, 1, 7, 0);
  __hpvm__edge(tiles, product, 1, 2, 8, 0);
  __hpvm__edge(tiles, product, 1, 3, 9, 0);
}

void matmulRoot(float *a, size_t bytesA, float *b, size_t bytesB, float *c,
                size_t bytesC) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, a, b, c, 1, c);
  void *group =
      __hpvm__createNodeND(2, matmulGroup, (size_t)(matmulSize / matmulTile),
                           (size_t)(matmulSize / matmulTile));
  BIND_MEMORY(group, 0, 0, 0);
  BIND_MEMORY(group, 1, 1, 0);
  BIND_MEMORY(group, 2, 2, 0);
}

typedef struct __attribute__((__packed__)) {
  float *a;
  size_t bytesA;
  float *b;
  size_t bytesB;
  float *c;
  size_t bytesC;
} MatmulArguments;

static const size_t matrixBytes =
    sizeof(float) * (size_t)matmulSize * matmulSize;

static void runMatmul(void) {
  MatmulArguments arguments = {matmulA,     matrixBytes, matmulB,
                               matrixBytes, matmulC,     matrixBytes};
  __hpvm__wait(__hpvm__launch(0, matmulRoot, (void *)&arguments));
}

static void allocateMatmul(void) {
  matmulAllocate();
  llvm_hpvm_track_mem(matmulA, matrixBytes);
  llvm_hpvm_track_mem(matmulB, matrixBytes);
  llvm_hpvm_track_mem(matmulC, matrixBytes);
}

static void resetMatmul(void) {
  takeHome(matmulA, matrixBytes);
  takeHome(matmulB, matrixBytes);
  takeHome(matmulC, matrixBytes);
  matmulReset();
}

static const char *verifyMatmul(void) {
  takeHome(matmulC, matrixBytes);
  return matmulVerify();
}

static void releaseMatmul(void) {
  llvm_hpvm_untrack_mem(matmulA);
  llvm_hpvm_untrack_mem(matmulB);
  llvm_hpvm_untrack_mem(matmulC);
  matmulRelease();
}

BenchRow matmulRow(void) {
  BenchRow row = MATMUL_ROW("matmul-tiled", runMatmul, 2);
  row.allocate = allocateMatmul, row.release = releaseMatmul;
  row.reset = resetMatmul, row.verify = verifyMatmul;
  return row;
}

//===-- reduction
//----------------------------------------------------------===//

void allocatePart(size_t bytes) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(0, 0);
  size_t partBytes = reductionGroup * sizeof(int);
  void *part = __hpvm__malloc(partBytes);
  __hpvm__return(2, part, partBytes);
}

void addTree(int *input, size_t bytesInput, int *sum, size_t bytesSum,
             int *part, size_t bytesPart) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(3, input, sum, part, 2, sum, part);
  void *node = __hpvm__getNode();
  void *group = __hpvm__getParentNode(node);
  long i = __hpvm__getNodeInstanceID_x(node);
  part[i] = input[__hpvm__getNodeInstanceID_x(group) * reductionGroup + i];
  __hpvm__barrier();
  for (long half = reductionGroup / 2; half > 0; half /= 2) {
    if (i < half)
      part[i] += part[i + half];
    __hpvm__barrier();
  }
  if (i == 0)
    __hpvm__atomic_add(sum, part[0]);
}

void reductionGroupNode(int *input, size_t bytesInput, int *sum,
                        size_t bytesSum) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(2, input, sum, 1, sum);
  void *part = __hpvm__createNodeND(0, allocatePart);
  void *tree = __hpvm__createNodeND(1, addTree, (size_t)reductionGroup);
  __hpvm__bindIn(part, 1, 0, 0);
  BIND_MEMORY(tree, 0, 0, 0);
  BIND_MEMORY(tree, 1, 1, 0);
  __hpvm__edge(part, tree, 1, 0, 4, 0);
  __hpvm__edge(part, tree, 1, 1, 5, 0);
}

void reductionRoot(int *input, size_t bytesInput, int *sum, size_t bytesSum) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, input, sum, 1, sum);
  void *group = __hpvm__createNodeND(1, reductionGroupNode,
                                     (size_t)(reductionSize / reductionGroup));
  BIND_MEMORY(group, 0, 0, 0);
  BIND_MEMORY(group, 1, 1, 0);
}

typedef struct __attribute__((__packed__)) {
  int *input;
  size_t bytesInput;
  int *sum;
  size_t bytesSum;
} ReductionArguments;

static const size_t reductionBytes = sizeof(int) * reductionSize;

/// Sums of all repetitions add up; only the first one is looked at.
static void runReduction(void) {
  ReductionArguments arguments = {reductionInput, reductionBytes, reductionSum,
                                  sizeof(int)};
  __hpvm__wait(__hpvm__launch(0, reductionRoot, (void *)&arguments));
}

static void allocateReduction(void) {
  reductionAllocate();
  llvm_hpvm_track_mem(reductionInput, reductionBytes);
  llvm_hpvm_track_mem(reductionSum, sizeof(int));
}

static void resetReduction(void) {
  takeHome(reductionInput, reductionBytes);
  takeHome(reductionSum, sizeof(int));
  reductionReset();
}

static const char *verifyReduction(void) {
  takeHome(reductionSum, sizeof(int));
  return reductionVerify();
}

static void releaseReduction(void) {
  llvm_hpvm_untrack_mem(reductionInput);
  llvm_hpvm_untrack_mem(reductionSum);
  reductionRelease();
}

BenchRow reductionRow(void) {
  BenchRow row = REDUCTION_ROW("reduction", runReduction);
  row.allocate = allocateReduction, row.release = releaseReduction;
  row.reset = resetReduction, row.verify = verifyReduction;
  return row;
}
