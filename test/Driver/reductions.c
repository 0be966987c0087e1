// Reductions: sums, extremes, bits, histograms and an operator of the program.
// The result is that of the fixed tree, written here in plain C, to the bit.
// RUN: sluice check %s 2>&1 | FileCheck %s --check-prefix=VERDICT
// VERDICT: proven free of races
// RUN: env SLUICE_WORKERS=1 sluice run %s | FileCheck %s
// RUN: env SLUICE_WORKERS=2 sluice run %s | FileCheck %s
// RUN: env SLUICE_WORKERS=7 sluice run %s | FileCheck %s
// RUN: env SLUICE_EXECUTOR=sequential sluice run %s | FileCheck %s
// RUN: sluice run --no-transforms --reference %s | FileCheck %s
// RUN: env SLUICE_CHECK=1 sluice run %s | FileCheck %s
// RUN: sluice run -O0 %s | FileCheck %s
// CHECK: right
#include <hpvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  float value;
  long index;
} Best;

static void noBest(void *element) {
  Best *best = element;
  best->value = 1e30f;
  best->index = -1;
}

static void better(void *into, const void *from) {
  Best *a = into;
  const Best *b = from;
  if (b->value < a->value)
    *a = *b;
}

void fold(const float *x, size_t xBytes, double *sum, size_t sumBytes,
          int *bins, size_t binsBytes, unsigned char *extreme,
          size_t extremeBytes, Best *best, size_t bestBytes, long rows) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(5, x, sum, bins, extreme, best, 4, sum, bins, extreme,
                     best);
  sluice_reduce(sum, 2 * sizeof(double), SLUICE_SUM);
  sluice_reduce(bins, binsBytes, SLUICE_SUM);
  sluice_reduce(extreme, extremeBytes, SLUICE_MAX);
  sluice_reduce_with(best, bestBytes, sizeof(Best), noBest, better);
  void *node = __hpvm__getNode();
  long i = __hpvm__getNodeInstanceID_x(node);
  long j = __hpvm__getNodeInstanceID_y(node);
  long k = j * __hpvm__getNumNodeInstances_x(node) + i;
  float v = x[k];
  sum[0] += v;
  if (v < 0.5f)
    sum[1] -= v * 2.0;
  int size = binsBytes / sizeof(int);
  bins[(unsigned)(v * 1e6f) % size] += 1;
  unsigned char level = (unsigned char)(v * 255.0f);
  if (level > extreme[k % 3])
    extreme[k % 3] = level;
  if (v < best->value) {
    best->value = v;
    best->index = k;
  }
}

void root(float *x, size_t xBytes, double *sum, size_t sumBytes, int *bins,
          size_t binsBytes, unsigned char *extreme, size_t extremeBytes,
          Best *best, size_t bestBytes, long width, long rows) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(5, x, sum, bins, extreme, best, 4, sum, bins, extreme,
                     best);
  void *node = __hpvm__createNodeND(2, fold, width, rows);
  for (int i = 0; i < 10; ++i)
    __hpvm__bindIn(node, i, i, 0);
  __hpvm__bindIn(node, 11, 10, 0);
}

struct __attribute__((packed)) Arguments {
  float *x;
  size_t xBytes;
  double *sum;
  size_t sumBytes;
  int *bins;
  size_t binsBytes;
  unsigned char *extreme;
  size_t extremeBytes;
  Best *best;
  size_t bestBytes;
  long width, rows;
};

// How many chunks there are, and what a tree over them gives.
static size_t least(size_t a, size_t b) { return a < b ? a : b; }
static size_t most(size_t a, size_t b) { return a > b ? a : b; }
static size_t numChunks(size_t units, size_t bytes) {
  size_t chunks = least(256, most(units / 64, 32));
  chunks = least(chunks, most(units / ((bytes + 15) / 16), 8));
  chunks = least(chunks, most(((size_t)1 << 30) / bytes, 1));
  chunks = most(least(chunks, units), 1);
  return chunks;
}

static double sumOf(const float *x, size_t begin, size_t end, int which) {
  double sum = -0.0;
  for (size_t k = begin; k != end; ++k)
    if (which == 0)
      sum += x[k];
    else if (x[k] < 0.5f)
      sum -= x[k] * 2.0;
  return sum;
}

static double tree(const float *x, size_t units, size_t step, size_t first,
                   size_t width, int which) {
  if (width == 1)
    return sumOf(x, first * step, least((first + 1) * step, units), which);
  double left = tree(x, units, step, first, width / 2, which);
  if ((first + width / 2) * step >= units)
    return left;
  return left + tree(x, units, step, first + width / 2, width / 2, which);
}

static int check(long width, long rows, size_t numBins) {
  size_t n = width * rows;
  float *x = malloc(n * sizeof *x + 1);
  int *bins = malloc(numBins * sizeof *bins), *counts = malloc(numBins * sizeof *bins);
  unsigned long state = 12345 + n;
  for (size_t k = 0; k != n; ++k) {
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    x[k] = (float)((state >> 40) * 0x1p-24);
  }
  for (size_t b = 0; b != numBins; ++b)
    bins[b] = counts[b] = b;
  double sum[2] = {3.25, 0.1};
  unsigned char extreme[3] = {7, 0, 0}, largest[3] = {7, 0, 0};
  Best best = {2.0f, 77}, wanted = {2.0f, 77};
  struct Arguments arguments = {x, n * sizeof *x, sum, sizeof sum, bins,
                                numBins * sizeof *bins, extreme, 3, &best, sizeof best,
                                width, rows};
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
  size_t bytes = 64 + (numBins * 4 + 63) / 64 * 64 + 64 + 64;
  double expected[2] = {3.25, 0.1};
  if (n) {
    size_t chunks = numChunks(n, bytes), step = (n + chunks - 1) / chunks, full = 1;
    chunks = (n + step - 1) / step;
    step = (n + chunks - 1) / chunks;
    while (full < chunks)
      full *= 2;
    for (int which = 0; which != 2; ++which)
      expected[which] += tree(x, n, step, 0, full, which);
  }
  for (size_t k = 0; k != n; ++k) {
    counts[(unsigned)(x[k] * 1e6f) % numBins] += 1;
    unsigned char level = (unsigned char)(x[k] * 255.0f);
    if (level > largest[k % 3])
      largest[k % 3] = level;
    if (x[k] < wanted.value)
      wanted = (Best){x[k], k};
  }
  int bad = memcmp(sum, expected, sizeof sum) ||
            memcmp(bins, counts, numBins * sizeof *bins) ||
            memcmp(extreme, largest, 3) || best.value != wanted.value ||
            best.index != wanted.index;
  if (bad)
    printf("%ld x %ld, %zu bins: %a %a, expected %a %a; %ld, expected %ld\n",
           width, rows, numBins, sum[0], sum[1], expected[0], expected[1],
           best.index, wanted.index);
  free(x);
  free(bins);
  free(counts);
  return bad;
}

int main(void) {
  __hpvm__init();
  int bad = check(0, 5, 4) + check(1, 1, 1) + check(7, 1, 3) +
            check(64, 1, 9) + check(33, 3, 100) + check(1000, 1, 16) +
            check(129, 77, 1000) + check(1, 20001, 5) + check(641, 300, 64) +
            check(500, 3, 50000);
  for (int again = 0; again != 20; ++again)
    bad += check(1000 + again, 3, 7);
  __hpvm__cleanup();
  puts(bad ? "wrong" : "right");
  return bad != 0;
}
