// Whole numbers have the same total in whatever order and copies they are added
// up: the chunks of one thread that are a part of the tree of copies are folded
// into one copy. Others, and those beside them, are folded chunk by chunk.
// RUN: sluice build -w --print=kernels %s | FileCheck %s --check-prefix=KERNELS
// KERNELS-LABEL: define {{.*}} @"sluice.whole.graph/whole.loop1"(
// KERNELS: [[IS_WHOLE:%.*]] = and i1
// KERNELS: call i64 @llvm.cttz.i64(
// KERNELS: select i1 [[IS_WHOLE]], i64 0, i64 %
// KERNELS: br i1 [[IS_WHOLE]], label %last, label %join
// KERNELS: call ptr @sluiceJoinChunks({{[^,]*}}, i64 %{{[^,]*}}, i64 %
// KERNELS: {{^}$}}
// KERNELS-LABEL: define {{.*}} @"sluice.mixed.graph/mixed.loop1"(
// KERNELS: select i1 {{%.*}}, ptr null, ptr
// KERNELS-NOT: label %join
// KERNELS: call ptr @sluiceJoinChunks({{[^,]*}}, i64 %{{[^,]*}}, i64 1,
// KERNELS: {{^}$}}
// RUN: env SLUICE_WORKERS=1 sluice run %s | FileCheck %s
// RUN: env SLUICE_WORKERS=2 sluice run -march=native %s | FileCheck %s
// RUN: env SLUICE_WORKERS=5 sluice run -O2 %s | FileCheck %s
// RUN: sluice run --reference %s | FileCheck %s
// CHECK: 0 differ, sums 157afc50
#include <hetero.h>
#include <stdio.h>
#include <string.h>

enum { Most = 70000, Bins = 37 };

void whole(const int *x, size_t xBytes, unsigned char *bits, size_t bitsBytes,
           int *bins, size_t binsBytes, short *least, size_t leastBytes,
           long *product, size_t productBytes, long n) {
  void *section = __hetero_section_begin();
  for (long i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 6, x, xBytes, bits, bitsBytes, bins, binsBytes,
                           least, leastBytes, product, productBytes, n, 4, bits,
                           bitsBytes, bins, binsBytes, least, leastBytes,
                           product, productBytes);
    sluice_reduce(bits, bitsBytes, SLUICE_XOR);
    sluice_reduce(bins, binsBytes, SLUICE_SUM);
    sluice_reduce(least, leastBytes, SLUICE_MIN);
    sluice_reduce(product, productBytes, SLUICE_PRODUCT);
    bits[x[i] & 1] ^= (unsigned char)x[i];
    bins[(unsigned)x[i] % Bins] += x[i] >> 20;
    if ((short)x[i] < *least)
      *least = (short)x[i];
    *product *= x[i] | 1;
  }
  __hetero_section_end(section);
}

void mixed(const int *x, size_t xBytes, int *bins, size_t binsBytes, float *sum,
           size_t sumBytes, long n) {
  void *section = __hetero_section_begin();
  for (long i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 4, x, xBytes, bins, binsBytes, sum, sumBytes, n,
                           2, bins, binsBytes, sum, sumBytes);
    sluice_reduce(bins, binsBytes, SLUICE_SUM);
    sluice_reduce(sum, sumBytes, SLUICE_SUM);
    bins[(unsigned)x[i] % Bins] += 1;
    *sum += x[i] * 0.1f;
  }
  __hetero_section_end(section);
}

static int x[Most];

int main(void) {
  for (int i = 0; i < Most; ++i)
    x[i] = (int)(i * 2654435761u ^ i << 7);
  static const long counts[] = {0,    1,    2,    31,   32,    33,   64,
                                1000, 2048, 2049, 4097, 16383, 65537, Most};
  unsigned sums = 0;
  int differ = 0;
  for (unsigned turn = 0; turn < 3 * sizeof counts / sizeof *counts; ++turn) {
    long n = counts[turn / 3];
    unsigned char bits[2] = {1, 2}, bitsOf[2] = {1, 2};
    int bins[Bins] = {5}, binsOf[Bins] = {5}, few[Bins] = {0}, fewOf[Bins] = {0};
    short least = 100, leastOf = 100;
    long product = 3, productOf = 3;
    float sum = 0;
    void *graph = __hetero_launch(
        (void *)whole, 6, x, sizeof x, bits, sizeof bits, bins, sizeof bins,
        &least, sizeof least, &product, sizeof product, n, 4, bits, sizeof bits,
        bins, sizeof bins, &least, sizeof least, &product, sizeof product);
    __hetero_wait(graph);
    graph = __hetero_launch((void *)mixed, 4, x, sizeof x, few, sizeof few, &sum,
                            sizeof sum, n, 2, few, sizeof few, &sum, sizeof sum);
    __hetero_wait(graph);
    for (long i = 0; i < n; ++i) {
      bitsOf[x[i] & 1] ^= (unsigned char)x[i];
      binsOf[(unsigned)x[i] % Bins] += x[i] >> 20;
      ++fewOf[(unsigned)x[i] % Bins];
      leastOf = (short)x[i] < leastOf ? (short)x[i] : leastOf;
      productOf = (long)((unsigned long)productOf * (unsigned long)(long)(x[i] | 1));
    }
    differ += memcmp(bits, bitsOf, sizeof bits) || memcmp(bins, binsOf, sizeof bins) ||
              memcmp(few, fewOf, sizeof few) || least != leastOf ||
              product != productOf;
    unsigned same;
    memcpy(&same, &sum, sizeof same);
    sums = sums * 31 + same;
  }
  printf("%d differ, sums %08x\n", differ, sums);
}
