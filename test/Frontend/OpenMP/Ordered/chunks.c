// Iterations of one chunk run in order, so loops in which they meet, or may meet,
// give what they give one after another.
// RUN: sluice build -O3 -march=native -fopenmp %s -o %t
// RUN: env OMP_NUM_THREADS=1 %t | FileCheck %s
// RUN: env OMP_NUM_THREADS=2 %t | FileCheck %s
// RUN: sluice cc -O3 -march=native -fopenmp %s -o %t.cc && env OMP_NUM_THREADS=5 %t.cc | FileCheck %s
// RUN: sluice check %s 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: proven free of races: the program has no input
// CHECK: 0 wrong
#include <stdio.h>

enum { Size = 1000 };

static void sums(int *restrict sum, const int *restrict x) {
#pragma omp parallel for schedule(static, 4)
  for (int i = 0; i < Size; i++)
    sum[i / 4] = sum[i / 4] * 3 + x[i];
}

static void places(int *restrict out, const int *restrict table) {
#pragma omp parallel for schedule(dynamic, 4)
  for (int i = 0; i < Size; i++)
    for (int k = 0; k < 3; k++)
      out[table[i] * 4 + k + (i & 1)] = i + k * 5;
}

int main(void) {
  static int x[Size], table[Size], sum[Size], out[Size + 8], expected[Size], inOrder[Size + 8];
  int wrong = 0;
  for (int i = 0; i < Size; i++) {
    x[i] = i * 7 % 13;
    table[i] = i / 4;
  }
  for (int again = 0; again < 20; again++) {
    sums(sum, x);
    places(out, table);
    for (int i = 0; i < Size; i++) {
      expected[i / 4] = expected[i / 4] * 3 + x[i];
      for (int k = 0; k < 3; k++)
        inOrder[i / 4 * 4 + k + (i & 1)] = i + k * 5;
    }
    for (int i = 0; i < Size; i++)
      wrong += sum[i] != expected[i] || out[i] != inOrder[i];
  }
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
