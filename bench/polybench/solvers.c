//===- solvers.c - Factors of matrices, and equations ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step of a factorisation needs the one before, so that regions have many
// short loops, with a little work for one thread between them.
//
//===----------------------------------------------------------------------===//

#include "polybench.h"

/// A = L L^T, L in the lower triangle of A
static void cholesky(long count, double a[restrict count][count]) {
#pragma omp parallel
  for (long j = 0; j < count; ++j) {
#pragma omp single
    {
      double sum = a[j][j];
      for (long k = 0; k < j; ++k)
        sum -= a[j][k] * a[j][k];
      a[j][j] = sqrt(sum);
    }
#pragma omp for schedule(static)
    for (long i = j + 1; i < count; ++i) {
      double sum = 0;
#pragma omp simd reduction(+ : sum)
      for (long k = 0; k < j; ++k)
        sum += a[i][k] * a[j][k];
      a[i][j] = (a[i][j] - sum) / a[j][j];
    }
  }
}
CALL(cholesky, n[0], a[0])

/// Solves the equations of Yule and Walker: y of T y = -r, T's row is 1, r
static void durbin(long count, const double *restrict r, double *restrict y,
                   double *restrict z) {
  double b = 1, a = -r[0];
  y[0] = a;
  for (long k = 1; k < count; ++k) {
    b *= 1 - a * a;
    double sum = r[k];
#pragma omp simd reduction(+ : sum)
    for (long i = 0; i < k; ++i)
      sum += r[k - i - 1] * y[i];
    a = -sum / b;
#pragma omp simd
    for (long i = 0; i < k; ++i)
      z[i] = y[i] + a * y[k - i - 1];
#pragma omp simd
    for (long i = 0; i < k; ++i)
      y[i] = z[i];
    y[k] = a;
  }
}
CALL(durbin, n[0], a[0], a[1], a[2])

/// A = Q R by the modified process of Gram and Schmidt
static void gramschmidt(long rows, long columns,
                        double a[restrict rows][columns],
                        double r[restrict columns][columns],
                        double q[restrict rows][columns]) {
#pragma omp parallel
  for (long k = 0; k < columns; ++k) {
#pragma omp single
    {
      double sum = 0;
      for (long i = 0; i < rows; ++i)
        sum += a[i][k] * a[i][k];
      r[k][k] = sqrt(sum);
      for (long i = 0; i < rows; ++i)
        q[i][k] = a[i][k] / r[k][k];
    }
#pragma omp for schedule(static)
    for (long first = k + 1; first < columns; first += strip) {
      const long end = least(first + strip, columns);
      for (long j = first; j < end; ++j)
        r[k][j] = 0;
      for (long i = 0; i < rows; ++i)
        for (long j = first; j < end; ++j)
          r[k][j] += q[i][k] * a[i][j];
      for (long i = 0; i < rows; ++i)
        for (long j = first; j < end; ++j)
          a[i][j] -= q[i][k] * r[k][j];
    }
  }
}
CALL(gramschmidt, n[0], n[1], a[0], a[1], a[2])

/// A = L U in place, ones on L's diagonal
static void lu(long count, double a[restrict count][count]) {
#pragma omp parallel
  for (long k = 0; k < count; ++k) {
#pragma omp for schedule(static)
    for (long i = k + 1; i < count; ++i) {
      const double factor = a[i][k] / a[k][k];
      a[i][k] = factor;
      for (long j = k + 1; j < count; ++j)
        a[i][j] -= factor * a[k][j];
    }
  }
}
CALL(lu, n[0], a[0])

/// A x = b: factors, then the two triangles
static void ludcmp(long count, double a[restrict count][count],
                   const double *restrict b, double *restrict y,
                   double *restrict x) {
  lu(count, a);
  for (long i = 0; i < count; ++i) {
    double sum = b[i];
#pragma omp simd reduction(+ : sum)
    for (long j = 0; j < i; ++j)
      sum += -a[i][j] * y[j];
    y[i] = sum;
  }
  for (long i = count - 1; i >= 0; --i) {
    double sum = y[i];
#pragma omp simd reduction(+ : sum)
    for (long j = i + 1; j < count; ++j)
      sum += -a[i][j] * x[j];
    x[i] = sum / a[i][i];
  }
}
CALL(ludcmp, n[0], a[0], a[1], a[2], a[3])

/// L x = b: a block on the diagonal, then all rows below it
static void trisolv(long count, const double l[restrict count][count],
                    const double *restrict b, double *restrict x) {
  for (long i = 0; i < count; ++i)
    x[i] = b[i];
  enum { block = 128 };
#pragma omp parallel
  for (long first = 0; first < count; first += block) {
    const long end = least(first + block, count);
#pragma omp single
    for (long i = first; i < end; ++i) {
      double sum = 0;
#pragma omp simd reduction(+ : sum)
      for (long j = first; j < i; ++j)
        sum += l[i][j] * x[j];
      x[i] = (x[i] - sum) / l[i][i];
    }
#pragma omp for schedule(static)
    for (long i = end; i < count; ++i) {
      double sum = 0;
#pragma omp simd reduction(+ : sum)
      for (long j = first; j < end; ++j)
        sum += l[i][j] * x[j];
      x[i] -= sum;
    }
  }
}
CALL(trisolv, n[0], a[0], a[1], a[2])

KERNELS(solvers) = {
    ROW(cholesky, "cholesky", "aa%="),
    ROW(durbin, "durbin", "a/ a! a"),
    ROW(gramschmidt, "gramschmidt", "ab%= bb! ab!"),
    ROW(lu, "lu", "aa%="),
    ROW(ludcmp, "ludcmp", "aa%= a a! a!"),
    ROW(trisolv, "trisolv", "aaL a a!"),
    {0},
};
