//===- stencils.c - Sweeps over grids -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neighbours are read along every axis, into a second grid or in place, where
// the order of the points is part of the result.
//
//===----------------------------------------------------------------------===//

#include "polybench.h"

/// The mean of three neighbours, twice a step
static void jacobi1d(long count, long steps, double *restrict a,
                     double *restrict b) {
#pragma omp parallel
  for (long step = 0; step < steps; ++step) {
#pragma omp for simd schedule(static)
    for (long i = 1; i < count - 1; ++i)
      b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
#pragma omp for simd schedule(static)
    for (long i = 1; i < count - 1; ++i)
      a[i] = (b[i - 1] + b[i] + b[i + 1]) / 3;
  }
}
CALL(jacobi1d, n[0], n[1], a[0], a[1])

/// The mean of five neighbours, twice a step
static void jacobi2d(long count, long steps, double a[restrict count][count],
                     double b[restrict count][count]) {
#pragma omp parallel
  for (long step = 0; step < steps; ++step) {
#pragma omp for schedule(static)
    for (long i = 1; i < count - 1; ++i)
      for (long j = 1; j < count - 1; ++j)
        b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] +
                         a[i - 1][j]);
#pragma omp for schedule(static)
    for (long i = 1; i < count - 1; ++i)
      for (long j = 1; j < count - 1; ++j)
        a[i][j] = 0.2 * (b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i + 1][j] +
                         b[i - 1][j]);
  }
}
CALL(jacobi2d, n[0], n[1], a[0], a[1])

/// to = from + an eighth of the second differences along each axis
static void heat(long count, double to[restrict count][count][count],
                 const double from[restrict count][count][count]) {
#pragma omp parallel for collapse(2) schedule(static)
  for (long i = 1; i < count - 1; ++i)
    for (long j = 1; j < count - 1; ++j)
      for (long k = 1; k < count - 1; ++k)
        to[i][j][k] =
            from[i][j][k] +
            0.125 *
                (from[i + 1][j][k] - 2 * from[i][j][k] + from[i - 1][j][k]) +
            0.125 *
                (from[i][j + 1][k] - 2 * from[i][j][k] + from[i][j - 1][k]) +
            0.125 * (from[i][j][k + 1] - 2 * from[i][j][k] + from[i][j][k - 1]);
}

static void heat3d(long count, long steps, void *a, void *b) {
  for (long step = 0; step < steps; ++step) {
    heat(count, b, a);
    heat(count, a, b);
  }
}
CALL(heat3d, n[0], n[1], a[0], a[1])

/// Electric and magnetic fields in turn; `wave` enters at row 0
static void fdtd2d(long nx, long ny, long steps, double ex[restrict nx][ny],
                   double ey[restrict nx][ny], double hz[restrict nx][ny],
                   const double *restrict wave) {
#pragma omp parallel
  for (long step = 0; step < steps; ++step) {
#pragma omp for schedule(static) nowait
    for (long i = 0; i < nx; ++i) {
      if (i == 0)
        for (long j = 0; j < ny; ++j)
          ey[0][j] = wave[step];
      else
        for (long j = 0; j < ny; ++j)
          ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j]);
    }
#pragma omp for schedule(static)
    for (long i = 0; i < nx; ++i)
      for (long j = 1; j < ny; ++j)
        ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1]);
#pragma omp for schedule(static)
    for (long i = 0; i < nx - 1; ++i)
      for (long j = 0; j < ny - 1; ++j)
        hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
}
CALL(fdtd2d, n[0], n[1], n[2], a[0], a[1], a[2], a[3])

/// The means of nine neighbours in place, for a part of row i
static inline void meansOfNine(long count, double a[restrict count][count],
                               long i, long from, long to) {
  for (long j = from; j < to; ++j)
    a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] +
               a[i][j] + a[i][j + 1] + a[i + 1][j - 1] + a[i + 1][j] +
               a[i + 1][j + 1]) /
              9;
}

