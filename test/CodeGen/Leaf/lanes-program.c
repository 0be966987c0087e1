// A whole program with lanes and without: the same numbers for every number of
// workers and vector length.
// RUN: %sluice run -ffp-contract=off %s | FileCheck %s
// RUN: env SLUICE_WORKERS=1 %sluice run -ffp-contract=off %s | FileCheck %s
// RUN: env SLUICE_WORKERS=3 %sluice run -ffp-contract=off %s | FileCheck %s
// RUN: %sluice run -ffp-contract=off --no-lanes %s | FileCheck %s
// RUN: %sluice run -ffp-contract=off --reference %s | FileCheck %s
// RUN: %sluice run -ffp-contract=off -march=x86-64 %s | FileCheck %s
// RUN: %sluice run -ffp-contract=off -fno-vectorize %s | FileCheck %s
// CHECK: 21 of 21 rows: 6068f944
// RUN: %sluice build -march=x86-64-v3 %s --print=asm | FileCheck %s --check-prefix=LANES
// RUN: %sluice build -march=x86-64-v3 --no-lanes %s --print=asm | FileCheck %s --check-prefix=SCALAR --implicit-check-not=vmulps
// RUN: %sluice build -march=icelake-server %s --print=asm | FileCheck %s --check-prefix=WIDE
// WIDE: vmulps {{.*}}%zmm
// LANES: vmulps {{.*}}%ymm
// SCALAR: vmulss

#include <hpvm.h>
#include <stdio.h>
#include <string.h>

enum { width = 75, height = 21 };

void pixel(int *rounds, size_t roundsBytes, int most) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, rounds, 1, rounds);
  void *self = __hpvm__getNode();
  long x = __hpvm__getNodeInstanceID_x(self);
  long y = __hpvm__getNodeInstanceID_y(self);
  float a = x * 0.04f - 2.1f, b = y * 0.1f - 1.0f, u = 0, v = 0;
  int round = 0;
  while (round < most && u * u + v * v < 4) {
    float next = u * u - v * v + a;
    v = 2 * u * v + b;
    u = next;
    ++round;
  }
  rounds[y * width + x] = round;
}

void root(int *rounds, size_t roundsBytes, int most, long columns, long rows) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, rounds, 1, rounds);
  void *node = __hpvm__createNodeND(2, pixel, columns, rows);
  for (int port = 0; port != 3; ++port)
    __hpvm__bindIn(node, port, port, 0);
}

struct __attribute__((packed)) Arguments {
  int *rounds;
  size_t roundsBytes;
  int most;
  long columns, rows;
};

int main(void) {
  static int rounds[height][width];
  __hpvm__init();
  unsigned hash = 0;
  int good = 0;
  for (long rows = 1; rows <= height; ++rows) {
    memset(rounds, -1, sizeof(rounds));
    struct Arguments arguments = {rounds[0], sizeof(rounds), 300, width - rows,
                                  rows};
    llvm_hpvm_track_mem(rounds, sizeof(rounds));
    void *graph = __hpvm__launch(0, root, &arguments);
    __hpvm__wait(graph);
    llvm_hpvm_request_mem(rounds, sizeof(rounds));
    llvm_hpvm_untrack_mem(rounds);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        hash = hash * 31 + rounds[y][x];
    good += rounds[rows - 1][width - rows] == -1 && rounds[0][0] >= 0;
  }
  __hpvm__cleanup();
  printf("%d of %d rows: %08x\n", good, height, hash);
}
