// Scans: inclusive and exclusive, of integers, floating-point numbers and
// structures with an operator of the program, also where they stand, and beside
// a reduction. The result is that of the fixed blocks, written here in plain C,
// to the bit.
// RUN: sluice check %s 2>&1 | FileCheck %s --check-prefix=VERDICT
// VERDICT: proven free of races
// RUN: env SLUICE_WORKERS=1 sluice run %s | FileCheck %s
// RUN: env SLUICE_WORKERS=2 sluice run %s | FileCheck %s
// RUN: env SLUICE_WORKERS=7 sluice run %s | FileCheck %s
// RUN: env SLUICE_EXECUTOR=sequential sluice run %s | FileCheck %s
// RUN: sluice run --no-transforms --reference %s | FileCheck %s
// RUN: env SLUICE_CHECK=1 sluice run %s -- 20011 | FileCheck %s
// RUN: sluice run -O0 %s | FileCheck %s
// CHECK: right
#include <hpvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Functions x -> a x + b, which do not commute.
typedef struct {
  unsigned a, b;
} Linear;

static void unchanged(void *element) { *(Linear *)element = (Linear){1, 0}; }

static void then(void *into, const void *from) {
  Linear *f = into;
  const Linear *g = from;
  *f = (Linear){g->a * f->a, g->a * f->b + g->b};
}

void prefix(const unsigned *x, size_t xBytes, int *sums, size_t sumsBytes,
            float *reals, size_t realsBytes, double *before, size_t beforeBytes,
            unsigned char *most, size_t mostBytes, Linear *maps,
            size_t mapsBytes, Linear *earlier, size_t earlierBytes, long *total,
            size_t totalBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(8, x, sums, reals, before, most, maps, earlier, total, 7,
                     sums, reals, before, most, maps, earlier, total);
  sluice_scan(sums, sumsBytes, SLUICE_SUM);
  sluice_scan(reals, realsBytes, SLUICE_SUM);
  sluice_scan_exclusive(before, beforeBytes, SLUICE_SUM);
  sluice_scan(most, mostBytes, SLUICE_MAX);
  sluice_scan_with(maps, mapsBytes, sizeof(Linear), unchanged, then);
  sluice_scan_exclusive_with(earlier, earlierBytes, sizeof(Linear), unchanged,
                             then);
  sluice_reduce(total, totalBytes, SLUICE_SUM);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  unsigned v = x[i];
  sums[i] += v; // on what stands there
  reals[i] = (int)v * 1e-3f;
  before[i] = (int)v / 3.0;
  if (v % 5 == 0)
    most[i] = v >> 24; // others keep theirs
  maps[i] = (Linear){v | 1, v >> 3};
  earlier[i].a = v | 3;
  earlier[i].b = v >> 5;
  total[0] += v;
}

void root(unsigned *x, size_t xBytes, int *sums, size_t sumsBytes, float *reals,
          size_t realsBytes, double *before, size_t beforeBytes,
          unsigned char *most, size_t mostBytes, Linear *maps, size_t mapsBytes,
          Linear *earlier, size_t earlierBytes, long *total, size_t totalBytes,
          long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(8, x, sums, reals, before, most, maps, earlier, total, 7,
                     sums, reals, before, most, maps, earlier, total);
  void *node = __hpvm__createNodeND(1, prefix, n);
  for (int i = 0; i < 16; ++i)
    __hpvm__bindIn(node, i, i, 0);
}

struct __attribute__((packed)) Arguments {
  unsigned *x;
  size_t xBytes;
  int *sums;
  size_t sumsBytes;
  float *reals;
  size_t realsBytes;
  double *before;
  size_t beforeBytes;
  unsigned char *most;
  size_t mostBytes;
  Linear *maps;
  size_t mapsBytes;
  Linear *earlier;
  size_t earlierBytes;
  long *total;
  size_t totalBytes;
  long n;
};

static size_t least(size_t a, size_t b) { return a < b ? a : b; }
static size_t most(size_t a, size_t b) { return a > b ? a : b; }
static size_t blockOf(size_t units) {
  // Seven lines of the cache for a block's sums.
  size_t chunks = least(1024, most(units / 16384, 16));
  chunks = least(chunks, most(units / (7 * 64 / 16), 8));
  chunks = most(least(chunks, units), 1);
  size_t step = (units + chunks - 1) / chunks;
  return step;
}

