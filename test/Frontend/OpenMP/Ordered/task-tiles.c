// Tasks in loops over tiles, which 'depend' puts in order. Without input they are
// proven, and a missing address is an error whatever the input is.
// RUN: %sluice check -fopenmp -DSIZE=7 "-DREAD=a[i][k], a[j][k]" %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// PROVEN: proven free of races
// RUN: %sluice check -fopenmp -DSIZE=argc+6 "-DREAD=a[i][k], a[j][k]" %s 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: remark: following the program from its start decides no more
// OPEN-NOT: proven
// RUN: not %sluice check -fopenmp -DSIZE=7 "-DREAD=a[i][k]" %s 2>&1 | FileCheck %s
// RUN: not %sluice check -fopenmp -DSIZE=argc+6 "-DREAD=a[i][k]" %s 2>&1 | FileCheck %s
// CHECK: task-tiles.c:[[# @LINE + 24]]:38: error: a task reads 'a' here, where another one writes it at the same time; let one task wait for the other by 'depend'
// CHECK: task-tiles.c:[[# @LINE + 17]]:20: note: the other one writes it here
#include <stdio.h>

enum { Tiles = 8, Length = 16 };
static double a[Tiles][Tiles][Length];

int main(int argc, char **argv) {
  const int n = SIZE;
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < n; ++k) {
#pragma omp task depend(inout : a[k][k])
    for (int x = 0; x < Length; ++x)
      a[k][k][x] += 1 + k;
    for (int i = k + 1; i < n; ++i) {
#pragma omp task depend(in : a[k][k]) depend(inout : a[i][k])
      for (int x = 0; x < Length; ++x)
        a[i][k][x] += a[k][k][x];
    }
    for (int i = k + 1; i < n; ++i)
      for (int j = k + 1; j <= i; ++j) {
#pragma omp task depend(in : READ) depend(inout : a[i][j])
        for (int x = 0; x < Length; ++x)
          a[i][j][x] += a[i][k][x] * a[j][k][x];
      }
  }
  printf("%g\n", a[4][3][5]);
}
