// Local arrays of leaves: in tiles larger than the grid, and across the rounds
// of a loop with a barrier. Scratch memory is never written beyond its end.

// RUN: env SLUICE_GUARD_MEMORY=1 %sluice run %s -- 0 1 3 31 32 33 127 128 200 | FileCheck %s
// RUN: env SLUICE_GUARD_MEMORY=1 %sluice run -O0 %s -- 3 40 | FileCheck %s
// RUN: %sluice run --reference %s -- 3 40 | FileCheck %s
// CHECK-NOT: wrong
// CHECK: done

// 16 KiB for each of two million instances would be 32 GB.
// RUN: %sluice run -DLENGTH=4096 %s -- 2000000 | FileCheck %s

#include <hpvm.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef LENGTH
#define LENGTH 600
#endif

typedef struct __attribute__((packed)) {
  float *a;
  size_t na;
  float *o;
  size_t no;
  long n;
  long m;
} Args;

void tiled(float *a, size_t na, float *o, size_t no, long n, long m) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, a, 1, o);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  float buffer[LENGTH];
  for (int k = 0; k < m; k++)
    buffer[(k * 5) % LENGTH] = a[k] * (i & 3);
  float s = 0;
  for (int k = 0; k < m; k++)
    s += buffer[(k * 5) % LENGTH] * a[k];
  o[i] = s;
}
void rounds(float *a, size_t na, float *o, size_t no, long n, long m) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, a, 1, o);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  float buffer[16];
  float s = 0;
  for (int round = 0; round < 4; round++) {
    for (int k = 0; k < 16; ++k)
      if (round == 0)
        buffer[k] = a[k] + i % 100;
      else
        s += buffer[(k + n) & 15];
    __hpvm__barrier();
  }
  o[i] = s;
}
#define ROOT(NAME, LEAF)                                                       \
  void NAME(float *a, size_t na, float *o, size_t no, long n, long m) {        \
    __hpvm__hint(CPU_TARGET);                                                  \
    __hpvm__attributes(1, a, 1, o);                                            \
    void *t = __hpvm__createNodeND(1, LEAF, n);                                \
    for (int port = 0; port < 6; ++port)                                       \
      __hpvm__bindIn(t, port, port, 0);                                        \
  }
ROOT(tiledRoot, tiled)
ROOT(roundsRoot, rounds)

static void expect(const char *what, long n, long i, float value, float wanted) {
  if (value != wanted)
    printf("wrong: %s, %ld of %ld: %g instead of %g\n", what, i, n, value,
           wanted);
}

int main(int argc, char **argv) {
  __hpvm__init();
  for (int w = 1; w < argc; w++) {
    long n = atol(argv[w]);
    float a[16], *o = malloc(4 * n + 4);
    for (int i = 0; i < 16; i++)
      a[i] = i + 1;
    Args x = {a, sizeof a, o, 4 * n + 4, n, 16};
    __hpvm__wait(__hpvm__launch(0, tiledRoot, &x));
    for (long i = 0; i < n; i++)
      expect("tiled", n, i, o[i], (i & 3) * 1496);
    __hpvm__wait(__hpvm__launch(0, roundsRoot, &x));
    for (long i = 0; i < n; i++)
      expect("rounds", n, i, o[i], 3 * (136 + 16 * (i % 100)));
    free(o);
  }
  __hpvm__cleanup();
  printf("done\n");
}
