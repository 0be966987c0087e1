//===- openblas.c - The matrix product of a library -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What most programs that need a product call. OpenBLAS chooses its kernel by
// the processor, and threads by OPENBLAS_NUM_THREADS.
//
//===----------------------------------------------------------------------===//

#include "problems.h"

#include <cblas.h>

static void runMatmul(void) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, matmulSize, matmulSize,
              matmulSize, 1.0f, matmulA, matmulSize, matmulB, matmulSize, 0.0f,
              matmulC, matmulSize);
}

int main(void) {
  static const BenchRow rows[] = {
      MATMUL_ROW("matmul-tiled", runMatmul, 20),
      MATMUL_ROW("matmul-naive", runMatmul, 20),
  };
  return benchServe(rows, sizeof(rows) / sizeof(rows[0]));
}
