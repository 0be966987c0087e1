// Iterations of different teams run at once although a critical section, a
// barrier or the end of a loop stands between them, and what each team does
// beside its loop, all of them do. Nothing of that is said to be proven.
// RUN: %sluice run %s | FileCheck %s --match-full-lines
// CHECK: 1000
// RUN: %sluice check --diagnostics=json %s 2>&1 | grep -c "teams and devices are LLVM's library's" | FileCheck %s --check-prefix=LEFT --match-full-lines
// LEFT: 5
// RUN: not %sluice check --require-proof %s
#include <stdio.h>

enum { n = 1000 };
static double x[n], y[n];
static int count, others;

static void add(void) {
#pragma omp critical
  count++;
}

int main(void) {
#pragma omp target teams distribute parallel for map(tofrom : count)
  for (int i = 0; i < n; i++) {
#pragma omp critical
    count++;
  }
  printf("%d\n", count);
#pragma omp target teams distribute parallel for map(tofrom : count)
  for (int i = 0; i < n; i++)
    add();
#pragma omp target teams
  {
#pragma omp distribute parallel for
    for (int i = 0; i < n; i++)
      x[i] = i;
#pragma omp distribute parallel for
    for (int i = 0; i < n; i++)
      y[i] = x[n - 1 - i];
  }
#pragma omp target teams
#pragma omp distribute
  for (int i = 0; i < n; i++) {
#pragma omp parallel for
    for (int j = 0; j < n; j++)
      y[j] += i;
  }
#pragma omp target teams map(tofrom : others)
  {
    others++;
#pragma omp distribute parallel for
    for (int i = 0; i < n; i++)
      x[i] = i;
  }
  return 0;
}
