//===- openblas.c - Cholesky's factorization of a library -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LAPACK counts columns, so the lower half of our rows is its upper one.
//
//===----------------------------------------------------------------------===//

#define WHOLE_MATRIX
#include "problem.h"

extern void dpotrf_(const char *half, const int *order, double *values,
                    const int *stride, int *problem);

static void run(void) {
  copyOriginal();
  const int order = (int)side;
  int problem;
  dpotrf_("U", &order, matrix, &order, &problem);
}

int main(void) { return appServe(); }
