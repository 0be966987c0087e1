//===- linear.c - Products of matrices and vectors ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products make the same loops run over matrices in many orders: along rows,
// down columns, and over triangles.
//
//===----------------------------------------------------------------------===//

#include "polybench.h"

static const double alpha = 1.5, beta = 0.75;

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

/// C = alpha A B + beta C
static void gemm(long ni, long nj, long nk, double c[restrict ni][nj],
                 const double a[restrict ni][nk],
                 const double b[restrict nk][nj]) {
#pragma omp parallel for schedule(static)
  for (long i = 0; i < ni; ++i) {
    for (long j = 0; j < nj; ++j)
      c[i][j] *= beta;
    for (long k = 0; k < nk; ++k)
      for (long j = 0; j < nj; ++j)
        c[i][j] += alpha * a[i][k] * b[k][j];
  }
}
CALL(gemm, n[0], n[1], n[2], a[0], a[1], a[2])

/// C = alpha A B + beta C, of a symmetric A only the lower triangle is stored
static void symm(long ni, long nj, double c[restrict ni][nj],
                 const double a[restrict ni][ni],
                 const double b[restrict ni][nj]) {
#pragma omp parallel for schedule(static)
  for (long i = 0; i < ni; ++i) {
    for (long j = 0; j < nj; ++j)
      c[i][j] *= beta;
    for (long k = 0; k < ni; ++k) {
      const double factor = alpha * (k <= i ? a[i][k] : a[k][i]);
      for (long j = 0; j < nj; ++j)
        c[i][j] += factor * b[k][j];
    }
  }
}
CALL(symm, n[0], n[1], a[0], a[1], a[2])

/// C = alpha A A^T + beta C, lower triangle
static void syrk(long count, long nk, double c[restrict count][count],
                 const double a[restrict count][nk]) {
#pragma omp parallel for schedule(dynamic, 8)
  for (long i = 0; i < count; ++i)
    for (long j = 0; j <= i; ++j) {
      double sum = 0;
#pragma omp simd reduction(+ : sum)
      for (long k = 0; k < nk; ++k)
        sum += a[i][k] * a[j][k];
      c[i][j] = alpha * sum + beta * c[i][j];
    }
}
CALL(syrk, n[0], n[1], a[0], a[1])

/// C = alpha (A B^T + B A^T) + beta C, lower triangle
static void syr2k(long count, long nk, double c[restrict count][count],
                  const double a[restrict count][nk],
                  const double b[restrict count][nk]) {
#pragma omp parallel for schedule(dynamic, 8)
  for (long i = 0; i < count; ++i)
    for (long j = 0; j <= i; ++j) {
      double sum = 0;
#pragma omp simd reduction(+ : sum)
      for (long k = 0; k < nk; ++k)
        sum += a[i][k] * b[j][k] + b[i][k] * a[j][k];
      c[i][j] = alpha * sum + beta * c[i][j];
    }
}
CALL(syr2k, n[0], n[1], a[0], a[1], a[2])

/// B = alpha A^T B, A lower triangular with ones on its diagonal
static void trmm(long ni, long nj, const double a[restrict ni][ni],
                 double b[restrict ni][nj]) {
#pragma omp parallel for schedule(static)
  for (long first = 0; first < nj; first += strip) {
    const long end = least(first + strip, nj);
    for (long i = 0; i < ni; ++i) {
      for (long k = i + 1; k < ni; ++k)
        for (long j = first; j < end; ++j)
          b[i][j] += a[k][i] * b[k][j];
      for (long j = first; j < end; ++j)
        b[i][j] *= alpha;
    }
  }
}
CALL(trmm, n[0], n[1], a[0], a[1])

/// D = alpha A B C + beta D
static void
twoProducts(long ni, long nj, long nk, long nl, double t[restrict ni][nj],
            const double a[restrict ni][nk], const double b[restrict nk][nj],
            const double c[restrict nj][nl], double d[restrict ni][nl]) {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (long i = 0; i < ni; ++i) {
      for (long j = 0; j < nj; ++j)
        t[i][j] = 0;
      for (long k = 0; k < nk; ++k)
        for (long j = 0; j < nj; ++j)
          t[i][j] += alpha * a[i][k] * b[k][j];
    }
#pragma omp for schedule(static)
    for (long i = 0; i < ni; ++i) {
      for (long j = 0; j < nl; ++j)
        d[i][j] *= beta;
      for (long k = 0; k < nj; ++k)
        for (long j = 0; j < nl; ++j)
          d[i][j] += t[i][k] * c[k][j];
    }
  }
}
CALL(twoProducts, n[0], n[1], n[2], n[3], a[0], a[1], a[2], a[3], a[4])

/// to = a b
static void product(long ni, long nj, long nk, double to[restrict ni][nj],
                    const double a[restrict ni][nk],
                    const double b[restrict nk][nj]) {
#pragma omp parallel for schedule(static)
  for (long i = 0; i < ni; ++i) {
    for (long j = 0; j < nj; ++j)
      to[i][j] = 0;
    for (long k = 0; k < nk; ++k)
      for (long j = 0; j < nj; ++j)
        to[i][j] += a[i][k] * b[k][j];
  }
}

/// G = (A B) (C D), all of the same size
static void threeProducts(long count, void *e, void *a, void *b, void *f,
                          void *c, void *d, void *g) {
  product(count, count, count, e, a, b);
  product(count, count, count, f, c, d);
  product(count, count, count, g, e, f);
}
CALL(threeProducts, n[0], a[0], a[1], a[2], a[3], a[4], a[5], a[6])

