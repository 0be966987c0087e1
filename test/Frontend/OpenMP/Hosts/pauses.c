// LLVM's library rests until the next team starts, which must not be left out.
// RUN: env OMP_NUM_THREADS=1 %sluice run %s | FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %sluice run %s | FileCheck %s
// CHECK: paused: 0 0 0, sum 4950
// RUN: %sluice check %s 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: since it is in a program that pauses this library
#include <omp.h>
#include <stdio.h>

static int x[100];

int main(void) {
  int results[3], sum = 0;
  for (int k = 0; k < 3; ++k) {
#pragma omp parallel for
    for (int i = 0; i < 100; ++i)
      x[i] = i;
    results[k] = omp_pause_resource_all(omp_pause_soft);
  }
  for (int i = 0; i < 100; ++i)
    sum += x[i];
  printf("paused: %d %d %d, sum %d\n", results[0], results[1], results[2], sum);
}
