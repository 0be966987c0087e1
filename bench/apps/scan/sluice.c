//===- sluice.c - Prefix sums in HPVM-C -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three stages: the sums of 64 parts, their prefix sums, and those of the
// elements of each part from there on.
//
//===----------------------------------------------------------------------===//

#include "../tracked.h"

#include "problem.h"

enum { numParts = 64 };
static int *partSums;

void sumLeaf(int *from, size_t fromBytes, int *sums, size_t sumsBytes,
             long count) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, from, 1, sums);
  void *self = __hpvm__getNode();
  long part = __hpvm__getNodeInstanceID_x(self);
  long parts = __hpvm__getNumNodeInstances_x(self);
  int sum = 0;
  for (long i = count * part / parts; i < count * (part + 1) / parts; ++i)
    sum += from[i];
  sums[part] = sum;
  __hpvm__return(1, sumsBytes);
}

void offsetsLeaf(int *sums, size_t sumsBytes, long parts) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, sums, 1, sums);
  int before = 0;
  for (long part = 0; part < parts; ++part) {
    int sum = sums[part];
    sums[part] = before;
    before += sum;
  }
  __hpvm__return(1, sumsBytes);
}

void scanLeaf(int *from, size_t fromBytes, int *sums, size_t sumsBytes, int *to,
              size_t toBytes, long count) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, from, sums, 1, to);
  void *self = __hpvm__getNode();
  long part = __hpvm__getNodeInstanceID_x(self);
  long parts = __hpvm__getNumNodeInstances_x(self);
  int sum = sums[part];
  for (long i = count * part / parts; i < count * (part + 1) / parts; ++i) {
    sum += from[i];
    to[i] = sum;
  }
}

void scanRoot(int *from, size_t fromBytes, int *sums, size_t sumsBytes, int *to,
              size_t toBytes, long count, long parts) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, from, sums, 2, sums, to);
  void *sum = __hpvm__createNodeND(1, sumLeaf, (size_t)parts);
  void *offsets = __hpvm__createNodeND(0, offsetsLeaf);
  void *scan = __hpvm__createNodeND(1, scanLeaf, (size_t)parts);
  __hpvm__bindIn(sum, 0, 0, 0);
  __hpvm__bindIn(sum, 1, 1, 0);
  __hpvm__bindIn(sum, 2, 2, 0);
  __hpvm__bindIn(sum, 3, 3, 0);
  __hpvm__bindIn(sum, 6, 4, 0);
  __hpvm__bindIn(offsets, 2, 0, 0);
  __hpvm__edge(sum, offsets, 1, 0, 1, 0);
  __hpvm__bindIn(offsets, 7, 2, 0);
  __hpvm__bindIn(scan, 0, 0, 0);
  __hpvm__bindIn(scan, 1, 1, 0);
  __hpvm__bindIn(scan, 2, 2, 0);
  __hpvm__edge(offsets, scan, 1, 0, 3, 0);
  __hpvm__bindIn(scan, 4, 4, 0);
  __hpvm__bindIn(scan, 5, 5, 0);
  __hpvm__bindIn(scan, 6, 6, 0);
}

typedef struct __attribute__((__packed__)) {
  int *from;
  size_t fromBytes;
  int *sums;
  size_t sumsBytes;
  int *to;
  size_t toBytes;
  long count, parts;
} Arguments;

static void run(void) {
  size_t bytes = sizeof(int) * length;
  Arguments arguments = {input,  bytes, partSums, sizeof(int) * numParts,
                         output, bytes, length,   numParts};
  __hpvm__wait(__hpvm__launch(0, scanRoot, &arguments));
  llvm_hpvm_request_mem(output, bytes);
}

int main(void) {
  static int sums[numParts];
  partSums = sums;
  __hpvm__init();
  llvm_hpvm_track_mem(partSums, sizeof(sums));
  int status = appServe();
  llvm_hpvm_untrack_mem(partSums);
  __hpvm__cleanup();
  return status;
}
