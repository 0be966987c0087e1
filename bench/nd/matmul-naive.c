//===- matmul-naive.c - Matrix product, one instance an element -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No local memory and no barrier: the compiler chooses how to tile it.
//
//===----------------------------------------------------------------------===//

#include "extents.h"
#include "problems.h"

#include <hpvm.h>

#define SIZE(ARGUMENT) EXTENT(ARGUMENT, matmulSize)

void multiplyElement(float *a, size_t bytesA, float *b, size_t bytesB, float *c,
                     size_t bytesC, size_t size) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, a, b, c, 1, c);
  void *node = __hpvm__getNode();
  long column = __hpvm__getNodeInstanceID_x(node);
  long row = __hpvm__getNodeInstanceID_y(node);
  long pitch = SIZE(size);
  float sum = 0.0f;
  for (long k = 0; k < pitch; ++k)
    sum += a[row * pitch + k] * b[k * pitch + column];
  c[row * pitch + column] = sum;
}

void matmulRoot(float *a, size_t bytesA, float *b, size_t bytesB, float *c,
                size_t bytesC, size_t size) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, a, b, c, 1, c);
  void *leaf = __hpvm__createNodeND(2, multiplyElement, SIZE(size), SIZE(size));
  __hpvm__bindIn(leaf, 0, 0, 0);
  __hpvm__bindIn(leaf, 1, 1, 0);
  __hpvm__bindIn(leaf, 2, 2, 0);
  __hpvm__bindIn(leaf, 3, 3, 0);
  __hpvm__bindIn(leaf, 4, 4, 0);
  __hpvm__bindIn(leaf, 5, 5, 0);
  __hpvm__bindIn(leaf, 6, 6, 0);
}

typedef struct __attribute__((__packed__)) {
  float *a;
  size_t bytesA;
  float *b;
  size_t bytesB;
  float *c;
  size_t bytesC;
  size_t size;
} MatmulArguments;

static const size_t matrixBytes = sizeof(float) * matmulSize * matmulSize;

static void runMatmul(void) {
  MatmulArguments arguments = {matmulA, matrixBytes, matmulB,   matrixBytes,
                               matmulC, matrixBytes, matmulSize};
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
  BenchRow row = MATMUL_ROW("matmul-naive", runMatmul, 20);
  row.allocate = allocate;
  row.release = release;
  __hpvm__init();
  int status = benchServe(&row, 1);
  __hpvm__cleanup();
  return status;
}
