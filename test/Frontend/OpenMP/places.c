// Places of an array are computed in 64 bits from the number of the iteration,
// whatever int they are: a variable with a sign, and what is added to it, do not
// wrap around. Those without a sign may.
// RUN: sluice build -w -fopenmp --print=kernels %s | FileCheck %s --check-prefix=KERNELS
// KERNELS-LABEL: define {{.*}} @"sluice.shifted.openmp1/loop.range"(
// KERNELS-NOT: shl
// KERNELS-NOT: ashr
// KERNELS-NOT: sext
// KERNELS: store float
// KERNELS: {{^}$}}
// RUN: sluice run -w -fopenmp %s | FileCheck %s
// RUN: env SLUICE_WORKERS=1 sluice run -w -fopenmp -march=native %s | FileCheck %s
// RUN: sluice run -w -fopenmp --reference %s | FileCheck %s
// CHECK: 0 differ
#include <stdio.h>
#include <string.h>

enum { Most = 1000 };
static float x[Most], y[Most], expected[Most];
static int k[Most];

__attribute__((noinline)) void shifted(const float *from, const int *more,
                                       float *to, int n) {
#pragma omp parallel for
  for (int i = 1; i < n; ++i)
    to[i - 1] = from[i] * 2 + more[i];
}

__attribute__((noinline)) void down(const float *from, float *to, int n,
                                    int by) {
#pragma omp parallel for
  for (int i = n - 1; i >= by; i -= 3)
    to[i] = from[i - by];
}

__attribute__((noinline)) void doubled(const float *from, float *to, int n) {
#pragma omp parallel for
  for (int i = -5; i < n / 2 - 5; ++i)
    to[2 * (i + 5)] = from[2 * i + 11];
}

// 4294967295 comes before 0.
__attribute__((noinline)) void wrapped(const float *from, float *to,
                                       unsigned n) {
#pragma omp parallel for
  for (unsigned i = 0; i < n; ++i)
    to[i] = from[i - 1u + 1u] + from[(i - 1u) % n];
}

int main(void) {
  int differ = 0;
  for (int n = 1; n < Most; n += 37) {
    for (int i = 0; i < Most; ++i) {
      x[i] = (float)(i * 7919 % 1013);
      k[i] = i * 31 % 17;
    }
    for (int turn = 0; turn < 4; ++turn) {
      memset(y, 0, sizeof y);
      memset(expected, 0, sizeof expected);
      if (turn == 0) {
        shifted(x, k, y, n);
        for (int i = 1; i < n; ++i)
          expected[i - 1] = x[i] * 2 + k[i];
      } else if (turn == 1) {
        down(x, y, n, 4);
        for (int i = n - 1; i >= 4; i -= 3)
          expected[i] = x[i - 4];
      } else if (turn == 2) {
        doubled(x, y, n);
        for (int i = -5; i < n / 2 - 5; ++i)
          expected[2 * (i + 5)] = x[2 * i + 11];
      } else {
        wrapped(x, y, (unsigned)n);
        for (unsigned i = 0; i < (unsigned)n; ++i)
          expected[i] = x[i] + x[(i - 1u) % (unsigned)n];
      }
      differ += memcmp(y, expected, sizeof y) != 0;
    }
  }
  printf("%d differ\n", differ);
}
