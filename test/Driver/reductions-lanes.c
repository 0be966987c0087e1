// Sums and products of floating-point numbers with one element each are folded in
// 32 lanes, joined as docs/hpvm-rules.md says, bit for bit as `expected` does it.
// Memory of two elements has no lanes, and neither has anything beside it.
// RUN: env SLUICE_WORKERS=1 sluice run %s | FileCheck %s
// RUN: env SLUICE_WORKERS=2 sluice run -march=native %s | FileCheck %s
// RUN: env SLUICE_WORKERS=5 sluice run -O2 %s | FileCheck %s
// RUN: env SLUICE_WORKERS=2 SLUICE_SPECIALIZE=1 sluice run -O1 %s | FileCheck %s
// RUN: env SLUICE_EXECUTOR=sequential sluice run --no-lanes %s | FileCheck %s
// RUN: env SLUICE_CHECK=1 sluice run %s -- 20 | FileCheck %s
// RUN: sluice run --reference %s | FileCheck %s
// CHECK: ok
#include <hetero.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { Most = 40000, Lanes = 32 };

void both(const double *x, size_t xBytes, double *sum, size_t sumBytes, float *product, size_t productBytes,
          long width, long height) {
  void *section = __hetero_section_begin();
  for (long j = 0; j < height; ++j)
    for (long i = 0; i < width; ++i) {
      __hetero_parallel_loop(2, 5, x, xBytes, sum, sumBytes, product, productBytes, width, height, 2, sum,
                             sumBytes, product, productBytes);
      sluice_reduce(sum, sumBytes, SLUICE_SUM);
      sluice_reduce(product, productBytes, SLUICE_PRODUCT);
      double value = x[j * width + i];
      if (value > 0.25) // so that some add nothing
        *sum += value;
      *product *= 1 + (float)(value - 0.5) / 1024;
    }
  __hetero_section_end(section);
}

// An instance with a loop, which becomes a lane.
void powers(const double *x, size_t xBytes, double *sum, size_t sumBytes, long n) {
  void *section = __hetero_section_begin();
  for (long i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 3, x, xBytes, sum, sumBytes, n, 1, sum, sumBytes);
    sluice_reduce(sum, sumBytes, SLUICE_SUM);
    double power = 1;
    for (long k = 0; k < i % 5; ++k)
      power *= x[i];
    *sum -= power;
  }
  __hetero_section_end(section);
}

static double partsOf(const double *x, long i, int kind) {
  if (kind == 0)
    return x[i] > 0.25 ? x[i] : -0.0;
  double power = 1;
  for (long k = 0; k < i % 5; ++k)
    power *= x[i];
  return -power;
}

static long unitsOf(long n, long chunks) {
  long units = (n + chunks - 1) / chunks;
  return units < 64 ? units : (units + 31) / 32 * 32;
}

#define EXPECTED(NAME, TYPE, NONE, OP, PART)                                                               \
  static TYPE NAME(const double *x, long width, long n, int numLanes, int kind, long copySize) {           \
    long chunks = n / 64 > 32 ? n / 64 : 32, filled = n / (copySize / 16);                                 \
    if (chunks > 256)                                                                                      \
      chunks = 256;                                                                                        \
    if (chunks > (filled > 8 ? filled : 8))                                                                \
      chunks = filled > 8 ? filled : 8;                                                                    \
    if (chunks > n)                                                                                        \
      chunks = n;                                                                                          \
    long units = unitsOf(n, chunks);                                                                       \
    chunks = (n + units - 1) / units;                                                                      \
    units = unitsOf(n, chunks);                                                                            \
    TYPE copies[256], lanes[Lanes];                                                                        \
    for (long c = 0; c < chunks; ++c) {                                                                    \
      for (int l = 0; l < Lanes; ++l)                                                                      \
        lanes[l] = NONE;                                                                                   \
      for (long i = c * units; i < n && i < (c + 1) * units; ++i)                                          \
        lanes[i % width % numLanes] OP(TYPE)(PART);                                                        \
      for (int half = numLanes / 2; half; half /= 2)                                                       \
        for (int l = 0; l < half; ++l)                                                                     \
          lanes[l] OP lanes[half + l];                                                                     \
      copies[c] = lanes[0];                                                                                \
    }                                                                                                      \
    for (long step = 1; step < chunks; step *= 2)                                                          \
      for (long c = 0; c + step < chunks; c += 2 * step)                                                   \
        copies[c] OP copies[c + step];                                                                     \
    return copies[0];                                                                                      \
  }
EXPECTED(expectedSum, double, -0.0, +=, partsOf(x, i, kind))
EXPECTED(expectedProduct, float, 1, *=, 1 + (float)(x[i] - 0.5) / 1024)

static double x[Most];
static int wrong;

static void compare(const char *what, long width, long height, double got, double wanted) {
  if (memcmp(&got, &wanted, sizeof got) == 0)
    return;
  printf("%s of %ld x %ld: %.17g, not %.17g\n", what, width, height, got, wanted);
  ++wrong;
}

static void tryShape(long width, long height) {
  long n = width * height;
  for (long numSums = 1; numSums <= 2; ++numSums) {
    double sum[2] = {0.5, 7};
    float product[2] = {3, 7};
    size_t sumBytes = numSums * sizeof *sum;
    void *launch = __hetero_launch((void *)both, 5, x, sizeof x, sum, sumBytes, product, sizeof *product, width,
                                   height, 2, sum, sumBytes, product, sizeof *product);
    __hetero_wait(launch);
    int numLanes = numSums == 1 ? Lanes : 1;
    long copySize = numSums == 1 ? 256 + 128 : 128;
    compare("sum", width, height, sum[0], 0.5 + expectedSum(x, width, n, numLanes, 0, copySize));
    compare("product", width, height, product[0], 3 * expectedProduct(x, width, n, numLanes, 0, copySize));
  }
  if (height != 1)
    return;
  double sum = 0;
  void *launch = __hetero_launch((void *)powers, 3, x, sizeof x, &sum, sizeof sum, n, 1, &sum, sizeof sum);
  __hetero_wait(launch);
  compare("powers", n, 1, sum, 0 + expectedSum(x, width, n, Lanes, 1, 256));
}

int main(int argc, char **argv) {
  long most = argc > 1 ? atol(argv[1]) : 200;
  unsigned seed = 1;
  for (long i = 0; i < Most; ++i)
    x[i] = ((seed = seed * 1664525 + 1013904223) >> 8) * 0x1p-24;
  for (long n = 1; n < most; n += 1 + n / 7)
    for (int again = 0; again < 4; ++again)
      tryShape(n, 1);
  if (argc == 1) {
    for (long n = 1000; n < Most; n = n * 2 + 17)
      tryShape(n, 1);
    for (long width = 1; width < 200; width = width * 3 - 1)
      tryShape(width, 7 + 190 / width);
  }
  puts(wrong ? "wrong" : "ok");
  return wrong != 0;
}
