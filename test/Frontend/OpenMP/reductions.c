// Reductions give the same bits for any number of workers.
// RUN: env SLUICE_WORKERS=1 %sluice run %s > %t.1
// RUN: FileCheck %s --match-full-lines < %t.1
// RUN: env SLUICE_WORKERS=2 %sluice run %s | diff - %t.1
// RUN: env SLUICE_WORKERS=5 %sluice run %s | diff - %t.1
// RUN: %sluice check %s | FileCheck %s --check-prefix=CHECKED
// CHECKED: proven free of races
// CHECK: 1347 0 -500 500 -131072 2047 100003 1 1 -125 500 4294967295 -5000049993 1343 255 672.5 11.6415 50000
// CHECK-NEXT: 0 4294967295 0 -128 255 0 1

#include <stdbool.h>
#include <stdio.h>

static int gsum;

int main(int argc, char **argv) {
  int n = 100000 + argc, s = 5, p = 1, mn = 1000, mx = -1000, a = -1, o = 1;
  int x = 3, l2 = 0;
  bool l1 = true;
  float fm = 1e30f, fx = -1e30f;
  unsigned umx = 0;
  long sl = 7;
  short sh = 1;
  unsigned char uc = 200;
  double d = 1.5, pd = 1;
#pragma omp parallel for reduction(+ : s, sl, d, sh, gsum)                     \
    reduction(* : p, pd) reduction(min : mn, fm)                               \
    reduction(max : mx, fx, umx, uc) reduction(& : a) reduction(| : o)         \
    reduction(^ : x) reduction(&& : l1) reduction(|| : l2)
  for (int i = 0; i < n; i++) {
    int v = (i * 7919) % 1001 - 500;
    s += v;
    sl -= i;
    d += v * 0.5;
    sh += v;
    if (i % 1000 == 0)
      p *= (i % 3) + 1;
    if (i % 10000 == 0)
      pd *= 1.25;
    if (v < mn)
      mn = v;
    if (v * 0.25f < fm)
      fm = v * 0.25f;
    mx = v > mx ? v : mx;
    if (fx < v)
      fx = v;
    if ((unsigned)v > umx)
      umx = v;
    if (i % 256 > uc)
      uc = i % 256;
    a &= ~(1 << (i % 17));
    o |= 1 << (i % 11);
    x ^= i;
    l1 = l1 && (i >= 0);
    l2 = l2 || (i == 777);
    gsum += i & 1;
  }
  printf("%d %d %d %d %d %d %d %d %d %g %g %u %ld %d %d %.17g %g %d\n", s, p,
         mn, mx, a, o, x, l1, l2, fm, fx, umx, sl, sh, uc, d, pd, gsum);
  // Of these updates, the compiler leaves nothing but a number.
  int all = -1, none = 3, both = 1, either = 0;
  unsigned any = 0;
  signed char low = 5;
  unsigned char high = 5;
#pragma omp parallel for reduction(& : all) reduction(| : any)                 \
    reduction(* : none) reduction(min : low) reduction(max : high)             \
    reduction(&& : both) reduction(|| : either)
  for (int i = 0; i < n; i++) {
    all &= 5 >> 3;
    any = i & 1 ? any | i : any | ~0u;
    if (i == 7)
      none *= 0;
    low = -128 < low ? -128 : low;
    if (i == 9)
      high = 255 > high ? 255 : high;
    both = both && 0;
    either = either || 1;
  }
  printf("%d %u %d %d %d %d %d\n", all, any, none, low, high, both, either);
}
