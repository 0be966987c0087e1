// Updates stay as they are where another node may look at the memory while they
// are made: what is collected would come too late for it. Nodes that run before
// or after do not count.
// RUN: %sluice build %s --print=llvm | FileCheck %s --check-prefix=SHARED
// RUN: %sluice build %s -DEDGE --print=llvm | FileCheck %s --check-prefix=ORDERED
// RUN: %sluice run %s | FileCheck %s
// RUN: %sluice run -DEDGE %s | FileCheck %s
// SHARED-NOT: sluice.copy.open
// ORDERED: sluice.copy.open
// CHECK: 4000 of 4000

#include <hpvm.h>
#include <stdio.h>

void count(int *in, size_t bytesIn, int *bins, size_t bytesBins) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, in, bins, 1, bins);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  __hpvm__atomic_add(&bins[in[i] & 15], 1);
#ifdef EDGE
  __hpvm__return(1, bytesIn);
#endif
}

void look(int *bins, size_t bytesBins, int *seen, size_t bytesSeen
#ifdef EDGE
          ,
          size_t after
#endif
) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, bins, seen, 2, bins, seen);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  seen[i] = __hpvm__atomic_add(&bins[i], 0);
}

void root(int *in, size_t bytesIn, int *bins, size_t bytesBins, int *seen,
          size_t bytesSeen, size_t instances) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, in, bins, seen, 2, bins, seen);
  void *counts = __hpvm__createNodeND(1, count, instances);
  void *looks = __hpvm__createNodeND(1, look, (size_t)16);
  __hpvm__bindIn(counts, 0, 0, 0);
  __hpvm__bindIn(counts, 1, 1, 0);
  __hpvm__bindIn(counts, 2, 2, 0);
  __hpvm__bindIn(counts, 3, 3, 0);
  __hpvm__bindIn(looks, 2, 0, 0);
  __hpvm__bindIn(looks, 3, 1, 0);
  __hpvm__bindIn(looks, 4, 2, 0);
  __hpvm__bindIn(looks, 5, 3, 0);
#ifdef EDGE
  __hpvm__edge(counts, looks, 1, 0, 4, 0);
#endif
}

typedef struct __attribute__((__packed__)) {
  int *in;
  size_t bytesIn;
  int *bins;
  size_t bytesBins;
  int *seen;
  size_t bytesSeen;
  size_t instances;
} Arguments;

int main(void) {
  static int in[4000], bins[16], seen[16];
  for (int i = 0; i < 4000; ++i)
    in[i] = i * 7;
  Arguments arguments = {in,   sizeof(in),   bins, sizeof(bins),
                         seen, sizeof(seen), 4000};
  __hpvm__init();
  llvm_hpvm_track_mem(in, sizeof(in));
  llvm_hpvm_track_mem(bins, sizeof(bins));
  llvm_hpvm_track_mem(seen, sizeof(seen));
  __hpvm__wait(__hpvm__launch(0, root, (void *)&arguments));
  llvm_hpvm_request_mem(bins, sizeof(bins));
  int sum = 0;
  for (int i = 0; i < 16; ++i)
    sum += bins[i];
  printf("%d of 4000\n", sum);
  llvm_hpvm_untrack_mem(in);
  llvm_hpvm_untrack_mem(bins);
  llvm_hpvm_untrack_mem(seen);
  __hpvm__cleanup();
  return sum != 4000;
}
