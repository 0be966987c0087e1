// Variables of loops with a sign do not wrap around, so places are computed in 64
// bits from the numbers of instances. Those without a sign may, and are cut.
// RUN: sluice build -w --print=kernels %s | FileCheck %s --check-prefix=KERNELS
// KERNELS-LABEL: define {{.*}} @"sluice.shifted.graph/shifted.loop1.range"(
// KERNELS-NOT: shl
// KERNELS-NOT: ashr
// KERNELS: store float
// KERNELS: {{^}$}}
// RUN: sluice run -w %s | FileCheck %s
// RUN: env SLUICE_WORKERS=1 sluice run -w -march=native %s | FileCheck %s
// RUN: sluice run -w --reference %s | FileCheck %s
// CHECK: 0 differ
#include <hetero.h>
#include <stdio.h>
#include <string.h>

enum { Most = 1000 };
static float x[Most], y[Most], expected[Most];

void shifted(float *from, size_t fromBytes, float *to, size_t toBytes, int n,
             int by) {
  void *section = __hetero_section_begin();
  for (int i = by; i < n; ++i) {
    __hetero_parallel_loop(1, 4, from, fromBytes, to, toBytes, n, by, 1, to,
                           toBytes);
    to[i - by] = from[i] + from[n - i];
  }
  __hetero_section_end(section);
}

// From 2147483648 on, the numbers are negative ones for an int.
void wrapped(float *from, size_t fromBytes, float *to, size_t toBytes,
             unsigned first, unsigned end) {
  void *section = __hetero_section_begin();
  for (unsigned i = first; i < end; ++i) {
    __hetero_parallel_loop(1, 4, from, fromBytes, to, toBytes, first, end, 1,
                           to, toBytes);
    to[(int)(i - 2147483648u + 100u)] = from[(int)(i + 2147483648u) + 100];
  }
  __hetero_section_end(section);
}

int main(void) {
  int differ = 0;
  for (int i = 0; i < Most; ++i)
    x[i] = (float)(i * 7919 % 1013);
  for (int n = 1; n < Most; n += 37) {
    memset(y, 0, sizeof y);
    memset(expected, 0, sizeof expected);
    int by = n / 3;
    __hetero_wait(__hetero_launch((void *)shifted, 4, x, sizeof x, y, sizeof y,
                                  n, by, 1, y, sizeof y));
    for (int i = by; i < n; ++i)
      expected[i - by] = x[i] + x[n - i];
    differ += memcmp(y, expected, sizeof y) != 0;
  }
  memset(y, 0, sizeof y);
  memset(expected, 0, sizeof expected);
  unsigned first = 2147483548u, end = 2147484000u;
  __hetero_wait(__hetero_launch((void *)wrapped, 4, x, sizeof x, y, sizeof y,
                                first, end, 1, y, sizeof y));
  for (unsigned i = first; i < end; ++i)
    expected[(int)(i - 2147483648u + 100u)] = x[(int)(i + 2147483648u) + 100];
  differ += memcmp(y, expected, sizeof y) != 0;
  printf("%d differ\n", differ);
}