static int isRight(long n) {
  size_t room = n + 3; // more than there are instances
  unsigned *x = malloc(room * sizeof *x);
  int *sums = malloc(room * sizeof *sums);
  float *reals = malloc(room * sizeof *reals);
  double *before = malloc(room * sizeof *before);
  unsigned char *high = malloc(room);
  Linear *maps = malloc(room * sizeof *maps);
  Linear *earlier = malloc(room * sizeof *earlier);
  int *sums2 = malloc(room * sizeof *sums);
  float *reals2 = malloc(room * sizeof *reals);
  double *before2 = malloc(room * sizeof *before);
  unsigned char *high2 = malloc(room);
  Linear *maps2 = malloc(room * sizeof *maps);
  Linear *earlier2 = malloc(room * sizeof *earlier);
  long total = 5, total2 = 5;
  unsigned seed = 12345 + n;
  for (size_t i = 0; i < room; ++i) {
    x[i] = seed = seed * 1664525u + 1013904223u;
    sums[i] = sums2[i] = seed >> 7;
    high[i] = high2[i] = seed >> 28;
    reals[i] = reals2[i] = 7;
    before[i] = before2[i] = 7;
    maps[i] = maps2[i] = earlier[i] = earlier2[i] = (Linear){7, 7};
  }

  size_t step = blockOf(n);
  unsigned sum = 0;
  unsigned char top = 0;
  float realSum = -0.0f, realBlock = -0.0f;
  double earlierSum = -0.0, earlierBlock = -0.0;
  Linear map = {1, 0}, last = {1, 0};
  for (long i = 0; i < n; ++i) {
    if (i % step == 0) {
      realSum = i ? realSum + realBlock : realBlock;
      earlierSum = i ? earlierSum + earlierBlock : earlierBlock;
      realBlock = -0.0f, earlierBlock = -0.0;
    }
    int v = x[i];
    sums2[i] = sum += (unsigned)sums2[i] + v;
    float real = v * 1e-3f; // a product that is not fused with the sum
    realBlock += real;
    reals2[i] = (size_t)i < step ? realBlock : realSum + realBlock;
    before2[i] = i == 0            ? 0.0
                 : (size_t)i < step ? earlierBlock
                                    : earlierSum + earlierBlock;
    earlierBlock += v / 3.0;
    unsigned char own = x[i] % 5 == 0 ? x[i] >> 24 : high2[i];
    high2[i] = top = own > top ? own : top;
    Linear f = {x[i] | 1, x[i] >> 3}, g = {x[i] | 3, x[i] >> 5};
    then(&map, &f);
    maps2[i] = map;
    earlier2[i] = last;
    then(&last, &g);
    total2 += x[i];
  }

  struct Arguments args = {x,       room * sizeof *x,
                           sums,    room * sizeof *sums,
                           reals,   room * sizeof *reals,
                           before,  room * sizeof *before,
                           high,    room,
                           maps,    room * sizeof *maps,
                           earlier, room * sizeof *earlier,
                           &total,  sizeof total,
                           n};
  llvm_hpvm_track_mem(x, args.xBytes);
  llvm_hpvm_track_mem(sums, args.sumsBytes);
  llvm_hpvm_track_mem(reals, args.realsBytes);
  llvm_hpvm_track_mem(before, args.beforeBytes);
  llvm_hpvm_track_mem(high, args.mostBytes);
  llvm_hpvm_track_mem(maps, args.mapsBytes);
  llvm_hpvm_track_mem(earlier, args.earlierBytes);
  llvm_hpvm_track_mem(&total, sizeof total);
  __hpvm__wait(__hpvm__launch(0, root, &args));
  llvm_hpvm_untrack_mem(x);
  llvm_hpvm_untrack_mem(sums);
  llvm_hpvm_untrack_mem(reals);
  llvm_hpvm_untrack_mem(before);
  llvm_hpvm_untrack_mem(high);
  llvm_hpvm_untrack_mem(maps);
  llvm_hpvm_untrack_mem(earlier);
  llvm_hpvm_untrack_mem(&total);

  int wrong = 0;
#define COMPARE(A, B, BIT)                                                     \
  if (memcmp(A, B, room * sizeof *A))                                          \
    wrong |= BIT;
  COMPARE(sums, sums2, 1)
  COMPARE(reals, reals2, 2)
  COMPARE(before, before2, 4)
  COMPARE(high, high2, 8)
  COMPARE(maps, maps2, 16)
  COMPARE(earlier, earlier2, 32)
  if (total != total2)
    wrong |= 64;
  if (wrong)
    printf("%ld: %d\n", n, wrong);
  free(x), free(sums), free(reals), free(before), free(high), free(maps);
  free(earlier), free(sums2), free(reals2), free(before2), free(high2);
  free(maps2), free(earlier2);
  return !wrong;
}

int main(int argc, char **argv) {
  __hpvm__init();
  static const long lengths[] = {0,    1,     2,      31,     32,    33,
                                 100,  1000,  4096,   20011,  131072, 131073,
                                 300000, 999983};
  long limit = argc > 1 ? atol(argv[1]) : 1000000;
  int right = 1;
  for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; ++i)
    for (int times = 0; times < 3; ++times)
      right &= lengths[i] > limit || isRight(lengths[i]);
  __hpvm__cleanup();
  puts(right ? "right" : "wrong");
  return !right;
}
