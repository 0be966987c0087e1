//===- medley.c - Statistics, filters and dynamic programs ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels that are neither products, solvers nor sweeps.
//
//===----------------------------------------------------------------------===//

#include "polybench.h"

//===----------------------------------------------------------------------===//
// Statistics of `points` rows of `count` attributes
//===----------------------------------------------------------------------===//

/// upper triangle of to = data^T data / by, mirrored below the diagonal
static void productOfColumns(long count, long points, double by,
                             const double data[restrict points][count],
                             double to[restrict count][count]) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 4)
    for (long i = 0; i < count; ++i) {
      for (long j = i; j < count; ++j)
        to[i][j] = 0;
      for (long k = 0; k < points; ++k)
        for (long j = i; j < count; ++j)
          to[i][j] += data[k][i] * data[k][j];
      for (long j = i; j < count; ++j)
        to[i][j] /= by;
    }
#pragma omp for schedule(static)
    for (long i = 1; i < count; ++i)
      for (long j = 0; j < i; ++j)
        to[i][j] = to[j][i];
  }
}

static void covariance(long count, long points,
                       double data[restrict points][count],
                       double to[restrict count][count],
                       double *restrict mean) {
#pragma omp parallel for schedule(static)
  for (long first = 0; first < count; first += strip) {
    const long end = least(first + strip, count);
    for (long j = first; j < end; ++j)
      mean[j] = 0;
    for (long i = 0; i < points; ++i)
      for (long j = first; j < end; ++j)
        mean[j] += data[i][j];
    for (long j = first; j < end; ++j)
      mean[j] /= points;
    for (long i = 0; i < points; ++i)
      for (long j = first; j < end; ++j)
        data[i][j] -= mean[j];
  }
  productOfColumns(count, points, points - 1.0, data, to);
}
CALL(covariance, n[0], n[1], a[0], a[1], a[2])

/// The same with deviations of 1; those near to none count as 1
static void correlation(long count, long points,
                        double data[restrict points][count],
                        double to[restrict count][count], double *restrict mean,
                        double *restrict deviation) {
#pragma omp parallel for schedule(static)
  for (long first = 0; first < count; first += strip) {
    const long end = least(first + strip, count);
    for (long j = first; j < end; ++j)
      mean[j] = deviation[j] = 0;
    for (long i = 0; i < points; ++i)
      for (long j = first; j < end; ++j)
        mean[j] += data[i][j];
    for (long j = first; j < end; ++j)
      mean[j] /= points;
    for (long i = 0; i < points; ++i)
      for (long j = first; j < end; ++j)
        deviation[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
    for (long j = first; j < end; ++j) {
      deviation[j] = sqrt(deviation[j] / points);
      deviation[j] = deviation[j] <= 0.1 ? 1 : deviation[j];
    }
    for (long i = 0; i < points; ++i)
      for (long j = first; j < end; ++j)
        data[i][j] = (data[i][j] - mean[j]) / (sqrt(points) * deviation[j]);
  }
  productOfColumns(count, points, 1, data, to);
}
CALL(correlation, n[0], n[1], a[0], a[1], a[2], a[3])

//===----------------------------------------------------------------------===//
// A filter
//===----------------------------------------------------------------------===//

/// Deriche's recursive smoothing: from both ends of each row, then from both
/// ends of each column; y1 and y2 are what the two directions give.
static void deriche(long width, long height,
                    const float image[restrict width][height],
                    float out[restrict width][height],
                    float y1[restrict width][height],
                    float y2[restrict width][height]) {
  const float alpha = 0.25f;
  const float k = (1 - expf(-alpha)) * (1 - expf(-alpha)) /
                  (1 + 2 * alpha * expf(-alpha) - expf(2 * alpha));
  const float a1 = k, a2 = k * expf(-alpha) * (alpha - 1);
  const float a3 = k * expf(-alpha) * (alpha + 1), a4 = -k * expf(-2 * alpha);
  const float b1 = powf(2, -alpha), b2 = -expf(-2 * alpha);
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (long i = 0; i < width; ++i) {
      float before = 0, first = 0, second = 0;
      for (long j = 0; j < height; ++j) {
        y1[i][j] = a1 * image[i][j] + a2 * before + b1 * first + b2 * second;
        before = image[i][j];
        second = first;
        first = y1[i][j];
      }
      float next = 0, nextButOne = 0;
      first = second = 0;
      for (long j = height - 1; j >= 0; --j) {
        y2[i][j] = a3 * next + a4 * nextButOne + b1 * first + b2 * second;
        nextButOne = next;
        next = image[i][j];
        second = first;
        first = y2[i][j];
      }
      for (long j = 0; j < height; ++j)
        out[i][j] = y1[i][j] + y2[i][j];
    }
#pragma omp for schedule(static)
    for (long start = 0; start < height; start += strip) {
      const long end = least(start + strip, height);
      float before[strip] = {0}, first[strip] = {0}, second[strip] = {0};
      for (long i = 0; i < width; ++i)
        for (long j = start; j < end; ++j) {
          const long c = j - start;
          y1[i][j] =
              a1 * out[i][j] + a2 * before[c] + b1 * first[c] + b2 * second[c];
          before[c] = out[i][j];
          second[c] = first[c];
          first[c] = y1[i][j];
        }
      float next[strip] = {0}, nextButOne[strip] = {0};
      for (long c = 0; c < strip; ++c)
        first[c] = second[c] = 0;
      for (long i = width - 1; i >= 0; --i)
        for (long j = start; j < end; ++j) {
          const long c = j - start;
          y2[i][j] = a3 * next[c] + a4 * nextButOne[c] + b1 * first[c] +
                     b2 * second[c];
          nextButOne[c] = next[c];
          next[c] = out[i][j];
          second[c] = first[c];
          first[c] = y2[i][j];
          out[i][j] = y1[i][j] + y2[i][j];
        }
    }
  }
}
CALL(deriche, n[0], n[1], a[0], a[1], a[2], a[3])