/// A[r][q][p] = sum over s of A[r][q][s] X[s][p], in place
static void doitgen(long nr, long nq, long np, double a[restrict nr][nq][np],
                    const double x[restrict np][np]) {
#pragma omp parallel for collapse(2) schedule(static)
  for (long r = 0; r < nr; ++r)
    for (long q = 0; q < nq; ++q) {
      double sum[np];
      for (long p = 0; p < np; ++p)
        sum[p] = 0;
      for (long s = 0; s < np; ++s)
        for (long p = 0; p < np; ++p)
          sum[p] += a[r][q][s] * x[s][p];
      for (long p = 0; p < np; ++p)
        a[r][q][p] = sum[p];
    }
}
CALL(doitgen, n[0], n[1], n[2], a[0], a[1])

//===----------------------------------------------------------------------===//
// A matrix and vectors
//===----------------------------------------------------------------------===//

/// A += u1 v1^T + u2 v2^T, x = beta A^T y + z, w = alpha A x
static void gemver(long count, double a[restrict count][count],
                   const double *restrict u1, const double *restrict v1,
                   const double *restrict u2, const double *restrict v2,
                   const double *restrict y, const double *restrict z,
                   double *restrict x, double *restrict w) {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (long i = 0; i < count; ++i)
      for (long j = 0; j < count; ++j)
        a[i][j] += u1[i] * v1[j] + u2[i] * v2[j];
#pragma omp for schedule(static)
    for (long first = 0; first < count; first += strip) {
      const long end = least(first + strip, count);
      for (long i = first; i < end; ++i)
        x[i] = z[i];
      for (long j = 0; j < count; ++j)
        for (long i = first; i < end; ++i)
          x[i] += beta * a[j][i] * y[j];
    }
#pragma omp for schedule(static)
    for (long i = 0; i < count; ++i) {
      double sum = 0;
#pragma omp simd reduction(+ : sum)
      for (long j = 0; j < count; ++j)
        sum += a[i][j] * x[j];
      w[i] = alpha * sum;
    }
  }
}
CALL(gemver, n[0], a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8])

/// y = alpha A x + beta B x
static void gesummv(long count, const double a[restrict count][count],
                    const double b[restrict count][count],
                    const double *restrict x, double *restrict y) {
#pragma omp parallel for schedule(static)
  for (long i = 0; i < count; ++i) {
    double ofA = 0, ofB = 0;
#pragma omp simd reduction(+ : ofA, ofB)
    for (long j = 0; j < count; ++j) {
      ofA += a[i][j] * x[j];
      ofB += b[i][j] * x[j];
    }
    y[i] = alpha * ofA + beta * ofB;
  }
}
CALL(gesummv, n[0], a[0], a[1], a[2], a[3])

/// y = A^T (A x): each row of A is read once for both
static void atax(long rows, long columns,
                 const double a[restrict rows][columns],
                 const double *restrict x, double *restrict y) {
  for (long j = 0; j < columns; ++j)
    y[j] = 0;
#pragma omp parallel for schedule(static) reduction(+ : y[:columns])
  for (long i = 0; i < rows; ++i) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (long j = 0; j < columns; ++j)
      sum += a[i][j] * x[j];
    for (long j = 0; j < columns; ++j)
      y[j] += a[i][j] * sum;
  }
}
CALL(atax, n[0], n[1], a[0], a[1], a[2])

/// s = A^T r, q = A p: each row of A is read once for both
static void bicg(long rows, long columns,
                 const double a[restrict rows][columns],
                 const double *restrict r, const double *restrict p,
                 double *restrict s, double *restrict q) {
  for (long j = 0; j < columns; ++j)
    s[j] = 0;
#pragma omp parallel for schedule(static) reduction(+ : s[:columns])
  for (long i = 0; i < rows; ++i) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (long j = 0; j < columns; ++j) {
      s[j] += r[i] * a[i][j];
      sum += a[i][j] * p[j];
    }
    q[i] = sum;
  }
}
CALL(bicg, n[0], n[1], a[0], a[1], a[2], a[3], a[4])

/// x1 += A y1, x2 += A^T y2
static void mvt(long count, const double a[restrict count][count],
                const double *restrict y1, const double *restrict y2,
                double *restrict x1, double *restrict x2) {
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (long i = 0; i < count; ++i) {
      double sum = x1[i];
#pragma omp simd reduction(+ : sum)
      for (long j = 0; j < count; ++j)
        sum += a[i][j] * y1[j];
      x1[i] = sum;
    }
#pragma omp for schedule(static)
    for (long first = 0; first < count; first += strip) {
      const long end = least(first + strip, count);
      for (long j = 0; j < count; ++j)
        for (long i = first; i < end; ++i)
          x2[i] += a[j][i] * y2[j];
    }
  }
}
CALL(mvt, n[0], a[0], a[1], a[2], a[3], a[4])

KERNELS(linear) = {
    ROW(gemm, "gemm", "ab! ac cb"),
    ROW(symm, "symm", "ab! aa ab"),
    ROW(syrk, "syrk", "aa! ab"),
    ROW(syr2k, "syr2k", "aa! ab ab"),
    ROW(trmm, "trmm", "aa/ ab="),
    ROW(twoProducts, "2mm", "ab! ac cb bd ad!"),
    ROW(threeProducts, "3mm", "aa aa aa aa aa aa aa!"),
    ROW(doitgen, "doitgen", "abc= cc/"),
    ROW(gemver, "gemver", "aa! a a a a a a a! a!"),
    ROW(gesummv, "gesummv", "aa aa a a!"),
    ROW(atax, "atax", "ab b b!"),
    ROW(bicg, "bicg", "ab a b b! a!"),
    ROW(mvt, "mvt", "aa/ a a a! a!"),
    {0},
};
