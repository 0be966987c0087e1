//===- sluice.c - Sorting numbers in HPVM-C -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch a pass, of three stages: 64 parts count their digits, the counts
// become places, and the parts move their numbers there.
//
//===----------------------------------------------------------------------===//

#include "../tracked.h"

#include "problem.h"

/// Each part counts all digits, so it should have many more keys.
enum { mostParts = 64, leastKeys = 16 * digits };
static int places[mostParts * digits];

static long numParts(void) {
  long parts = length / leastKeys;
  return parts < 1 ? 1 : parts < mostParts ? parts : mostParts;
}

void countLeaf(unsigned *from, size_t fromBytes, int *place, size_t placeBytes,
               long count, int shift) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, from, 1, place);
  void *self = __hpvm__getNode();
  long part = __hpvm__getNodeInstanceID_x(self);
  long parts = __hpvm__getNumNodeInstances_x(self);
  int *mine = place + part * digits;
  for (long digit = 0; digit < digits; ++digit)
    mine[digit] = 0;
  for (long i = count * part / parts; i < count * (part + 1) / parts; ++i)
    ++mine[digitOf(from[i], shift)];
  __hpvm__return(1, placeBytes);
}

void placeLeaf(int *place, size_t placeBytes, long parts) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, place, 1, place);
  int before = 0;
  for (long digit = 0; digit < digits; ++digit)
    for (long part = 0; part < parts; ++part) {
      int here = place[part * digits + digit];
      place[part * digits + digit] = before;
      before += here;
    }
  __hpvm__return(1, placeBytes);
}

void moveLeaf(unsigned *from, size_t fromBytes, int *place, size_t placeBytes,
              unsigned *to, size_t toBytes, long count, int shift) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, from, place, 2, place, to);
  void *self = __hpvm__getNode();
  long part = __hpvm__getNodeInstanceID_x(self);
  long parts = __hpvm__getNumNodeInstances_x(self);
  int *mine = place + part * digits;
  for (long i = count * part / parts; i < count * (part + 1) / parts; ++i)
    to[mine[digitOf(from[i], shift)]++] = from[i];
}

void passRoot(unsigned *from, size_t fromBytes, int *place, size_t placeBytes,
              unsigned *to, size_t toBytes, long count, int shift, long parts) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, from, place, 2, place, to);
  void *counting = __hpvm__createNodeND(1, countLeaf, (size_t)parts);
  void *placing = __hpvm__createNodeND(0, placeLeaf);
  void *moving = __hpvm__createNodeND(1, moveLeaf, (size_t)parts);
  __hpvm__bindIn(counting, 0, 0, 0);
  __hpvm__bindIn(counting, 1, 1, 0);
  __hpvm__bindIn(counting, 2, 2, 0);
  __hpvm__bindIn(counting, 3, 3, 0);
  __hpvm__bindIn(counting, 6, 4, 0);
  __hpvm__bindIn(counting, 7, 5, 0);
  __hpvm__bindIn(placing, 2, 0, 0);
  __hpvm__edge(counting, placing, 1, 0, 1, 0);
  __hpvm__bindIn(placing, 8, 2, 0);
  __hpvm__bindIn(moving, 0, 0, 0);
  __hpvm__bindIn(moving, 1, 1, 0);
  __hpvm__bindIn(moving, 2, 2, 0);
  __hpvm__edge(placing, moving, 1, 0, 3, 0);
  __hpvm__bindIn(moving, 4, 4, 0);
  __hpvm__bindIn(moving, 5, 5, 0);
  __hpvm__bindIn(moving, 6, 6, 0);
  __hpvm__bindIn(moving, 7, 7, 0);
}

typedef struct __attribute__((__packed__)) {
  unsigned *from;
  size_t fromBytes;
  int *place;
  size_t placeBytes;
  unsigned *to;
  size_t toBytes;
  long count;
  int shift;
  long parts;
} Arguments;

static void run(void) {
  size_t bytes = sizeof(unsigned) * length;
  for (int pass = 0; pass < numPasses; ++pass) {
    Arguments arguments = {sourceOf(pass), bytes, places, sizeof(places),
                           sinkOf(pass),   bytes, length, pass * digitBits,
                           numParts()};
    __hpvm__wait(__hpvm__launch(0, passRoot, &arguments));
  }
  llvm_hpvm_request_mem(output, bytes);
}

int main(void) {
  __hpvm__init();
  llvm_hpvm_track_mem(places, sizeof(places));
  int status = appServe();
  llvm_hpvm_untrack_mem(places);
  __hpvm__cleanup();
  return status;
}
