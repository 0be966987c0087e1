// Threads sum up in variables of their own, in one or several loops, and join
// them: in critical sections, by atomic operations, by reductions of a region.
// Each loop is a graph that reduces; the results are those of one thread.
// RUN: env SLUICE_WORKERS=1 %sluice run %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=2 %sluice run %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=5 %sluice run %s | FileCheck %s --match-full-lines
// RUN: %sluice check --require-proof %s | FileCheck %s --check-prefix=PROVEN
// PROVEN: no problems in 11 graphs with 11 leaves
// PROVEN: proven free of races
// CHECK: nowait 378473 336
// CHECK-NEXT: most 99 -3 330 330
// CHECK-NEXT: steps 2.87742e+08 1ff ff00 0 1.67772e+07
// CHECK-NEXT: whole 2.8777e+08 3000 330 330 3 1ff
// CHECK-NEXT: add 2.87792e+08 155 2.87792e+08
// CHECK-NEXT: add 0
// CHECK-NEXT: widths 3500 34000 64
// CHECK-NEXT: linear 3005 4001 1998 1998
#include <stdio.h>
enum { n = 1000 };
static double x[n], y[n];
static int k[n];
static double g;
static void nowaitCritical(void) {
  double s = 1; long c = 0;
#pragma omp parallel
  {
    double t = 0; long mine = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) { if (k[i] % 3) continue; t += x[i] * y[i]; t -= 1; for (int j = 0; j < 3; ++j) t = j + t; mine++; }
#pragma omp critical(sum)
    { s += t; c = mine + c; }
  }
  printf("nowait %g %ld\n", s, c);
}
static void most(void) {
  double m = -1, low = 1e9; int largest = 0; unsigned u = 7;
#pragma omp parallel
  {
    double t = -1, l = low; int big = 0; unsigned w = 0;
#pragma omp for
    for (int i = 0; i < n; i++) {
      if (x[i] > t) t = x[i];
      l = y[i] < l ? y[i] : l;
      big = big > k[i] ? big : k[i];
      if ((unsigned)k[i] > w) w = k[i];
    }
#pragma omp critical
    {
      if (t > m) m = t;
      if (low > l) low = l;
      largest = big > largest ? big : largest;
      u = u < w ? w : u;
    }
  }
  printf("most %g %g %d %u\n", m, low, largest, u);
}
static void steps(void) {
  double s = 0; unsigned bits = 0, all = ~0u, odd = 0; float p = 1;
  for (int r = 0; r < 3; ++r) {
#pragma omp parallel
  {
    double t, t2; unsigned b = 0, a = ~0u, o = 0; float q = 1;
    for (int step = 0; step < 4; ++step) {
      t = 0; t2 = 0;
#pragma omp for nowait
      for (int i = 0; i < n; i++) { t += x[i]; b |= k[i]; a &= k[i] | 0xff00u; o ^= k[i]; if (i % 500 == 1) q *= 2; }
#pragma omp for nowait
      for (int i = 0; i < n; i++) t2 += y[i] - step;
      t += t2;
#pragma omp atomic
      s += t;
#pragma omp barrier
#pragma omp single
      x[0] = s;
    }
#pragma omp critical
    { bits |= b; all &= a; odd ^= o; p *= q; }
  }
  }
  printf("steps %g %x %x %x %g\n", s, bits, all, odd, p);
}
static void whole(void) {
  double s = 2; int m = 0, c = 0; long big = -1; float f = 1; unsigned bits = 0;
#pragma omp parallel reduction(+ : s, c) reduction(max : m, big) reduction(* : f) reduction(| : bits)
  {
#pragma omp for nowait
    for (int i = 0; i < n; i++) { s += x[i]; c++; }
#pragma omp for
    for (int i = 0; i < n; i++) { s -= y[i]; m = m > k[i] ? m : k[i]; bits |= k[i]; }
#pragma omp for
    for (int i = 0; i < n; i++) { c += 2; if (k[i] > big) big = k[i]; if (i == 3) f *= 3; }
  }
  printf("whole %g %d %d %ld %g %x\n", s, c, m, big, f, bits);
}
static double add(const double *v, int count) {
  double s = 0;
#pragma omp parallel
  {
    double t = 0;
#pragma omp for schedule(dynamic, 7)
    for (int i = 0; i < count; i++) t += v[i];
#pragma omp atomic
    g += t;
#pragma omp atomic
    s += t;
  }
  return s;
}
/// C computes with the wider type of two.
static void widths(void) {
  float f = 0;
  int c = 0, bits = 0;
#pragma omp parallel
  {
    float t = 0;
    int mine = 0, flags = 0;
#pragma omp for
    for (int i = 0; i < n; i++) {
      t += (i % 8) * 1.0;
      mine += (i % 70) * 1L;
      flags ^= (1LL << 40) | (i == 7 ? 64 : 0);
    }
#pragma omp critical
    {
      f += t;
      c += mine;
      bits ^= flags;
    }
  }
  printf("widths %g %d %d\n", f, c, bits);
}
static void linear(void) {
  int step = 5, both = 7;
#pragma omp parallel for linear(step : 3)
  for (int i = 0; i < n; i++) {
    x[i] = step + i;
    step += 3;
  }
#pragma omp parallel for firstprivate(both) lastprivate(both)
  for (int i = 0; i < n; i++) {
    both = 2 * i;
    y[i] = both;
  }
  printf("linear %d %g %d %g\n", step, x[n - 1], both, y[n - 1]);
}
int main(void) {
  for (int i = 0; i < n; i++) { x[i] = (i * 7) % 100; y[i] = (i * 13) % 50 - 3; k[i] = (i * 17) % 331; }
  nowaitCritical(); most(); steps(); whole();
  printf("add %g %g %g\n", add(x, n), add(y, 10), g);
  printf("add %g\n", add(x, 0));
  widths();
  linear();
}
