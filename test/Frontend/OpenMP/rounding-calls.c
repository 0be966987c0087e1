// Calls that round to whole numbers become vectors, in every rounding mode.
// Numbers that are too large are what libm makes of them.
// RUN: %clang -O0 -w %s -lm -o %t.plain && %t.plain > %t.plain.txt
// RUN: %sluice build -march=x86-64-v3 %s -lm -o %t && %t | diff %t.plain.txt -
// RUN: %sluice build -O1 %s -lm -o %t && env SLUICE_WORKERS=2 %t | diff %t.plain.txt -
// RUN: %sluice build -march=x86-64-v4 %s --print=llvm | FileCheck %s
// CHECK: call <4 x i64> @llvm.lrint.
//
// `lround` and `nextafter` touch nothing but errno: their loop becomes a graph.
// RUN: %sluice check %s 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED: no problems in 2 graphs with 2 leaves

#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>

enum { N = 512 };
static double numbers[N], next[N];
static long whole[N], nearest[N];
static int low[N], range[N];

int main() {
  static const double special[] = {0.5, -0.0,    NAN,  INFINITY, -2.5,   1e19,
                                   3e9, -0x1p63, 6e9,  1.5,      32768.5, -1e300};
  static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD,
                              FE_TOWARDZERO};
  for (int i = 0; i < N; ++i)
    numbers[i] = i % 3 ? (i - N / 2) * 0.25 : special[i % 12];
  for (int m = 0; m < 4; ++m) {
    fesetround(modes[m]);
#pragma omp parallel for
    for (int i = 0; i < N; ++i) {
      whole[i] = lrint(numbers[i]) ^ llrintf((float)numbers[i]);
      low[i] = (int)lrint(numbers[i]);
    }
#pragma omp parallel for
    for (int i = 0; i < N; ++i) {
      nearest[i] = lround(numbers[i]);
      errno = 0;
      next[i] = nextafter(i % 2 ? 0x1.fffffffffffffp1023 : 1, INFINITY);
      range[i] = errno == ERANGE;
    }
    unsigned long sum = 0;
    for (int i = 0; i < N; ++i)
      sum = sum * 31 + (unsigned long)(whole[i] ^ nearest[i]) + low[i] +
            range[i] * 7ul + (next[i] > 2);
    printf("%lx\n", sum);
  }
  return 0;
}
