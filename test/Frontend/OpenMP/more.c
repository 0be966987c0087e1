// Constructs around and inside of loops: teams, scans, arrays that are reduced,
// conditional copies, loops in loops, functions that share loops.
// RUN: %sluice run %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=5 %sluice run %s | FileCheck %s --match-full-lines
// CHECK: 100 5050 330 330 340 42 45 190 7 108 9020
// RUN: %sluice check %s 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: more.c:[[# @LINE + 58]]:1: remark: nothing was checked here: this parallel region runs on LLVM's OpenMP library, since it uses 'lastprivate' for loops whose bounds depend on each other
// LEFT: free of races but for what the remarks name

#include <stdio.h>

static void share(int *a, int n) {
#pragma omp for
  for (int i = 0; i < n; ++i)
    a[i] += i;
}

int main(void) {
  int a[100] = {0}, b[100], sum = 0, last = 0, found = 0, shared[10] = {0};
  int thirds[3] = {0}, steps[20] = {0}, total = 0;
#pragma omp target teams distribute parallel for map(tofrom : a)
  for (int i = 0; i < 100; ++i)
    a[i] += 1;
  for (int i = 0; i < 100; ++i)
    total += a[i];
#pragma omp parallel for reduction(inscan, + : sum)
  for (int i = 0; i < 100; ++i) {
    sum += i + 1;
#pragma omp scan inclusive(sum)
    b[i] = sum;
  }
#pragma omp parallel for reduction(+ : thirds[ : 3])
  for (int i = 0; i < 100; ++i)
    thirds[i % 3] += 10 - 0 * i;
#pragma omp parallel for lastprivate(conditional : found)
  for (int i = 0; i < 100; ++i)
    if (i % 42 == 0 && i < 50)
      found = i;
#pragma omp parallel
  share(shared, 10);
#pragma omp parallel
  for (int step = 1; step < 20; ++step) {
#pragma omp for
    for (int i = 0; i < 20; ++i)
      if (i >= step)
        steps[i] += 1;
  }
#pragma omp parallel for lastprivate(last) ordered
  for (int i = 0; i < 8; ++i)
#pragma omp ordered
    last = i;
  int all = 0, stepped = 0, late = 0;
  for (int i = 0; i < 10; ++i)
    all += shared[i];
  for (int i = 0; i < 20; ++i)
    stepped += steps[i];
#pragma omp parallel for firstprivate(last) reduction(+ : late) num_threads(1)
  for (int i = 0; i < 4; ++i) {
    last += 8;
    late += last;
  }
  // Clang counts iterations up to the largest inner bound, so the last one may
  // be none.
  int steep = 0;
#pragma omp parallel for lastprivate(steep) collapse(2)
  for (int i = 0; i < 10; ++i)
    for (int j = i; j < 2 * i + 3; ++j)
      steep = i * 1000 + j;
  printf("%d %d %d %d %d %d %d %d %d %d %d\n", total, b[99], thirds[1], thirds[2],
         thirds[0], found, all, stepped, last, late,
         steep);
}
