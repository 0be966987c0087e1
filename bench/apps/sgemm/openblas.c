//===- openblas.c - The product of two matrices of a library --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenBLAS chooses its kernel by the processor.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

#include <cblas.h>

static void run(void) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)side, (int)side,
              (int)side, 1.0f, a, (int)side, b, (int)side, 0.0f, c, (int)side);
}

int main(void) { return appServe(); }
