// Instances of a chunk fold into one copy, one after another: their accesses to it
// are not independent, so that no vector of instances may write to one element, as
// AVX-512 can.
// RUN: sluice build -w --print=kernels %s | FileCheck %s --check-prefix=KERNELS
// KERNELS-LABEL: define {{.*}} @"sluice.smallest.graph/smallest.loop1.range"(
// KERNELS-NOT: access.group
// KERNELS: store i64 {{.*}}, ptr %first
// KERNELS-NOT: access.group
// KERNELS: {{^}$}}
// RUN: sluice run %s | FileCheck %s
// RUN: sluice run -march=native -DSTEP=3 %s | FileCheck %s
// RUN: env SLUICE_WORKERS=1 sluice run -O2 --no-transforms %s | FileCheck %s
// RUN: sluice run --reference %s | FileCheck %s
// CHECK: ok
#include <hetero.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#ifndef STEP
#define STEP 1
#endif

void smallest(long *first, size_t firstBytes, long n, long m) {
  void *section = __hetero_section_begin();
  for (long i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 3, first, firstBytes, n, m, 1, first, firstBytes);
    sluice_reduce(first, firstBytes, SLUICE_MIN);
    if (i + m <= n && i < *first)
      *first = i;
  }
  __hetero_section_end(section);
}

typedef struct {
  long index, count;
} Last;
static void none(void *last) { *(Last *)last = (Last){-1, 0}; }
static void behind(void *into, const void *from) {
  if (((const Last *)from)->index >= 0)
    ((Last *)into)->index = ((const Last *)from)->index;
  ((Last *)into)->count += ((const Last *)from)->count;
}
void latest(Last *last, size_t lastBytes, const int *x, size_t xBytes, int limit, long n) {
  void *section = __hetero_section_begin();
  for (long i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 4, last, lastBytes, x, xBytes, limit, n, 1, last, lastBytes);
    sluice_reduce_with(last, lastBytes, sizeof *last, none, behind);
    if (x[i] < limit) {
      last->index = i;
      last->count++;
    }
  }
  __hetero_section_end(section);
}

// Where the element lies, a function says.
__attribute__((noinline)) static long *slot(long *slots, long k) { return slots + (k & 3); }
static void most(void *element) { *(long *)element = LONG_MAX; }
static void lesser(void *into, const void *from) {
  if (*(const long *)from < *(long *)into)
    *(long *)into = *(const long *)from;
}
void inSlot(long *slots, size_t slotsBytes, long n, long m) {
  void *section = __hetero_section_begin();
  for (long i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 3, slots, slotsBytes, n, m, 1, slots, slotsBytes);
    sluice_reduce_with(slots, slotsBytes, sizeof *slots, most, lesser);
    long *element = slot(slots, m);
    if (i + m <= n && i < *element)
      *element = i;
  }
  __hetero_section_end(section);
}

// Bins of two sizes, of which neighbours meet, in two dimensions.
void bins(const unsigned char *x, size_t xBytes, int *wide, size_t wideBytes, short *narrow, size_t narrowBytes,
          int *odd, size_t oddBytes, long width, long height) {
  void *section = __hetero_section_begin();
  for (long j = 0; j < height; ++j)
    for (long i = 0; i < width; ++i) {
      __hetero_parallel_loop(2, 6, x, xBytes, wide, wideBytes, narrow, narrowBytes, odd, oddBytes, width, height, 3,
                             wide, wideBytes, narrow, narrowBytes, odd, oddBytes);
      sluice_reduce(wide, wideBytes, SLUICE_SUM);
      sluice_reduce(narrow, narrowBytes, SLUICE_MAX);
      sluice_reduce(odd, oddBytes, SLUICE_XOR);
      int v = x[j * width + i];
      wide[v & 15] += v * 3;
      if (v > narrow[v & 3])
        narrow[v & 3] = v;
      if (v & 1)
        odd[i & 7] ^= v << (j & 15);
    }
  __hetero_section_end(section);
}

static int numbers[3000];
static unsigned char bytes[40 * 75];

int main(void) {
  for (int i = 0; i < 3000; ++i) {
    numbers[i] = i * 7919 % 1013;
    bytes[i] = numbers[i];
  }
  int bad = 0;
  for (long n = 0; n < 3000; n = n * 2 + STEP)
    for (long m = -2; m < 4; ++m) {
      long first = LONG_MAX, plain = LONG_MAX;
      __hetero_wait(__hetero_launch((void *)smallest, 3, &first, sizeof first, n, m, 1, &first, sizeof first));
      for (long i = 0; i < n; ++i)
        if (i + m <= n && i < plain)
          plain = i;
      bad += first != plain;

      long slots[4] = {LONG_MAX, LONG_MAX, LONG_MAX, LONG_MAX};
      __hetero_wait(__hetero_launch((void *)inSlot, 3, slots, sizeof slots, n, m, 1, slots, sizeof slots));
      bad += slots[m & 3] != plain || slots[(m + 1) & 3] != LONG_MAX;

      Last last = {-1, 3}, expected = last;
      int limit = 1 << (m + 5), *x = numbers;
      size_t size = n * sizeof *x;
      __hetero_wait(__hetero_launch((void *)latest, 4, &last, sizeof last, x, size, limit, n, 1, &last, sizeof last));
      for (long i = 0; i < n; ++i)
        if (x[i] < limit)
          expected = (Last){i, expected.count + 1};
      bad += last.index != expected.index || last.count != expected.count;

      long width = 75 - m, height = n % 40;
      unsigned char *y = bytes;
      int wide[16] = {1, 2}, odd[8] = {3}, wide2[16] = {1, 2}, odd2[8] = {3};
      short narrow[4] = {5, 100}, narrow2[4] = {5, 100};
      size = width * height;
      if (size > sizeof bytes)
        continue;
      __hetero_wait(__hetero_launch((void *)bins, 6, y, size, wide, sizeof wide, narrow, sizeof narrow, odd, sizeof odd,
                                    width, height, 3, wide, sizeof wide, narrow, sizeof narrow, odd, sizeof odd));
      for (long i = 0; i < (long)size; ++i) {
        int v = y[i];
        wide2[v & 15] += v * 3;
        if (v > narrow2[v & 3])
          narrow2[v & 3] = v;
        if (v & 1)
          odd2[i % width & 7] ^= v << (i / width & 15);
      }
      bad += memcmp(wide, wide2, sizeof wide) || memcmp(narrow, narrow2, sizeof narrow) || memcmp(odd, odd2, sizeof odd);
    }
  printf(bad ? "%d wrong\n" : "ok\n", bad);
  return bad != 0;
}
