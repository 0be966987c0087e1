// What instances fold keeps its order, bit for bit, where they become lanes: what they
// compute is kept for a strip of them, and folded behind it.
// RUN: %sluice run %s > %t.lanes
// RUN: env SLUICE_WORKERS=5 %sluice run %s > %t.workers && cmp %t.lanes %t.workers
// RUN: %sluice run --no-lanes %s > %t.plain && cmp %t.lanes %t.plain
// RUN: %sluice run --reference %s > %t.reference && cmp %t.lanes %t.reference
// RUN: FileCheck %s < %t.lanes
// CHECK: total 70001: 0x1.{{[0-9a-f]+}}p+14
// RUN: %sluice build -q -march=x86-64-v3 --print=llvm %s -o %t.none | FileCheck %s --check-prefix=LANES
// LANES: define {{.*}}total.loop1"
// LANES: call <{{[0-9]+}} x float> @llvm.fma
// LANES: define {{.*}}least.loop1"
// LANES: call <{{[0-9]+}} x float> @llvm.fma

#include <hetero.h>
#include <math.h>
#include <stdio.h>

static const long counts[] = {0, 1, 7, 63, 65, 1000, 70001};
static float value(long i, long steps) {
  float x = (float)(i % 1000) * 0.001f;
  for (long s = 0; s < steps; ++s)
    x = 0.5f * expf(-x * x);
  return x;
}
static unsigned word(long i, long steps) {
  unsigned x = (unsigned)i * 2654435761u;
  for (long s = 0; s < steps + i % 3; ++s)
    x = (x ^ (x >> 13)) * 0x5bd1e995u;
  return x;
}

#define FOLD(NAME, TYPE, OP, ...)                                              \
  static void NAME(TYPE *r, size_t rBytes, long count, long steps) {           \
    void *section = __hetero_section_begin();                                  \
    for (long i = 0; i < count; ++i) {                                         \
      __hetero_parallel_loop(1, 3, r, rBytes, count, steps, 1, r, rBytes);     \
      sluice_reduce(r, rBytes, OP);                                            \
      __VA_ARGS__                                                              \
    }                                                                          \
    __hetero_section_end(section);                                             \
  }

FOLD(total, double, SLUICE_SUM, r[0] += value(i, steps);)
FOLD(some, double, SLUICE_SUM, if (i % 3 == 1) r[0] += value(i, steps);)
FOLD(signs, float, SLUICE_SUM, float v = value(i, steps);
     if (v > 0.3f) r[0] += v; else r[0] -= v * 0.5f;)
FOLD(most, float, SLUICE_MAX, float v = value(i, steps);
     r[0] = r[0] < v ? v : r[0];)
FOLD(least, float, SLUICE_MIN, float v = value(i, steps) - 0.3f;
     if (v < r[0]) r[0] = v;)
FOLD(bits, unsigned, SLUICE_XOR, r[0] ^= word(i, steps);)
FOLD(early, unsigned, SLUICE_SUM, unsigned w = word(i, steps);
     if (w & 7) { if (w & 8) r[0] += 1; else r[0] += w; })
FOLD(two, double, SLUICE_SUM, float v = value(i, steps); r[0] += v;
     r[1] += v * v;)
FOLD(product, double, SLUICE_PRODUCT, r[0] *= 1.0 + value(i, steps) * 1e-5;)
FOLD(bins, unsigned, SLUICE_SUM, r[word(i, steps) & 7] += 1;)

// A loop with two ways in, blocks that several cases lead to, and many cases.
FOLD(turns, double, SLUICE_SUM, float v = value(i, steps); long k = i % 4;
     if (v > 0.3f) goto middle; top : r[0] += v; middle : r[0] += 2 * v;
     v *= 1.5f; if (++k < 5) goto top;)
FOLD(cases, double, SLUICE_SUM, float v = value(i, steps); switch (i % 9) {
  case 0: case 2: case 5: break;
  case 1: r[0] += v; break;
  case 3: r[0] += 3 * v; break;
  case 4: r[0] -= v * v; break;
  default: r[0] += 1;
})

#define RUN(NAME, TYPE, FIRST, FORMAT, NUMBER)                                 \
  for (long count : counts) {                   \
    TYPE r[8];                                                                 \
    for (TYPE &x : r)                                                          \
      x = FIRST;                                                               \
    __hetero_wait(__hetero_launch((void *)NAME, 3, r, sizeof(TYPE) * NUMBER,   \
                                  count, 5L, 1, r, sizeof(TYPE) * NUMBER));    \
    printf("%s %ld:", #NAME, count);                                           \
    for (int k = 0; k < NUMBER; ++k)                                           \
      printf(" " FORMAT, r[k]);                                                \
    printf("\n");                                                              \
  }

int main() {
  RUN(total, double, 0, "%a", 1)
  RUN(some, double, 0, "%a", 1)
  RUN(signs, float, 0, "%a", 1)
  RUN(most, float, -1, "%a", 1)
  RUN(least, float, 9, "%a", 1)
  RUN(bits, unsigned, 3, "%u", 1)
  RUN(early, unsigned, 0, "%u", 1)
  RUN(two, double, 0, "%a", 2)
  RUN(product, double, 1, "%a", 1)
  RUN(bins, unsigned, 0, "%u", 8)
  RUN(turns, double, 0, "%a", 1)
  RUN(cases, double, 0, "%a", 1)
}