/// Row by row, all from left to right. By a wavefront of tiles, since a point
/// comes after its upper right neighbour and before the lower left one: a tile
/// begins a column further left in each row, so that it needs only the tiles to
/// its left and above. The oracle has none.
static void seidel2d(long count, long steps, double a[restrict count][count]) {
#ifdef ORACLE
  for (long step = 0; step < steps; ++step)
    for (long i = 1; i < count - 1; ++i)
      meansOfNine(count, a, i, 1, count - 1);
#else
  enum { tile = 64 };
  const long rows = (count - 2 + tile - 1) / tile;
  const long columns = (2 * (count - 2) - 1 + tile - 1) / tile;
#pragma omp parallel
  for (long step = 0; step < steps; ++step)
    for (long wave = 0; wave < rows + columns - 1; ++wave) {
      const long from = wave < columns ? 0 : wave - columns + 1;
      const long to = least(wave, rows - 1);
#pragma omp for schedule(static)
      for (long row = from; row <= to; ++row) {
        const long bottom = least(1 + (row + 1) * tile, count - 1);
        for (long i = 1 + row * tile; i < bottom; ++i) {
          const long left = 2 + (wave - row) * tile - i;
          meansOfNine(count, a, i, left < 1 ? 1 : left,
                      least(left + tile, count - 1));
        }
      }
    }
#endif
}
CALL(seidel2d, n[0], n[1], a[0])

/// A step of diffusion by alternating directions: implicit along columns from
/// u to v, then along rows from v to u, by the algorithm of Thomas with factors
/// p and q
static void adi(long count, long steps, double u[restrict count][count],
                double v[restrict count][count],
                double p[restrict count][count],
                double q[restrict count][count]) {
  const double dx = 1.0 / count, dt = 1.0 / steps;
  const double one = 2 * dt / (dx * dx), two = dt / (dx * dx);
  const double a = -one / 2, b = 1 + one, d = -two / 2, e = 1 + two;
  for (long step = 0; step < steps; ++step) {
#pragma omp parallel for schedule(static)
    for (long first = 1; first < count - 1; first += strip) {
      const long end = least(first + strip, count - 1);
      for (long i = first; i < end; ++i) {
        v[0][i] = 1;
        p[0][i] = 0;
        q[0][i] = 1;
      }
      for (long j = 1; j < count - 1; ++j)
        for (long i = first; i < end; ++i) {
          const double below = a * p[j - 1][i] + b;
          p[j][i] = -a / below;
          q[j][i] = (-d * u[j][i - 1] + (1 + 2 * d) * u[j][i] -
                     d * u[j][i + 1] - a * q[j - 1][i]) /
                    below;
        }
      for (long i = first; i < end; ++i)
        v[count - 1][i] = 1;
      for (long j = count - 2; j > 0; --j)
        for (long i = first; i < end; ++i)
          v[j][i] = p[j][i] * v[j + 1][i] + q[j][i];
    }
#pragma omp parallel for schedule(static)
    for (long i = 1; i < count - 1; ++i) {
      u[i][0] = 1;
      p[i][0] = 0;
      q[i][0] = 1;
      for (long j = 1; j < count - 1; ++j) {
        const double below = d * p[i][j - 1] + e;
        p[i][j] = -d / below;
        q[i][j] = (-a * v[i - 1][j] + (1 + 2 * a) * v[i][j] - a * v[i + 1][j] -
                   d * q[i][j - 1]) /
                  below;
      }
      u[i][count - 1] = 1;
      for (long j = count - 2; j > 0; --j)
        u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
    }
  }
}
CALL(adi, n[0], n[1], a[0], a[1], a[2], a[3])

KERNELS(stencils) = {
    ROW(jacobi1d, "jacobi-1d", "a! a!"),
    ROW(jacobi2d, "jacobi-2d", "aa! aa!"),
    ROW(heat3d, "heat-3d", "aaa! aaa!"),
    ROW(fdtd2d, "fdtd-2d", "ab! ab! ab! c"),
    ROW(seidel2d, "seidel-2d", "aa!"),
    ROW(adi, "adi", "aa= aa! aa aa"),
    {0},
};
