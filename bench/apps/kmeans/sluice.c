//===- sluice.c - k-means in HPVM-C ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One graph an iteration: the points choose their centres, then 64 parts of
// them add up. The host adds the parts and moves the centres, as in Rodinia.
//
//===----------------------------------------------------------------------===//

#include "../tracked.h"

#include "problem.h"

enum { numParts = 64 };
static float *partSums;
static int *partCounts;

void assignLeaf(float *point, size_t pointBytes, float *centre,
                size_t centreBytes, int *member, size_t memberBytes,
                long numCentres, long width) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, point, centre, 1, member);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  member[i] = nearestCentre(point + i * width, centre, numCentres, width);
  __hpvm__return(1, memberBytes);
}

void sumLeaf(float *point, size_t pointBytes, int *member, size_t memberBytes,
             float *sums, size_t sumsBytes, int *counts, size_t countsBytes,
             long numCentres, long width, long count) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, point, member, 2, sums, counts);
  void *self = __hpvm__getNode();
  long part = __hpvm__getNodeInstanceID_x(self);
  long parts = __hpvm__getNumNodeInstances_x(self);
  float *mySums = sums + part * numCentres * width;
  int *myCounts = counts + part * numCentres;
  for (long c = 0; c < numCentres; ++c) {
    myCounts[c] = 0;
    for (long d = 0; d < width; ++d)
      mySums[c * width + d] = 0;
  }
  for (long i = count * part / parts; i < count * (part + 1) / parts; ++i) {
    long c = member[i];
    ++myCounts[c];
    for (long d = 0; d < width; ++d)
      mySums[c * width + d] += point[i * width + d];
  }
}

void kmeansRoot(float *point, size_t pointBytes, float *centre,
                size_t centreBytes, int *member, size_t memberBytes,
                float *sums, size_t sumsBytes, int *counts, size_t countsBytes,
                long numCentres, long width, long count, long parts) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, point, centre, member, 3, member, sums, counts);
  void *assign = __hpvm__createNodeND(1, assignLeaf, (size_t)count);
  void *sum = __hpvm__createNodeND(1, sumLeaf, (size_t)parts);
  __hpvm__bindIn(assign, 0, 0, 0);
  __hpvm__bindIn(assign, 1, 1, 0);
  __hpvm__bindIn(assign, 2, 2, 0);
  __hpvm__bindIn(assign, 3, 3, 0);
  __hpvm__bindIn(assign, 4, 4, 0);
  __hpvm__bindIn(assign, 5, 5, 0);
  __hpvm__bindIn(assign, 10, 6, 0);
  __hpvm__bindIn(assign, 11, 7, 0);
  __hpvm__bindIn(sum, 0, 0, 0);
  __hpvm__bindIn(sum, 1, 1, 0);
  __hpvm__bindIn(sum, 4, 2, 0);
  __hpvm__edge(assign, sum, 1, 0, 3, 0);
  __hpvm__bindIn(sum, 6, 4, 0);
  __hpvm__bindIn(sum, 7, 5, 0);
  __hpvm__bindIn(sum, 8, 6, 0);
  __hpvm__bindIn(sum, 9, 7, 0);
  __hpvm__bindIn(sum, 10, 8, 0);
  __hpvm__bindIn(sum, 11, 9, 0);
  __hpvm__bindIn(sum, 12, 10, 0);
}

typedef struct __attribute__((__packed__)) {
  float *point;
  size_t pointBytes;
  float *centre;
  size_t centreBytes;
  int *member;
  size_t memberBytes;
  float *sums;
  size_t sumsBytes;
  int *counts;
  size_t countsBytes;
  long numCentres, width, count, parts;
} Arguments;

static void run(void) {
  size_t pointBytes = sizeof(float) * numPoints * dimensions;
  size_t centreBytes = sizeof(float) * clusters * dimensions;
  size_t memberBytes = sizeof(int) * numPoints;
  size_t sumsBytes = numParts * centreBytes;
  size_t countsBytes = sizeof(int) * numParts * clusters;
  partSums = (float *)malloc(sumsBytes);
  partCounts = (int *)malloc(countsBytes);
  llvm_hpvm_track_mem(partSums, sumsBytes);
  llvm_hpvm_track_mem(partCounts, countsBytes);
  for (long round = 0; round < iterations; ++round) {
    Arguments arguments = {points,     pointBytes,  centres,  centreBytes,
                           membership, memberBytes, partSums, sumsBytes,
                           partCounts, countsBytes, clusters, dimensions,
                           numPoints,  numParts};
    __hpvm__wait(__hpvm__launch(0, kmeansRoot, &arguments));
    llvm_hpvm_request_mem(partSums, sumsBytes);
    llvm_hpvm_request_mem(partCounts, countsBytes);
    for (long part = 1; part < numParts; ++part) {
      for (long i = 0; i < clusters * dimensions; ++i)
        partSums[i] += partSums[part * clusters * dimensions + i];
      for (long c = 0; c < clusters; ++c)
        partCounts[c] += partCounts[part * clusters + c];
    }
    moveCentres(partSums, partCounts, centres);
  }
  llvm_hpvm_request_mem(membership, memberBytes);
  llvm_hpvm_untrack_mem(partSums);
  llvm_hpvm_untrack_mem(partCounts);
  free(partSums);
  free(partCounts);
}

int main(void) { return appServeGraphs(); }
