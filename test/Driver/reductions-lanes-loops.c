// Instances that compute what they add in loops run as lanes of a vector: each
// of 32 instances has an element of its own in the copy of the sum.
// RUN: sluice build -O2 -march=x86-64-v3 -ffp-contract=off -Rpass=sluice %s -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// REMARK: instances run as lanes of a vector
// RUN: env SLUICE_SPECIALIZE=0 %t > %t.out
// RUN: sluice run --reference -ffp-contract=off %s > %t.expected
// RUN: diff %t.out %t.expected
#include <hetero.h>
#include <stdio.h>

void roots(const double *x, size_t xBytes, double *sum, size_t sumBytes, long n) {
  void *section = __hetero_section_begin();
  for (long i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 3, x, xBytes, sum, sumBytes, n, 1, sum, sumBytes);
    sluice_reduce(sum, sumBytes, SLUICE_SUM);
    double root = x[i];
    for (int k = 0; k < 50; ++k)
      root = root * 0.5 + 1 / (root + 1);
    if (x[i] < 0.9)
      *sum += root;
  }
  __hetero_section_end(section);
}

static double x[3000];

int main() {
  for (long i = 0; i < 3000; ++i)
    x[i] = i % 97 * 0x1p-6;
  for (long n = 1; n <= 3000; n += n / 2 + 1) {
    double sum = 0.1;
    __hetero_wait(__hetero_launch((void *)roots, 3, x, sizeof x, &sum, sizeof sum, n, 1, &sum, sizeof sum));
    printf("%ld: %a\n", n, sum);
  }
}