//===----------------------------------------------------------------------===//
// Dynamic programs
//===----------------------------------------------------------------------===//

/// Shortest paths between all pairs, in place
static void floydWarshall(long count, int path[restrict count][count]) {
#pragma omp parallel
  for (long k = 0; k < count; ++k) {
#pragma omp for schedule(static)
    for (long i = 0; i < count; ++i) {
      if (i == k)
        continue; // unchanged, and all others read it
      const int toK = path[i][k];
      for (long j = 0; j < count; ++j) {
        const int through = toK + path[k][j];
        path[i][j] = through < path[i][j] ? through : path[i][j];
      }
    }
  }
}
CALL(floydWarshall, n[0], a[0])

static int larger(int a, int b) { return a > b ? a : b; }

/// The most pairs of bases of a sequence that fold without crossing: by
/// diagonals of `most`, which are independent inside
static void nussinov(long count, const int *restrict bases,
                     int most[restrict count][count]) {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (long i = 0; i < count; ++i)
      for (long j = 0; j <= i; ++j)
        most[i][j] = 0;
    for (long apart = 1; apart < count; ++apart)
#pragma omp for schedule(static)
      for (long i = 0; i < count - apart; ++i) {
        const long j = i + apart;
        const int fits = bases[i] % 4 + bases[j] % 4 == 3;
        int best = larger(most[i][j - 1], most[i + 1][j]);
        best = larger(best, most[i + 1][j - 1] + (apart > 1 ? fits : 0));
        for (long k = i + 1; k < j; ++k)
          best = larger(best, most[i][k] + most[k + 1][j]);
        most[i][j] = best;
      }
  }
}
CALL(nussinov, n[0], a[0], a[1])

KERNELS(medley) = {
    ROW(correlation, "correlation", "ba= aa! a! a!"),
    ROW(covariance, "covariance", "ba= aa! a!"),
    ROW(deriche, "deriche", "ab~ ab~! ab~ ab~"),
    ROW(floydWarshall, "floyd-warshall", "aa#="),
    ROW(nussinov, "nussinov", "a# aa#!"),
    {0},
};
