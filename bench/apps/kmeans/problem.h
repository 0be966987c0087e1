//===- problem.h - k-means ---------------------------------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lloyd's algorithm as in Rodinia: every point looks for the nearest centre,
// then every centre moves to the mean of its points. Points have whole numbers
// as coordinates, which makes sums exact, and lie around centres far apart.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_KMEANS_H
#define SLUICE_BENCH_KMEANS_H

#include "../app.h"

static long numPoints, dimensions, clusters, iterations;
static float *points, *centres, *expectedCentres;
static int *membership, *expectedMembership;

/// The centre next to `point`.
static inline int nearestCentre(const float *point, const float *centre,
                                long numCentres, long width) {
  int best = 0;
  float least = 3e38f;
  for (long c = 0; c < numCentres; ++c) {
    float distance = 0;
    for (long d = 0; d < width; ++d) {
      float difference = point[d] - centre[c * width + d];
      distance += difference * difference;
    }
    if (distance < least) {
      least = distance;
      best = (int)c;
    }
  }
  return best;
}

static inline void moveCentres(const float *sums, const int *counts,
                               float *centre) {
  for (long c = 0; c < clusters; ++c)
    for (long d = 0; d < dimensions; ++d)
      centre[c * dimensions + d] =
          sums[c * dimensions + d] / (float)(counts[c] > 0 ? counts[c] : 1);
}

static void reset(void) {
  memcpy(centres, points, sizeof(float) * (size_t)(clusters * dimensions));
  memset(membership, 0, sizeof(int) * (size_t)numPoints);
}

static void findExpected(void) {
  float *sums = (float *)calloc((size_t)(clusters * dimensions), sizeof(float));
  int *counts = (int *)calloc((size_t)clusters, sizeof(int));
  memcpy(expectedCentres, points,
         sizeof(float) * (size_t)(clusters * dimensions));
  for (long round = 0; round < iterations; ++round) {
    memset(sums, 0, sizeof(float) * (size_t)(clusters * dimensions));
    memset(counts, 0, sizeof(int) * (size_t)clusters);
    for (long p = 0; p < numPoints; ++p) {
      int c = nearestCentre(points + p * dimensions, expectedCentres, clusters,
                            dimensions);
      expectedMembership[p] = c;
      ++counts[c];
      for (long d = 0; d < dimensions; ++d)
        sums[c * dimensions + d] += points[p * dimensions + d];
    }
    moveCentres(sums, counts, expectedCentres);
  }
  free(sums);
  free(counts);
}

static void allocate(void) {
  numPoints = appNumber(1);
  dimensions = appNumber(2);
  clusters = appNumber(3);
  iterations = appNumber(4);
  points = appFloats(numPoints * dimensions);
  centres = appFloats(clusters * dimensions);
  membership = appInts(numPoints);
  expectedCentres =
      (float *)appOracle(sizeof(float) * (size_t)(clusters * dimensions));
  expectedMembership = (int *)appOracle(sizeof(int) * (size_t)numPoints);
  for (long p = 0; p < numPoints; ++p) {
    long c = p < clusters ? p : (long)(appRandom() % (uint32_t)clusters);
    for (long d = 0; d < dimensions; ++d) {
      long place = (c >> (d % 6) & 1) * 24 + c % 3 * 8;
      points[p * dimensions + d] = (float)(place + (long)(appRandom() % 5));
    }
  }
  findExpected();
}

static const char *verify(void) {
  const char *wrong =
      appSameInts("membership", expectedMembership, membership, numPoints);
  return wrong ? wrong
               : appSameFloats("centre", expectedCentres, centres,
                               clusters * dimensions, 0);
}

#endif // SLUICE_BENCH_KMEANS_H
