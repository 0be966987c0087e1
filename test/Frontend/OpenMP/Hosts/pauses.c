// LLVM's library rests until the next team starts, which may not need the
// library: it may rest again all the same, whichever source has the team.
// RUN: env OMP_NUM_THREADS=1 %sluice run %s | FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %sluice run %s | FileCheck %s
// RUN: %sluice check -DFILL -DMAIN %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// PROVEN: proven free of races
// RUN: sluice cc -O2 -fopenmp -DFILL -c %s -o %t.fill.o
// RUN: sluice cc -O2 -fopenmp -DMAIN %s %t.fill.o -o %t
// RUN: env OMP_NUM_THREADS=1 %t | FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %t | FileCheck %s
// CHECK: paused: 0 0 0, sum 4950
#include <omp.h>
#include <stdio.h>

#if !defined(FILL) && !defined(MAIN)
#define FILL
#define MAIN
#endif

void fill(int *x);

#ifdef FILL
void fill(int *x) {
#pragma omp parallel for
  for (int i = 0; i < 100; ++i)
    x[i] = i;
}
#endif

#ifdef MAIN
int main(void) {
  static int x[100];
  int results[3], sum = 0;
  for (int k = 0; k < 3; ++k) {
    fill(x);
    results[k] = k == 1 ? omp_pause_resource(omp_pause_hard, 0)
                        : omp_pause_resource_all(omp_pause_soft);
  }
  for (int i = 0; i < 100; ++i)
    sum += x[i];
  printf("paused: %d %d %d, sum %d\n", results[0], results[1], results[2], sum);
}
#endif
